"""Maps: many dimensions laid flat, and how much such a map hides."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine import EngineError
from app.engine.functions import Array


class Projection(NamedTuple):
    """Points seen from the side on which they spread most."""

    mean: Array  # (D) the middle of the points
    components: Array  # (k, D) the directions of most spread, each of length 1
    points: Array  # (n, k) where each point lies along these directions
    explained: Array  # (k) the share of all variance that each direction keeps


def pca(vectors: Array, dimensions: int) -> Projection:
    """Find the flat view that keeps most of the points' spread.

    Each direction is turned so that its largest number is positive: the same points always
    give the same map. Directions in which nothing spreads come back as zeros.

    Shapes: vectors (n, D) -> Projection with k = dimensions.

    Example: four points, three times as far apart in x as in y: 9 / (9 + 1) of the variance.
        >>> view = pca(np.array([[3.0, 1], [3, -1], [-3, 1], [-3, -1]]), dimensions=1)
        >>> view.explained.round(6).tolist(), view.points[:, 0].round(6).tolist()
        ([0.9], [3.0, 3.0, -3.0, -3.0])

    Raises: EngineError, for no vectors.

    Source: Pearson 1901; by singular value decomposition of the centred points.
    """
    if len(vectors) == 0:
        raise EngineError("no vectors to draw; give at least one")
    mean = vectors.mean(axis=0)
    _, spread, found = np.linalg.svd(vectors - mean, full_matrices=False)
    rounding = 1e-6 * np.linalg.norm(vectors)
    kept = min(dimensions, int(np.sum(spread > rounding)))
    components = np.zeros((dimensions, vectors.shape[1]), vectors.dtype)
    components[:kept] = found[:kept]
    peak = np.abs(components).argmax(axis=1)
    components *= np.where(components[np.arange(dimensions), peak] < 0, -1, 1)[:, None]
    explained = np.zeros(dimensions, vectors.dtype)
    explained[:kept] = spread[:kept] ** 2 / np.sum(spread**2) if kept else 0
    return Projection(mean, components, (vectors - mean) @ components.T, explained)


def plane(u: Array, v: Array) -> Array:
    """Find two directions at right angles in the plane of two vectors, the first along u.

    A direction that the two do not give, since one is zero or both point one way, is all zeros.

    Shapes: u (D), v (D) -> (2, D), each row of length 1 or 0.

    Example: the second is what remains of (1, 1, 0) without its part along (2, 0, 0).
        >>> plane(np.array([2.0, 0.0, 0.0]), np.array([1.0, 1.0, 0.0])).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]

    Source: Gram 1883, Schmidt 1907.
    """
    rounding = 1e-6 * (np.linalg.norm(u) + np.linalg.norm(v))
    axes = np.zeros((2, len(u)), np.result_type(u, v, np.float32))
    for axis, vector in zip(axes, (u, v), strict=True):
        rest = vector - axes.T @ (axes @ vector)
        length = np.linalg.norm(rest)
        if length > rounding:
            axis[:] = rest / length
    return axes


def share_in(axes: Array, vectors: Array) -> Array:
    """Say how much of each vector's squared length lies in a plane; all of it, for a zero vector.

    Shapes: axes (2, D) as plane gives them, vectors (n, D) -> (n) in [0, 1].

    Example: 3² of 3² + 4² = 25.
        >>> share_in(np.eye(2, 3), np.array([[3.0, 0, 4], [0, 0, 0]])).tolist()
        [0.36, 1.0]
    """
    lengths = np.sum(vectors * vectors, axis=1)
    inside = np.sum((vectors @ axes.T) ** 2, axis=1)
    shares = np.ones(len(vectors), vectors.dtype)
    np.divide(inside, lengths, out=shares, where=lengths > 0)
    return np.clip(shares, 0, 1)


def neighbours(points: Array, count: int) -> NDArray[np.bool_]:
    """Mark each point's nearest other points by straight-line distance.

    Shapes: points (n, D) -> (n, n) true where the column is among the row's `count` nearest.

    Example:
        >>> neighbours(np.array([[0.0], [1.0], [5.0]]), 1).tolist()
        [[False, True, False], [True, False, False], [False, True, False]]
    """
    squares = np.sum(points * points, axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * points @ points.T
    np.fill_diagonal(distances, np.inf)
    near = np.zeros(distances.shape, bool)
    rows = np.argsort(distances, axis=1, kind="stable")[:, :count]
    np.put_along_axis(near, rows, values=True, axis=1)
    return near


def neighbour_preservation(original: Array, flat: Array, count: int) -> float:
    """Tell how far to trust a map: the share of true neighbours that are neighbours on it too.

    Shapes: original (n, D), flat (n, k) -> a number in [0, 1]; 1 for a single point.

    Example: two pairs one above the other; from the side they stay pairs, from above they do not.
        >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [1.0, 3.0]])
        >>> neighbour_preservation(points, points[:, 1:], count=1)
        1.0
        >>> neighbour_preservation(points, points[:, :1], count=1)
        0.0

    Source: Venna and Kaski 2001, in the simplest form: the overlap of neighbourhoods.
    """
    count = min(count, len(original) - 1)
    if count < 1:
        return 1.0
    both = neighbours(original, count) & neighbours(flat, count)
    return float(both.sum() / (len(original) * count))
