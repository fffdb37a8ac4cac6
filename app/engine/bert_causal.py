"""BERT's block under a causal mask: the same layers, and a decoder.

What makes it one is the mask alone. Since no token sees what follows it, keys and values of the
past can be kept, and the head that fills blanks scores the next word instead.
"""

from typing import NamedTuple

import numpy as np

from app.engine import EngineError
from app.engine.attention import Attention, attend, merge_heads, split_heads
from app.engine.bert import BertConfig, Ids, Kept, LayerTrace, Weights, part, think
from app.engine.cache import Cache, LayerCache, cached_tokens, empty_cache
from app.engine.functions import Array, layer_norm, linear
from app.engine.masked_lm import Scored, score_words
from app.engine.masks import causal


class CausalTrace(NamedTuple):
    """Everything the decoder computes for the new tokens, in order."""

    embedded: Array  # (T, D)
    layers: tuple[LayerTrace, ...]  # their keys and values are those of past and new tokens
    scored: Scored
    cache: Cache

    @property
    def logits(self) -> Array:
        """Row t scores every piece of the vocabulary as the one after token t, (T, V)."""
        return self.scored.logits

    @property
    def weights(self) -> Array:
        """All attention maps, (L, H, T, S); row = query, column = key."""
        return np.stack([layer.attention.weights for layer in self.layers])

    @property
    def hidden(self) -> Array:
        """The tokens' vectors before the first and after each layer, (L + 1, T, D)."""
        return np.stack([self.embedded, *(layer.hidden for layer in self.layers)])


def place(
    ids: Ids, first: int, weights: Weights, config: BertConfig, *, use_positions: bool
) -> Array:
    """Look up each token's vector and add where it stands: `first` tokens stand before it.

    Shapes: ids (T) -> (T, D).

    Raises: EngineError, for no new tokens or for more than there are position vectors.
    """
    if not (len(ids) and first + len(ids) <= config.longest):
        raise EngineError(
            f"{first} tokens and {len(ids)} new ones; 1 to {config.longest} can be read"
        )
    rows = weights["embeddings.position_embeddings.weight"][first : first + len(ids)]
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    summed = weights["embeddings.word_embeddings.weight"][ids] + kind
    norm = part(weights, "embeddings.LayerNorm")
    return layer_norm(summed + rows * use_positions, *norm, epsilon=config.epsilon)


def listen_back(
    x: Array,
    weights: Weights,
    name: str,
    config: BertConfig,
    *,
    past: LayerCache,
    keep: Kept | None,
    scale: bool,
) -> tuple[Array, Array, Array, Attention, Array, Array]:
    """Let each new token collect from the past, its new forerunners and itself, once a head.

    Shapes: x (T, D), past (H, S − T, K), keep (H) -> queries (H, T, K), keys and values of past
    and new tokens (H, S, K), the attention, merged and projected (T, D).

    Source: Vaswani et al. 2017, section 3.2.3; bert.listen with a mask and a memory.
    """
    queries, keys, values = (
        split_heads(linear(x, *part(weights, f"{name}.attention.self.{role}")), config.heads)
        for role in ("query", "key", "value")
    )
    keys, values = past.extended(keys, values)
    attention = attend(queries, keys, values, mask=causal(keys.shape[1])[-len(x) :], scale=scale)
    if keep is not None:
        attention = attention._replace(mixed=attention.mixed * keep[:, None, None])
    merged = merge_heads(attention.mixed)
    projected = linear(merged, *part(weights, f"{name}.attention.output.dense"))
    return queries, keys, values, attention, merged, projected


def decode_layer(
    x: Array,
    weights: Weights,
    name: str,
    config: BertConfig,
    *,
    past: LayerCache,
    keep: Kept | None = None,
    scale: bool = True,
) -> LayerTrace:
    """Let the new tokens listen to the past and each other, then let each think.

    Shapes: x (T, D), past (H, S − T, K), keep (H) -> a LayerTrace.

    Source: Vaswani et al. 2017, figure 1; bert.encode_layer with a mask and a memory.
    """
    heard = listen_back(x, weights, name, config, past=past, keep=keep, scale=scale)
    norm = part(weights, f"{name}.attention.output.LayerNorm")
    attended = layer_norm(x + heard[-1], *norm, epsilon=config.epsilon)
    thought = think(attended, weights, name, config)
    norm = part(weights, f"{name}.output.LayerNorm")
    hidden = layer_norm(attended + thought[-1], *norm, epsilon=config.epsilon)
    return LayerTrace(*heard, attended, *thought, hidden)


def write_on(
    ids: Ids,
    weights: Weights,
    config: BertConfig,
    *,
    cache: Cache | None = None,
    keep_heads: Kept | None = None,
    use_positions: bool = True,
    scale: bool = True,
) -> CausalTrace:
    """Read the new tokens of a text and score, after each, every piece that could come next.

    Shapes: ids (T), keep_heads (L, H) -> a CausalTrace. With a cache, ids are only what is new.

    Raises: EngineError.

    Source: BertLMHeadModel in transformers, whose numbers these are.
    """
    past = cache or empty_cache(config.layers, config.heads, config.width // config.heads)
    x = place(ids, cached_tokens(past), weights, config, use_positions=use_positions)
    embedded, layers = x, list[LayerTrace]()
    for n in range(config.layers):
        keep = None if keep_heads is None else keep_heads[n]
        read = (x, weights, f"encoder.layer.{n}", config)
        layers.append(decode_layer(*read, past=past[n], keep=keep, scale=scale))
        x = layers[-1].hidden
    scored = score_words(x, weights, epsilon=config.epsilon, activation=config.activation)
    grown = tuple(LayerCache(layer.keys, layer.values) for layer in layers)
    return CausalTrace(embedded, tuple(layers), scored, grown)
