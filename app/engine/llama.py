"""Llama, a decoder: each token looks at itself and the past, and the last one says what follows.

Llama, Mistral and SmolLM2 share this architecture. Against the decoder of 2017 it norms before
each step and not after, by RMSNorm; turns queries and keys instead of adding position vectors; lets
several query heads share one key and value head; and gates its feed-forward layer (SwiGLU).
`write_on` is the whole model, `decode_layer` one of its layers.
"""

from typing import NamedTuple

import numpy as np

from app.engine import EngineError
from app.engine.attention import Attention, attend, merge_heads, split_heads
from app.engine.bert import Ids, Kept, Weights
from app.engine.cache import Cache, LayerCache, cached_tokens, empty_cache
from app.engine.functions import Array, linear
from app.engine.llama_config import LlamaConfig
from app.engine.masks import causal
from app.engine.rotary import Rotation, rotate, rotation


class LayerTrace(NamedTuple):
    """Everything one decoder layer computes for the new tokens, in order."""

    normed: Array  # (T, D) the input, normed
    queries: Array  # (H, T, K) what each token looks for, turned by its position
    keys: Array  # (H_k, S, K) what each token offers, past ones included, turned as well
    values: Array  # (H_k, S, K) what each token says when it is heard
    attention: Attention  # (H, T, S): row = query, column = key
    merged: Array  # (T, H · K) the heads side by side
    projected: Array  # (T, D) the heads' answers blended
    attended: Array  # (T, D) added to the input
    renormed: Array  # (T, D) normed again
    gate: Array  # (T, F) how far each hidden feature opens
    up: Array  # (T, F) the hidden features
    gated: Array  # (T, F) silu(gate) · up
    contracted: Array  # (T, D)
    hidden: Array  # (T, D) added to `attended`: the next layer's input


class LlamaTrace(NamedTuple):
    """Everything the decoder computes for the new tokens, in order."""

    embedded: Array  # (T, D)
    layers: tuple[LayerTrace, ...]
    normed: Array  # (T, D) the last layer's output, normed
    logits: Array  # (T, V) row t scores every piece of the vocabulary as the one after token t
    cache: Cache  # the keys and values of past and new tokens

    @property
    def weights(self) -> Array:
        """All attention maps, (L, H, T, S); row = query, column = key."""
        return np.stack([layer.attention.weights for layer in self.layers])

    @property
    def hidden(self) -> Array:
        """The tokens' vectors before the first and after each layer, (L + 1, T, D)."""
        return np.stack([self.embedded, *(layer.hidden for layer in self.layers)])


def rms_norm(x: Array, weight: Array, *, epsilon: float) -> Array:
    """Bring each token's numbers to a mean square of 1, then stretch them as learned.

    Shapes: x (..., D), weight (D) -> (..., D).

    Example: 1 and 7 have the mean square 25.
        >>> rms_norm(np.array([1.0, 7.0]), np.array([1.0, 10.0]), epsilon=0)
        array([ 0.2, 14. ])

    Source: Zhang and Sennrich 2019, equation 4.
    """
    mean_square = np.mean(x * x, axis=-1, keepdims=True)
    normal: Array = x / np.sqrt(mean_square + epsilon)
    return normal * weight


def silu(x: Array) -> Array:
    """Let large numbers pass and silence small ones: each is multiplied by its own sigmoid.

    Shapes: x (...) -> (...).

    Example: the sigmoid of ln 3 is ¾.
        >>> silu(np.array([0.0, np.log(3.0)])).round(4)
        array([0.   , 0.824])

    Source: Elfwing et al. 2017; as the gate of SwiGLU, Shazeer 2020, equation 5.
    """
    # tanh cannot overflow where exp(−x) would.
    gated: Array = x * (1 + np.tanh(x / 2)) / 2
    return gated


