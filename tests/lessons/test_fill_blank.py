"""The lab of blanks: what is hidden, what each model says, the true word's place, odd sentences."""

import json
import re
import shutil
from urllib.parse import urlencode

import numpy as np
import pytest

from app.engine.bert import encode
from app.engine.functions import log_softmax
from app.engine.masked_lm import score_words
from app.engine.masks import full
from app.lab import EXAMPLE, BadInput
from app.models import Models
from app.settings import ROOT
from lessons.bert_vs_gpt.labs.blanks import blank_out, read_numbers, restore
from lessons.bert_vs_gpt.labs.fill_blank import FillBlankForm, compute, reserved
from lessons.bert_vs_gpt.labs.filling import go_on, score_at

ADDRESS = "/lessons/bert-vs-gpt/labs/fill-blank"
DOG = "The dog barked at the mailman."
LONG = "one " * 128


def answer(models, **values):
    return compute(FillBlankForm(**values), models)


def figure(result, name):
    return next(f for f in result.figures if f.name == name)


@pytest.fixture(scope="module")
def with_decoder(tmp_path_factory):
    """What ships, and a decoder made of the same weights: small enough to recompute."""
    folder = tmp_path_factory.mktemp("downloaded") / "own-decoder"
    shutil.copytree(ROOT / "models" / "matched-masked", folder)
    config = folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"is_decoder": True}))
    return Models(folder.parent)


@pytest.mark.parametrize(
    ("typed", "count", "words"),
    [("", 5, ()), ("2,5", 5, (1, 4)), (" 5 ,2,2", 5, (1, 4)), ("6,0", 5, ()), ("9" * 40, 5, ())],
)
def test_ticked_words_are_read_and_those_beyond_the_sentence_dropped(typed, count, words):
    assert read_numbers(typed, count) == words


@pytest.mark.parametrize("typed", ["a", "1;2", "-1", "²", "1,<b>"])
def test_what_is_no_list_of_numbers_is_answered_at_the_blanks(typed):
    with pytest.raises(BadInput) as error:
        read_numbers(typed, 5)
    assert error.value.field == "blanks"


def test_every_piece_of_a_ticked_word_becomes_a_blank_and_nothing_else(small_models):
    filler = small_models.masked_lm()
    tokens = filler.tokenizer.encode("The electroencephalograph didn't bark.")
    text = blank_out(tokens, "2,3", 4)
    assert [tokens.words[place] for place in text.places] == [
        word for word in tokens.words if word in {1, 2}
    ]
    assert (text.ids[list(text.places)] == 4).all()
    rest = [n for n in range(len(tokens)) if n not in text.places]
    assert (text.ids[rest] == tokens.ids[rest]).all()


def test_with_nothing_ticked_the_longest_word_is_chosen(small_models):
    tokens = small_models.masked_lm().tokenizer.encode("A bicycle is slow.")
    assert blank_out(tokens, "", 4).words == (1,)


@pytest.mark.parametrize("size", ["full", "small"])
def test_the_first_blank_shown_has_its_clue_on_the_right(size, request):
    """“too” before “tired”: from both sides it is among the first two, from the left alone not."""
    models = request.getfixturevalue("models" if size == "full" else "small_models")
    result = answer(models)
    assert result.chosen == {"blanks": "10", "look": 1}
    found = re.search(
        r"“too”, which was there, is number (\d+) from both sides, number (\d+) from the left alone"
        r"(, and number \d+ for the decoder, which never sees the right side)?\.",
        result.finding,
    )
    assert int(found[1]) <= 2 < 10 < int(found[2])
    assert len(result.finding.split(". ")) == 2
    assert answer(models, text="A bicycle is slow.").chosen["blanks"] == "2"


def test_probabilities_are_those_of_the_readable_encoder_with_its_head(small_models):
    filler = small_models.masked_lm()
    ids = filler.tokenizer.encode(DOG).ids.copy()
    ids[2] = 4
    trace = encode(ids, filler.weights, filler.config, mask=full(len(ids)))
    scores = score_words(trace.last, filler.weights, epsilon=filler.config.epsilon).logits[2]
    scores[list(reserved(filler.tokenizer))] = -np.inf
    expected = np.exp(scores - scores.max())
    expected /= expected.sum()
    both = figure(answer(small_models, text=DOG, blanks="2"), "both")
    np.testing.assert_allclose(both.values, np.sort(expected)[::-1][:8], atol=1e-5)
    dog = filler.tokenizer.number("dog")
    place = 1 + int((expected > expected[dog]).sum())
    assert f"“dog”, is number {place}" in both.caption


def test_the_left_side_alone_knows_nothing_of_the_right(small_models):
    lists = [
        figure(answer(small_models, text=text, blanks="2"), "left").values
        for text in (DOG, "The cat sat.", "The house which Tom has built is red and has a door.")
    ]
    np.testing.assert_allclose(lists[0], lists[1], atol=1e-6)
    np.testing.assert_allclose(lists[0], lists[2], atol=1e-6)


