"""Attention in tiles: the same output, running sums worked out by hand, bytes really counted."""

import math

import numpy as np
import pytest

from lessons.attention.labs.flash_attention import FLASH_ATTENTION, FlashAttentionForm
from lessons.attention.labs.flash_measured import measure, peak
from lessons.attention.labs.flash_words import size

PAGE = "/embed/attention/flash-attention"
SENTENCE = "The animal didn't cross the street because it was too tired."


def ask(models, **values):
    return FLASH_ATTENTION.compute(FlashAttentionForm.model_validate(values), models)


def figure(result, name):
    return next(each for each in result.figures if each.name == name)


@pytest.mark.parametrize("block", [1, 3, 4, 16, 130])
@pytest.mark.parametrize("text", ["Hi", SENTENCE, "one two " * 64])
def test_any_tile_gives_the_plain_output(block, text, models):
    seen = ask(models, text=text, block=block).context["seen"]
    assert seen.difference <= 1e-5


@pytest.mark.parametrize("block", [1, 4, 7])
def test_running_maximum_and_sum_are_those_of_the_keys_so_far(block, models):
    result = ask(models, text=SENTENCE, block=block)
    scores = result.context["seen"].plain.scores.tolist()
    maxima, totals = figure(result, "maximum").values, figure(result, "total").values
    for row, line in enumerate(scores):
        for column in range(maxima.shape[1]):
            so_far = line[: (column + 1) * block]
            most = max(so_far)
            total = sum(math.exp(score - most) for score in so_far)
            assert float(maxima[row, column]) == pytest.approx(most, abs=1e-4)
            assert float(totals[row, column]) == pytest.approx(total, rel=1e-4)


def test_each_step_lists_the_queries_of_one_block(models):
    result = ask(models, text=SENTENCE, block=5, query=11)
    steps = result.context["steps"]
    assert [step.title for step in steps] == [
        "Tile 1 of 4: keys 1–5",
        "Tile 2 of 4: keys 6–10",
        "Tile 3 of 4: keys 11–15",
        "Tile 4 of 4: keys 16",
    ]
    assert [name for name, _, _ in steps[0].rows] == ["it", "was", "too", "tired", "."]
    assert [followed for _, followed, _ in steps[0].rows] == [True] + [False] * 4


def test_the_steepness_of_the_two_curves_is_four_and_two(models):
    plain, tiled = figure(ask(models), "memory").lines
    assert plain.x[-1] == 8192
    # 4 bytes · (2 · 8192² + 8192 · 32)
    assert plain.y[-1] == 537919488
    assert plain.y[-1] / plain.y[-2] == pytest.approx(4, abs=0.02)
    assert tiled.y[-1] / tiled.y[-2] == pytest.approx(2, abs=0.02)


def test_two_maps_and_the_output_are_what_the_plain_way_would_hold(models):
    """One map of 8,192² numbers of 4 bytes is 256 MiB, as the lesson says; 8,192 · 32 are 1 MiB."""
    result = ask(models)
    assert "513 MiB for this one head" in result.finding
    assert "the scores and the weights, 256 MiB each, and the output" in result.finding
    assert r"\text{ bytes}" in result.maths[1].numbers


def test_memory_is_measured_in_bounded_time_and_agrees_with_the_count(models):
    result = ask(models, measure=True)
    found = measure(32)
    if found.tiled[-1][0] == 8192:
        assert measure(32) is found  # once for each width
    tokens, plain = found.plain[-1]
    assert tokens <= 2048
    # Scores and weights, 4 bytes each, and at most one more copy on the way.
    assert 2 * 4 * tokens**2 <= plain <= 3.3 * 4 * tokens**2
    long, tiled = found.tiled[-1]
    # Two copies of the output, two numbers a token, and a few tiles of 256 × 256.
    assert tiled <= 4 * (long * (2 * 32 + 2) + 6 * 256 * 256)
    assert "Measured here" in result.finding
    assert len(figure(result, "memory").lines) == 4


def test_the_peak_is_what_some_work_held_at_once():
    assert peak(lambda: np.zeros(1_000_000, np.uint8)) == pytest.approx(1_000_000, rel=0.01)


def test_too_small_tiles_for_a_long_text_are_enlarged_and_it_is_said(models):
    result = ask(models, text="one " * 120, block=1)
    assert result.chosen["block"] == 4
    assert any("Tiles of 1 would be" in note for note in result.notes)
    assert len(result.context["seen"].tiled.tiles) <= 32**2


@pytest.mark.parametrize("text", ["Hi", "one " * 128, "?!", "I 🧡 cats", "[SEP] </td>"])
def test_the_lines_to_reproduce_print_m_and_l(text, models, small_models):
    for each in (models, small_models):
        result = ask(each, text=text)
        said = []
        exec(compile(result.snippet.code, "<snippet>", "exec"), {"print": said.append, "max": max})
        assert said == [result.snippet.prints]
        seen = result.context["seen"]
        m, total = map(float, said[0].split())
        assert m == pytest.approx(float(seen.tiled.maximum[seen.token]), abs=2e-3)
        assert total == pytest.approx(float(seen.tiled.total[seen.token]), rel=1e-2)


def test_bytes_are_said_in_units_people_use():
    assert [size(n) for n in (9, 2048, 1.5 * 1024**2, 3 * 1024**3)] == [
        "9 bytes",
        "2 KiB",
        "1.5 MiB",
        "3 GiB",
    ]


def test_all_tiles_are_listed_without_scripts_and_typed_markup_stays_text(client):
    page = client.get(PAGE, params={"text": "<script>alert(1)</script> </td> [SEP]", "block": "4"})
    assert page.status_code == 200
    assert page.text.count('<li class="step">') == math.ceil(page.text.count('name="query"') / 4)
    assert "<script>alert" not in page.text


@pytest.mark.parametrize("block", ["0", "131", "x"])
def test_a_tile_out_of_bounds_is_refused(block, client):
    assert client.get(PAGE, params={"block": block}).status_code == 422
