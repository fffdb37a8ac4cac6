"""GPT-2, the decoder before Llama: position vectors, LayerNorm and GELU.

What differs from llama.py is here; attention, masks and the cache are the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from app.engine import EngineError, UnsupportedModel, WeightMismatch
from app.engine.attention import Attention, attend, merge_heads, split_heads
from app.engine.bert import ACTIVATIONS, Ids, Kept, Weights, part
from app.engine.cache import Cache, LayerCache, cached_tokens, empty_cache
from app.engine.functions import Array, layer_norm, linear
from app.engine.masks import causal

LAYER_PARTS = ("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj")


@dataclass(frozen=True)
class GPT2Config:
    """The sizes of a GPT-2 decoder, as its config.json states them."""

    vocabulary: int  # V
    width: int  # D
    layers: int  # L
    heads: int  # H
    longest: int  # tokens that have a position vector
    activation: str  # a key of bert.ACTIVATIONS
    epsilon: float  # keeps layer_norm from dividing by zero

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Self:
        """Read the sizes from a checkpoint's config.json, and refuse what this file cannot compute.

        Raises: UnsupportedModel, naming the setting.
        """
        expected: dict[str, tuple[Any, ...]] = {
            "model_type": ("gpt2",),
            "activation_function": ("gelu_new", *ACTIVATIONS),
            "tie_word_embeddings": (True,),
            "scale_attn_weights": (True,),
            "scale_attn_by_inverse_layer_idx": (False,),
            "add_cross_attention": (False,),
        }
        for setting, accepted in expected.items():
            if (value := config.get(setting, accepted[0])) not in accepted:
                raise UnsupportedModel(f"{setting} is {value!r}; computed here: {accepted}")
        return cls(
            vocabulary=config["vocab_size"],
            width=config["n_embd"],
            layers=config["n_layer"],
            heads=config["n_head"],
            longest=config["n_positions"],
            activation=config.get("activation_function", "gelu_new"),
            epsilon=config.get("layer_norm_epsilon", 1e-5),
        )

    def weight_names(self) -> list[str]:
        """Name every tensor that the decoder reads, without the prefix "transformer."."""
        blocks = [f"h.{n}.{name}" for n in range(self.layers) for name in LAYER_PARTS]
        pairs = [f"{name}.{kind}" for name in (*blocks, "ln_f") for kind in ("weight", "bias")]
        return ["wte.weight", "wpe.weight", *pairs]


class LayerTrace(NamedTuple):
    """Everything one decoder layer computes for the new tokens, in order."""

    normed: Array  # (T, D) the input, normed
    queries: Array  # (H, T, K) what each token looks for
    keys: Array  # (H, S, K) what each token offers, past ones included
    values: Array  # (H, S, K) what each token says when it is heard
    attention: Attention  # (H, T, S): row = query, column = key
    merged: Array  # (T, D) the heads side by side
    projected: Array  # (T, D) the heads' answers blended
    attended: Array  # (T, D) added to the input
    renormed: Array  # (T, D) normed again
    expanded: Array  # (T, F)
    activated: Array  # (T, F)
    contracted: Array  # (T, D)
    hidden: Array  # (T, D) added to `attended`: the next layer's input


class GPT2Trace(NamedTuple):
    """Everything the decoder computes for the new tokens, in order."""

    embedded: Array  # (T, D) word and position vectors, added
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


def plain_names(weights: Weights) -> Weights:
    """Give a checkpoint's tensors plain names, and turn each weight as `linear` reads it.

    Some files put "transformer." before each name. GPT-2's first code called its projections
    convolutions of width one, and its files keep that order: one column an output.

    Example:
        >>> plain = plain_names({"transformer.h.0.mlp.c_fc.weight": np.ones((2, 8))})
        >>> plain["h.0.mlp.c_fc.weight"].shape
        (8, 2)

    Source: openai/gpt-2, src/model.py, conv1d.
    """
    return {
        name.removeprefix("transformer."): tensor.T if ".c_" in name else tensor
        for name, tensor in weights.items()
    }


def check_weights(names: Iterable[str], config: GPT2Config) -> None:
    """Make sure a checkpoint holds each tensor the decoder reads, and none that nothing reads.

    Raises: WeightMismatch, listing the missing and the unused names.
    """
    have, need = set(names), set(config.weight_names())
    # Old files hold the causal mask as a tensor, and some the tied table twice.
    ignored = (".attn.bias", ".attn.masked_bias", "lm_head.weight")
    missing = sorted(need - have)
    unused = sorted(name for name in have - need if not name.endswith(ignored))
    if missing or unused:
        raise WeightMismatch(f"missing tensors: {missing or 'none'}; unused: {unused or 'none'}")


def think(
    attended: Array, weights: Weights, name: str, config: GPT2Config
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Let every token work by itself on what it has heard.

    Shapes: attended (T, D) -> itself, renormed (T, D), expanded and activated (T, F), contracted
    and hidden (T, D).

    Source: Radford et al. 2018, section 4.1: GELU between two projections.
    """
    renormed = layer_norm(attended, *part(weights, f"{name}.ln_2"), epsilon=config.epsilon)
    expanded = linear(renormed, *part(weights, f"{name}.mlp.c_fc"))
    activated = ACTIVATIONS[config.activation](expanded)
    contracted = linear(activated, *part(weights, f"{name}.mlp.c_proj"))
    return attended, renormed, expanded, activated, contracted, attended + contracted