def test_hiding_the_right_side_equals_forbidding_to_look_at_it(small_models):
    filler = small_models.masked_lm()
    ids = filler.tokenizer.encode(DOG).ids.copy()
    ids[2] = 4
    hidden = np.where(np.arange(len(ids)) > 2, -np.inf, 0).astype(np.float32)
    mask = np.tile(hidden, (len(ids), 1))
    last = encode(ids, filler.weights, filler.config, mask=mask).last
    expected = score_words(last, filler.weights, epsilon=filler.config.epsilon).logits[2]
    np.testing.assert_allclose(score_at(filler, ids[:3], [2])[0], expected, atol=1e-4)


def test_special_pieces_are_never_candidates(small_models):
    result = answer(small_models, text="[MASK] [SEP] is a word.", blanks="1,2,3,4,5,6")
    for each in result.figures:
        if each.kind == "bars":
            assert not {"[MASK]", "[SEP]", "[CLS]", "[PAD]", "[UNK]"} & set(each.labels)


def test_several_blanks_have_a_list_each_and_one_is_looked_at(small_models):
    result = answer(small_models, text=EXAMPLE, blanks="2,6,11", look=2)
    names = [f.name for f in result.figures]
    assert names[:3] == ["filled", "both", "left"]
    assert {"blank-1", "blank-3"} <= set(names)
    assert "street" in figure(result, "both").caption
    assert result.chosen == {"blanks": "2,6,11", "look": 2}
    assert len(figure(result, "filled").marked) == 3


def test_the_decoder_is_given_the_words_before_the_blank_and_no_others(with_decoder):
    decoder, filler = with_decoder.decoder(), with_decoder.masked_lm("matched-masked")
    text = blank_out(filler.tokenizer.encode(DOG), "2", 4)
    guess = go_on(decoder, text, 0)
    ids = filler.tokenizer.encode("The", add_special=False).ids
    logits = decoder.trace(np.array([*decoder.start, *ids])).logits[-1]
    expected = np.sort(np.exp(log_softmax(logits)))[::-1][:8]
    np.testing.assert_allclose(guess.shares, expected, atol=1e-5)
    assert guess.original == "dog"


def test_whole_sentences_are_scored_one_pass_a_candidate(with_decoder):
    decoder = with_decoder.decoder()
    result = answer(with_decoder, text=DOG, blanks="2", whole=True, count=4)
    bars = figure(result, "whole")
    assert bars.labels[0] == "dog"
    assert len(bars.labels) == 4
    assert bars.values.sum() == pytest.approx(1)
    costs = []
    for word in bars.labels:
        sentence = restore(DOG, (4, 7), word)
        ids = np.append(decoder.start, decoder.tokenizer.encode(sentence, add_special=False).ids)
        logs = log_softmax(decoder.trace(ids).logits)
        costs.append(sum(logs[n, ids[n + 1]] for n in range(len(ids) - 1)))
    shares = np.exp(np.array(costs) - max(costs))
    np.testing.assert_allclose(bars.values, shares / shares.sum(), atol=1e-4)
    assert any("4 passes" in note for note in result.notes)


def test_a_word_keeps_the_capital_of_the_place_it_is_put_in():
    assert restore("Dogs bark.", (0, 4), "cats") == "Cats bark."
    assert restore("My dog.", (3, 6), "cat") == "My cat."


def test_ticks_of_a_form_come_together_in_the_address(client):
    pairs = [("text", DOG), ("blanks", "2"), ("blanks", "6"), ("whole", "false"), ("whole", "true")]
    found = client.get(f"{ADDRESS}/data.json?{urlencode(pairs)}")
    inputs = json.loads(found.text)["inputs"]
    assert inputs["blanks"] == "2,6"
    assert inputs["whole"] is True


def test_ticked_words_stay_ticked(client):
    page = client.get(f"/embed/bert-vs-gpt/fill-blank?{urlencode({'text': DOG, 'blanks': '2,6'})}")
    ticked = re.findall(
        r'<input type="checkbox"[^>]*name="blanks" value="(\d)"[^>]* checked', page.text
    )
    assert ticked == ["2", "6"]


@pytest.mark.parametrize(
    "text", ["Tired", "?!", "🧡", "שלום", "<script>x</script>", "</td>", LONG, "Z̴a̸l̷g̵o̴", "[MASK]"]
)
def test_odd_sentences_are_answered_with_numbers(small_client, text):
    page = small_client.get(f"{ADDRESS}/data.json", params={"text": text})
    assert page.status_code == 200
    assert "nan" not in page.text.lower().replace("nance", "")
    panel = small_client.get("/embed/bert-vs-gpt/fill-blank", params={"text": text})
    assert "<script>x" not in panel.text


@pytest.mark.parametrize(
    ("values", "field"),
    [({"blanks": "x"}, "blanks"), ({"look": "0"}, "look"), ({"text": "one " * 129}, "text"),
     ({"count": "9"}, "count"), ({"text": ""}, "text")],
)  # fmt: skip
def test_what_cannot_be_used_is_answered_at_its_field(small_client, values, field):
    found = small_client.get(f"{ADDRESS}/data.json", params=values)
    assert found.status_code == 422
    assert list(json.loads(found.text)["errors"]) == [field]


def test_all_words_may_be_blanked(small_models):
    result = answer(small_models, text="I am tired.", blanks="1,2,3,4")
    assert len(figure(result, "filled").marked) == 4