def share_heads(x: Array, heads: int) -> Array:
    """Hand each key (or value) head to all the query heads that share it.

    Shapes: x (H_k, S, K) -> (H, S, K), each head repeated H / H_k times.

    Example:
        >>> share_heads(np.array([[[1]], [[2]]]), heads=4).ravel().tolist()
        [1, 1, 2, 2]

    Source: Ainslie et al. 2023, grouped-query attention.
    """
    return np.repeat(x, heads // len(x), axis=0)


def listen(
    x: Array,
    weights: Weights,
    name: str,
    config: LlamaConfig,
    *,
    turn: Rotation,
    past: LayerCache,
    keep: Kept | None,
    scale: bool,
) -> tuple[Array, Array, Array, Attention, Array, Array]:
    """Let each new token collect from the past and itself what fits its question, once a head.

    Shapes: x (T, D), turn (T, K), past (H_k, S − T, K), keep (H) -> queries (H, T, K), keys and
    values (H_k, S, K), the attention, merged (T, H · K) and projected (T, D). A head that is not
    kept still looks, but its mix is set to zero.

    Source: Ainslie et al. 2023, grouped-query attention.
    """
    query, key, value = (linear(x, weights[f"{name}.{part}_proj.weight"]) for part in "qkv")
    queries = rotate(split_heads(query, config.heads), turn)
    keys = rotate(split_heads(key, config.key_heads), turn)
    keys, values = past.extended(keys, split_heads(value, config.key_heads))
    shared = (share_heads(keys, config.heads), share_heads(values, config.heads))
    attention = attend(queries, *shared, mask=causal(keys.shape[1])[-len(x) :], scale=scale)
    if keep is not None:
        attention = attention._replace(mixed=attention.mixed * keep[:, None, None])
    merged = merge_heads(attention.mixed)
    projected = linear(merged, weights[f"{name}.o_proj.weight"])
    return queries, keys, values, attention, merged, projected


def think(x: Array, weights: Weights, name: str) -> tuple[Array, Array, Array, Array]:
    """Let every token work by itself on what it has heard; the gate says what is let through.

    Shapes: x (T, D) -> gate, up and gated (T, F), contracted (T, D).

    Source: Shazeer 2020, equation 6 (SwiGLU).
    """
    gate, up = (linear(x, weights[f"{name}.{part}_proj.weight"]) for part in ("gate", "up"))
    gated = silu(gate) * up
    return gate, up, gated, linear(gated, weights[f"{name}.down_proj.weight"])


def decode_layer(
    x: Array,
    weights: Weights,
    name: str,
    config: LlamaConfig,
    *,
    turn: Rotation,
    past: LayerCache,
    keep: Kept | None = None,
    scale: bool = True,
) -> LayerTrace:
    """Let the new tokens listen to the past and each other, then let each think.

    Shapes: x (T, D), turn (T, K), past (H_k, S − T, K), keep (H) -> a LayerTrace.

    Source: Touvron et al. 2023, section 2.2; each norm comes before its step.
    """
    norms = ("input_layernorm", "post_attention_layernorm")
    before, between = (weights[f"{name}.{norm}.weight"] for norm in norms)
    normed = rms_norm(x, before, epsilon=config.epsilon)
    read = (normed, weights, f"{name}.self_attn", config)
    heard = listen(*read, turn=turn, past=past, keep=keep, scale=scale)
    attended = x + heard[-1]
    renormed = rms_norm(attended, between, epsilon=config.epsilon)
    thought = think(renormed, weights, f"{name}.mlp")
    return LayerTrace(normed, *heard, attended, renormed, *thought, attended + thought[-1])


def begin(
    ids: Ids, cache: Cache | None, config: LlamaConfig, *, use_positions: bool
) -> tuple[Cache, Rotation]:
    """Take the past that was given, or an empty one, and find how far the new tokens are turned.

    Shapes: ids (T) -> the cache of the past, and cosines and sines (T, K).

    Raises: EngineError, for no new tokens or for more than the model was trained to read.
    """
    past = cache or empty_cache(config.layers, config.key_heads, config.head_width)
    known, new = cached_tokens(past), len(ids)
    if not (new and known + new <= config.longest):
        raise EngineError(f"{known} tokens and {new} new ones; 1 to {config.longest} can be read")
    places = known + np.arange(new) if use_positions else np.zeros(new, np.int64)
    return past, rotation(places, width=config.head_width, base=config.rotary_base)


def write_on(
    ids: Ids,
    weights: Weights,
    config: LlamaConfig,
    *,
    cache: Cache | None = None,
    keep_heads: Kept | None = None,
    use_positions: bool = True,
    scale: bool = True,
) -> LlamaTrace:
    """Read the new tokens of a text and score, after each, every piece that could come next.

    Shapes: ids (T), keep_heads (L, H) -> a LlamaTrace. With a cache, ids are only what is new.

    Raises: EngineError.

    Source: Touvron et al. 2023; the numbers are those of LlamaForCausalLM in transformers.
    """
    past, turn = begin(ids, cache, config, use_positions=use_positions)
    x = embedded = weights["model.embed_tokens.weight"][ids]
    layers = list[LayerTrace]()
    for n in range(config.layers):
        name, keep = f"model.layers.{n}", None if keep_heads is None else keep_heads[n]
        read = (x, weights, name, config)
        layers.append(decode_layer(*read, turn=turn, past=past[n], keep=keep, scale=scale))
        x = layers[-1].hidden
    normed = rms_norm(x, weights["model.norm.weight"], epsilon=config.epsilon)
    logits = linear(normed, weights[config.head])
    grown = tuple(LayerCache(layer.keys, layer.values) for layer in layers)
    return LlamaTrace(embedded, tuple(layers), normed, logits, grown)
