"""The encoder–decoder of 2017: one stack reads the source, another writes and looks back at it.

S counts the source's tokens, T those that are written. Names of the weights: seq2seq_config.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from app.engine import EngineError
from app.engine.beam import NextWord
from app.engine.bert import Ids, Kept, Weights
from app.engine.cache import Cache, LayerCache, cached_tokens
from app.engine.functions import Array, linear
from app.engine.masks import causal
from app.engine.seq2seq_block import Block, Given, normalise, offer, run_block
from app.engine.seq2seq_config import Seq2SeqConfig


class Embedded(NamedTuple):
    """How a token becomes a vector: its row times √D, plus where it stands."""

    words: Array  # (T, D)
    positions: Array  # (T, D) zeros when switched off
    hidden: Array  # (T, D)


class Stack(NamedTuple):
    """Everything an encoder or a decoder computes, in order."""

    embedded: Embedded
    layers: tuple[Block, ...]
    hidden: Array  # (T, D)

    @property
    def cache(self) -> Cache:
        """The keys and values of self-attention, to go on from."""
        return tuple(LayerCache(layer.heard.keys, layer.heard.values) for layer in self.layers)


class Decoded(NamedTuple):
    """A decoder's stack, and what it makes of it: a score for every word of the vocabulary."""

    stack: Stack
    logits: Array  # (T, V)


def sinusoids(tokens: int, width: int, *, first: int = 0) -> Array:
    """Give each place a vector of its own: clock hands that turn at ever slower speeds.

    Shapes: -> (T, D), sine in the even columns and cosine in the odd ones.

    Example: the second place; its second pair of hands is 100 times slower.
        >>> sinusoids(2, 4)[1].round(4).tolist() == np.float32([0.8415, 0.5403, 0.01, 1]).tolist()
        True

    Source: Vaswani et al. 2017, section 3.5.
    """
    speeds = 10_000.0 ** (-np.arange(0, width, 2) / width)
    angles = np.arange(first, first + tokens)[:, None] * speeds
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return pairs.reshape(tokens, -1)[:, :width].astype(np.float32)


def embed(
    ids: Ids, table: Array, config: Seq2SeqConfig, *, first: int = 0, use_positions: bool = True
) -> Embedded:
    """Look up each token's vector and add the place where it stands.

    Shapes: ids (..., T), table (V, D) -> three of (..., T, D) or (T, D).

    Raises: EngineError, for no tokens or for more than the model was made for.

    Source: Vaswani et al. 2017, sections 3.4 and 3.5.
    """
    if not 1 <= ids.shape[-1] <= config.max_positions - first:
        raise EngineError(
            f"{first + ids.shape[-1]} tokens; this model: 1 to {config.max_positions}"
        )
    words = table[ids] * np.sqrt(np.float32(config.d_model))
    positions = sinusoids(ids.shape[-1], config.d_model, first=first)
    if not use_positions:
        positions = np.zeros_like(positions)
    return Embedded(words, positions, words + positions)


def each(parts: Sequence[Any] | Kept | None, layers: int) -> list[Any]:
    """Hand out one part a layer, or nothing to all."""
    return [None] * layers if parts is None else list(parts)


def run_stack(
    embedded: Embedded,
    weights: Weights,
    side: str,
    config: Seq2SeqConfig,
    mask: Array | None,
    given: Sequence[Given],
) -> Stack:
    """Run one layer after the other; a pre-norm model normalises once more at the end.

    Shapes: mask (T, S), one Given a layer -> Stack. `side` is "encoder" or "decoder".

    Source: Vaswani et al. 2017, figure 1.
    """
    x, layers = embedded.hidden, list[Block]()
    for n, own in enumerate(given):
        layers.append(run_block(x, weights, f"{side}.layers.{n}", config, mask, own))
        x = layers[-1].hidden
    return Stack(embedded, tuple(layers), normalise(x, weights, f"{side}.norm", config, at="pre"))


def encode(
    ids: Ids,
    weights: Weights,
    config: Seq2SeqConfig,
    *,
    mask: Array | None = None,
    keep_heads: Kept | None = None,
    use_positions: bool = True,
    scale: bool = True,
) -> Stack:
    """Read the source: every token sees every other.

    Shapes: ids (..., S), mask (S, S), keep_heads (L, H) -> Stack. scale=False leaves √K out.

    Raises: EmptyRow, EngineError.

    Source: Vaswani et al. 2017, figure 1, left.
    """
    table, layers = weights[config.embedding_names()[0]], config.n_encoder_layers
    embedded = embed(ids, table, config, use_positions=use_positions)
    given = [Given(keep=keep, scale=scale) for keep in each(keep_heads, layers)]
    return run_stack(embedded, weights, "encoder", config, mask, given)


def remember(source: Array, weights: Weights, config: Seq2SeqConfig) -> Cache:
    """Prepare what the decoder will look back at, once for the whole text that it writes.

    Shapes: source (S, D), the encoder's output -> one LayerCache (H, S, K) a decoder layer.

    Source: Vaswani et al. 2017, section 3.2.3: keys and values come from the encoder.
    """
    names = (f"decoder.layers.{n}.cross_attention" for n in range(config.n_decoder_layers))
    return tuple(offer(source, weights, name, config) for name in names)


def decode(
    ids: Ids,
    memory: Cache,
    weights: Weights,
    config: Seq2SeqConfig,
    *,
    past: Cache | None = None,
    keep_heads: Kept | None = None,
    keep_cross: Kept | None = None,
    use_positions: bool = True,
    scale: bool = True,
) -> Decoded:
    """Write on: score what may follow each of the new tokens, given the source and the past.

    Shapes: ids (..., T), keep_heads and keep_cross (L, H) -> Decoded, whose stack.cache is the
    next call's `past`.

    Raises: EngineError.

    Source: Vaswani et al. 2017, figure 1, right.
    """
    first, layers = 0 if past is None else cached_tokens(past), config.n_decoder_layers
    table, output = (weights[name] for name in config.embedding_names()[1:])
    embedded = embed(ids, table, config, first=first, use_positions=use_positions)
    parts = each(past, layers), memory, each(keep_heads, layers), each(keep_cross, layers)
    given = [Given(*own, scale=scale) for own in zip(*parts, strict=True)]
    mask = causal(first + ids.shape[-1])[first:]
    stack = run_stack(embedded, weights, "decoder", config, mask, given)
    return Decoded(stack, linear(stack.hidden, output))


def next_word(memory: Cache, weights: Weights, config: Seq2SeqConfig) -> NextWord:
    """Make the function that a search calls: new tokens and a cache in, scores and a cache out.

    Shapes: the function's: ids (B, T), cache of B texts -> scores (B, V), cache.
    """

    def scores(ids: Ids, past: Cache | None) -> tuple[Array, Cache]:
        decoded = decode(ids, memory, weights, config, past=past)
        return decoded.logits[..., -1, :], decoded.stack.cache

    return scores