def decode_layer(
    x: Array,
    weights: Weights,
    name: str,
    config: GPT2Config,
    *,
    past: LayerCache,
    keep: Kept | None = None,
    scale: bool = True,
) -> LayerTrace:
    """Let the new tokens listen to the past and each other, then let each think.

    Shapes: x (T, D), past (H, S − T, K), keep (H) -> a LayerTrace.

    Source: Radford et al. 2019, section 2.3; each norm comes before its step.
    """
    normed = layer_norm(x, *part(weights, f"{name}.ln_1"), epsilon=config.epsilon)
    joint = linear(normed, *part(weights, f"{name}.attn.c_attn"))
    queries, keys, values = (split_heads(y, config.heads) for y in np.split(joint, 3, axis=-1))
    keys, values = past.extended(keys, values)
    attention = attend(queries, keys, values, mask=causal(keys.shape[1])[-len(x) :], scale=scale)
    if keep is not None:
        attention = attention._replace(mixed=attention.mixed * keep[:, None, None])
    merged = merge_heads(attention.mixed)
    projected = linear(merged, *part(weights, f"{name}.attn.c_proj"))
    heard = (normed, queries, keys, values, attention, merged, projected)
    return LayerTrace(*heard, *think(x + projected, weights, name, config))


def begin(
    ids: Ids, weights: Weights, config: GPT2Config, *, cache: Cache | None, use_positions: bool
) -> tuple[Array, Cache]:
    """Look up each new token's vector, add the vector of its position, and find what is known.

    Shapes: ids (T) -> (T, D), and the cache of the past.

    Raises: EngineError, for no new tokens or for more than there are position vectors.
    """
    past = cache or empty_cache(config.layers, config.heads, config.width // config.heads)
    known, new = cached_tokens(past), len(ids)
    if not (new and known + new <= config.longest):
        raise EngineError(f"{known} tokens and {new} new ones; 1 to {config.longest} can be read")
    places = weights["wpe.weight"][known : known + new]
    return weights["wte.weight"][ids] + (places if use_positions else 0), past


def write_on(
    ids: Ids,
    weights: Weights,
    config: GPT2Config,
    *,
    cache: Cache | None = None,
    keep_heads: Kept | None = None,
    use_positions: bool = True,
    scale: bool = True,
) -> GPT2Trace:
    """Read the new tokens of a text and score, after each, every piece that could come next.

    Shapes: ids (T), keep_heads (L, H) -> a GPT2Trace. With a cache, ids are only what is new.

    Raises: EngineError.

    Source: Radford et al. 2019; the numbers are those of GPT2LMHeadModel in transformers.
    """
    x, past = begin(ids, weights, config, cache=cache, use_positions=use_positions)
    embedded = x
    layers = list[LayerTrace]()
    for n in range(config.layers):
        keep = None if keep_heads is None else keep_heads[n]
        read = (x, weights, f"h.{n}", config)
        layers.append(decode_layer(*read, past=past[n], keep=keep, scale=scale))
        x = layers[-1].hidden
    normed = layer_norm(x, *part(weights, "ln_f"), epsilon=config.epsilon)
    grown = tuple(LayerCache(layer.keys, layer.values) for layer in layers)
    return GPT2Trace(embedded, tuple(layers), normed, normed @ weights["wte.weight"].T, grown)
