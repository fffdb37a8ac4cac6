"""Make masked_lm.npz with transformers: `python tests/engine/golden/masked_lm_make.py`.

The model is bert_tiny_masked beside this script (bert_make.py makes it).
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
IDS = [5, 71, 90, 3, 44, 44, 60, 12]
RANK, SCALE = 3, 1.5
ADAPTED = ("attention.self.query", "attention.output.dense", "intermediate.dense", "output.dense")


def adapt(torch, model):
    """Put a detour through a narrow waist beside four kinds of matrices, as LoRA trains it."""
    halves = {}
    for number, layer in enumerate(model.bert.encoder.layer):
        for name in ADAPTED:
            linear = layer.get_submodule(name)
            down = torch.randn(RANK, linear.in_features) * 0.2
            up = torch.randn(linear.out_features, RANK) * 0.2
            halves[f"encoder.layer.{number}.{name}.lora_A"] = down
            halves[f"encoder.layer.{number}.{name}.lora_B"] = up
            linear.register_forward_hook(
                lambda _, given, out, down=down, up=up: out + SCALE * (given[0] @ down.T @ up.T)
            )
    return halves


def main():
    """Write ids, logits without and with adapters, and the adapters."""
    import torch
    from transformers import BertForMaskedLM

    torch.manual_seed(3)
    model = BertForMaskedLM.from_pretrained(HERE / "bert_tiny_masked").eval()
    ids = torch.tensor([IDS])
    with torch.no_grad():
        arrays = {"ids": ids[0], "logits": model(ids).logits[0]}
        adapters = adapt(torch, model)
        arrays["adapted"] = model(ids).logits[0]
    arrays |= {f"adapters.{name}": tensor for name, tensor in adapters.items()}
    np.savez_compressed(HERE / "masked_lm.npz", **{k: t.numpy() for k, t in arrays.items()})


if __name__ == "__main__":
    main()
