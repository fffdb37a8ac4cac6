"""Arithmetic with words: hand-worked places, plain recomputation, and honest words around both."""

import numpy as np
import pytest

from app.lab import BadInput
from app.models import Models
from app.settings import Settings
from lessons.embeddings.labs.analogy import ANALOGY, AnalogyForm
from lessons.embeddings.labs.bias import asks_for_the_other_gender

MODELS = Models(None)  # what ships: the 20,000 commonest words
FULL = Models(Settings().models_dir)


def result(models=MODELS, **values):
    return ANALOGY.compute(AnalogyForm.model_validate(values), models)


def figure(found, name):
    return next(figure for figure in found.figures if figure.name == name)


def plain_ranking(models, a, b, c):
    """All words by their cosine with a − b + c, the slow and plain way."""
    table = models.word_vectors()
    vectors = np.asarray(table.vectors, np.float64)
    start, less, more = (vectors[table.index[w]] for w in (a, b, c))
    target = start - less + more
    cosines = vectors @ target / np.linalg.norm(vectors, axis=1) / np.linalg.norm(target)
    return [(table.words[row], cosines[row]) for row in np.argsort(-cosines)[:20]]


@pytest.mark.parametrize("models", [MODELS, FULL], ids=["small", "all"])
@pytest.mark.parametrize(
    "words", [("king", "man", "woman"), ("paris", "france", "italy"), ("leaves", "leaf", "tooth")]
)
def test_both_rankings_are_those_of_the_plain_computation(models, words):
    found = result(models, **dict(zip("abc", words, strict=True)))
    ranked = plain_ranking(models, *words)
    every = figure(found, "with-inputs")
    assert [name.partition(" · ")[0] for name in every.labels] == [w for w, _c in ranked[:10]]
    np.testing.assert_allclose(every.values, [c for _w, c in ranked[:10]], atol=1e-5)
    others = [(w, c) for w, c in ranked if w not in words][:10]
    without = figure(found, "without-inputs")
    assert list(without.labels) == [w for w, _c in others]
    np.testing.assert_allclose(without.values, [c for _w, c in others], atol=1e-5)


def test_the_famous_answer_needs_the_rule_that_is_left_unsaid():
    found = result()
    assert figure(found, "without-inputs").labels[0] == "queen"
    assert figure(found, "with-inputs").labels[0] == "king · a"
    assert "0.86" in found.finding
    assert "0.89" in found.finding
    assert found.predict.measured == "king"


def test_a_guess_gets_its_place_among_the_words_that_may_answer():
    assert (
        "“teeth”, comes at place 2"
        in result(a="leaves", b="leaf", c="tooth", guess="teeth").finding
    )
    assert "place 1," in result(guess="Queen").finding
    assert "one of the three: place 1" in result(guess="king").finding


def test_the_corners_form_a_parallelogram_with_true_lengths():
    plane = figure(result(), "plane")
    man, king, woman, corner, _queen = plane.points
    np.testing.assert_allclose(king - man, corner - woman, atol=1e-5)
    table = MODELS.word_vectors()
    u, v, w = (table.vectors[table.index[name]] for name in ("man", "king", "woman"))
    assert np.linalg.norm(king - man) == pytest.approx(np.linalg.norm(v - u), abs=1e-4)
    assert np.linalg.norm(king - woman) == pytest.approx(np.linalg.norm(v - w), abs=1e-4)
    assert woman[1] == pytest.approx(0, abs=1e-5)  # the first direction runs from b to c


def test_the_share_of_the_answer_in_the_plane_is_said_and_right():
    table = MODELS.word_vectors()
    b, a, c, d = (
        np.asarray(table.vectors[table.index[name]], np.float64)
        for name in ("man", "king", "woman", "queen")
    )
    basis, *_rest = np.linalg.lstsq(np.stack([a - b, c - b]).T, d - b, rcond=None)
    foot = np.stack([a - b, c - b]).T @ basis
    share = foot @ foot / ((d - b) @ (d - b))
    assert f"{share:.0%}" in result().notes[0]


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [("king", "king", "woman"), ("king", "man", "man"), ("king", "man", "king"), ("cat",) * 3],
)
def test_two_inputs_alike_give_a_line_and_say_so(a, b, c):
    found = result(a=a, b=b, c=c)
    assert np.isfinite(figure(found, "plane").points).all()
    assert "no parallelogram" in found.notes[0]


def test_the_step_back_to_the_same_word_finds_it():
    found = result(a="king", b="cat", c="cat")  # king − cat + cat
    assert figure(found, "with-inputs").labels[0] == "king · a"
    assert figure(found, "with-inputs").values[0] == pytest.approx(1, abs=1e-5)


def test_a_bias_is_explained_and_a_word_with_a_gender_is_not_called_one():
    notes = " ".join(result(a="doctor", b="man", c="woman").notes)
    assert "Nobody wrote down" in notes
    assert "practitioners" in notes
    assert "Nobody wrote down" not in " ".join(result().notes)
    assert not asks_for_the_other_gender("paris", "france", "italy")


@pytest.mark.parametrize("field", ["a", "b", "c", "guess"])
@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("kingg", "“king”"),
        ("new york", "One word at a time"),
        ("🍕", "Not among"),
        ("</td>x", "Not"),
    ],
)
def test_what_cannot_be_looked_up_is_answered_at_its_field(field, typed, says):
    with pytest.raises(BadInput, match=says) as refused:
        result(**{field: typed})
    assert refused.value.field == field


@pytest.mark.parametrize("typed", ["", "  ", "\x07", ",;"])
def test_an_empty_input_asks_for_a_word_but_no_guess_is_needed(typed):
    with pytest.raises(BadInput, match="Type a word"):
        result(b=typed)
    assert result(guess="").finding


def test_capitals_are_looked_up_in_lower_case_and_that_is_said():
    found = result(a="Paris", b="France", c="Italy")
    assert "paris − france + italy" in found.finding
    assert any("lower case" in note for note in found.notes)


def test_every_preset_is_answered_by_the_small_table_too():
    for preset in ANALOGY.presets:
        assert result(**preset.values).finding
