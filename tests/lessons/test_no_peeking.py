"""Changing a later word: what moves, what keeps still to the last bit, and what is answered."""

import re

import numpy as np
import pytest

from app.engine.bert import encode
from app.engine.llama import write_on
from app.engine.masks import causal
from app.lab import BadInput
from app.models import Models
from lessons.encoder_decoder.labs import no_peeking
from lessons.encoder_decoder.labs.no_peeking import NO_PEEKING, NoPeekingForm, compute

ADDRESS = "/embed/encoder-decoder/no-peeking"
# A text and the number of a word of it, early, late, first, last; and what is put there, of fewer,
# as many and more tokens.
CHANGES = (
    ("The animal didn't cross the street because it was too tired.", 11, "wide"),
    ("The animal didn't cross the street because it was too tired.", 11, "Tired"),
    ("The animal didn't cross the street because it was too tired.", 6, "Champs-Élysées"),
    ("The animal didn't cross the street because it was too tired.", 2, "🐈‍⬛"),
    ("Tom saw the cat.", 4, "electroencephalograph"),
    ("Tom saw the electroencephalograph again.", 4, "cat"),
    ("one two three four five six seven eight nine ten", 9, "שלום"),
    ("for x in range(3): print(x ** 2)", 10, "<script>"),
    ("I 🧡 my sister's cat", 5, "北京"),
    ("A man, a plan, a canal: Panama!", 10, "Suez"),
    ("word " * 100, 70, "another long replacement of many more tokens than one"),
    ("no no no no no no no no", 7, "yes"),
    ("Hi there", 2, "[SEP]"),
)


@pytest.fixture
def decoder(models):
    if not models.has("decoder"):
        pytest.skip("no decoder is installed")
    return models.decoder()


def answer(models, **values):
    return compute(NoPeekingForm(**values), models)


@pytest.mark.parametrize(
    "size, text, place, wanted",
    [("small", *each) for each in CHANGES] + [("full", *each) for each in CHANGES[1:6]],
)
def test_no_position_before_the_change_moves_by_one_bit(size, text, place, wanted, request):
    models = request.getfixturevalue("models" if size == "full" else "small_models")
    values = {"text": text.strip(), "token": place, "replacement": wanted}
    seen = []
    original = no_peeking.draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(no_peeking, "draw", lambda moved: seen.extend(moved) or original(moved))
        try:
            answer(models, **values)
        except BadInput as error:
            assert error.field == "replacement"
            return
    for each in seen[1:]:
        assert each.still
        assert not each.values[:, : each.before].any()
        assert each.values.shape == (len(each.values), len(each.labels))
        assert np.isfinite(each.values).all()


def test_the_decoders_zeros_are_those_of_two_plain_passes(decoder):
    old, new = (
        decoder.tokenizer.encode(text).ids
        for text in ("The street was too wide to cross.", "The street was too busy to cross.")
    )
    place = int(np.flatnonzero(old != new)[0])
    traces = [write_on(ids, decoder.weights, decoder.config).hidden for ids in (old, new)]
    assert np.array_equal(traces[0][:, :place], traces[1][:, :place])
    assert not np.array_equal(traces[0][:, place], traces[1][:, place])


def test_the_maps_are_distances_of_the_readable_encoder(models):
    text, changed = "The cat sat down.", "The dog sat down."
    encoder = models.encoder()
    old, new = (encoder.tokenizer.encode(each).ids for each in (text, changed))
    result = answer(models, text=text, token=2, replacement="dog")
    for figure, mask in ((result.figures[0], None), (result.figures[-1], causal(len(old)))):
        h, other = (
            encode(ids, encoder.weights, encoder.config, mask=mask).hidden for ids in (old, new)
        )
        expected = np.linalg.norm(other - h, axis=-1) / np.linalg.norm(h, axis=-1)
        np.testing.assert_allclose(figure.values, expected, atol=1e-4)
    assert result.figures[0].values[0].tolist()[0] == 0.0  # words come in without context
    assert (result.figures[0].values[1:, 0] > 0).all()  # and [CLS] hears of it at once


def test_the_decoders_map_is_of_distances_of_the_readable_decoder(models, decoder):
    old, new = (decoder.tokenizer.encode(f"The {word} sat down.").ids for word in ("cat", "dog"))
    h, other = (write_on(ids, decoder.weights, decoder.config).hidden for ids in (old, new))
    expected = np.linalg.norm(other - h, axis=-1) / np.linalg.norm(h, axis=-1)
    result = answer(models, text="The cat sat down.", token=2, replacement="dog")
    np.testing.assert_allclose(result.figures[1].values, expected, atol=1e-3)


