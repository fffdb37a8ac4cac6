"""The readable encoder against the reference and against its own claims."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EmptyRow, EngineError, UnsupportedModel, WeightMismatch
from app.engine.bert import BertConfig, check_weights, encode
from app.engine.masks import causal, padding
from tests.engine.golden.bert_cases import (
    HERE,
    TEXTS,
    TINY,
    TINY_LENGTHS,
    minilm,
    tiny,
    worst_difference_from_minilm,
)

CONFIG = json.loads((HERE / "bert_tiny" / "config.json").read_text())
IDS = TINY["tokens-7/ids"]
INTERVENTIONS = {
    "padding": {"mask": padding(np.array([1, 1, 1, 1, 1, 0, 0], bool))},
    "segments": {"segments": np.array([0, 0, 0, 1, 1, 1, 1])},
    "no-positions": {"use_positions": False},
    "no-scale": {"scale": False},
    "heads": {"keep_heads": np.array([[1, 1, 1, 1], [0, 1, 0, 1]], bool)},
}


def agrees(trace, case):
    """Hidden states of every layer and every attention map within 1e-4 of the reference."""
    np.testing.assert_allclose(trace.hidden, TINY[f"{case}/hidden"], atol=1e-4)
    np.testing.assert_allclose(trace.weights, TINY[f"{case}/weights"], atol=1e-4)
    assert trace.hidden.dtype == trace.weights.dtype == np.float32


@pytest.mark.parametrize("case", TINY_LENGTHS)
def test_sentences_of_every_length_give_what_the_reference_gives(case):
    agrees(encode(TINY[f"{case}/ids"], *tiny()), case)


@pytest.mark.parametrize("case", INTERVENTIONS)
def test_an_intervention_does_what_the_same_change_in_the_reference_does(case):
    agrees(encode(TINY[f"{case}/ids"], *tiny(), **INTERVENTIONS[case]), case)


def test_a_masked_language_model_with_prefixed_names_gives_what_the_reference_gives():
    agrees(encode(TINY["masked/ids"], *tiny("bert_tiny_masked")), "masked")


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text["name"])
def test_minilm_gives_what_the_reference_gives(text):
    trace = encode(np.array(text["ids"]), *minilm())
    assert worst_difference_from_minilm(text["name"], trace.last, trace.weights) < 1e-4


def test_the_references_cover_twenty_texts_and_one_of_exactly_128_tokens():
    lengths = [len(text["ids"]) for text in TEXTS]
    assert len(lengths) >= 20
    assert max(lengths) == 128


def test_the_trace_is_the_computation_each_step_following_from_the_one_before():
    weights, config = tiny()
    layer = encode(IDS, weights, config).layers[0]
    name = "encoder.layer.0.attention.output.dense"
    projected = layer.merged @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    np.testing.assert_allclose(layer.projected, projected, rtol=1e-5)
    np.testing.assert_array_equal(layer.merged[:, 8:16], layer.attention.mixed[1])
    np.testing.assert_allclose(layer.attention.weights.sum(axis=-1), 1, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(7)))
def test_without_positions_shuffling_the_words_only_shuffles_the_answers(order):
    plain = encode(IDS, *tiny(), use_positions=False).last
    shuffled = encode(IDS[order], *tiny(), use_positions=False).last
    np.testing.assert_allclose(shuffled, plain[order], atol=1e-5)


@given(st.integers(1, 6), st.integers(0, 95))
@settings(max_examples=20, deadline=None)
def test_under_a_causal_mask_a_later_word_changes_nothing_before_it(place, other):
    changed = IDS.copy()
    changed[place] = other
    before = encode(IDS, *tiny(), mask=causal(7)).hidden[:, :place]
    after = encode(changed, *tiny(), mask=causal(7)).hidden[:, :place]
    np.testing.assert_array_equal(before, after)


def test_with_all_heads_silenced_no_word_reaches_another():
    silent = np.zeros((2, 4), bool)
    changed = np.concatenate([IDS[:6], [1]])
    before, after = (encode(ids, *tiny(), keep_heads=silent).last for ids in (IDS, changed))
    np.testing.assert_array_equal(before[:6], after[:6])
    assert np.abs(before[6] - after[6]).max() > 0.1


def test_a_row_that_may_look_at_nothing_is_refused_by_name():
    with pytest.raises(EmptyRow, match="row"):
        encode(IDS, *tiny(), mask=padding(np.zeros(7, bool)))


@pytest.mark.parametrize("tokens", [0, 49])
def test_no_tokens_and_too_many_tokens_are_refused_with_the_limit(tokens):
    with pytest.raises(EngineError, match=f"{tokens} tokens; this model reads 1 to 48"):
        encode(np.zeros(tokens, int), *tiny())


def test_missing_and_unused_tensors_are_both_listed():
    names = [*tiny().config.weight_names(), "encoder.layer.9.extra", "pooler.dense.weight"]
    names.remove("embeddings.LayerNorm.bias")
    with pytest.raises(WeightMismatch) as error:
        check_weights(names, tiny().config)
    assert "missing tensors: ['embeddings.LayerNorm.bias']" in str(error.value)
    assert "unused: ['encoder.layer.9.extra']" in str(error.value)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("model_type", "roberta"),
        ("hidden_act", "silu"),
        ("position_embedding_type", "relative_key"),
        ("is_decoder", True),
    ],
)
def test_a_configuration_that_is_not_computed_is_refused_by_its_setting(setting, value):
    with pytest.raises(UnsupportedModel, match=setting):
        BertConfig.from_dict({**CONFIG, setting: value})


def test_ids_may_come_as_a_tuple_as_tokenizers_give_them():
    as_array = encode(np.array([5, 9]), *tiny())
    np.testing.assert_array_equal(encode((5, 9), *tiny()).last, as_array.last)
