"""Masks say who may look at whom: 0 where looking is allowed, −∞ where it is not.

A mask is added to the scores before softmax. Since e^(−∞) is 0, a masked key gets a weight of
exactly zero. Row = the token that looks (query), column = the token looked at (key).
"""

import numpy as np
from numpy.typing import NDArray

from app.engine import EmptyRow
from app.engine.functions import Array, softmax

Allowed = NDArray[np.bool_]


def custom(allowed: Allowed) -> Array:
    """Turn a drawing of who may look at whom into a mask.

    Shapes: allowed (T, S) true or false -> (T, S) 0 or −∞.

    Example:
        >>> custom(np.array([[True, False], [True, True]]))
        array([[  0., -inf],
               [  0.,   0.]], dtype=float32)

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    return np.where(allowed, np.float32(0), np.float32(-np.inf))


def full(tokens: int) -> Array:
    """Let every token look at every token: the mask of an encoder.

    Shapes: -> (T, T).

    Example:
        >>> full(2)
        array([[0., 0.],
               [0., 0.]], dtype=float32)
    """
    return np.zeros((tokens, tokens), np.float32)


def causal(tokens: int) -> Array:
    """Let every token look at itself and at the past: the mask of a decoder.

    Shapes: -> (T, T), 0 on and below the diagonal, −∞ above.

    Example:
        >>> causal(2)
        array([[  0., -inf],
               [  0.,   0.]], dtype=float32)
    """
    return custom(np.tri(tokens, dtype=bool))


def padding(real: Allowed) -> Array:
    """Hide the filler that makes sentences of a batch equally long.

    Shapes: real (T), false at filler -> (T, T): every row hides the filler's columns.

    Example:
        >>> padding(np.array([True, False]))
        array([[  0., -inf],
               [  0., -inf]], dtype=float32)
    """
    return custom(np.broadcast_to(real, (len(real), len(real))))


def sliding_window(tokens: int, *, before: int, after: int = 0) -> Array:
    """Let every token look at its neighbourhood only, so that cost grows with T, not with T².

    Shapes: -> (T, T): row i sees columns i − before to i + after.

    Example:
        >>> sliding_window(3, before=1)
        array([[  0., -inf, -inf],
               [  0.,   0., -inf],
               [-inf,   0.,   0.]], dtype=float32)

    Source: Beltagy, Peters and Cohan 2020, section 3.1 (both sides); Jiang et al. 2023 (the past).
    """
    position = np.arange(tokens)
    ahead = position[None, :] - position[:, None]
    return custom((ahead >= -before) & (ahead <= after))


def prefix(tokens: int, length: int) -> Array:
    """Let everybody see the given beginning in full, and the rest of the text only backwards.

    Shapes: -> (T, T): columns before `length` are open, the others causal.

    Example:
        >>> prefix(3, 2)
        array([[  0.,   0., -inf],
               [  0.,   0., -inf],
               [  0.,   0.,   0.]], dtype=float32)

    Source: Raffel et al. 2020, section 3.2.1 and figure 4.
    """
    return custom(np.tri(tokens, dtype=bool) | (np.arange(tokens) < length))


def refuse_empty_rows(mask: Array) -> None:
    """Refuse a mask in which a token may look at nothing, since its weights would be 0 ÷ 0.

    Shapes: mask (..., T, S) -> nothing.

    Example:
        >>> refuse_empty_rows(custom(np.array([[True, False], [False, False]])))
        Traceback (most recent call last):
        app.engine.EmptyRow: row 2 may look at nothing; let it look at one token at least

    Raises: EmptyRow, naming the rows counted from 1.
    """
    empty = np.isneginf(mask).all(axis=-1)
    if not empty.any():
        return
    rows = np.unique(np.nonzero(empty)[-1]) + 1
    named = "row" if len(rows) == 1 else "rows"
    numbers = ", ".join(map(str, rows))
    raise EmptyRow(f"{named} {numbers} may look at nothing; let it look at one token at least")


def leaks(mask: Array) -> list[tuple[int, int]]:
    """Name the places where a token may look into its own future.

    Shapes: mask (T, T) -> pairs (row, column), counted from 0, row by row.

    Example:
        >>> leaks(prefix(3, 2))
        [(0, 1)]
    """
    rows, columns = np.nonzero(np.triu(np.isfinite(mask), k=1))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def reach(mask: Array, layers: int) -> Allowed:
    """Find who can learn from whom when layers are stacked: friends of friends count too.

    Shapes: mask (T, T) -> (T, T), true where row's output depends on column's input. A token always
    keeps its own input, by the residual connection.

    Example: 3 sees 2 and 2 sees 1, so that after two layers 3 knows of 1.
        >>> reach(sliding_window(3, before=1), layers=2)[2]
        array([ True,  True,  True])
    """
    step = np.isfinite(mask) | np.eye(len(mask), dtype=bool)
    reached = np.eye(len(mask), dtype=bool)
    for _ in range(layers):
        reached = step @ reached
    return reached


def first_layer(mask: Array, layers: int) -> Array:
    """Say after how many layers a token first knows of another: 1 directly, more through others.

    Shapes: mask (T, T) -> (T, T): 0 for a token itself, −∞ where it never learns of the other.

    Example: 3 sees 2 and 2 sees 1, so that 3 knows of 1 after two layers.
        >>> first_layer(sliding_window(3, before=1), layers=2)[2]
        array([2., 1., 0.], dtype=float32)
    """
    known = [reach(mask, layer) for layer in range(layers + 1)]
    missed = np.sum(known, axis=0, dtype=np.float32)
    return np.where(known[-1], layers + 1 - missed, np.float32(-np.inf))


def mask_after_softmax(scores: Array, mask: Array) -> Array:
    """Mask too late, as a common mistake does: hidden keys get 0, but the rest is not shared anew.

    Shapes: scores (..., T, S), mask (T, S) -> (..., T, S), whose rows sum to less than 1 where
    something was hidden: the hidden scores still stand in the denominator.

    Example: the weights were ¼ and ¾; the hidden ¾ is lost.
        >>> mask_after_softmax(np.log([[1.0, 3.0]]), np.array([[0.0, -np.inf]])).round(6)
        array([[0.25, 0.  ]])
    """
    return softmax(scores) * np.isfinite(mask)
