"""The key–value cache: what a decoder computed for the past, kept because it cannot change.

A token in a decoder never sees what comes after it, so its keys and values stay true however the
text goes on. A cache goes into a forward pass and a longer one comes out; none is ever altered,
so that many continuations may start from the same one.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from app.engine.functions import Array


class LayerCache(NamedTuple):
    """The keys and values of one layer."""

    keys: Array  # (..., H, S, K) leading axes where several texts are written at once
    values: Array  # (..., H, S, K)

    def extended(self, keys: Array, values: Array) -> Self:
        """Put the new tokens' keys and values behind those of the past.

        Shapes: keys and values (..., H, T, K) -> (..., H, S + T, K).
        """
        return type(self)(
            np.concatenate([self.keys, keys], axis=-2),
            np.concatenate([self.values, values], axis=-2),
        )


Cache = tuple[LayerCache, ...]  # one entry a layer


def empty_cache(layers: int, heads: int, width: int) -> Cache:
    """Make the cache of a text that has not begun.

    Example:
        >>> cached_tokens(empty_cache(layers=2, heads=3, width=4))
        0
    """
    nothing = np.zeros((heads, 0, width), np.float32)
    return (LayerCache(nothing, nothing),) * layers


def cached_tokens(cache: Cache) -> int:
    """Count the tokens whose keys and values are kept."""
    return int(cache[0].keys.shape[-2])


def truncate(cache: Cache, tokens: int) -> Cache:
    """Forget all but the first tokens.

    Shapes: keys and values (..., H, S, K) -> (..., H, tokens, K).
    """
    return tuple(
        LayerCache(keys[..., :tokens, :], values[..., :tokens, :]) for keys, values in cache
    )


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Count the tokens with which both texts begin.

    Example:
        >>> common_prefix([5, 6, 7], [5, 6, 8, 9])
        2
    """
    same = (a == b for a, b in zip(first, second, strict=False))
    return next((n for n, equal in enumerate(same) if not equal), min(len(first), len(second)))


def reusable(cache: Cache, cached_ids: Sequence[int], ids: Sequence[int]) -> Cache:
    """Keep the part of an older text's cache that is true for a new text as well.

    The last token of the new text is always left to compute, since its output is what is asked for.

    Example: of [5, 6, 7] all may be kept for [5, 6, 7, 8], but only two for [5, 6, 7] itself.
        >>> cache = (LayerCache(np.zeros((1, 3, 2)), np.zeros((1, 3, 2))),)
        >>> [cached_tokens(reusable(cache, [5, 6, 7], ids)) for ids in ([5, 6, 7, 8], [5, 6, 7])]
        [3, 2]
    """
    return truncate(cache, min(common_prefix(cached_ids, ids), len(ids) - 1))
