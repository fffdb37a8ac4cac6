"""Make seq2seq.npz with torch.nn.Transformer: `python tests/engine/golden/seq2seq_make.py`."""

import json
from pathlib import Path

import numpy as np

CONFIGS = {
    "pre": {"norm": "pre", "activation": "gelu", "tie_embeddings": True},
    "post": {"norm": "post", "activation": "relu", "tie_embeddings": False},
}
SIZES = {
    "vocab_size": 11, "d_model": 8, "d_ff": 12, "n_heads": 2, "max_positions": 32,
    "n_encoder_layers": 2, "n_decoder_layers": 2,
}  # fmt: skip
SOURCE, TARGET = [4, 9, 5, 5, 7, 2], [1, 3, 10, 6, 8]
MODULES = {
    "norm1": "self_attention_norm",
    "linear1": "feed_forward.up",
    "linear2": "feed_forward.down",
}
ATTENTIONS = {"self_attn": "self_attention", "multihead_attn": "cross_attention"}


def renamed(state, side):
    """Give PyTorch's tensors the names that the engine reads."""
    norms = {"encoder": ["self_attention", "feed_forward"]}
    norms["decoder"] = ["self_attention", "cross_attention", "feed_forward"]
    for name, tensor in state.items():
        if not name.startswith("layers."):
            yield f"{side}.{name}", tensor
            continue
        _, layer, module, *rest = name.split(".")
        base = f"{side}.layers.{layer}"
        if module in ATTENTIONS and rest[0].startswith("in_proj"):
            for role, piece in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                kind = rest[0].removeprefix("in_proj_")
                yield f"{base}.{ATTENTIONS[module]}.{role}.{kind}", piece
        elif module in ATTENTIONS:
            yield f"{base}.{ATTENTIONS[module]}.output.{rest[-1]}", tensor
        elif module.startswith("norm"):
            yield f"{base}.{norms[side][int(module[-1]) - 1]}_norm.{rest[0]}", tensor
        else:
            yield f"{base}.{MODULES[module]}.{rest[0]}", tensor


def places(torch, tokens, width):
    """Write the sinusoids as the paper does."""
    rate = 10_000.0 ** (-torch.arange(0, width, 2) / width)
    angle = torch.arange(tokens)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], -1).reshape(tokens, width)


def build(torch, settings):
    """Make one model with random weights; the paper's form has no norm at the end of a stack."""
    sizes = [SIZES[name] for name in ("d_model", "n_heads", "n_encoder_layers", "n_decoder_layers")]
    options = {"dropout": 0.0, "activation": settings["activation"], "batch_first": True}
    pre = settings["norm"] == "pre"
    model = torch.nn.Transformer(*sizes, SIZES["d_ff"], norm_first=pre, **options)
    if not pre:
        model.encoder.norm = model.decoder.norm = None
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    names = ["source_embedding", "target_embedding", "output"]
    if settings["tie_embeddings"]:
        names = ["embedding"]
    shape = SIZES["vocab_size"], SIZES["d_model"]
    return model, {f"{name}.weight": torch.randn(shape) * 0.5 for name in names}


def run(torch, settings):
    """Run one model, and return its weights and its outputs."""
    model, tables = build(torch, settings)
    source_table, target_table, output = (list(tables.values()) * 3)[:3]
    width = SIZES["d_model"]
    with torch.no_grad():
        source = source_table[SOURCE] * width**0.5 + places(torch, len(SOURCE), width)
        target = target_table[TARGET] * width**0.5 + places(torch, len(TARGET), width)
        mask = torch.full((len(TARGET),) * 2, -torch.inf).triu(1)
        encoded = model.encoder(source[None])
        decoded = model.decoder(target[None], encoded, tgt_mask=mask)[0]
        cross = cross_maps(model, target, encoded, mask)
    for side, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        tables |= dict(renamed(stack.state_dict(), side))
    outputs = {"encoded": encoded[0], "decoded": decoded, "cross": cross}
    return tables, outputs | {"logits": decoded @ output.T}


def cross_maps(model, target, encoded, mask):
    """Read the first decoder layer's cross-attention weights, by head."""
    layer, x = model.decoder.layers[0], target[None]
    if layer.norm_first:
        x = layer.norm2(x + layer._sa_block(layer.norm1(x), mask, None))
    else:
        x = layer.norm1(x + layer._sa_block(x, mask, None))
    return layer.multihead_attn(x, encoded, encoded, average_attn_weights=False)[1][0]


def main():
    """Write the file beside this script: weights, inputs, outputs and settings of both kinds."""
    import torch

    torch.manual_seed(11)
    arrays = {"source": np.array(SOURCE), "target": np.array(TARGET)}
    for kind, settings in CONFIGS.items():
        weights, outputs = run(torch, settings)
        arrays[f"{kind}.config"] = np.array(json.dumps(SIZES | settings))
        arrays |= {f"{kind}.weights.{name}": t.detach().numpy() for name, t in weights.items()}
        arrays |= {f"{kind}.{name}": t.detach().numpy() for name, t in outputs.items()}
    np.savez_compressed(Path(__file__).with_name("seq2seq.npz"), **arrays)


if __name__ == "__main__":
    main()
