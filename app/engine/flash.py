"""Attention tile by tile: the same result as plain attention, without ever holding its map."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from app.engine import EngineError
from app.engine.functions import Array

FLOAT_BYTES = 4  # one float32


class Tile(NamedTuple):
    """What is known after one tile: a block of queries has met one more block of keys."""

    queries: slice
    keys: slice
    scores: Array  # this tile alone; -inf where a causal query may not look
    maximum: Array  # largest score so far, one per query
    shrink: Array  # exp(maximum before - maximum): what earlier sums were multiplied by
    total: Array  # sum so far of exp(score - maximum)
    mixed: Array  # the output so far, as if the later keys did not exist


class TiledAttention(NamedTuple):
    """The result of attention in tiles, and the two numbers per query that stand for its map."""

    maximum: Array
    total: Array
    mixed: Array
    tiles: tuple[Tile, ...]  # in order of computation; empty unless asked for


def ahead(rows: slice, columns: slice) -> Array:
    """Cut one tile out of the causal mask: −∞ where the key stands after the query.

    Shapes: -> (rows, columns).

    Example:
        >>> ahead(slice(2, 4), slice(2, 4))
        array([[  0., -inf],
               [  0.,   0.]], dtype=float32)
    """
    queries, keys = np.arange(rows.start, rows.stop), np.arange(columns.start, columns.stop)
    return np.where(keys > queries[:, None], np.float32(-np.inf), np.float32(0))


def tiles(
    queries: Array, keys: Array, values: Array, *, block: int, causal: bool = False
) -> Iterator[Tile]:
    """Meet the keys one block at a time and correct the softmax whenever a larger score turns up.

    Shapes: (..., T, K), (..., S, K), (..., S, K) -> tiles of at most block x block.

    Source: Dao et al. 2022, algorithm 1; Milakov and Gimelshein 2018 (online softmax).
    """
    T, S = queries.shape[-2], keys.shape[-2]
    scaled = queries / np.sqrt(np.float32(queries.shape[-1]))
    for first in range(0, T, block):
        rows = slice(first, min(first + block, T))
        maximum: Array = np.full(scaled[..., rows, 0].shape, -np.inf, queries.dtype)
        total: Array = np.zeros_like(maximum)
        weighted: Array = np.zeros((*maximum.shape, values.shape[-1]), queries.dtype)
        seen = min(rows.stop, S) if causal else S
        for start in range(0, seen, block):
            columns = slice(start, min(start + block, seen))
            scores = scaled[..., rows, :] @ np.swapaxes(keys[..., columns, :], -1, -2)
            if causal:
                scores += ahead(rows, columns)
            before, maximum = maximum, np.maximum(maximum, scores.max(axis=-1))
            shares = np.exp(scores - maximum[..., None])
            shrink = np.exp(before - maximum)
            total = total * shrink + shares.sum(axis=-1)
            weighted = weighted * shrink[..., None] + shares @ values[..., columns, :]
            mixed: Array = weighted / total[..., None]
            yield Tile(rows, columns, scores, maximum, shrink, total, mixed)


def attend_in_tiles(
    queries: Array,
    keys: Array,
    values: Array,
    *,
    block: int = 64,
    causal: bool = False,
    keep_tiles: bool = False,
) -> TiledAttention:
    """Mix the values as plain attention does, in memory that grows with T and not with T².

    Shapes: (..., T, K), (..., S, K), (..., S, K) -> maximum, total (..., T), mixed (..., T, K).

    Example: the scores are 0 and ln 3, the weights ¼ and ¾.
        >>> keys, values = np.array([[0.0], [np.log(3)]]), np.array([[0.0], [4.0]])
        >>> attend_in_tiles(np.ones((1, 1)), keys, values, block=1).mixed.round(6)
        array([[3.]])

    Raises: EngineError, for a block below 1.
    """
    if block < 1:
        raise EngineError(f"block is {block}; a tile holds at least one query and one key")
    maximum, total = np.empty((2, *queries.shape[:-1]), queries.dtype)
    mixed, kept = np.empty((*queries.shape[:-1], values.shape[-1]), queries.dtype), []
    for tile in tiles(queries, keys, values, block=block, causal=causal):
        maximum[..., tile.queries], total[..., tile.queries] = tile.maximum, tile.total
        mixed[..., tile.queries, :] = tile.mixed
        if keep_tiles:
            kept.append(tile)
    return TiledAttention(maximum, total, mixed, tuple(kept))


def map_bytes(tokens: int) -> int:
    """Count what one map of every token with every token takes, in bytes: the scores, say.

    Example: 8,192² numbers of 4 bytes are 256 MiB.
        >>> map_bytes(8192) // 1024**2
        256
    """
    return FLOAT_BYTES * tokens * tokens


def plain_bytes(tokens: int, head_width: int, *, heads: int = 1) -> int:
    """Count what plain attention holds beside its inputs: scores, weights and output, in bytes.

    Example: 2·T² + T·K numbers of 4 bytes.
        >>> plain_bytes(10, 5)
        1000
    """
    return heads * (2 * map_bytes(tokens) + FLOAT_BYTES * tokens * head_width)


def tiled_bytes(tokens: int, head_width: int, *, block: int, heads: int = 1) -> int:
    """Count what attention in tiles holds beside its inputs, in bytes: no term grows with T².

    Scaled queries, outputs, maxima and totals of all tokens; of one tile its scores and shares,
    four numbers a query and three copies of the output in the making.

    Example: 10·(2·5 + 2) numbers of all tokens, 2·2² + 2·(4 + 3·5) of a tile.
        >>> tiled_bytes(10, 5, block=2)
        664
    """
    side = min(block, tokens)
    tile = 2 * side * side + side * (4 + 3 * head_width)
    return FLOAT_BYTES * heads * (tile + tokens * (2 * head_width + 2))
