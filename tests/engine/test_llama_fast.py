"""The fast Llama decoder gives what the readable one gives, whatever is asked of it."""

import functools
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EngineError
from app.engine.cache import cached_tokens, reusable, truncate
from app.engine.llama import write_on
from app.engine.llama_config import LlamaConfig
from app.engine.llama_fast import write_on_fast
from app.models.kinds import read_json
from app.models.tensors import open_tensors

GOLDEN = Path(__file__).parent / "golden"
TINY = ("llama_tiny", "llama_tiny_tied")


@functools.cache
def load(name):
    config = LlamaConfig.from_dict(read_json(GOLDEN / name / "config.json"))
    return open_tensors(GOLDEN / name / "model.safetensors"), config


@settings(deadline=None)
@given(
    name=st.sampled_from(TINY),
    ids=st.lists(st.integers(0, 95), min_size=1, max_size=24),
    cut=st.integers(0, 23),
    kept=st.lists(st.booleans(), min_size=8, max_size=8),
    use_positions=st.booleans(),
    scale=st.booleans(),
)
def test_it_equals_the_readable_decoder_with_every_intervention(
    name, ids, cut, kept, use_positions, scale
):
    weights, config = load(name)
    cut, ids = min(cut, len(ids) - 1), np.array(ids)
    options = {
        "keep_heads": np.array(kept).reshape(2, 4),
        "use_positions": use_positions,
        "scale": scale,
    }
    plain = write_on(ids, weights, config, **options)
    cache = write_on_fast(ids[:cut], weights, config, **options).cache if cut else None
    fast = write_on_fast(ids[cut:], weights, config, cache=cache, **options)
    np.testing.assert_allclose(fast.logits, plain.logits[cut:], atol=2e-4)
    np.testing.assert_allclose(fast.hidden, plain.hidden[:, cut:], atol=2e-4)
    for ours, theirs in zip(fast.cache, plain.cache, strict=True):
        np.testing.assert_allclose(ours.keys, theirs.keys, atol=1e-4)
        np.testing.assert_allclose(ours.values, theirs.values, atol=1e-4)


def test_the_last_row_alone_is_the_last_row():
    weights, config = load("llama_tiny")
    ids = np.arange(9)
    last = write_on_fast(ids, weights, config, last_only=True).logits
    assert last.shape == (1, 96)
    np.testing.assert_allclose(last[0], write_on_fast(ids, weights, config).logits[-1], atol=1e-5)


def test_the_prefix_cache_of_an_older_text_gives_what_reading_anew_gives():
    weights, config = load("llama_tiny")
    old, new = [7, 8, 9, 10, 11], [7, 8, 9, 40, 41, 42]
    cache = reusable(write_on_fast(np.array(old), weights, config).cache, old, new)
    known = cached_tokens(cache)
    assert known == 3
    part = write_on_fast(np.array(new[known:]), weights, config, cache=cache).logits
    whole = write_on_fast(np.array(new), weights, config).logits
    np.testing.assert_allclose(part, whole[known:], atol=1e-4)


def test_a_cache_is_never_altered_so_that_two_continuations_may_share_it():
    weights, config = load("llama_tiny")
    cache = write_on_fast(np.arange(5), weights, config).cache
    before = [layer.keys.copy() for layer in cache]
    for ids in ([1], [2, 3]):
        write_on_fast(np.array(ids), weights, config, cache=cache)
    assert all((a == b.keys).all() for a, b in zip(before, cache, strict=True))
    assert cached_tokens(truncate(cache, 2)) == 2


def test_many_threads_may_read_at_once():
    weights, config = load("llama_tiny")
    texts = [np.arange(n, n + 12) for n in range(8)]
    alone, together = [write_on_fast(ids, weights, config).logits for ids in texts], {}

    def read(n):
        together[n] = write_on_fast(texts[n], weights, config).logits

    threads = [threading.Thread(target=read, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((alone[n] == together[n]).all() for n in range(8))


def test_no_tokens_are_refused():
    weights, config = load("llama_tiny")
    with pytest.raises(EngineError, match="0 new ones"):
        write_on_fast(np.zeros(0, np.int64), weights, config)
