"""Word vectors: meaning as direction. Near words point the same way."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine import ZeroVector
from app.engine.functions import Array

ROWS_AT_ONCE = 8_192  # × 50 numbers × 4 bytes = 1.6 MB, which stays in the cache
BLOCK = 256  # scores a block in `largest`
TOGETHER = 8  # vectors compared with a table in one pass: 8 × 400,000 cosines are 13 MB


class Neighbours(NamedTuple):
    """The rows of a table nearest to a vector, nearest first."""

    rows: NDArray[np.int64]  # (n)
    cosines: Array  # (n)


class Analogy(NamedTuple):
    """An answer to: a is to b as c is to what?"""

    target: Array  # (D) the vector b − a + c
    cosines: Array  # (V) of every row with the target
    among_all: Neighbours  # the nearest rows, a, b and c included
    without_inputs: Neighbours  # the nearest rows, a, b and c left out


def directions(vectors: Array) -> Array:
    """Shorten or stretch each vector to length 1, so that only its direction is left.

    Shapes: vectors (..., D) -> (..., D), float32.

    Example: 3² + 4² = 5².
        >>> directions(np.array([3.0, 4.0])).tolist()
        [0.6000000238418579, 0.800000011920929]

    Raises: ZeroVector, naming the rows.
    """
    lengths = np.linalg.norm(vectors.astype(np.float32), axis=-1, keepdims=True)
    if not lengths.all():
        rows = (np.flatnonzero(lengths == 0) + 1).tolist()
        raise ZeroVector(f"all numbers of vector {rows} are zero; it points nowhere")
    return np.asarray(vectors / lengths, np.float32)


def cosine(u: Array, v: Array) -> float:
    """Measure how alike two directions are: 1 the same, 0 unrelated, −1 opposite.

    Shapes: u (D), v (D) -> a number in [−1, 1].

    Example: 1·1 + 0·1 = 1, divided by the lengths 1 and √2.
        >>> round(cosine(np.array([1.0, 0.0]), np.array([1.0, 1.0])), 4)
        0.7071

    Raises: ZeroVector.
    """
    return float(np.clip(directions(u) @ directions(v), -1, 1))


def cosine_matrix(vectors: Array) -> Array:
    """Measure every vector against every other.

    Shapes: vectors (n, D) -> (n, n), symmetric, 1 on the diagonal.

    Example:
        >>> cosine_matrix(np.array([[1.0, 0.0], [0.0, 2.0]])).tolist()
        [[1.0, 0.0], [0.0, 1.0]]

    Raises: ZeroVector.
    """
    unit = directions(vectors)
    cosines: Array = np.clip(unit @ unit.T, -1, 1)
    np.fill_diagonal(cosines, 1)
    return cosines


def lengths_of(table: Array) -> Array:
    """Measure the length of every row, once, since no search needs to do it again.

    Shapes: table (V, D) -> (V).

    Example: 3² + 4² = 5².
        >>> lengths_of(np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
        [5.0, 2.0]
    """
    rows = np.asarray(table, np.float32)
    return np.asarray(np.sqrt(np.einsum("vd,vd->v", rows, rows)), np.float32)


def all_cosines(table: Array, vector: Array, lengths: Array | None = None) -> Array:
    """Measure one vector against every row of a large table, a slice at a time.

    Shapes: table (V, D) float32 or float16, vector (D), lengths (V) -> (V). A row of zeros has no
    direction; it gets −1, so that it comes last.

    Example:
        >>> all_cosines(np.array([[2.0, 0], [0, 3], [0, 0]]), np.array([5.0, 0])).tolist()
        [1.0, 0.0, -1.0]

    Raises: ZeroVector.
    """
    unit = directions(vector)
    cosines = np.empty(len(table), np.float32)
    for start in range(0, len(table), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        rows = np.asarray(table[some], np.float32)
        np.matmul(rows, unit, out=cosines[some])
        long = lengths_of(rows) if lengths is None else lengths[some]
        np.divide(cosines[some], long, out=cosines[some], where=long != 0)
        cosines[some][long == 0] = -1
    return cosines


def largest(scores: Array, count: int) -> Neighbours:
    """Pick the largest scores, largest first; among equals the earlier row.

    The scores are cut into blocks; no score below the count-th largest block maximum can be among
    the `count` largest, so that few remain to be sorted.

    Shapes: scores (V) -> rows (count), cosines (count).

    Example:
        >>> largest(np.array([0.1, 0.9, 0.5]), 2).rows.tolist()
        [1, 2]
    """
    maxima = np.maximum.reduceat(scores, np.arange(0, len(scores), BLOCK))
    sure = min(count, len(maxima))
    threshold = np.partition(maxima, -sure)[-sure] if sure == count else -np.inf
    rows = np.flatnonzero(scores >= threshold)
    rows = rows[np.lexsort((rows, -scores[rows]))][:count]
    return Neighbours(rows, scores[rows])


def nearest(
    table: Array,
    vector: Array,
    count: int,
    *,
    exclude: Sequence[int] = (),
    lengths: Array | None = None,
) -> Neighbours:
    """Find the rows of a table that point most nearly the way of a vector; every row is tried.

    Shapes: table (V, D), vector (D), lengths (V) as lengths_of gives them -> Neighbours.

    Example:
        >>> nearest(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([2.0, 1.0]), 2).rows
        array([2, 0])

    Raises: ZeroVector.
    """
    cosines = all_cosines(table, vector, lengths)
    cosines[list(exclude)] = -np.inf
    return largest(cosines, min(count, len(table) - len(set(exclude))))


def nearest_to_each(
    table: Array, rows: Sequence[int], count: int, *, lengths: Array
) -> tuple[Neighbours, ...]:
    """Find the nearest other rows of several rows at once: one pass over the table serves eight.

    Shapes: table (V, D), rows (n), lengths (V) as lengths_of gives them -> n Neighbours.

    Example: the third lies at 45° to the first and at 71.6° to the second.
        >>> table = np.array([[1.0, 0.0], [-1.0, 3.0], [1.0, 1.0]], np.float32)
        >>> found = nearest_to_each(table, [0, 2], 1, lengths=lengths_of(table))
        >>> [each.rows.tolist() for each in found]
        [[2], [0]]

    Raises: ZeroVector.
    """
    found: list[Neighbours] = []
    nowhere = np.flatnonzero(lengths == 0)
    shorten = 1 / np.where(lengths == 0, 1, lengths)
    for start in range(0, len(rows), TOGETHER):
        some = list(rows[start : start + TOGETHER])
        cosines = directions(np.asarray(table[some], np.float32)) @ np.asarray(table, np.float32).T
        cosines *= shorten
        cosines[:, nowhere] = -1
        cosines[np.arange(len(some)), some] = -np.inf
        found += [largest(line, min(count, len(table) - 1)) for line in cosines]
    return tuple(found)


def analogy(
    table: Array, a: int, b: int, c: int, count: int, *, lengths: Array | None = None
) -> Analogy:
    """Answer "a is to b as c is to what?" by walking from c as one walks from a to b.

    Shapes: table (V, D), rows a, b and c, lengths (V) -> Analogy.

    Example: from (0, 1) to (1, 1) is a step right; from (0, 2) it leads to (1, 2).
        >>> table = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 2.0], [1.0, 2.0]])
        >>> analogy(table, 0, 1, 2, count=1).without_inputs.rows
        array([3])

    Raises: ZeroVector, if the three cancel each other.

    Source: Mikolov, Yih and Zweig 2013, section 4; that paper leaves the three inputs out.
    """
    target = np.asarray(table[b], np.float32) - table[a] + table[c]
    cosines = all_cosines(table, target, lengths)
    among_all = largest(cosines, min(count, len(table)))
    others = cosines.copy()
    others[[a, b, c]] = -np.inf
    without = largest(others, min(count, len(table) - len({a, b, c})))
    return Analogy(target, cosines, among_all, without)


def place_of(cosines: Array, row: int, *, exclude: Sequence[int] = ()) -> int:
    """Say at which place a row stands when all are ranked, counting from 1; equals share it.

    Shapes: cosines (V) -> a whole number.

    Example:
        >>> cosines = np.array([0.9, 0.2, 0.5])
        >>> place_of(cosines, 2), place_of(cosines, 2, exclude=[0])
        (2, 1)
    """
    before = cosines > cosines[row]
    return int(before.sum()) - int(before[list(set(exclude))].sum()) + 1
