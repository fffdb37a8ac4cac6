"""Attention: every token asks all tokens, and takes from each as much as their keys fit."""

import math
from typing import NamedTuple

import numpy as np

from app.engine.functions import Array, softmax
from app.engine.masks import refuse_empty_rows


class Attention(NamedTuple):
    """One act of attention, step by step; row = query, column = key."""

    scores: Array  # (..., T, S) how well each key fits each query, divided by √K
    masked: Array  # (..., T, S) the same, with −∞ where looking is forbidden
    weights: Array  # (..., T, S) the shares that softmax makes of it; rows sum to 1
    mixed: Array  # (..., T, K) the values, added up in these shares


def attend(
    queries: Array, keys: Array, values: Array, *, mask: Array | None = None, scale: bool = True
) -> Attention:
    """Let each query collect the values of the keys that fit it: softmax(QKᵀ/√K + M)·V.

    Shapes: queries (..., T, K), keys (..., S, K), values (..., S, K), mask (..., T, S) ->
    scores, masked and weights (..., T, S), mixed (..., T, K). scale=False leaves √K out.

    Example: the scores are 0 and ln 3, the weights ¼ and ¾, the mix ¼·0 + ¾·8.
        >>> keys, values = np.array([[0.0], [np.log(3.0)]]), np.array([[0.0], [8.0]])
        >>> attend(np.array([[1.0]]), keys, values).mixed.round(6)
        array([[6.]])

    Raises: EmptyRow, where the mask lets a token look at nothing.

    Source: Vaswani et al. 2017, equation 1.
    """
    scores = queries @ np.swapaxes(keys, -1, -2)
    if scale:
        scores = scores / math.sqrt(queries.shape[-1])
    masked = scores
    if mask is not None:
        refuse_empty_rows(mask)
        masked = scores + mask
    weights = softmax(masked)
    return Attention(scores, masked, weights, mixed=weights @ values)


def split_heads(x: Array, heads: int) -> Array:
    """Cut the width into equal parts, one a head, so that each can look its own way.

    Shapes: x (..., T, D) -> (..., H, T, K).

    Example:
        >>> split_heads(np.array([[1, 2, 3, 4]]), heads=2).tolist()
        [[[1, 2]], [[3, 4]]]

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return np.swapaxes(x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads), -3, -2)


def merge_heads(x: Array) -> Array:
    """Lay the heads' answers side by side again: the reverse of split_heads.

    Shapes: x (..., H, T, K) -> (..., T, D).

    Example:
        >>> merge_heads(np.array([[[1, 2]], [[3, 4]]])).tolist()
        [[1, 2, 3, 4]]

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    *leading, heads, tokens, width = x.shape
    return np.swapaxes(x, -3, -2).reshape(*leading, tokens, heads * width)


def contributions(weights: Array, values: Array) -> Array:
    """Say what each token adds to the mix of one query: its value, as loud as its weight.

    Shapes: weights (..., S), values (..., S, K) -> (..., S, K), whose sum over S is the mix.

    Example: a quarter of (0, 4) and three quarters of (8, 0).
        >>> contributions(np.array([0.25, 0.75]), np.array([[0.0, 4.0], [8.0, 0.0]]))
        array([[0., 1.],
               [6., 0.]])
    """
    return weights[..., None] * values
