"""t-SNE by scikit-learn: a map that keeps each point's neighbours and bends the rest."""

from typing import NamedTuple

import numpy as np

from app.figures.describe import Array

FEWEST = 7  # points; with fewer, perplexity is below 2: no neighbourhood to keep
USUAL = 30.0  # perplexity: about how many neighbours a point is to have
SEED, STEPS = 0, 500


class Bent(NamedTuple):
    """A t-SNE map, and what it was made with."""

    points: Array  # (n, 2)
    perplexity: float
    divergence: float  # Kullback–Leibler, in nats: how far the map's neighbourhoods are from true


def bend(vectors: Array, start: Array) -> Bent:
    """Lay vectors out in a plane so that near ones stay near.

    The same vectors always give the same map: the start is a PCA map, the method exact, the seed
    fixed. Perplexity is cut to a third of the other points: more neighbours than
    that would be nearly everyone.

    Shapes: vectors (n, D), start (n, 2) -> Bent.

    Source: van der Maaten and Hinton 2008.
    """
    # scikit-learn takes seconds to import, so only the reader who asks for t-SNE waits for it.
    from sklearn.manifold import TSNE  # noqa: PLC0415

    perplexity = min(USUAL, (len(vectors) - 1) / 3)
    spread = float(start[:, 0].std()) or 1.0
    method = TSNE(
        n_components=2,
        perplexity=perplexity,
        init=np.asarray(start / spread * 1e-4, np.float32),
        method="exact",
        random_state=SEED,
        max_iter=STEPS,
    )
    points: Array = method.fit_transform(vectors)
    points /= float(points.std()) or 1.0  # the map has no unit
    return Bent(points, perplexity, float(method.kl_divergence_))
