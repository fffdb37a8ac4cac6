"""One word in several sentences: identical ones agree, others part, and each line counts."""

import numpy as np
import pytest

from app.engine.bert import encode
from app.lab import BadInput
from app.models import Models
from app.settings import Settings
from lessons.embeddings.labs.two_banks import BANKS, TWO_BANKS, TwoBanksForm
from lessons.embeddings.labs.uses import find_uses, read_uses

MODELS = Models(None)
RANDOM = "random-encoder"  # the tiny one that ships
FULL = Models(Settings().models_dir)
trained = pytest.mark.skipif(
    FULL.choices("encoder")[0].kind != "trained", reason="the trained encoder is not downloaded"
)


def result(models=MODELS, **values):
    if models is MODELS:
        values = {"model": RANDOM, **values}
    return TWO_BANKS.compute(TwoBanksForm.model_validate(values), models)


def figure(found, name):
    return next(figure for figure in found.figures if figure.name == name)


def test_the_same_sentence_gives_the_word_the_same_vector_in_every_layer():
    found = result(sentences="He went to the bank.\nHe went to the bank.")
    np.testing.assert_allclose(figure(found, "cosines").values, 1, atol=1e-6)
    for line in figure(found, "layers").lines:
        np.testing.assert_allclose(line.y, 1, atol=1e-6)
    np.testing.assert_allclose(figure(found, "map").points, 0, atol=1e-3)
    assert "1.00" in found.finding


def test_cosines_are_those_of_the_readable_forward_pass():
    encoder = MODELS.encoder(RANDOM)
    vectors = []
    for line in BANKS.splitlines():
        tokens = encoder.tokenizer.encode(line)
        (use,) = find_uses("bank", tokens)
        states = encode(tokens.ids, encoder.weights, encoder.config).layers[0].hidden
        vectors.append(states[list(use)].mean(axis=0).tolist())
    values = figure(result(layer=1), "cosines").values
    for i, u in enumerate(vectors):
        for j, v in enumerate(vectors):
            dot = sum(x * y for x, y in zip(u, v, strict=True))
            length = (sum(x * x for x in u) * sum(y * y for y in v)) ** 0.5
            assert values[i, j] == pytest.approx(dot / length, abs=1e-5)


def test_the_static_line_stays_at_one_and_the_layers_start_before_the_first():
    lines = figure(result(), "layers").lines
    np.testing.assert_allclose(lines[0].y, 1, atol=1e-6)
    assert lines[0].x.tolist() == [0, 1, 2]  # the tiny encoder has two layers
    assert len(lines) == 1 + 3


@trained
def test_the_two_meanings_of_bank_part_in_the_last_layer():
    values = figure(result(FULL), "cosines").values
    river, money = values[0, 1], values[2, 3]
    assert min(river, money) > values[:2, 2:].max()
    first = figure(result(FULL, layer=1), "cosines").values
    assert first[:2, 2:].min() > values[:2, 2:].min()  # they began closer


@trained
def test_every_preset_shows_its_two_meanings_apart():
    for preset in TWO_BANKS.presets[:4]:
        values = figure(result(FULL, **preset.values), "cosines").values
        alike = (values[0, 1] + values[2, 3]) / 2
        assert alike > values[:2, 2:].mean() + 0.05


def test_a_word_cut_into_pieces_is_the_mean_of_its_pieces_and_that_is_said():
    word = "Zyzzyvaqx"
    sentences = f"A {word} came.\nI saw the {word.lower()} there."
    tokens = MODELS.encoder(RANDOM).tokenizer.encode("A zyzzyvaqx came.")
    count = len(find_uses("zyzzyvaqx", tokens)[0])
    assert count > 1
    found = result(word=word, sentences=sentences)
    assert any(f"{count} pieces" in note and "mean" in note for note in found.notes)


