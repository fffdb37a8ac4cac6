"""The mask workshop: right numbers, leaks named, drawings read, empty rows explained."""

import math

import numpy as np
import pytest

from app.lab import BadInput
from lessons.encoder_decoder.labs.mask_text import parse, write
from lessons.encoder_decoder.labs.masks import MASKS, MasksForm

SHORT = "Tom saw the cat."
CAUSAL_7 = "1000000/1100000/1110000/1111000/1111100/1111110/1111111"
ONE_HOLE = "1000000/1100000/1110100/1111000/1111100/1111110/1111111"
BLIND = "1000000/1100000/1110000/0000000/1111100/1111110/1111111"
PAGE = "/embed/encoder-decoder/masks"


def ask(models, **values):
    return MASKS.compute(MasksForm.model_validate(values), models)


def values(result, name):
    return next(figure for figure in result.figures if figure.name == name).values


@pytest.mark.parametrize("kind", ["full", "causal", "padding", "window", "prefix", "custom"])
@pytest.mark.parametrize("text", ["Hi", SHORT, "the cat sat on the mat " * 2])
def test_weights_are_the_softmax_of_what_the_mask_leaves(kind, text, models):
    result = ask(models, text=text, kind=kind)
    scores, mask = values(result, "scores").tolist(), values(result, "mask").tolist()
    for row, line in enumerate(values(result, "weights").tolist()):
        left = [math.exp(s) if m == 0 else 0.0 for s, m in zip(scores[row], mask[row], strict=True)]
        assert line == pytest.approx([each / sum(left) for each in left], abs=1e-5)
        assert all(w == 0 for w, m in zip(line, mask[row], strict=True) if m != 0)


def test_masked_too_late_a_row_keeps_only_what_was_visible(models):
    result = ask(models, text=SHORT, kind="causal")
    scores, sums = values(result, "scores"), values(result, "row-sums")
    for row in range(7):
        every = [math.exp(s) for s in scores[row].tolist()]
        assert float(sums[row]) == pytest.approx(sum(every[: row + 1]) / sum(every), abs=1e-5)
    assert float(sums[-1]) == pytest.approx(1)


def test_one_hole_in_a_causal_mask_is_named_with_those_whom_it_reaches(models):
    result = ask(models, text=SHORT, kind="custom", mask=ONE_HOLE)
    assert "“saw” (3) sees “cat” (5)" in result.finding
    # Row 3 sees 5, and 5 has seen 4: so 3 learns of 4, too. Row 4 reads row 3: so 4 learns of 5.
    first = values(result, "first-layer")
    assert (first[2, 4], first[2, 3], first[3, 4]) == (1, 2, 2)
    assert "spreads to 2 more pairs: “saw” (3) knows of “the” (4) after layer 2" in result.finding
    assert np.isneginf(first[2, 5])
    assert (result.chosen["row"], result.chosen["column"]) == (3, 5)


def test_a_causal_mask_leaks_nothing_through_any_number_of_layers(models):
    result = ask(models, text=SHORT, kind="causal")
    assert "No token sees a later one" in result.finding
    assert np.isneginf(values(result, "first-layer")[np.triu_indices(7, 1)]).all()


def test_a_row_that_sees_nothing_is_explained_at_the_mask(models, client):
    with pytest.raises(BadInput, match=r"“the” \(row 4\) may look at nothing") as caught:
        ask(models, text=SHORT, kind="custom", mask=BLIND)
    assert caught.value.field == "mask"
    page = client.get(PAGE, params={"text": SHORT, "kind": "custom", "mask": BLIND})
    assert page.status_code == 422
    assert f'value="{BLIND}"' in page.text  # what was drawn is kept, and can be mended
    assert "0 ÷ 0" in page.text


@pytest.mark.parametrize(
    ("mask", "says"),
    [
        ("1000000/11x0000", "There is “x” in the mask"),
        ("10/110", "Row 2 of the mask has 3 cells, row 1 has 2"),
        ("<script>alert(1)</script>", "There is “&lt;” in the mask"),
    ],
)
def test_a_drawing_that_cannot_be_read_says_what_to_change(mask, says, client):
    page = client.get(PAGE, params={"text": SHORT, "kind": "custom", "mask": mask})
    assert page.status_code == 422
    assert says in page.text
    assert "<script>alert" not in page.text


def test_a_drawing_is_fitted_to_another_sentence_and_no_row_goes_blind():
    # Row 2 saw only column 3; cut to two tokens it may look at itself.
    allowed, fitted = parse("100/001/111", 2)
    assert fitted
    assert allowed.tolist() == [[True, False], [False, True]]
    assert parse("", 2)[0].tolist() == [[True, False], [True, True]]
    assert parse("1 0\n", 1)[1]


def test_a_mask_survives_being_written_and_read():
    drawn = np.random.default_rng(1).random((9, 9)) < 0.5
    text = write(np.where(drawn, 0, -np.inf))
    assert np.array_equal(parse(text, 9)[0], drawn)


def test_a_long_sentence_cannot_be_drawn_on_and_says_so(models):
    with pytest.raises(BadInput, match="holds 24") as caught:
        ask(models, text="one " * 23, kind="custom")
    assert caught.value.field == "kind"


@pytest.mark.parametrize("text", ["Hi", "one " * 128, "?!", "I 🧡 cats", "[SEP] </td>"])
@pytest.mark.parametrize("kind", ["full", "causal", "padding", "window", "prefix"])
def test_every_length_and_every_sign_is_answered_in_numbers(text, kind, small_models):
    result = ask(small_models, text=text, kind=kind, filler=100, before=128, length=130)
    for figure in result.figures:
        assert not np.isnan(figure.values).any()


def test_random_weights_are_called_random(small_models):
    result = ask(small_models, model="random-encoder")
    assert any("RANDOM" in note for note in result.notes)


def test_sliders_are_cut_to_the_sentence(models):
    result = ask(models, text="Hi", kind="padding", filler=100)
    assert result.chosen["filler"] == 2
    # [CLS] is left: both others look at it alone.
    assert values(result, "weights")[:, 0].tolist() == [1, 1, 1]


def test_the_hidden_share_goes_to_the_rest_in_proportion(models):
    result = ask(models, text=SHORT, kind="causal", row=2)
    before, after = values(result, "scores")[1], values(result, "weights")[1]
    plain = [math.exp(s) / sum(map(math.exp, before.tolist())) for s in before.tolist()]
    factor = 1 / sum(plain[:2])
    assert after[:2].tolist() == pytest.approx([plain[0] * factor, plain[1] * factor], abs=1e-5)
    assert f"{factor:.2f}" in result.predict.answer


def test_without_scripts_the_drawing_is_a_text_field(client):
    page = client.get(PAGE, params={"text": SHORT, "kind": "custom", "mask": CAUSAL_7})
    assert page.status_code == 200
    assert f'name="mask" value="{CAUSAL_7}"' in page.text
    assert "rows parted by /" in page.text


def test_the_mask_on_show_is_where_drawing_starts(client):
    page = client.get(PAGE, params={"text": SHORT, "kind": "window", "before": "0"})
    start = "1000000/0100000/0010000/0001000/0000100/0000010/0000001"
    assert f'<input type="hidden" name="mask" value="{start}"' in page.text
    link = client.get(PAGE, params={"text": SHORT, "kind": "causal", "mask": start})
    assert "mask=" not in link.text.partition("lab-masks-link")[2].partition(">")[0]
