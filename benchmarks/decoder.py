"""SmolLM2 reading a prompt and writing on, against PyTorch and the speed of memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import LlamaForCausalLM

from app.engine.llama import write_on
from app.engine.llama_config import LlamaConfig, check_weights
from app.engine.llama_fast import write_on_fast
from app.models.kinds import read_json
from app.models.tensors import open_tensors
from benchmarks.timing import Row, compare

SMOLLM2 = Path(__file__).parents[1] / "models" / "downloaded" / "smollm2"
LENGTHS = (16, 32, 64, 128)
PAST = 32  # tokens that stand before the one that is written
Run = Callable[[], Any]


def measure() -> list[Row]:
    """Compare prefill at four lengths and decoding, after making sure that the numbers agree."""
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    model = LlamaForCausalLM.from_pretrained(
        SMOLLM2, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    config = LlamaConfig.from_dict(read_json(SMOLLM2 / "config.json"))
    weights = open_tensors(SMOLLM2 / "model.safetensors")
    check_weights(weights, config)
    rows: list[Row] = []
    for tokens in LENGTHS:
        ids = np.random.default_rng(tokens).integers(100, config.vocabulary, tokens)
        rows += prefill(model, weights, config, ids)
    return [*rows, *decoding(model, weights, config), *typing_on(weights, config)]


def prefill(model: Any, weights: Any, config: LlamaConfig, ids: np.ndarray) -> list[Row]:
    """Read a prompt, all logits returned and the cache kept."""
    batch = torch.tensor(ids)[None]
    fast = lambda: write_on_fast(ids, weights, config)  # noqa: E731
    runs: dict[str, Run] = {"PyTorch eager": lambda: model(batch, use_cache=True).logits}
    np.testing.assert_allclose(fast().logits, runs["PyTorch eager"]()[0].numpy(), atol=1e-3)
    runs["the readable decoder"] = lambda: write_on(ids, weights, config)
    return compare(f"decoder prefill T={len(ids)}", fast, runs, rounds=9)


def decoding(model: Any, weights: Any, config: LlamaConfig) -> list[Row]:
    """Read one more token after a text whose keys and values are kept; and read the weights."""
    ids = np.random.default_rng(PAST).integers(100, config.vocabulary, PAST + 1)
    cache = write_on_fast(ids[:-1], weights, config).cache
    theirs = model(torch.tensor(ids[:-1])[None], use_cache=True).past_key_values
    last = torch.tensor(ids[-1:])[None]

    def eager() -> torch.Tensor:
        logits = model(last, cache=theirs, use_cache=True).logits
        theirs.crop(-1)
        return logits

    fast = lambda: write_on_fast(ids[-1:], weights, config, cache=cache)  # noqa: E731
    np.testing.assert_allclose(fast().logits, eager()[0].numpy(), atol=1e-3)
    runs: dict[str, Run] = {"PyTorch eager": eager, "reading the weights once": read_all(weights)}
    return compare(f"decoder one token after {PAST}", fast, runs, rounds=21)


def read_all(weights: Any) -> Run:
    """Do as little as can be done with every weight: the limit that memory sets to decoding."""
    flat = [tensor.reshape(-1) for tensor in weights.values()]
    return lambda: [tensor @ tensor for tensor in flat]


def typing_on(weights: Any, config: LlamaConfig) -> list[Row]:
    """Answer a prompt of 12 tokens, from nothing and when it extends the last one by a token."""
    ids = np.random.default_rng(12).integers(100, config.vocabulary, 12)
    cache = write_on_fast(ids[:-1], weights, config).cache
    extended = lambda: write_on_fast(ids[-1:], weights, config, cache=cache, last_only=True)  # noqa: E731
    whole = lambda: write_on_fast(ids, weights, config, last_only=True)  # noqa: E731
    name = "decoder next word, prompt extended"
    return compare(name, extended, {"the same, 12 tokens anew": whole}, rounds=11)