def test_both_uses_in_one_sentence_are_compared():
    found = result(sentences="She sat on the bank of the river by the bank.")
    assert len(figure(found, "cosines").rows) == 2
    assert figure(found, "cosines").rows[0].startswith("1a ")


def test_a_word_is_found_whole_and_whatever_its_capitals():
    encoder = MODELS.encoder(RANDOM)
    tokens = encoder.tokenizer.encode("Bank, bankrupt, BANK; embankment. A bank's bank")
    starts = [tokens.spans[use[0]][0] for use in find_uses("bank", tokens)]
    assert starts == [0, 16, 43]


@pytest.mark.parametrize(
    ("values", "field", "says"),
    [
        ({"sentences": ""}, "sentences", "two to six"),
        ({"sentences": " \n\x07\n"}, "sentences", "two to six"),
        ({"sentences": "bank\n" * 7}, "sentences", "7 lines"),
        ({"sentences": "The bank."}, "sentences", "Add a line"),
        ({"sentences": "A bank.\nA tree.\nThe bank."}, "sentences", "Line 2"),
        ({"sentences": "A bank.\nbank " + "word " * 128}, "sentences", "Line 2: This is 129"),
        ({"sentences": "bank bank bank\n" * 3}, "sentences", "9 times"),
        ({"word": ""}, "word", "Type the word"),
        ({"word": "\u200b"}, "word", "Type the word"),
        ({"word": "tree"}, "word", "No line has the word “tree”"),
        ({"word": "</td>"}, "word", "No line"),
        ({"text": " "}, "text", "nothing to read"),
        ({"layer": 7}, "layer", "from 1 to 2"),
    ],
)
def test_bad_input_is_answered_at_its_field(values, field, says):
    with pytest.raises(BadInput, match=says) as refused:
        result(**values)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("word", "sentences"),
    [
        ("bank", "bank\nbank"),
        ("bank", "bank " + "word " * 127 + "\nThe bank."),
        ("[SEP]", "a [SEP] b\nc [SEP] d"),
        ("<script>", "<script>a\n<script>b"),
        ("New York", "I love New York.\nnew york is big."),
        ("🍕", "I eat 🍕.\n🍕 is good."),
        ("爱", "我爱你\n她爱我"),
        (
            "\u05e9\u05dc\u05d5\u05dd",
            "\u05e9\u05dc\u05d5\u05dd!\n\u05d4\u05d5\u05d0 \u05e9\u05dc\u05d5\u05dd",
        ),
        ("a.b*", "See a.b* here.\nAnd a.b* there."),
    ],
)
def test_odd_words_are_words_like_any_other(word, sentences):
    found = result(word=word, sentences=sentences)
    for name in ("cosines", "map"):
        held = figure(found, name)
        assert np.isfinite(held.values if name == "cosines" else held.points).all()


def test_the_readers_own_sentence_is_offered_when_the_word_stands_in_it():
    own = "My bank is closed."
    found = result(text=own)
    assert found.context["offer"].splitlines() == [*BANKS.splitlines(), own]
    assert result(text="No such word.").context["offer"] == ""
    assert result(text=BANKS.splitlines()[0]).context["offer"] == ""
    full = "\n".join(f"{n} bank." for n in range(6))
    offered = result(text=own, sentences=full).context["offer"].splitlines()
    assert len(offered) == 6
    assert offered[-1] == own


def test_a_default_layer_is_cut_to_what_the_encoder_has_and_random_weights_are_named():
    found = result()
    assert found.chosen["layer"] == 2
    assert any("random" in note for note in found.notes)


def test_uses_are_known_by_the_telling_words_beside_them():
    encoder = MODELS.encoder(RANDOM)
    _lines, uses = read_uses("bat", "A bat flew out of the cave.\nThe bat hit a bat.", encoder)
    assert [use.label for use in uses] == ["1 flew cave", "2a The hit", "2b hit a"]
    assert [use.mark for use in uses] == ["1", "2a", "2b"]
