"""What an encoder–decoder's checkpoint states: its sizes and the names of its tensors.

All matrices are stored [out, in]; `N` counts layers from 0, and every name below has a `.weight`
and a `.bias`.

    encoder.layers.N.self_attention.{query,key,value,output}     decoder.layers.N. the same, and
    encoder.layers.N.self_attention_norm                         cross_attention.{query,…}
    encoder.layers.N.feed_forward.{up,down}                      cross_attention_norm
    encoder.layers.N.feed_forward_norm
    encoder.norm (pre-norm models only)                          decoder.norm (likewise)

Without a bias: embedding.weight (V, D), or three matrices source_embedding, target_embedding and
output where they are not tied. Positions are sinusoids and not stored.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from app.engine import UnsupportedModel, WeightMismatch
from app.engine.bert import ACTIVATIONS

PROJECTIONS = ("query", "key", "value", "output")


@dataclass(frozen=True)
class Seq2SeqConfig:
    """The sizes of an encoder–decoder, as its config.json states them."""

    vocab_size: int  # V
    d_model: int  # D
    d_ff: int  # F; 0 leaves the feed-forward part out
    n_heads: int  # H
    n_encoder_layers: int
    n_decoder_layers: int
    max_positions: int = 512
    norm: str = "pre"  # "post" in the paper, "pre" in most that followed
    activation: str = "relu"
    tie_embeddings: bool = True  # one matrix for source, target and output
    layer_norm_eps: float = 1e-5
    pad_token_id: int = 0
    bos_token_id: int = 1
    eos_token_id: int = 2

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Self:
        """Read the sizes from a checkpoint's config.json; settings of training are passed over.

        Raises: UnsupportedModel, naming the setting.
        """
        read = cls(**{name: config[name] for name in cls.__dataclass_fields__ if name in config})
        if read.norm not in {"pre", "post"} or read.activation not in ACTIVATIONS:
            raise UnsupportedModel(f"norm {read.norm!r}, activation {read.activation!r}")
        return read

    def embedding_names(self) -> tuple[str, str, str]:
        """Name the matrices that embed the source, embed the target, and score the next word."""
        if self.tie_embeddings:
            return ("embedding.weight",) * 3
        return "source_embedding.weight", "target_embedding.weight", "output.weight"

    def stack_names(self, side: str, layers: int) -> set[str]:
        """Name every tensor of the "encoder" or of the "decoder"."""
        attentions = ["self_attention", *(["cross_attention"] if side == "decoder" else [])]
        parts = [f"{name}.{role}" for name in attentions for role in PROJECTIONS]
        parts += [f"{name}_norm" for name in attentions]
        if self.d_ff:
            parts += ["feed_forward.up", "feed_forward.down", "feed_forward_norm"]
        pairs = [f"{side}.layers.{n}.{name}" for n in range(layers) for name in parts]
        pairs += [f"{side}.norm"] if self.norm == "pre" else []
        return {f"{name}.{kind}" for name in pairs for kind in ("weight", "bias")}


def refuse_mismatch(names: Iterable[str], need: set[str]) -> None:
    """Make sure that a checkpoint holds each tensor that is read, and none that nothing reads.

    Raises: WeightMismatch, listing the missing and the unused names.
    """
    have = set(names)
    if have != need:
        missing, unused = sorted(need - have), sorted(have - need)
        raise WeightMismatch(f"missing tensors: {missing or 'none'}; unused: {unused or 'none'}")


def check_weights(names: Iterable[str], config: Seq2SeqConfig) -> None:
    """Make sure that a checkpoint is a complete encoder–decoder and nothing else.

    Raises: WeightMismatch, listing the missing and the unused names.
    """
    need = config.stack_names("encoder", config.n_encoder_layers)
    need |= config.stack_names("decoder", config.n_decoder_layers)
    refuse_mismatch(names, need | {*config.embedding_names()})
