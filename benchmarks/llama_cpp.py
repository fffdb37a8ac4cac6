"""SmolLM2 against llama.cpp, which wrote the book on running decoders on a processor.

Its own timings are taken. It computes the logits of the last token only, and so do we here. With
four-bit weights it reads a seventh of our bytes, which is what counts when it writes on.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.llama_fast import write_on_fast
from app.models import Decoder, Models
from app.settings import Settings
from benchmarks.models import as_float32, folder_of, smollm2_gguf
from benchmarks.timing import Fact, LeftOut, Row, Run, Told, compare

LENGTHS = (16, 32, 64)
PAST = 32  # tokens that stand before the ones that are written
WRITTEN = 5
QUIET = -1
GREEDY = {"temperature": 0, "samplers": ["top_k"], "top_k": 1, "ignore_eos": True}


def measure() -> list[Row | Fact]:
    """Compare prefill at three lengths and decoding, with four-bit and with float32 weights."""
    try:
        import xllamacpp
    except ImportError as error:
        raise LeftOut("llama.cpp is not installed") from error
    folder_of("smollm2")
    decoder = Models.from_settings(Settings()).decoder("smollm2")
    quantised = smollm2_gguf()
    servers = {
        "llama.cpp Q4_1": start(xllamacpp, quantised),
        "llama.cpp F32": start(xllamacpp, as_float32(quantised)),
    }
    agree(decoder, servers["llama.cpp F32"])
    rows: list[Row | Fact] = []
    for tokens in LENGTHS:
        rows += prefill(decoder, servers, some_ids(decoder, tokens))
    rows += decoding(decoder, servers)
    build = f"{xllamacpp.__version__}, {xllamacpp.get_system_info().strip(' |')}"
    return [*rows, Fact("llama.cpp, build", build)]


def start(xllamacpp: Any, path: Path) -> Any:
    """Load a model into a llama.cpp of its own, with one thread."""
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel = 512, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = QUIET
    return xllamacpp.Server(params)


def some_ids(decoder: Decoder, tokens: int) -> np.ndarray:
    """Draw a prompt."""
    return np.random.default_rng(tokens).integers(100, len(decoder.weights[TABLE]), tokens)


TABLE = "model.embed_tokens.weight"


def complete(server: Any, ids: np.ndarray, count: int, *, known: bool) -> dict[str, Any]:
    """Let llama.cpp write some tokens on; `known` lets it keep the prompt of the call before."""
    wanted = {"prompt": ids.tolist(), "max_tokens": count, "cache_prompt": known}
    answer: dict[str, Any] = server.handle_completions({**wanted, **GREEDY})
    return answer


def agree(decoder: Decoder, server: Any) -> None:
    """Make sure that both continue a text in the same words."""
    text = decoder.tokenizer.encode("The capital of France is", add_special=False).ids
    logits, cache = decoder.read(text)
    ours = [int(logits.argmax())]
    while len(ours) < 8:
        logits, cache = decoder.read(np.array(ours[-1:]), cache)
        ours.append(int(logits.argmax()))
    theirs = complete(server, text, len(ours), known=False)["choices"][0]["text"]
    mine = decoder.tokenizer.decode(ours)
    if mine != theirs:
        raise AssertionError(f"we write {mine!r}, llama.cpp {theirs!r}")


def prefill(decoder: Decoder, servers: dict[str, Any], ids: np.ndarray) -> list[Row]:
    """Read a prompt and give the logits that follow it."""

    def read(server: Any) -> Told:
        return Told(complete(server, ids, 1, known=False)["timings"]["prompt_ms"])

    runs: dict[str, Run] = {name: partial(read, server) for name, server in servers.items()}
    name = f"decoder prefill T={len(ids)}, last logits"
    return compare(name, lambda: decoder.read(ids), runs, rounds=9)


def decoding(decoder: Decoder, servers: dict[str, Any]) -> list[Row]:
    """Write on after a prompt that is known, and give the time of one token."""
    ids = some_ids(decoder, PAST + 1)
    cache = write_on_fast(ids[:-1], decoder.weights, decoder.config, last_only=True).cache

    def write(server: Any) -> Told:
        timings = complete(server, ids, WRITTEN, known=True)["timings"]
        return Told(timings["predicted_per_token_ms"])

    runs: dict[str, Run] = {name: partial(write, server) for name, server in servers.items()}
    name = f"decoder one token after {PAST}, in a row"
    return compare(name, lambda: decoder.read(ids[-1:], cache), runs, rounds=15)
