"""BERT, the encoder: each token looks at the whole sentence, layer after layer.

The shortest way in is from the bottom of the file: `encode` stacks the layers, `encode_layer` is
the block that every drawing of a Transformer shows. Weights keep the checkpoint's own names.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from app.engine import EngineError, UnsupportedModel, WeightMismatch
from app.engine.attention import Attention, attend, merge_heads, split_heads
from app.engine.functions import Array, gelu, gelu_tanh, layer_norm, linear, relu

Weights = Mapping[str, Array]
Ids = NDArray[np.int64]
Kept = NDArray[np.bool_]

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "gelu": gelu,
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "relu": relu,
}
# The settings of a config.json that change the computation, and what this file can compute.
COMPUTED: dict[str, tuple[object, ...]] = {
    "model_type": ("bert",),
    "position_embedding_type": ("absolute",),
    "hidden_act": tuple(ACTIVATIONS),
    "is_decoder": (False,),
}
# What a checkpoint may hold besides the encoder: other heads, and a buffer of row numbers.
OTHER_PARTS = ("pooler.", "cls.", "classifier.", "qa_outputs.", "embeddings.position_ids")
LAYER_PARTS = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "attention.output.LayerNorm"),
    *("intermediate.dense", "output.dense", "output.LayerNorm"),
)


@dataclass(frozen=True)
class BertConfig:
    """The sizes of a BERT encoder, as its config.json states them."""

    vocabulary: int  # V
    width: int  # D
    layers: int  # L
    heads: int  # H
    hidden: int  # F
    longest: int  # tokens that have a position vector
    segments: int  # kinds of sentence (BERT was trained on pairs: first, second)
    activation: str  # a key of ACTIVATIONS
    epsilon: float  # keeps layer_norm from dividing by zero

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Self:
        """Read the sizes from a checkpoint's config.json, and refuse what this file cannot compute.

        Raises: UnsupportedModel, naming the setting.
        """
        for setting, accepted in COMPUTED.items():
            if (value := config.get(setting, accepted[0])) not in accepted:
                choices = " or ".join(map(repr, accepted))
                raise UnsupportedModel(f"{setting} is {value!r}; this encoder computes {choices}")
        return cls(
            vocabulary=config["vocab_size"],
            width=config["hidden_size"],
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            hidden=config["intermediate_size"],
            longest=config["max_position_embeddings"],
            segments=config["type_vocab_size"],
            activation=config.get("hidden_act", "gelu"),
            epsilon=config.get("layer_norm_eps", 1e-12),
        )

    def weight_names(self) -> list[str]:
        """Name every tensor that the encoder reads, without the prefix "bert."."""
        tables = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position")]
        tables.append("embeddings.token_type_embeddings.weight")
        blocks = [f"encoder.layer.{n}.{part}" for n in range(self.layers) for part in LAYER_PARTS]
        pairs = ["embeddings.LayerNorm", *blocks]
        return tables + [f"{name}.{kind}" for name in pairs for kind in ("weight", "bias")]


class Embedded(NamedTuple):
    """How a token becomes a vector: three table rows, added up and normalised."""

    words: Array  # (T, D) the rows of the word table
    positions: Array  # (T, D) the rows of the position table, zeros when switched off
    segments: Array  # (T, D) the rows of the sentence-kind table
    summed: Array  # (T, D)
    hidden: Array  # (T, D) what the first layer reads


class LayerTrace(NamedTuple):
    """Everything one encoder layer computes, in order."""

    queries: Array  # (H, T, K) what each token looks for
    keys: Array  # (H, T, K) what each token offers to be found by
    values: Array  # (H, T, K) what each token says when it is heard
    attention: Attention
    merged: Array  # (T, D) the heads side by side
    projected: Array  # (T, D) the heads' answers blended
    attended: Array  # (T, D) added to the input and normalised
    expanded: Array  # (T, F)
    activated: Array  # (T, F)
    contracted: Array  # (T, D)
    hidden: Array  # (T, D) added to `attended` and normalised: the next layer's input


class BertTrace(NamedTuple):
    """Everything the encoder computes, in order."""

    embedded: Embedded
    layers: tuple[LayerTrace, ...]

    @property
    def weights(self) -> Array:
        """All attention maps, (L, H, T, T); row = query, column = key."""
        return np.stack([layer.attention.weights for layer in self.layers])

    @property
    def hidden(self) -> Array:
        """The tokens' vectors before the first and after each layer, (L + 1, T, D)."""
        return np.stack([self.embedded.hidden, *(layer.hidden for layer in self.layers)])

    @property
    def last(self) -> Array:
        """The tokens' vectors after the last layer, (T, D)."""
        return self.layers[-1].hidden


def plain_names(weights: Weights) -> Weights:
    """Give a checkpoint's tensors the names of the bare encoder.

    Some files say "bert." before each name, and the first BERT files call a LayerNorm's
    weight and bias gamma and beta.

    Example:
        >>> list(plain_names({"bert.embeddings.LayerNorm.gamma": np.ones(2)}))
        ['embeddings.LayerNorm.weight']
    """
    endings = {"gamma": "weight", "beta": "bias"}
    named = {}
    for name, tensor in weights.items():
        body, _, ending = name.removeprefix("bert.").rpartition(".")
        named[f"{body}.{endings.get(ending, ending)}"] = tensor
    return named


