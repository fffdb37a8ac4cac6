"""Make recall.npz with PyTorch: `python tests/engine/golden/recall_make.py`."""

import json
from pathlib import Path

import numpy as np

IDS = [3, 8, 1, 9, 4, 6, 1]
SIZES = {"vocab_size": 10, "d_embedding": 4, "d_model": 4, "n_layers": 2}
ATTENTION = {"n_heads": 2, "d_ff": 0, "norm": "pre", "causal": True, "max_positions": 16}


def recurrent(torch, kind):
    """Run two layers of one of PyTorch's recurrent cells."""
    layers = getattr(torch.nn, kind.upper())(4, 4, 2)
    embedding, output = torch.nn.Embedding(10, 4), torch.nn.Linear(4, 10)
    logits = output(layers(embedding(torch.tensor(IDS)))[0])[-1]
    parts = {"rnn": layers, "embedding": embedding, "output": output}
    weights = {f"{p}.{n}": t for p, module in parts.items() for n, t in module.named_parameters()}
    return SIZES | {"cell": kind}, weights, logits


def attention(torch):
    """Run two attention sub-layers, each added to the stream, and a last norm."""
    embedding, output = torch.nn.Embedding(10, 4), torch.nn.Linear(4, 10)
    rate = 10_000.0 ** (-torch.arange(0, 4, 2) / 4)
    angle = torch.arange(len(IDS))[:, None] * rate
    places = torch.stack([angle.sin(), angle.cos()], -1).reshape(len(IDS), 4)
    x = embedding(torch.tensor(IDS)) * 2 + places
    weights = {"embedding.weight": embedding.weight}
    mask = torch.full((len(IDS),) * 2, -torch.inf).triu(1)
    for n in range(2):
        norm, layer = torch.nn.LayerNorm(4), torch.nn.MultiheadAttention(4, 2)
        torch.nn.init.normal_(norm.weight)
        torch.nn.init.normal_(layer.in_proj_bias)
        x = x + layer(norm(x), norm(x), norm(x), attn_mask=mask)[0]
        name = f"encoder.layers.{n}.self_attention"
        weights |= {f"{name}_norm.{k}": t for k, t in norm.named_parameters()}
        weights |= {f"{name}.output.{k}": t for k, t in layer.out_proj.named_parameters()}
        for kind, whole in (("weight", layer.in_proj_weight), ("bias", layer.in_proj_bias)):
            names = (f"{name}.{role}.{kind}" for role in ("query", "key", "value"))
            weights |= dict(zip(names, whole.chunk(3), strict=True))
    norm = torch.nn.LayerNorm(4)
    for part, module in (("encoder.norm", norm), ("output", output)):
        weights |= {f"{part}.{name}": tensor for name, tensor in module.named_parameters()}
    return SIZES | ATTENTION | {"cell": "attention"}, weights, output(norm(x))[-1]


def main():
    """Write the file beside this script: settings, weights and logits of each network."""
    import torch

    torch.manual_seed(5)
    arrays = {"ids": np.array(IDS)}
    made = {kind: recurrent(torch, kind) for kind in ("rnn", "lstm", "gru")}
    for kind, (config, weights, logits) in (made | {"attention": attention(torch)}).items():
        arrays |= {f"{kind}.weights.{name}": t.detach().numpy() for name, t in weights.items()}
        arrays[f"{kind}.config"] = np.array(json.dumps(config))
        arrays[f"{kind}.logits"] = logits.detach().numpy()
    np.savez_compressed(Path(__file__).with_name("recall.npz"), **arrays)


if __name__ == "__main__":
    main()
