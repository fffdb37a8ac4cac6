"""A frozen sentence encoder with a masked-language head and low-rank adapters (PyTorch)."""

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import BertConfig, BertForMaskedLM

ADAPTED = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)  # fmt: skip


class LowRank(nn.Module):
    """A frozen projection plus a trained one through a narrow waist (Hu et al. 2021)."""

    def __init__(self, base: nn.Linear, rank: int, scale: float) -> None:
        super().__init__()
        self.base = base
        self.scale = scale
        self.lora_A = nn.Parameter(torch.randn(rank, base.in_features) * base.in_features**-0.5)
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        """Add the detour to the frozen way: (…, in) -> (…, out)."""
        return self.base(x) + nn.functional.linear(
            nn.functional.linear(x, self.lora_A), self.lora_B * self.scale
        )


def blank_filler(encoder: Path, rank: int, scale: float) -> BertForMaskedLM:
    """Load the encoder, freeze it, and add a fresh head and adapters.

    Trained are the head, the adapters, the biases and the normalisations.
    """
    config = BertConfig.from_json_file(str(encoder / "config.json"))
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    model = BertForMaskedLM(config)
    trunk = {
        f"bert.{name}": value for name, value in load_file(encoder / "model.safetensors").items()
    }
    missing, _ = model.load_state_dict(trunk, strict=False)
    unexpected = [name for name in missing if not name.startswith("cls.")]
    if unexpected:
        raise ValueError(f"the encoder lacks {unexpected}")
    for name, parameter in model.bert.named_parameters():
        parameter.requires_grad = ".layer." in name and (
            name.endswith("bias") or "LayerNorm" in name
        )
    nn.init.eye_(model.cls.predictions.transform.dense.weight)
    for layer in model.bert.encoder.layer:
        for name in ADAPTED:
            parent, _, last = name.rpartition(".")
            owner = layer.get_submodule(parent)
            setattr(owner, last, LowRank(getattr(owner, last), rank, scale))
    return model


def shipped_tensors(model: BertForMaskedLM) -> dict[str, Tensor]:
    """Return what was trained, under the names the engine reads."""
    trained = {name for name, value in model.named_parameters() if value.requires_grad}
    tensors = {}
    for name, value in model.state_dict().items():
        if name in trained:
            tensors[name.removeprefix("bert.").replace(".base.", ".")] = value
    return tensors
