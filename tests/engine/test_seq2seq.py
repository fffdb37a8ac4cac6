import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EngineError, UnsupportedModel, WeightMismatch
from app.engine.seq2seq import decode, encode, next_word, remember, sinusoids
from app.engine.seq2seq_config import Seq2SeqConfig, check_weights

GOLDEN = np.load(Path(__file__).parent / "golden" / "seq2seq.npz")
SOURCE, TARGET = GOLDEN["source"], GOLDEN["target"]
KINDS = ("pre", "post")


def model(kind):
    config = Seq2SeqConfig.from_dict(json.loads(str(GOLDEN[f"{kind}.config"])))
    start = f"{kind}.weights."
    names = [name for name in GOLDEN.files if name.startswith(start)]
    return {name.removeprefix(start): GOLDEN[name] for name in names}, config


def ran(kind, target=TARGET, **switches):
    weights, config = model(kind)
    memory = remember(encode(SOURCE, weights, config).hidden, weights, config)
    return decode(target, memory, weights, config, **switches)


@pytest.mark.parametrize("kind", KINDS)
def test_encoder_and_decoder_equal_those_of_pytorch(kind):
    weights, config = model(kind)
    encoded = encode(SOURCE, weights, config).hidden
    np.testing.assert_allclose(encoded, GOLDEN[f"{kind}.encoded"], atol=1e-4)
    decoded = ran(kind)
    np.testing.assert_allclose(decoded.stack.hidden, GOLDEN[f"{kind}.decoded"], atol=1e-4)
    np.testing.assert_allclose(decoded.logits, GOLDEN[f"{kind}.logits"], atol=1e-4)
    assert decoded.logits.dtype == np.float32


@pytest.mark.parametrize("kind", KINDS)
def test_cross_attention_maps_equal_those_of_pytorch(kind):
    maps = ran(kind).stack.layers[0].cross.attention.weights
    np.testing.assert_allclose(maps, GOLDEN[f"{kind}.cross"], atol=1e-5)
    np.testing.assert_allclose(maps.sum(axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@given(cut=st.integers(1, len(TARGET) - 1))
@settings(max_examples=5, deadline=None)
def test_a_cache_changes_nothing(kind, cut):
    weights, config = model(kind)
    memory = remember(encode(SOURCE, weights, config).hidden, weights, config)
    whole = decode(TARGET, memory, weights, config)
    first = decode(TARGET[:cut], memory, weights, config)
    rest = decode(TARGET[cut:], memory, weights, config, past=first.stack.cache)
    np.testing.assert_allclose(rest.logits, whole.logits[cut:], atol=1e-5)
    assert rest.stack.cache[0].keys.shape == whole.stack.cache[0].keys.shape


@pytest.mark.parametrize("kind", KINDS)
def test_no_output_of_the_decoder_depends_on_a_later_word(kind):
    changed = TARGET.copy()
    changed[3] = 2
    before, after = ran(kind).logits, ran(kind, changed).logits
    np.testing.assert_array_equal(before[:3], after[:3])
    assert (before[3:] != after[3:]).any(axis=-1).all()


def test_several_texts_at_once_give_what_each_gives_alone():
    other = TARGET[::-1].copy()
    together = ran("pre", np.stack([TARGET, other]))
    np.testing.assert_allclose(together.logits[0], ran("pre").logits, atol=1e-5)
    np.testing.assert_allclose(together.logits[1], ran("pre", other).logits, atol=1e-5)


def test_an_encoder_without_positions_only_reorders_what_is_reordered():
    weights, config = model("pre")
    order = np.array([3, 0, 5, 1, 4, 2])
    plain = encode(SOURCE, weights, config, use_positions=False).hidden
    shuffled = encode(SOURCE[order], weights, config, use_positions=False).hidden
    np.testing.assert_allclose(shuffled, plain[order], atol=1e-5)


def test_a_head_that_is_knocked_out_mixes_nothing():
    keep = np.ones((2, 2), bool)
    keep[1, 0] = False
    trace = ran("post", keep_cross=keep).stack
    assert not trace.layers[1].cross.attention.mixed[0].any()
    assert trace.layers[1].cross.attention.mixed[1].any()
    np.testing.assert_array_equal(ran("post", keep_heads=keep | True).logits, ran("post").logits)


def test_the_scale_can_be_cut_in_both_kinds_of_attention():
    trace = ran("pre", scale=False).stack
    for heard in (trace.layers[0].heard, trace.layers[0].cross):
        unscaled = heard.queries @ np.swapaxes(heard.keys, -1, -2)
        np.testing.assert_allclose(heard.attention.scores, unscaled, rtol=1e-6)
    weights, config = model("pre")
    layer = encode(SOURCE, weights, config, scale=False).layers[0].heard
    unscaled = layer.queries @ np.swapaxes(layer.keys, -1, -2)
    np.testing.assert_allclose(layer.attention.scores, unscaled, rtol=1e-6)


def test_positions_are_clock_hands():
    # Width 4: speeds 1 and 10000^(−2/4) = 1/100; place 1 is sin 1, cos 1, sin 0.01, cos 0.01.
    expected = [[0, 1, 0, 1], [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)]]
    np.testing.assert_allclose(sinusoids(2, 4), expected, atol=1e-7)
    np.testing.assert_array_equal(sinusoids(3, 6, first=4), sinusoids(7, 6)[4:])


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_and_a_foreign_tensor_are_both_named(kind):
    weights, config = model(kind)
    check_weights(weights, config)
    names = set(weights) - {"encoder.layers.0.feed_forward.up.bias"} | {"surprise"}
    with pytest.raises(WeightMismatch, match=r"layers\.0\.feed_forward\.up\.bias.*surprise"):
        check_weights(names, config)


def test_what_cannot_be_computed_is_refused():
    weights, config = model("pre")
    with pytest.raises(EngineError, match="33 tokens"):
        encode(np.zeros(33, int), weights, config)
    with pytest.raises(UnsupportedModel, match="sandwich"):
        Seq2SeqConfig.from_dict({**json.loads(str(GOLDEN["pre.config"])), "norm": "sandwich"})


def test_without_a_feed_forward_part_the_block_ends_after_listening():
    weights, config = model("pre")
    trace = encode(SOURCE, weights, replace(config, d_ff=0))
    assert trace.layers[0].thought is None
    assert trace.layers[0].hidden is trace.layers[0].heard.hidden


def test_the_search_function_returns_the_scores_of_the_last_place():
    weights, config = model("pre")
    memory = remember(encode(SOURCE, weights, config).hidden, weights, config)
    scores, cache = next_word(memory, weights, config)(TARGET[None], None)
    np.testing.assert_allclose(scores, ran("pre").logits[-1:], atol=1e-5)
    assert cache[1].values.shape == (1, 2, len(TARGET), 4)
