"""The Llama decoder: equal to transformers on small random models, and its interventions."""

import functools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EngineError, UnsupportedModel, WeightMismatch
from app.engine.cache import cached_tokens
from app.engine.llama import rms_norm, silu, write_on
from app.engine.llama_config import LlamaConfig, check_weights
from app.models.kinds import read_json
from app.models.tensors import open_tensors

GOLDEN = Path(__file__).parent / "golden"
MODELS = ("llama_tiny", "llama_tiny_tied")
OPTIONS = {
    "no-positions": {"use_positions": False},
    "no-scale": {"scale": False},
    "heads": {"keep_heads": np.array([[True] * 4, [False, True, False, True]])},
}


@functools.cache
def load(name):
    config = LlamaConfig.from_dict(read_json(GOLDEN / name / "config.json"))
    weights = open_tensors(GOLDEN / name / "model.safetensors")
    check_weights(weights, config)
    return weights, config


def cases(name):
    found = {}
    for key, array in np.load(GOLDEN / f"{name}.npz").items():
        case, part = key.split("/")
        found.setdefault(case, {})[part] = array
    return found


@pytest.mark.parametrize("name", MODELS)
def test_every_state_map_and_logit_is_that_of_transformers(name):
    weights, config = load(name)
    for case, wanted in cases(name).items():
        trace = write_on(wanted["ids"], weights, config, **OPTIONS.get(case, {}))
        np.testing.assert_allclose(trace.hidden[:-1], wanted["hidden"][:-1], atol=1e-4)
        np.testing.assert_allclose(trace.normed, wanted["hidden"][-1], atol=1e-4)
        np.testing.assert_allclose(trace.weights, wanted["weights"], atol=1e-5)
        np.testing.assert_allclose(trace.logits, wanted["logits"], atol=1e-4)


def test_heads_that_share_keys_differ_in_their_queries_only():
    weights, config = load("llama_tiny")
    layer = write_on(np.arange(5), weights, config).layers[0]
    assert layer.queries.shape == (4, 5, 8)
    assert layer.keys.shape == layer.values.shape == (2, 5, 8)
    again = layer.queries[1] @ layer.keys[0].T / np.sqrt(np.float32(8))
    np.testing.assert_allclose(layer.attention.scores[1], again, rtol=1e-5)


@settings(deadline=None)
@given(ids=st.lists(st.integers(0, 95), min_size=2, max_size=16), cut=st.integers(1, 15))
def test_a_text_read_in_two_parts_gives_what_it_gives_in_one(ids, cut):
    weights, config = load("llama_tiny")
    ids, cut = np.array(ids), min(cut, len(ids) - 1)
    whole = write_on(ids, weights, config)
    first = write_on(ids[:cut], weights, config)
    second = write_on(ids[cut:], weights, config, cache=first.cache)
    np.testing.assert_allclose(second.logits, whole.logits[cut:], atol=1e-4)
    np.testing.assert_allclose(second.weights, whole.weights[:, :, cut:], atol=1e-5)
    assert cached_tokens(first.cache) == cut
    assert cached_tokens(second.cache) == len(ids)


@settings(deadline=None)
@given(
    ids=st.lists(st.integers(0, 95), min_size=2, max_size=12),
    place=st.integers(1, 11),
    other=st.integers(0, 95),
)
def test_nothing_before_a_changed_token_moves_at_all(ids, place, other):
    weights, config = load("llama_tiny")
    changed, place = list(ids), min(place, len(ids) - 1)
    changed[place] = other
    before, after = (write_on(np.array(text), weights, config) for text in (ids, changed))
    assert (before.logits[:place] == after.logits[:place]).all()
    assert (before.hidden[:, :place] == after.hidden[:, :place]).all()


def test_no_token_gives_any_weight_to_the_future():
    weights, config = load("llama_tiny")
    maps = write_on(np.arange(9), weights, config).weights
    assert (maps[..., np.triu(np.ones((9, 9), bool), 1)] == 0).all()
    np.testing.assert_allclose(maps.sum(axis=-1), 1, atol=1e-6)


def test_without_positions_a_repeated_word_is_told_the_same_wherever_it_stands():
    weights, config = load("llama_tiny")
    same = write_on(np.array([5, 5, 5]), weights, config, use_positions=False).logits
    np.testing.assert_allclose(same[0], same[2], atol=1e-4)
    assert np.abs(np.diff(write_on(np.array([5, 5]), weights, config).weights)).max() > 0.01


def test_a_silenced_head_changes_the_answer_and_all_heads_kept_change_nothing():
    weights, config = load("llama_tiny")
    ids, kept = np.arange(6), np.ones((2, 4), bool)
    plain = write_on(ids, weights, config).logits
    assert (write_on(ids, weights, config, keep_heads=kept).logits == plain).all()
    kept[0, 0] = False
    assert np.abs(write_on(ids, weights, config, keep_heads=kept).logits - plain).max() > 0.01


def test_no_tokens_and_too_many_are_refused_with_the_limit():
    weights, config = load("llama_tiny")
    for count in (0, 49):
        with pytest.raises(EngineError, match=f"{count} new ones; 1 to 48"):
            write_on(np.zeros(count, np.int64), weights, config)
    full = write_on(np.zeros(48, np.int64), weights, config).cache
    with pytest.raises(EngineError, match="48 tokens and 1 new"):
        write_on(np.zeros(1, np.int64), weights, config, cache=full)


def test_missing_and_unused_tensors_are_listed():
    weights, config = load("llama_tiny")
    wrong = dict(weights, extra=weights["model.norm.weight"])
    del wrong["model.norm.weight"]
    with pytest.raises(WeightMismatch, match=r"missing.*model\.norm\.weight.*unused.*extra"):
        check_weights(wrong, config)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("model_type", "qwen2"),
        ("hidden_act", "gelu"),
        ("attention_bias", True),
        ("rope_scaling", {"rope_type": "llama3"}),
    ],
)
def test_a_setting_that_is_not_computed_is_refused_by_name(setting, value):
    config = read_json(GOLDEN / "llama_tiny" / "config.json")
    config.pop("rope_parameters", None)
    with pytest.raises(UnsupportedModel, match=setting.replace("rope_scaling", "rope_type")):
        LlamaConfig.from_dict({**config, setting: value})


def test_rms_norm_leaves_the_mean_where_it_is_and_silu_never_overflows():
    # mean square of (3, 4) is 12.5, its root 3.5355
    np.testing.assert_allclose(
        rms_norm(np.array([3.0, 4.0]), np.ones(2), epsilon=0), [0.848528, 1.131371], rtol=1e-6
    )
    huge = silu(np.array([-1e30, -100, 0, 100, 1e30], np.float32))
    np.testing.assert_allclose(huge, [0, 0, 0, 100, 1e30], atol=1e-6)
