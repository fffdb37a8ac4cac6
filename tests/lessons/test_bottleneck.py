"""The bottleneck lab: pairs read, symbols kept apart, answers recomputed, scores as measured."""

import json

import numpy as np
import pytest

from app.engine.recall import make_drills, recall, recall_many
from app.lab import BadInput
from lessons.rnn_vs_attention.labs.bottleneck import BottleneckForm, compute
from lessons.rnn_vs_attention.labs.pairs_text import Symbols, Told, assign, parse, row_of

ADDRESS = "/lessons/rnn-vs-attention/labs/bottleneck"


def answer(models, **values):
    return compute(BottleneckForm(**values), models)


def figure(result, name):
    return next(f for f in result.figures if f.name == name)


def read(text):
    return parse(text, most=16, values=16)


@pytest.mark.parametrize(
    ("text", "keys", "answers", "asked"),
    [
        ("cat=3, dog=7; dog?", ("cat", "dog"), ("3", "7"), 1),
        ("cat:3;dog:7\ncat ?", ("cat", "dog"), ("3", "7"), 0),
        (" my cat = big one , x=y , my cat?", ("my cat", "x"), ("big one", "y"), 0),
        ("🐈=שלום; 🐈?", ("🐈",), ("שלום",), 0),
        ("<b>=</td>; <b>?", ("<b>",), ("</td>",), 0),
        ("a=1, A=2; A?", ("a", "A"), ("1", "2"), 1),
    ],
)
def test_pairs_and_a_question_are_read_as_written(text, keys, answers, asked):
    assert read(text) == Told(keys, answers, asked)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Write pairs"),
        (" \u200b\n", "Write pairs"),
        ("cat=3", "End with one question"),
        ("cat?", "0 pairs"),
        ("cat=3; cat?; cat?", "End with one question"),
        ("cat?; cat=3", "End with one question"),
        ("cat; cat?", "no pair"),
        ("a=b=c; a?", "no pair"),
        ("=3; x?", "no pair"),
        ("cat=3, cat=4; cat?", "twice"),
        ("cat=3; dog?", "never told"),
        ("x" * 25 + "=3; y?", "too long"),
        (", ".join(f"k{n}=1" for n in range(17)) + "; k1?", "17 pairs"),
    ],
)
def test_what_is_no_list_of_pairs_is_answered_with_what_to_change(text, said):
    with pytest.raises(BadInput, match=said) as error:
        read(text)
    assert error.value.field == "pairs"


def test_a_row_is_key_value_and_so_on_and_the_same_word_has_the_same_symbol():
    told = Told(("a", "b", "c"), ("x", "y", "x"), 2)
    symbols = Symbols(np.array([5, 0, 9]), np.array([20, 31]), 16)
    assert row_of(told, symbols).tolist() == [5, 20, 0, 31, 9, 20, 9]


def test_symbols_are_different_and_of_their_kind():
    told = Told(tuple("abcdefgh"), tuple("12345678"), 0)
    symbols = assign(told, keys=16, values=16, generator=np.random.default_rng(0))
    assert len(set(symbols.keys.tolist())) == len(set(symbols.values.tolist())) == 8
    assert symbols.keys.max() < 16 <= symbols.values.min()


def test_drills_ask_for_one_of_their_keys_and_know_its_value():
    drills = make_drills(5, 200, keys=16, values=16, generator=np.random.default_rng(3))
    for ids, right in zip(drills.ids, drills.right, strict=True):
        told = dict(zip(ids[0:10:2].tolist(), ids[1:10:2].tolist(), strict=True))
        assert len(told) == 5
        assert told[int(ids[-1])] == right
        assert max(told) < 16 <= min(told.values())


def test_many_rows_at_once_are_scored_as_one_by_one(small_models):
    rows = make_drills(4, 5, keys=16, values=16, generator=np.random.default_rng(1)).ids
    for network in small_models.recall().networks:
        together = recall_many(rows, network.weights, network.config)
        alone = [recall(row, network.weights, network.config).logits for row in rows]
        np.testing.assert_allclose(together, alone, atol=1e-4)


def test_rows_of_answers_are_probabilities_of_the_readers_values(small_models):
    answers = figure(answer(small_models), "answers")
    assert answers.columns == ("3", "7", "1", "9", "4", "6", "never told")
    np.testing.assert_allclose(answers.values.sum(axis=1), 1, atol=1e-5)
    assert answers.chosen == (None, 1)


def test_attention_finds_every_pair_and_recurrence_loses_some(small_models):
    names = "abcdefghijkl"
    pairs = ", ".join(f"{name}={n}" for n, name in enumerate(names))
    shares = [
        figure(answer(small_models, pairs=f"{pairs}; {name}?"), "steady").values for name in names
    ]
    attention, *recurrent = np.mean(shares, axis=0)
    assert attention > 0.98
    assert max(recurrent) < 0.4


def test_one_pair_is_within_everybodys_reach(small_models):
    for size in ("16", "32", "64"):
        values = figure(answer(small_models, pairs="cat=3; cat?", size=size), "steady").values
        assert values.min() > 0.9


def test_the_live_scores_agree_with_the_recorded_ones(small_models):
    """40 lists are a sample: 4 standard errors of a share are at most 0.32."""
    for size in ("16", "64"):
        result = answer(small_models, size=size)
        kept, now = figure(result, "recorded"), figure(result, "live")
        for old, new in zip(kept.lines[:4], now.lines[:4], strict=True):
            assert old.label == new.label
            expected = np.interp(new.x, old.x, old.y)
            assert np.abs(new.y - expected).max() < 0.32


def test_the_recorded_scores_are_those_of_the_card(small_models):
    record = small_models.record("recall", "scores.json")
    lstm = next(row for row in record if row["name"] == "lstm-32")
    line = figure(answer(small_models, size="32"), "recorded").lines[1]
    assert line.label == "LSTM"
    assert line.y.tolist() == lstm["accuracy_by_pairs"]


def test_draws_by_number_can_be_had_again(small_models):
    first, again, other = (
        figure(answer(small_models, symbols=n), "answers").values for n in (4, 4, 5)
    )
    assert (first == again).all()
    assert not np.allclose(first, other)


def test_one_value_for_all_needs_no_memory_of_whose_it_is(small_models):
    result = answer(small_models, pairs="a=1, b=1, c=1; b?")
    assert any("Only one value" in note for note in result.notes)


@pytest.mark.parametrize("pairs", ["<b>=</td>; <b>?", "a&b='\"; a&b?", "[SEP]=[MASK]; [SEP]?"])
def test_markup_in_a_pair_is_escaped(client, pairs):
    page = client.get(ADDRESS, params={"pairs": pairs})
    assert page.status_code == 200
    assert "<b></td>" not in page.text
    assert "<b>?" not in page.text


@pytest.mark.parametrize(
    ("values", "field"),
    [({"pairs": "x"}, "pairs"), ({"size": "17"}, "size"), ({"seed": "0"}, "seed")],
)
def test_what_cannot_be_used_is_answered_at_its_field(client, values, field):
    found = client.get(f"{ADDRESS}/data.json", params=values)
    assert found.status_code == 422
    assert list(json.loads(found.text)["errors"]) == [field]