def check_weights(names: Iterable[str], config: BertConfig) -> None:
    """Make sure a checkpoint holds each tensor the encoder reads, and none that nothing reads.

    Raises: WeightMismatch, listing the missing and the unused names.
    """
    have = set(plain_names(dict.fromkeys(names, np.empty(0, np.float32))))
    need = set(config.weight_names())
    missing = sorted(need - have)
    unused = sorted(name for name in have - need if not name.startswith(OTHER_PARTS))
    if missing or unused:
        raise WeightMismatch(f"missing tensors: {missing or 'none'}; unused: {unused or 'none'}")


def part(weights: Weights, name: str) -> tuple[Array, Array]:
    """Fetch the weight and the bias of one named part."""
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def embed(
    ids: Ids, weights: Weights, config: BertConfig, *, use_positions: bool, segments: Ids | None
) -> Embedded:
    """Look up each token's vector, add where it stands and which sentence it belongs to.

    Shapes: ids (T), segments (T) -> (T, D) each.

    Raises: EngineError, for no tokens or for more than there are position vectors.

    Source: Devlin et al. 2018, figure 2.
    """
    tokens = len(ids)
    if not 1 <= tokens <= config.longest:
        raise EngineError(f"{tokens} tokens; this model reads 1 to {config.longest}")
    words = weights["embeddings.word_embeddings.weight"][np.asarray(ids)]
    kinds = np.zeros(tokens, np.int64) if segments is None else segments
    kind_rows = weights["embeddings.token_type_embeddings.weight"][kinds]
    positions = weights["embeddings.position_embeddings.weight"][:tokens]
    if not use_positions:
        positions = np.zeros_like(positions)
    summed = words + positions + kind_rows
    norm = part(weights, "embeddings.LayerNorm")
    hidden = layer_norm(summed, *norm, epsilon=config.epsilon)
    return Embedded(words, positions, kind_rows, summed, hidden)


def listen(
    x: Array,
    weights: Weights,
    name: str,
    config: BertConfig,
    *,
    mask: Array | None,
    keep: Kept | None,
    scale: bool,
) -> tuple[Array, Array, Array, Attention, Array, Array]:
    """Let every token collect from all tokens what fits its question, once a head.

    Shapes: x (T, D), mask (T, T), keep (H) -> queries, keys, values (H, T, K), the attention,
    merged and projected (T, D). A head that is not kept still looks, but its mix is set to zero.

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    queries, keys, values = (
        split_heads(linear(x, *part(weights, f"{name}.attention.self.{role}")), config.heads)
        for role in ("query", "key", "value")
    )
    attention = attend(queries, keys, values, mask=mask, scale=scale)
    if keep is not None:
        attention = attention._replace(mixed=attention.mixed * keep[:, None, None])
    merged = merge_heads(attention.mixed)
    projected = linear(merged, *part(weights, f"{name}.attention.output.dense"))
    return queries, keys, values, attention, merged, projected


def think(x: Array, weights: Weights, name: str, config: BertConfig) -> tuple[Array, Array, Array]:
    """Let every token work by itself on what it has heard.

    Shapes: x (T, D) -> expanded (T, F), activated (T, F), contracted (T, D).

    Source: Vaswani et al. 2017, section 3.3.
    """
    expanded = linear(x, *part(weights, f"{name}.intermediate.dense"))
    activated = ACTIVATIONS[config.activation](expanded)
    return expanded, activated, linear(activated, *part(weights, f"{name}.output.dense"))


def encode_layer(
    x: Array,
    weights: Weights,
    name: str,
    config: BertConfig,
    *,
    mask: Array | None = None,
    keep: Kept | None = None,
    scale: bool = True,
) -> LayerTrace:
    """Let the tokens listen to each other, then let each think: the block of every drawing.

    Shapes: x (T, D), mask (T, T), keep (H) -> a LayerTrace.

    Source: Vaswani et al. 2017, figure 1, left; each norm comes after its addition.
    """
    heard = listen(x, weights, name, config, mask=mask, keep=keep, scale=scale)
    norm = part(weights, f"{name}.attention.output.LayerNorm")
    attended = layer_norm(x + heard[-1], *norm, epsilon=config.epsilon)
    thought = think(attended, weights, name, config)
    norm = part(weights, f"{name}.output.LayerNorm")
    hidden = layer_norm(attended + thought[-1], *norm, epsilon=config.epsilon)
    return LayerTrace(*heard, attended, *thought, hidden)


def encode(
    ids: Ids,
    weights: Weights,
    config: BertConfig,
    *,
    mask: Array | None = None,
    segments: Ids | None = None,
    keep_heads: Kept | None = None,
    use_positions: bool = True,
    scale: bool = True,
) -> BertTrace:
    """Read a sentence: turn token ids into vectors that know their context.

    Shapes: ids (T), mask (T, T) 0 or −∞, segments (T), keep_heads (L, H) -> a BertTrace.

    Raises: EmptyRow, EngineError.

    Source: Devlin et al. 2018; the numbers are those of BertModel in transformers.
    """
    embedded = embed(ids, weights, config, use_positions=use_positions, segments=segments)
    x, layers = embedded.hidden, list[LayerTrace]()
    for n in range(config.layers):
        keep = None if keep_heads is None else keep_heads[n]
        name = f"encoder.layer.{n}"
        layers.append(encode_layer(x, weights, name, config, mask=mask, keep=keep, scale=scale))
        x = layers[-1].hidden
    return BertTrace(embedded, tuple(layers))
