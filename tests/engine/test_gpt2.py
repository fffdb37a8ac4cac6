"""The GPT-2 decoder: equal to transformers on a small random model, and its interventions."""

import functools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EngineError, UnsupportedModel, WeightMismatch
from app.engine.cache import cached_tokens
from app.engine.gpt2 import GPT2Config, check_weights, plain_names, write_on
from app.models.kinds import read_json
from app.models.tensors import open_tensors

GOLDEN = Path(__file__).parent / "golden"
OPTIONS = {
    "no-positions": {"use_positions": False},
    "no-scale": {"scale": False},
    "heads": {"keep_heads": np.array([[True] * 4, [False, True, False, True]])},
}


@functools.cache
def load():
    config = GPT2Config.from_dict(read_json(GOLDEN / "gpt2_tiny" / "config.json"))
    weights = plain_names(open_tensors(GOLDEN / "gpt2_tiny" / "model.safetensors"))
    check_weights(weights, config)
    return weights, config


CASES = ("tokens-1", "tokens-2", "tokens-7", "tokens-23", "tokens-48", *OPTIONS)


@pytest.mark.parametrize("case", CASES)
def test_every_state_map_and_logit_is_that_of_transformers(case):
    weights, config = load()
    with np.load(GOLDEN / "gpt2_tiny.npz") as file:
        wanted = {part: file[f"{case}/{part}"] for part in ("ids", "hidden", "weights", "logits")}
    trace = write_on(wanted["ids"], weights, config, **OPTIONS.get(case, {}))
    np.testing.assert_allclose(trace.hidden[:-1], wanted["hidden"][:-1], atol=1e-4)
    np.testing.assert_allclose(trace.normed, wanted["hidden"][-1], atol=1e-4)
    np.testing.assert_allclose(trace.weights, wanted["weights"], atol=1e-5)
    np.testing.assert_allclose(trace.logits, wanted["logits"], atol=1e-4)


@settings(deadline=None)
@given(ids=st.lists(st.integers(0, 95), min_size=2, max_size=16), cut=st.integers(1, 15))
def test_a_text_read_in_two_parts_gives_what_it_gives_in_one(ids, cut):
    weights, config = load()
    ids, cut = np.array(ids), min(cut, len(ids) - 1)
    whole = write_on(ids, weights, config)
    first = write_on(ids[:cut], weights, config)
    second = write_on(ids[cut:], weights, config, cache=first.cache)
    np.testing.assert_allclose(second.logits, whole.logits[cut:], atol=1e-4)
    assert cached_tokens(second.cache) == len(ids)


def test_nothing_before_a_changed_token_moves_at_all():
    weights, config = load()
    before = write_on(np.array([1, 2, 3, 4, 5]), weights, config)
    after = write_on(np.array([1, 2, 3, 90, 5]), weights, config)
    assert (before.hidden[:, :3] == after.hidden[:, :3]).all()
    assert np.abs(before.hidden[-1, 3:] - after.hidden[-1, 3:]).min(axis=0).max() > 0


def test_no_tokens_and_too_many_are_refused_with_the_limit():
    weights, config = load()
    for count in (0, 49):
        with pytest.raises(EngineError, match=f"{count} new ones; 1 to 48"):
            write_on(np.zeros(count, np.int64), weights, config)


def test_missing_and_unused_tensors_are_listed_and_old_buffers_are_not():
    weights, config = load()
    wrong = {**weights, "h.0.attn.bias": np.ones(1), "lm_head.weight": np.ones(1)}
    check_weights(wrong, config)
    del wrong["wpe.weight"]
    with pytest.raises(WeightMismatch, match=r"missing.*wpe.*unused.*extra"):
        check_weights({**wrong, "extra": np.ones(1)}, config)


def test_a_setting_that_is_not_computed_is_refused_by_name():
    config = read_json(GOLDEN / "gpt2_tiny" / "config.json")
    with pytest.raises(UnsupportedModel, match="scale_attn_by_inverse_layer_idx"):
        GPT2Config.from_dict({**config, "scale_attn_by_inverse_layer_idx": True})
