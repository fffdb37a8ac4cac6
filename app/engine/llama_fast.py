"""The Llama decoder once more, as fast as NumPy can be: the same numbers, fewer steps shown.

`llama.write_on` is the one to read. Here a token is a column, so that every product is W @ x with
the weight as it lies in the checkpoint, and arrays are changed in place. Nothing is kept between
calls, so any number of threads may call at once.
"""

import math
from typing import NamedTuple

import numpy as np

from app.engine.bert import Ids, Kept, Weights
from app.engine.bert_fast import soften
from app.engine.cache import Cache, LayerCache, cached_tokens
from app.engine.functions import Array
from app.engine.llama import begin
from app.engine.llama_config import LlamaConfig
from app.engine.masks import causal
from app.engine.rotary import Rotation


class FastTrace(NamedTuple):
    """What comes next, and what makes the next call cheap."""

    logits: Array  # (T, V), or (1, V) for the last token alone
    cache: Cache  # the keys and values of past and new tokens
    hidden: Array  # (L + 1, T, D) the tokens' vectors before the first and after each layer


class Once(NamedTuple):
    """What all layers have in common."""

    turn: Rotation  # (K, T)
    factor: float  # 1/√K, or 1 when scores are not scaled
    mask: Array  # (S, T · H / H_k), keys down


def product(weight: Array, x: Array) -> Array:
    """Multiply; for one token by row after row, which reads a weight half as fast again.

    Writing on means reading every weight once a token, and BLAS's product of a matrix with a vector
    does not read as fast as memory gives.

    Shapes: weight (out, in), x (in, T) -> (out, T).
    """
    return np.vecdot(weight, x[:, 0])[:, None] if x.shape[1] == 1 else weight @ x


def normalise(x: Array, weight: Array, epsilon: float) -> Array:
    """Compute llama.rms_norm down the columns; the mean is a product with a row of 1/D.

    Shapes: x (D, T), weight (D) -> (D, T).
    """
    average = np.full(len(x), 1 / len(x), x.dtype)
    root: Array = np.sqrt(average @ (x * x) + np.float32(epsilon))
    normal: Array = x / root
    normal *= weight[:, None]
    return normal


def turned(x: Array, turn: Rotation) -> Array:
    """Compute rotary.rotate for tokens that lie in columns.

    Shapes: x (H, K, T), turn (K, T) -> (H, K, T).
    """
    half = x.shape[1] // 2
    y = x * turn.cosines
    y[:, :half] -= x[:, half:] * turn.sines[:half]
    y[:, half:] += x[:, :half] * turn.sines[half:]
    return y


def listen_fast(
    x: Array, weights: Weights, name: str, config: LlamaConfig, past: LayerCache, once: Once
) -> tuple[Array, LayerCache]:
    """Compute llama.listen; the query heads that share keys are laid side by side as one.

    Shapes: x (D, T), past (H_k, S − T, K) -> the heads' answers (H, K, T), and the longer cache.
    """
    shared, width, tokens = config.key_heads, config.head_width, x.shape[1]
    query, key, value = (product(weights[f"{name}.{part}_proj.weight"], x) for part in "qkv")
    queries = turned(query.reshape(-1, width, tokens), once.turn)
    queries *= once.factor
    asked = queries.reshape(shared, -1, width, tokens).swapaxes(1, 2).reshape(shared, width, -1)
    keys = turned(key.reshape(shared, width, tokens), once.turn)
    values = value.reshape(shared, width, tokens)
    known = past.extended(keys.swapaxes(1, 2), values.swapaxes(1, 2))
    scores = known.keys @ asked
    if tokens > 1:
        scores += once.mask
    mixed = known.values.swapaxes(1, 2) @ soften(scores)
    mixed = mixed.reshape(shared, width, -1, tokens).swapaxes(1, 2)
    return mixed.reshape(-1, width, tokens), known


def think_fast(x: Array, weights: Weights, name: str) -> Array:
    """Compute llama.think; σ(g) is taken as (1 + tanh(g/2)) / 2.

    Shapes: x (D, T) -> (D, T).
    """
    gate, up = (product(weights[f"{name}.{part}_proj.weight"], x) for part in ("gate", "up"))
    up *= gate
    gate *= 0.5
    np.tanh(gate, out=gate)
    gate += 1
    up *= gate
    up *= 0.5
    return product(weights[f"{name}.down_proj.weight"], up)


def layer_fast(
    x: Array,
    weights: Weights,
    name: str,
    config: LlamaConfig,
    past: LayerCache,
    once: Once,
    keep: Kept | None,
) -> LayerCache:
    """Compute llama.decode_layer: x is changed in place, the longer cache comes back.

    Shapes: x (D, T), past (H_k, S − T, K), keep (H) -> LayerCache.
    """
    normed = normalise(x, weights[f"{name}.input_layernorm.weight"], config.epsilon)
    heard, known = listen_fast(normed, weights, f"{name}.self_attn", config, past, once)
    if keep is not None:
        heard *= keep[:, None, None]
    x += product(weights[f"{name}.self_attn.o_proj.weight"], heard.reshape(-1, x.shape[1]))
    normed = normalise(x, weights[f"{name}.post_attention_layernorm.weight"], config.epsilon)
    x += think_fast(normed, weights, f"{name}.mlp")
    return known


def prepare(turn: Rotation, past: int, config: LlamaConfig, *, scale: bool) -> Once:
    """Make, for tokens in columns, what all layers need.

    Shapes: turn (T, K) -> Once.
    """
    columns = Rotation(*(np.ascontiguousarray(part.T) for part in turn))
    mask = causal(past + len(turn.sines))[past:].T
    factor = 1 / math.sqrt(config.head_width) if scale else 1.0
    return Once(columns, factor, np.tile(mask, config.heads // config.key_heads))


def write_on_fast(
    ids: Ids,
    weights: Weights,
    config: LlamaConfig,
    *,
    cache: Cache | None = None,
    keep_heads: Kept | None = None,
    use_positions: bool = True,
    scale: bool = True,
    last_only: bool = False,
) -> FastTrace:
    """Compute what llama.write_on computes, from the same arguments, without the trace.

    Shapes: ids (T), keep_heads (L, H) -> a FastTrace. With last_only, logits are those of the last
    token alone: the output layer is a fifth of the model, and to write on needs no other row.

    Raises: EngineError.
    """
    past, turn = begin(ids, cache, config, use_positions=use_positions)
    once = prepare(turn, cached_tokens(past), config, scale=scale)
    x, grown = weights["model.embed_tokens.weight"][ids].T.copy(), list[LayerCache]()
    hidden = [x.copy()]
    for n in range(config.layers):
        keep = None if keep_heads is None else keep_heads[n]
        grown.append(layer_fast(x, weights, f"model.layers.{n}", config, past[n], once, keep))
        hidden.append(x.copy())
    x = normalise(x[:, -1:] if last_only else x, weights["model.norm.weight"], config.epsilon)
    kept = np.stack(hidden).swapaxes(-1, -2)
    return FastTrace(product(weights[config.head], x).T, tuple(grown), kept)
