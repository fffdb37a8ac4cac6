"""The damage lab: what is picked, what is read instead, who pays where, and odd sentences."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from app.engine.bert import encode
from app.engine.corruption import Damage, corrupt
from app.engine.masked_lm import score_words
from app.lab import EXAMPLE, BadInput
from lessons.bert_vs_gpt.labs.corruption import RESERVED, CorruptionForm, compute, mask_of, ordinary
from lessons.bert_vs_gpt.labs.corruption_losses import masked_paid, read_once

ADDRESS = "/lessons/bert-vs-gpt/labs/corruption"
LONG = "one " * 128


def answer(models, **values):
    return compute(CorruptionForm(**{"losses": False, **values}), models)


def figure(result, name):
    return next(f for f in result.figures if f.name == name)


@pytest.mark.parametrize(
    ("text", "share", "tokens", "picked"),
    [
        ("Tired", 15, 1, 1),  # 0.15 → 0, but one at least
        (EXAMPLE, 15, 14, 2),  # 2.1
        (EXAMPLE, 50, 14, 7),
        ("one " * 20, 15, 20, 3),  # the lesson's own example
        (LONG, 15, 128, 19),  # 19.2
    ],
)
def test_the_share_of_the_tokens_is_scored_by_one_and_all_but_the_first_by_the_other(
    small_models, text, share, tokens, picked
):
    result = answer(small_models, text=text, share=share)
    masked, causal = figure(result, "scored").values
    assert (len(masked), masked.sum(), causal.sum()) == (tokens, picked, tokens - 1)
    assert causal[0] == 0
    assert figure(result, "signals").values.tolist() == [picked, tokens - 1]


@pytest.mark.parametrize("seed", range(1, 30))
def test_a_token_is_shown_changed_exactly_where_it_was_masked_or_forged(small_models, seed):
    result = answer(small_models, seed=seed, share=50)
    before, after = figure(result, "original"), figure(result, "damaged")
    for n, (old, new, state) in enumerate(
        zip(before.labels, after.labels, after.states, strict=True)
    ):
        assert (n in after.marked) == bool(state)
        assert (new == "[MASK]") == (state == "masked")
        if state in {"", "kept"}:
            assert new == old
        if state == "forged":
            assert not new.startswith("[")


def test_the_same_roll_number_gives_the_same_damage_and_the_next_one_another(small_models):
    first, again, other = (
        figure(answer(small_models, seed=seed, share=40), "damaged") for seed in (5, 5, 6)
    )
    assert first == again
    assert first.labels != other.labels


def test_a_larger_share_with_the_same_roll_picks_the_same_tokens_and_more(small_models):
    few, many = (figure(answer(small_models, share=share), "damaged").marked for share in (15, 40))
    assert set(few) < set(many)


def test_a_thousand_rolls_come_close_to_eighty_ten_and_ten(small_models):
    shares = figure(answer(small_models, text=LONG), "rates").values
    assert shares.sum() == pytest.approx(100)
    # 19,000 throws: three standard deviations are 0.9 and 0.7 percent.
    np.testing.assert_allclose(shares, [80, 10, 10], atol=0.9)


def test_no_forgery_is_a_special_or_an_unused_entry_of_the_vocabulary(small_models):
    tokenizer = small_models.encoder().tokenizer
    pieces = {tokenizer.piece(int(n)) for n in ordinary(tokenizer)}
    assert not pieces & {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ""}
    assert {"the", "##s"} <= pieces


@pytest.mark.parametrize(
    ("piece", "reserved"),
    [("[unused7]", True), ("<pad>", True), ("[", False), ("]", False), ("<", False), ("a", False)],
)
def test_a_piece_in_brackets_is_reserved_and_a_bracket_is_not(piece, reserved):
    assert bool(RESERVED.fullmatch(piece)) == reserved


def test_unused_entries_of_a_large_vocabulary_are_no_forgeries(models):
    tokenizer = models.encoder().tokenizer
    if tokenizer.number("[unused1]") is None:
        pytest.skip("the encoder here reserves no entries")
    assert tokenizer.number("[unused1]") not in ordinary(tokenizer)


def test_a_model_without_a_blank_is_named_at_the_field():
    class NoBlank:
        def number(self, _piece):
            return None

    with pytest.raises(BadInput) as error:
        mask_of(NoBlank())
    assert error.value.field == "model"


def test_a_masked_model_is_charged_at_the_picked_tokens_of_the_damaged_sentence(small_models):
    """An encoder whose head gives every word the same score pays ln V wherever it is asked."""
    encoder = small_models.encoder()
    width, vocabulary = encoder.config.width, encoder.config.vocabulary
    head = {
        "cls.predictions.transform.dense.weight": np.zeros((width, width), np.float32),
        "cls.predictions.transform.dense.bias": np.zeros(width, np.float32),
        "cls.predictions.transform.LayerNorm.weight": np.ones(width, np.float32),
        "cls.predictions.transform.LayerNorm.bias": np.zeros(width, np.float32),
        "cls.predictions.bias": np.zeros(vocabulary, np.float32),
    }
    bare = {n: w for n, w in encoder.weights.items() if not n.startswith("cls.")}
    blank = replace(encoder, weights={**bare, **head})
    tokens = encoder.tokenizer.encode("It was tired.")
    picked = np.arange(len(tokens)) == 3
    actions = tuple("mask" if p else "untouched" for p in picked)
    damage = Damage(picked, actions, np.where(picked, 4, tokens.ids))
    paid = masked_paid(blank, tokens, damage, tuple("masked" if p else "" for p in picked))
    assert paid.labels == ("tired",)
    assert paid.states == ("masked",)
    np.testing.assert_allclose(paid.nats, [math.log(vocabulary)], rtol=1e-5)
    assert masked_paid(replace(encoder, weights=bare), tokens, damage, actions) is None  # no head


def test_the_masked_loss_is_that_of_the_readable_engine(small_models):
    """Once more by the slow encoder, and −ln of a softmax written out."""
    if not small_models.has("masked_lm"):
        pytest.skip("no model that fills blanks is installed")
    result = answer(small_models, losses=True, share=30)
    model = small_models.masked_lm()
    tokens = model.tokenizer.encode(EXAMPLE)
    damage = corrupt(
        tokens.ids,
        ~np.array(tokens.special),
        mask_id=model.tokenizer.special["[MASK]"],
        candidates=ordinary(model.tokenizer),
        generator=np.random.default_rng(2),
        share=0.3,
    )
    hidden = encode(damage.ids, model.weights, model.config).hidden[-1]
    logits = score_words(hidden, model.weights, epsilon=model.config.epsilon).logits
    paid = []
    for n in np.flatnonzero(damage.picked):
        row = logits[n].astype(np.float64)
        paid.append(np.log(np.exp(row - row.max()).sum()) + row.max() - row[tokens.ids[n]])
    np.testing.assert_allclose(figure(result, "masked-loss").values, paid, rtol=1e-4)


def test_a_decoder_is_charged_for_all_that_it_could_foresee(models):
    if not models.has("decoder"):
        pytest.skip("no decoder is installed")
    decoder = models.decoder()
    paid = read_once(models, "decoder", decoder.card.name, "The cat sat on the mat.")
    tokens = decoder.tokenizer.encode("The cat sat on the mat.", add_special=False)
    assert (paid.nats > 0).all()
    assert paid.labels == tokens.labels[0 if decoder.start else 1 :]
    assert paid.first == ("" if decoder.start else tokens.labels[0])
    single = read_once(models, "decoder", decoder.card.name, "The")
    assert len(single.nats) == (1 if decoder.start else 0)


def test_the_matched_pair_is_charged_for_the_same_tokens(small_models):
    if not (small_models.has("masked_lm") and small_models.has("causal_lm")):
        pytest.skip("the matched pair is not installed")
    result = answer(small_models, losses=True, model="matched-masked")
    assert [card.name for card in result.models] == ["matched-masked", "matched-causal"]
    assert figure(result, "causal-loss").labels == figure(result, "original").labels


def test_what_is_not_installed_is_said_and_nothing_is_made_up(small_models):
    result = answer(small_models, losses=True)
    names, notes = [f.name for f in result.figures], " ".join(result.notes)
    has_decoder = small_models.has("decoder") or small_models.has("causal_lm")
    assert ("causal-loss" in names) == has_decoder
    assert ("no decoder is installed" in notes) != has_decoder
    assert ("masked-loss" in names) == small_models.has("masked_lm")
    assert ("no head" in notes) != small_models.has("masked_lm")


def test_losses_that_were_not_asked_for_are_not_computed(small_models):
    result = answer(small_models)
    assert not [f for f in result.figures if f.name.endswith("-loss")]
    assert len(result.notes) == 1


@pytest.mark.parametrize("text", ["Tired", "?!", "🧡", "שלום", "<script>x</script>", LONG])
def test_odd_sentences_are_answered_with_numbers(small_client, text):
    page = small_client.get(f"{ADDRESS}/data.json", params={"text": text})
    assert page.status_code == 200
    found = json.loads(page.text)
    assert "nan" not in page.text.lower().replace("nance", "")
    assert found["finding"].startswith("Of ")


@pytest.mark.parametrize(
    ("values", "field"),
    [({"share": "51"}, "share"), ({"seed": "0"}, "seed"), ({"text": "one " * 129}, "text")],
)
def test_what_cannot_be_used_is_answered_at_its_field(small_client, values, field):
    found = small_client.get(f"{ADDRESS}/data.json", params=values)
    assert found.status_code == 422
    assert list(json.loads(found.text)["errors"]) == [field]


def test_one_token_teaches_a_causal_model_nothing(small_models):
    assert "learns nothing" in answer(small_models, text="Tired").finding


def test_typed_special_tokens_are_plain_text_and_may_be_picked(small_models):
    result = answer(small_models, text="[SEP] [MASK]", share=50)
    assert len(figure(result, "original").labels) > 2
    assert "[MASK]" not in figure(result, "original").labels
