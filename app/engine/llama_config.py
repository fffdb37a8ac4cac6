"""What a Llama checkpoint states about itself, and which tensors it must hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from app.engine import UnsupportedModel, WeightMismatch

LAYER_PARTS = (
    *("input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    *("self_attn.o_proj", "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj"),
    "mlp.down_proj",
)


@dataclass(frozen=True)
class LlamaConfig:
    """The sizes of a Llama decoder, as its config.json states them."""

    vocabulary: int  # V
    width: int  # D
    layers: int  # L
    heads: int  # H, the heads that ask
    key_heads: int  # heads that answer; H / key_heads of the asking ones share each
    head_width: int  # K
    hidden: int  # F
    longest: int  # tokens it was trained to read
    rotary_base: float
    epsilon: float  # keeps rms_norm from dividing by zero
    tied: bool  # the output layer is the embedding table once more

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Self:
        """Read the sizes from a checkpoint's config.json, and refuse what this file cannot compute.

        Raises: UnsupportedModel, naming the setting.
        """
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        settings = {**config, "rope_type": rope.get("rope_type", rope.get("type", "default"))}
        expected: dict[str, Any] = {"model_type": "llama", "hidden_act": "silu"}
        expected |= {"rope_type": "default", "attention_bias": False, "mlp_bias": False}
        for setting, accepted in expected.items():
            if (value := settings.get(setting, accepted)) != accepted:
                raise UnsupportedModel(
                    f"{setting} is {value!r}; this decoder computes {accepted!r}"
                )
        width, heads = config["hidden_size"], config["num_attention_heads"]
        return cls(
            vocabulary=config["vocab_size"],
            width=width,
            layers=config["num_hidden_layers"],
            heads=heads,
            key_heads=config.get("num_key_value_heads") or heads,
            head_width=config.get("head_dim") or width // heads,
            hidden=config["intermediate_size"],
            longest=config["max_position_embeddings"],
            rotary_base=float(config.get("rope_theta") or rope.get("rope_theta", 10_000.0)),
            epsilon=config["rms_norm_eps"],
            tied=config.get("tie_word_embeddings", False),
        )

    @property
    def head(self) -> str:
        """The tensor that turns a vector into logits."""
        return "model.embed_tokens.weight" if self.tied else "lm_head.weight"

    def weight_names(self) -> list[str]:
        """Name every tensor that the decoder reads."""
        blocks = [f"model.layers.{n}.{part}" for n in range(self.layers) for part in LAYER_PARTS]
        body = [f"{name}.weight" for name in ("model.embed_tokens", *blocks, "model.norm")]
        return body if self.tied else [*body, self.head]


def check_weights(names: Iterable[str], config: LlamaConfig) -> None:
    """Make sure a checkpoint holds each tensor the decoder reads, and none that nothing reads.

    Raises: WeightMismatch, listing the missing and the unused names.
    """
    have, need = set(names), set(config.weight_names())
    # Some tied checkpoints store the table twice, and old ones a buffer of the rotation's speeds.
    ignored = {name for name in have if name == "lm_head.weight" or name.endswith(".inv_freq")}
    missing, unused = sorted(need - have), sorted(have - need - ignored)
    if missing or unused:
        raise WeightMismatch(f"missing tensors: {missing or 'none'}; unused: {unused or 'none'}")