def test_everything_moves_in_the_encoder_and_only_what_follows_in_the_other_two(models):
    result = answer(models)
    encoder, *others = result.figures
    assert (encoder.values[-1] > 0).all()
    for figure in others:
        place = figure.chosen[1]
        assert not figure.values[:, :place].any()
        assert (figure.values[-1, place:] > 0).all()
    assert "exactly 0.0" in result.finding


def test_without_a_decoder_the_same_encoder_is_masked_and_this_is_said(monkeypatch):
    none = Models(None)
    monkeypatch.setattr(none, "has", lambda role: role != "decoder")
    result = answer(none, model="random-encoder")
    assert [figure.name for figure in result.figures] == ["encoder", "masked"]
    assert "the same random encoder with a causal mask" in result.notes[0]
    assert "exactly 0.0" in result.finding


def test_another_number_of_tokens_is_aligned_by_word(models):
    text = "Tom saw the cat again."
    result = answer(models, text=text, token=4, replacement="electroencephalograph")

    columns = result.figures[0].columns
    assert columns[1:] == ("tom", "saw", "the", "cat→electroencephalograph", "again", ".", "[SEP]")
    assert any("aligned by word" in note for note in result.notes)


def test_the_last_word_is_replaced_unless_another_is_chosen(models):
    assert answer(models, text="Tom saw the cat.").context["place"] == 3
    assert answer(models, text="Tom saw the cat.", token=99).context["place"] == 3
    assert answer(models, text="Tom saw the cat.", token=1).context["place"] == 0
    assert answer(models, text="?!", replacement="a").context["place"] == 1


def test_the_suggested_replacement_gives_way_where_it_stands_already(models):
    assert "becomes “tired”" in answer(models, text="The street is wide.").finding


@pytest.mark.parametrize(
    "values, field, words",
    [
        ({"text": "  "}, "text", "nothing to read"),
        ({"replacement": " "}, "replacement", "Type the word"),
        ({"replacement": "\u200b"}, "replacement", "Type the word"),
        ({"replacement": "tired"}, "replacement", "stands there already"),
        ({"replacement": "word " * 150}, "replacement", "Cut it by"),
        ({"text": "word " * 200}, "text", "Cut it by"),
    ],
)
def test_what_cannot_be_used_is_answered_at_its_field(values, field, words, models):
    with pytest.raises(BadInput, match=words) as caught:
        answer(models, **values)
    assert caught.value.field == field


def test_a_capital_alone_is_no_change_to_an_encoder_that_knows_none(monkeypatch):
    none = Models(None)
    monkeypatch.setattr(none, "has", lambda role: role != "decoder")
    result = answer(none, replacement="Tired")
    assert result.finding == (
        "“tired” becomes “Tired”. To this model both words are the same: it cuts both sentences "
        "into the same 16 tokens, so nothing moves, neither after the change nor before it: "
        "exactly 0.0."
    )
    assert not any(figure.values.any() for figure in result.figures)
    assert result.predict is None


def test_a_word_that_stands_there_twice_is_named_with_its_position(small_models):
    """[CLS] is position 1, so that the second “the” is at 5."""
    result = answer(small_models, text="the cat saw the dog", token=5, replacement="cow")
    named = re.search(r"move too, (“[a-z]+”(?: \(\d\))?) the farthest", result.finding)[1]
    assert named in {"“the” (2)", "“the” (5)", "“cat”", "“saw”"}
    farthest = int(result.figures[0].values[-1, 1:5].argmax())
    assert named == ("“the” (2)", "“cat”", "“saw”", "“the” (5)")[farthest]


def test_the_mark_of_a_space_is_explained_where_it_stands(models, decoder):
    result = answer(models)
    assert any("␣" in name for name in result.figures[1].columns)
    assert "␣ is a space" in result.figures[1].caption
    assert "␣" not in result.figures[0].caption


def test_one_word_and_128_words_are_answered(models):
    assert answer(models, text="Hi", replacement="Ho").figures
    long = " ".join(["a"] * 128)
    figures = answer(models, text=long, token=100, replacement="the").figures
    assert figures[0].values.shape[1] == 130


def test_markup_in_the_replacement_is_text(client):
    page = client.get(ADDRESS, params={"replacement": "<script>alert(1)</script></td>"})
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;" in page.text


def test_a_typed_special_token_is_plain_text(models):
    columns = answer(models, text="a [SEP] b", token=1, replacement="c").figures[0].columns
    assert columns.count("[SEP]") == 1


def test_every_preset_chooses_the_word_it_speaks_of(models):
    found = [answer(models, **preset.values).finding for preset in NO_PEEKING.presets]
    olds = [finding.split(" becomes ")[0] for finding in found]
    assert olds == ["“tired”", "“animal”", "“The”", "“street”", "“tired”"]
