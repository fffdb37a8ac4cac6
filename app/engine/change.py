"""What a change moves: two versions of a text, laid side by side, and how far each vector went."""

from typing import NamedTuple

import numpy as np

from app.engine.bert import Ids
from app.engine.cache import common_prefix
from app.engine.functions import Array


class Alignment(NamedTuple):
    """Which token of the second text stands where a token of the first one stood."""

    before: int  # tokens in front of the change, the same in both texts
    after: int  # tokens behind it, the same in both texts
    first: Ids  # (P) numbers of tokens of the first text
    second: Ids  # (P) their counterparts in the second


def align(first: Ids, second: Ids) -> Alignment:
    """Pair the tokens of two texts that differ in one place.

    What both begin with and end with is paired token by token. What was replaced is paired so too
    when it has the same number of tokens; if not, only its last token with the other's last.

    Shapes: first (T), second (S) -> Alignment.

    Example: 6 was replaced by the two tokens 8 and 9.
        >>> found = align(np.array([5, 6, 7]), np.array([5, 8, 9, 7]))
        >>> found.first.tolist(), found.second.tolist()
        ([0, 1, 2], [0, 2, 3])
    """
    before = common_prefix(first.tolist(), second.tolist())
    rest = (first[before:][::-1].tolist(), second[before:][::-1].tolist())
    after = common_prefix(*rest)
    old, new = len(first) - before - after, len(second) - before - after
    paired = old if old == new else min(old, new, 1)
    head, tail = np.arange(before), np.arange(after, 0, -1)
    inside = np.arange(paired, 0, -1) + after
    return Alignment(
        before,
        after,
        np.concatenate([head, len(first) - inside, len(first) - tail]),
        np.concatenate([head, len(second) - inside, len(second) - tail]),
    )


def same_length(first: Ids, second: Ids, filler: int) -> tuple[Ids, Ids]:
    """Fill up the shorter of two texts at its end.

    A matrix product may add the same numbers up in another order when there are more columns, and
    then the last digit differs. With equal lengths every sum is taken in the same order, so that
    what is equal in mathematics is equal to the last bit. In a causal model no real token can see
    the filler.

    Shapes: first (T), second (S) -> two of (max(T, S)).

    Example:
        >>> [ids.tolist() for ids in same_length(np.array([5, 6]), np.array([5]), 0)]
        [[5, 6], [5, 0]]
    """
    longest = max(len(first), len(second))
    return (
        np.pad(first, (0, longest - len(first)), constant_values=filler),
        np.pad(second, (0, longest - len(second)), constant_values=filler),
    )


def movement(first: Array, second: Array) -> Array:
    """Measure how far each vector went, against its own length before.

    Shapes: first and second (..., P, D) -> (..., P); 0 exactly where nothing changed.

    Example: (3, 4) has the length 5; it went 1 to the side.
        >>> movement(np.array([[3.0, 4.0]]), np.array([[3.0, 5.0]]))
        array([0.2])
    """
    moved = np.sqrt(np.sum((second - first) ** 2, axis=-1))
    length = np.sqrt(np.sum(first**2, axis=-1))
    relative: Array = moved / np.maximum(length, np.finfo(length.dtype).tiny)
    return relative
