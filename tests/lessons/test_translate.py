"""The translator's lab: choices recomputed, maps the right way round, scores from the record."""

import json

import numpy as np
import pytest

from app.engine import seq2seq
from app.engine.functions import softmax
from app.lab import EXAMPLE
from lessons.encoder_decoder.labs.translate import TranslateForm, compute
from lessons.encoder_decoder.labs.translating import MOST, show, translate

ADDRESS = "/lessons/encoder-decoder/labs/translate"
WATER = "I want to drink a glass of water."
LONG = "one " * 128


def answer(models, **values):
    return compute(TranslateForm(**values), models)


def figure(result, name):
    return next(f for f in result.figures if f.name == name)


def test_a_known_sentence_comes_out_in_german(small_models):
    result = answer(small_models, text=WATER)
    assert result.context["translation"] == "Ich möchte ein Glas Wasser trinken."


@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_rows_are_german_tokens_and_columns_english_ones(small_models, search):
    result = answer(small_models, text=WATER, search=search)
    alignment = figure(result, "alignment")
    assert alignment.columns == (
        *("I", "want", "to", "drink", "a", "glass", "of", "water", ".", "end"),
    )
    assert alignment.rows[0] == "Ich"
    assert alignment.values.shape == (len(alignment.rows), len(alignment.columns))
    np.testing.assert_allclose(alignment.values.sum(axis=1), 1, atol=1e-5)


def test_the_best_head_reads_drink_when_the_last_verb_is_chosen(small_models):
    alignment = figure(answer(small_models, text=WATER), "alignment")
    for german, english in (("Glas", "glass"), ("Wasser", "water"), ("trinken", "drink")):
        row = alignment.values[alignment.rows.index(german)]
        assert alignment.columns[int(row.argmax())] == english


def test_greedy_takes_the_likeliest_token_each_time(small_models):
    translator = small_models.translator()
    tokens = translator.tokenizer.encode(EXAMPLE)
    written, _sizes = translate(translator, tokens, beams=1)
    assert (written.logs.argmax(axis=1) == written.ids).all()


def test_each_choice_is_what_the_decoder_says_when_given_what_stands_before(small_models):
    """Written by a plain loop without a cache: one whole pass a token."""
    translator = small_models.translator()
    weights, config = translator.weights, translator.config
    read = seq2seq.encode(translator.source(WATER), weights, config)
    memory = seq2seq.remember(read.hidden, weights, config)
    ids = [translator.start]
    shares = []
    while ids[-1] != translator.end and len(ids) < 30:
        logits = seq2seq.decode(np.array(ids), memory, weights, config).logits[-1]
        shares.append(float(softmax(logits).max()))
        ids.append(int(logits.argmax()))
    written, _sizes = translate(translator, translator.tokenizer.encode(WATER), beams=1)
    assert written.ids.tolist() == ids[1:]
    np.testing.assert_allclose(written.chosen, shares, atol=1e-4)


def test_more_drafts_never_find_a_less_likely_text_here(small_models):
    translator = small_models.translator()
    for text in (EXAMPLE, WATER, "Why do you ask?"):
        tokens = translator.tokenizer.encode(text)
        greedy, beam = (translate(translator, tokens, beams=n)[0] for n in (1, 4))
        assert np.log(beam.chosen).mean() >= np.log(greedy.chosen).mean() - 0.05


def test_alternatives_are_probabilities_and_hold_the_token_taken(small_models):
    for step in range(1, 8):
        bars = figure(answer(small_models, text=WATER, step=step), "alternatives")
        target = figure(answer(small_models, text=WATER, step=step), "target")
        assert bars.labels[bars.chosen] == target.labels[step - 1]
        assert bars.values[bars.chosen] == pytest.approx(target.values[step - 1], abs=1e-6)
        assert 0 < bars.values.sum() <= 1 + 1e-6


def test_the_head_is_the_one_that_the_record_calls_best_until_another_is_chosen(small_models):
    best = small_models.record("translator", "scores.json")["alignment"]
    result = answer(small_models)
    assert (result.chosen["layer"], result.chosen["head"]) == (best["layer"], best["head"])
    other = answer(small_models, layer=1, head=2)
    assert (other.chosen["layer"], other.chosen["head"]) == (1, 2)
    assert figure(other, "heads").chosen == (0, 1)


def test_what_is_said_of_its_quality_was_measured(small_models):
    scores = small_models.record("translator", "scores.json")
    notes = " ".join(answer(small_models).notes)
    assert f"BLEU {scores['beam_4']['bleu']:.1f}" in notes
    assert f"{scores['greedy']['bleu']:.1f} greedily" in notes
    assert f"{100 * scores['alignment']['best_head']:.0f}%" in notes
    assert "Tatoeba" in notes


def test_a_long_source_is_read_and_the_output_bounded(small_models):
    result = answer(small_models, text=LONG)
    assert len(figure(result, "target").labels) <= MOST
    assert any("loses its thread" in note for note in result.notes)


def test_unknown_letters_are_said_to_be_unknown(small_models):
    notes = " ".join(answer(small_models, text="שלום 🧡").notes)
    assert "“unknown”" in notes
    assert "“unknown”" not in " ".join(answer(small_models, text=WATER).notes)


@pytest.mark.parametrize(
    ("piece", "shown"), [("▁dog", "dog"), ("imal", "·imal"), ("▁", "␣"), (",", ","), ("7", "·7")]
)
def test_pieces_are_shown_so_that_words_can_be_seen(piece, shown):
    assert show(piece) == shown


@pytest.mark.parametrize(
    "text",
    ["Hi", "?!", "🧡", "שלום", "<script>x</script>", "</td>", "</s>", LONG, "Z̴a̸l̷g̵o̴", "<unk>"],
)
@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_odd_sentences_are_answered_with_numbers(small_client, text, search):
    values = {"text": text, "search": search}
    page = small_client.get(f"{ADDRESS}/data.json", params=values)
    assert page.status_code == 200
    assert "nan" not in page.text.lower()
    panel = small_client.get("/embed/encoder-decoder/translate", params=values)
    assert "<script>x" not in panel.text


def test_a_typed_end_is_text_and_ends_nothing(small_models):
    translator = small_models.translator()
    source = translator.source("I </s> am")
    assert source[:-1].tolist().count(translator.end) == 0


@pytest.mark.parametrize(
    ("values", "field"),
    [({"layer": "4"}, "layer"), ({"head": "5"}, "head"), ({"beams": "7"}, "beams"),
     ({"search": "x"}, "search"), ({"text": ""}, "text"), ({"text": "one " * 140}, "text")],
)  # fmt: skip
def test_what_cannot_be_used_is_answered_at_its_field(small_client, values, field):
    found = small_client.get(f"{ADDRESS}/data.json", params=values)
    assert found.status_code == 422
    assert list(json.loads(found.text)["errors"]) == [field]


def test_a_step_beyond_a_shorter_translation_becomes_its_last(small_models):
    result = answer(small_models, text="Hi", step=200)
    assert result.chosen["step"] == len(figure(result, "target").labels)
