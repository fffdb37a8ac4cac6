"""Rotary positions: a token's place is written into its query and key by turning them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.functions import Array


class Rotation(NamedTuple):
    """How far each pair of features is turned at each position."""

    cosines: Array  # (T, K)
    sines: Array  # (T, K)


def rotation(positions: NDArray[np.int64], *, width: int, base: float) -> Rotation:
    """Find the angles: the first pair turns by one radian a position, the last hardly at all.

    Pair i turns by position · base^(−2i/K), like the hands of a clock: fast ones tell neighbours
    apart, slow ones tell near from far.

    Shapes: positions (T) -> cosines (T, K), sines (T, K); both halves of a row are the same.

    Example: with two pairs and base 100 the second pair turns a tenth as fast.
        >>> turn = rotation(np.array([0, 10]), width=4, base=100.0)
        >>> np.arccos(turn.cosines[1, 1]).round(6).item()
        1.0

    Source: Su et al. 2021, RoFormer, section 3.2.2.
    """
    pairs = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    speeds = np.float32(1) / np.float32(base) ** pairs
    angles = positions.astype(np.float32)[:, None] * np.tile(speeds, 2)
    return Rotation(np.cos(angles), np.sin(angles))


def rotate(x: Array, turn: Rotation) -> Array:
    """Turn each pair of features by its angle, so that a product q·k knows the distance.

    Feature i is paired with feature i + K/2. Lengths stay as they are, and the product of a turned
    query with a turned key depends on how far apart the two stand, not on where.

    Shapes: x (..., T, K), turn (T, K) -> (..., T, K).

    Example: a quarter turn takes (1, 0) to (0, 1).
        >>> quarter = Rotation(np.zeros((1, 2)), np.ones((1, 2)))
        >>> rotate(np.array([[1.0, 0.0]]), quarter)
        array([[0., 1.]])

    Source: Su et al. 2021, equation 34; the pairing by halves is that of Llama in transformers.
    """
    half = x.shape[-1] // 2
    quarter_turned = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    turned: Array = x * turn.cosines
    turned += quarter_turned * turn.sines
    return turned
