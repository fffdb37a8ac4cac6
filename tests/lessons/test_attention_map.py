"""Lab 1: the numbers on the page are the model's own."""

import numpy as np
import pytest

from app.engine import bert
from app.lab import BadInput
from app.reading import rows_of
from lessons.attention.labs.attention_map import AttentionMapForm, compute

SENTENCE = "The animal didn't cross the street because it was too tired."


def test_a_row_of_the_map_sums_to_one_with_special_tokens_shown(models):
    result = compute(AttentionMapForm(text=SENTENCE, special=True), models)
    heatmap = result.figures[0]
    assert np.allclose(heatmap.values.sum(axis=1), 1, atol=1e-5)
    assert heatmap.rows[0] == "[CLS]"


def test_rows_are_the_words_that_look(models):
    """The map is a head's weights as the readable engine computes them, query down, key across."""
    encoder = models.encoder()
    tokens = encoder.tokenizer.encode("dogs chase cats")
    layer = bert.encode(tokens.ids, encoder.weights, encoder.config).layers[0]
    scores = layer.queries[2] @ layer.keys[2].T / np.sqrt(layer.keys.shape[-1])
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    form = AttentionMapForm(text="dogs chase cats", layer=1, head=3, special=True, merge=False)
    assert np.allclose(compute(form, models).figures[0].values, weights, atol=1e-5)


def test_what_hidden_special_tokens_took_is_said(models):
    form = AttentionMapForm(text=SENTENCE, layer=2, head=1)
    result = compute(form, models)
    row = result.figures[0].values[result.chosen["token"] - 1]
    assert f"sums to {row.sum():.2f}" in result.notes[0]
    assert f"{1 - row.sum():.2f} of its weight" in result.notes[0]


def test_pieces_join_to_words_by_summing_columns_and_averaging_rows(models):
    text = "unbelievableness wins"
    encoder = models.encoder()
    tokens = encoder.tokenizer.encode(text)
    apart = rows_of(tokens, merge=False, special=True)
    joined = rows_of(tokens, merge=True, special=True)
    maps = bert.encode(tokens.ids, encoder.weights, encoder.config).weights[0, 0]
    first = [n for n, word in enumerate(tokens.words) if word == 0]
    assert len(first) > 1
    by_hand = maps[first][:, first].sum(axis=1).mean()
    assert joined.gather(maps)[1, 1] == pytest.approx(by_hand, abs=1e-6)
    assert apart.gather(maps) == pytest.approx(maps)


def test_all_heads_are_shown_in_small_with_their_habits(models):
    grid = compute(AttentionMapForm(text=SENTENCE), models).figures[2]
    assert grid.values.shape[:2] == (6, 12)
    assert [len(layer) for layer in grid.patterns] == [12] * 6
    assert grid.patterns[0][2] == "previous word"


def test_in_the_example_it_looks_at_the_animal(models):
    result = compute(AttentionMapForm(text=SENTENCE), models)
    assert result.finding.startswith("“it” looks most at “animal”: 0.68 in layer 4, head 2.")


def test_a_layer_that_the_model_lacks_is_refused_and_a_default_is_cut(models, small_models):
    with pytest.raises(BadInput, match="choose a layer from 1 to 6"):
        compute(AttentionMapForm(layer=7), models)
    assert compute(AttentionMapForm(), small_models).chosen["layer"] <= 4


@pytest.mark.parametrize(("count", "fits"), [(1, True), (128, True), (129, False)])
def test_one_to_128_tokens_are_read(count, fits, models):
    form = AttentionMapForm(text="dog " * count)
    if fits:
        assert len(compute(form, models).figures[0].rows) == count
    else:
        with pytest.raises(BadInput, match="129 tokens long; the diagrams hold 128"):
            compute(form, models)


def test_a_word_that_stands_there_twice_is_named_with_its_number(models):
    text = "the cat saw the dog"
    result = compute(AttentionMapForm(text=text, token=4), models)
    assert result.finding.startswith("“the” (4) looks most at ")
    other = compute(AttentionMapForm(text=text, token=2), models)
    assert other.finding.startswith("“cat” looks")
    assert "“the” (4)" in result.predict.question
    assert "“the” (4) gives" in result.notes[0]
