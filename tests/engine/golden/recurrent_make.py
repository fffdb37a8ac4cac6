"""Make recurrent.npz and jacobian.npz with PyTorch.

Run it as `python tests/engine/golden/recurrent_make.py`.
"""

from pathlib import Path

import numpy as np

T, E, D, HEADS = 6, 3, 4, 2


def recurrent(torch):
    """Run each of PyTorch's cells forward and backward on random weights."""
    arrays = {}
    for kind, module in (("rnn", torch.nn.RNN), ("lstm", torch.nn.LSTM), ("gru", torch.nn.GRU)):
        layer = module(E, D)
        inputs = torch.randn(T, E, requires_grad=True)
        start = torch.zeros(1, D, requires_grad=True)
        wanted = torch.randn(T, D)
        given = (start, torch.zeros(1, D)) if kind == "lstm" else start
        states, _ = layer(inputs, given)
        (states * wanted).sum().backward()
        arrays |= {f"{kind}.inputs": inputs, f"{kind}.wanted": wanted, f"{kind}.states": states}
        arrays |= {f"{kind}.grad.inputs": inputs.grad, f"{kind}.grad.start": start.grad[0]}
        for name, parameter in layer.named_parameters():
            short = name.removesuffix("_l0")
            arrays |= {f"{kind}.{short}": parameter, f"{kind}.grad.{short}": parameter.grad}
        slopes = torch.autograd.functional.jacobian(lambda x, layer=layer: layer(x)[0][-1], inputs)
        arrays[f"{kind}.jacobian"] = slopes.transpose(0, 1)
    return arrays


def attention(torch):
    """Differentiate the last token's output, whole and with the shares held fixed."""
    inputs = torch.randn(T, D)
    weights = {name: torch.randn(D, D) for name in ("query", "key", "value", "output")}

    def attend(x, fixed=None):
        heads = {n: (x @ w.T).reshape(T, HEADS, -1).transpose(0, 1) for n, w in weights.items()}
        scores = heads["query"] @ heads["key"].transpose(-1, -2) / (D // HEADS) ** 0.5
        shares = torch.softmax(scores + torch.full((T, T), -torch.inf).triu(1), -1)
        mixed = (shares if fixed is None else fixed) @ heads["value"]
        return (mixed.transpose(0, 1).reshape(T, D) @ weights["output"].T)[-1], shares

    shares = attend(inputs)[1]
    whole = torch.autograd.functional.jacobian(lambda x: attend(x)[0], inputs)
    values = torch.autograd.functional.jacobian(lambda x: attend(x, shares)[0], inputs)
    arrays = {"inputs": inputs, "shares": shares[:, -1], **weights}
    return arrays | {"whole": whole.transpose(0, 1), "values": values.transpose(0, 1)}


def main():
    """Write both files beside this script."""
    import torch

    torch.manual_seed(7)
    torch.set_default_dtype(torch.float64)
    for name, make in (("recurrent", recurrent), ("jacobian", attention)):
        arrays = {key: tensor.detach().numpy() for key, tensor in make(torch).items()}
        np.savez_compressed(Path(__file__).with_name(f"{name}.npz"), **arrays)


if __name__ == "__main__":
    main()
