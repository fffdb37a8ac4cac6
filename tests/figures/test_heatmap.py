"""The drawing of a matrix: where cells are, which shade they get, how large it all is."""

import gzip
import re

import numpy as np
from figure_examples import CAT, ODD, weights
from hypothesis import given
from hypothesis import strategies as st

from app.figures import Heatmap
from app.figures.svg import svg
from app.figures.svg.shades import BLOCKED, hatching, runs, shading


def path(drawing: str, class_: str) -> str:
    found = re.search(rf'<path class="fig-cell {class_}" d="([^"]*)"', drawing)
    return found[1] if found else ""


def test_a_map_of_two_by_two_has_its_cells_where_they_belong():
    # row 0 looks at column 1 with all its weight; row 1 at column 0 with 3/4, at column 1 with 1/4
    drawing = svg(Heatmap("m", "M", ("a", "b"), ("c", "d"), np.array([[0, 1], [0.75, 0.25]])))
    assert path(drawing, "h16") == "M1 0h1v1h-1z"
    assert path(drawing, "h12") == "M0 1h1v1h-1z"
    assert path(drawing, "h4") == "M1 1h1v1h-1z"
    # cells of 40 px; room for a label of one letter at the left; no axis titles, so labels on top
    assert 'viewBox="0 0 284 136"' in drawing
    assert (
        'data-x="24" data-y="20" data-w="80" data-h="80" data-rows="2" data-columns="2"' in drawing
    )
    assert 'transform="translate(24 20) scale(40 40)"' in drawing


def test_neighbours_of_one_shade_are_drawn_as_one_piece():
    drawing = svg(Heatmap("m", "M", ("a",), ("b", "c", "d"), np.array([[1.0, 1, 0]])))
    assert path(drawing, "h16") == "M0 0h2v1h-2z"


def test_levels_step_in_the_middle_between_two_sixteenths():
    shades = shading(np.zeros(1), "weights")
    below, above = np.nextafter(1.5 / 16, 0), 1.5 / 16
    assert shades.levels(np.array([0, below, above, 0.5, 1])).tolist() == [0, 1, 2, 8, 16]


def test_a_small_weight_is_faint_and_a_negligible_one_is_not_drawn():
    # of 128 tokens an even share is 1/128: half of it is shown; of 8 tokens, half of a sixteenth
    many, few = shading(np.zeros((128, 128)), "weights"), shading(np.zeros((8, 8)), "weights")
    assert many.levels(np.array([1 / 128, 1 / 256, 0.99 / 256])).tolist() == [1, 1, 0]
    assert few.levels(np.array([1 / 16, 1 / 32, 0.99 / 32])).tolist() == [1, 1, 0]


def test_signed_levels_are_symmetric_about_zero():
    values = np.array([-4.0, -2, 0, 1, 4, -np.inf])
    assert shading(values, "signed").levels(values).tolist() == [-8, -4, 0, 2, 8, BLOCKED]
    assert "−4" in svg(Heatmap("m", "M", ("a",), tuple("bcdefg"), values[None], scale="signed"))


def test_the_range_of_weights_is_from_nought_to_one_whatever_they_are():
    assert (
        shading(np.array([0.2, 0.3]), "weights").low,
        shading(np.array([0.2]), "weights").high,
    ) == (0, 1)


def test_a_range_goes_from_the_least_to_the_greatest():
    values = np.array([10.0, 15, 20])
    assert shading(values, "range").levels(values).tolist() == [0, 8, 16]


def test_equal_values_are_said_and_not_divided_by_nothing():
    for scale in ("range", "signed"):
        drawing = svg(Heatmap("m", "M", ("a",), ("b", "c"), np.zeros((1, 2)), scale=scale))
        assert "every value is 0" in drawing


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_greater_weight_is_never_lighter(values):
    ordered = np.sort(np.array(values))
    levels = shading(ordered, "weights").levels(ordered)
    assert (np.diff(levels) >= 0).all()
    assert ((levels >= 0) & (levels <= 16)).all()


def test_runs_are_stretches_of_one_level_and_end_with_their_row():
    levels = np.array([[1, 1, 0, 1], [1, 1, 1, 1]])
    assert runs(levels) == [(0, 0, 2, 1), (0, 2, 1, 0), (0, 3, 1, 1), (1, 0, 4, 1)]


def test_blocked_cells_are_hatched_along_their_diagonals():
    # causal, three tokens: (0,1), (0,2), (1,2) are blocked; (0,1) and (1,0) share a diagonal,
    # so do (0,2), (1,1), of which only the first is blocked
    levels = np.where(np.tri(3) > 0, 1, BLOCKED)
    assert hatching(levels) == "M2 0l-1 1M3 0l-1 1M3 1l-1 1"
    square = np.full((2, 2), BLOCKED)
    assert hatching(square) == "M1 0l-1 1M2 0l-2 2M2 1l-1 1"


def test_128_tokens_fit_into_300_kilobytes_and_pack_small():
    names = tuple(f"word{i}" for i in range(128))
    worst = np.random.default_rng(0).random((128, 128))  # every shade, no two neighbours alike
    drawing = svg(Heatmap("m", "M", names, names, worst, tokens=True))
    assert len(drawing.encode()) < 300_000
    real = svg(Heatmap("m", "M", names, names, weights(128), tokens=True))
    assert len(gzip.compress(real.encode())) < 40_000


def test_labels_of_64_rows_are_all_there_and_of_128_every_second():
    for count, shown in ((64, 64), (128, 64)):
        names = tuple(f"w{i}" for i in range(count))
        drawing = svg(Heatmap("m", "M", names, names, weights(count), tokens=True))
        assert drawing.count('class="fig-label fig-end"') == shown


def test_equal_words_keep_a_row_each_and_their_own_place_in_the_sentence():
    drawing = svg(Heatmap("m", "M", CAT, CAT, weights(6), tokens=True))
    rows = re.findall(r'fig-end"[^>]*data-token="(\d)">(\w+)<', drawing)
    assert rows == [(str(i), word) for i, word in enumerate(CAT)]


def test_only_a_map_of_tokens_lights_up_with_the_sentence():
    assert "data-token" not in svg(Heatmap("m", "M", CAT, CAT, weights(6)))


def test_the_axes_say_who_looks_at_whom():
    drawing = svg(Heatmap("m", "M", CAT, CAT, weights(6), tokens=True))
    assert "column: the word looked at →" in drawing
    assert "row: the word that looks ↓" in drawing


def test_the_chosen_row_and_column_are_framed():
    drawing = svg(Heatmap("m", "M", ("a", "b"), ("c", "d"), np.eye(2), chosen=(1, 0)))
    frames = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="(\d+)" class="is-chosen"', drawing
    )
    assert frames == [("24", "60", "80", "40"), ("24", "20", "40", "80")]


def test_numbers_of_a_map_have_the_same_decimals_and_minus_infinity_has_its_sign():
    values = np.array([[0.5, -1.25], [-np.inf, -0.001]])
    drawing = svg(Heatmap("m", "M", ("a", "b"), ("c", "d"), values, scale="signed", numbers=True))
    said = re.findall(r'class="fig-number fig-middle [^"]*">([^<]*)<', drawing)
    assert said == ["0.50", "−1.25", "−∞", "0.00"]


def test_long_names_are_cut_in_the_drawing_and_whole_on_hover():
    drawing = svg(Heatmap("m", "M", ODD, ODD, weights(len(ODD))))
    assert f"<title>{'a' * 200}</title>{'a' * 15}…</text>" in drawing
