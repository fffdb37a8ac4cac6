"""SmolLM2 reading a prompt and writing on, against PyTorch and the speed of memory."""

from typing import Any

import numpy as np
import torch
from transformers import LlamaForCausalLM

from app.engine.llama import write_on
from app.engine.llama_config import LlamaConfig, check_weights
from app.engine.llama_fast import write_on_fast
from app.models.kinds import read_json
from app.models.tensors import open_tensors
from benchmarks.models import folder_of
from benchmarks.timing import Fact, Row, Run, compare

LENGTHS = (16, 32, 64, 128)
PAST = 32  # tokens that stand before the one that is written
READ_MB = 512  # of memory, to see how fast it can be read


def measure() -> list[Row | Fact]:
    """Compare prefill at four lengths and decoding, after making sure that the numbers agree."""
    folder = folder_of("smollm2")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    model = LlamaForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    config = LlamaConfig.from_dict(read_json(folder / "config.json"))
    weights = open_tensors(folder / "model.safetensors")
    check_weights(weights, config)
    rows: list[Row | Fact] = []
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


def decoding(model: Any, weights: Any, config: LlamaConfig) -> list[Row | Fact]:
    """Read one more token after a text whose keys and values are kept; and read as many bytes."""
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
    memory = np.ones(READ_MB << 18, np.float32)
    runs: dict[str, Run] = {
        "PyTorch eager": eager,
        "reading all weights once": read_all(weights),
        f"reading {READ_MB} MiB of memory": lambda: memory @ memory,
    }
    rows = compare(f"decoder one token after {PAST}", fast, runs, rounds=21)
    return [*rows, *bandwidth(rows, weights, memory.nbytes)]


def bandwidth(rows: list[Row], weights: Any, read: int) -> list[Fact]:
    """Say how near writing on comes to the limit, which is how fast memory can be read."""
    size = sum(tensor.nbytes for tensor in weights.values())
    ours, limit = size / rows[0].ours_ms / 1e6, read / rows[-1].other_ms / 1e6
    return [
        Fact("memory, read by one thread, GB/s", limit),
        Fact("decoder one token, weights read, GB/s", ours),
        Fact("decoder one token, share of memory's speed", ours / limit),
        Fact("decoder one token, tokens/s", 1000 / rows[0].ours_ms),
    ]


def read_all(weights: Any) -> Run:
    """Do as little as can be done with every weight: what any decoder must wait for."""
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
