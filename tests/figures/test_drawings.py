"""What holds for the drawing of every kind, with ordinary and awkward tokens."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from figure_examples import CAT, ODD, of_every_kind, weights

from app.figures import (
    Arcs,
    Bars,
    Graph,
    HeadGrid,
    Heatmap,
    Line,
    Lines,
    Node,
    Scatter,
    Scatter3D,
    Tokens,
)
from app.figures.numbers import NotANumber, short
from app.figures.standalone import standalone
from app.figures.svg import svg, thumbnails
from app.figures.svg.head_grid import pooled
from app.figures.svg.placing import place
from app.figures.svg.scatter3d import flatten
from app.figures.table import table

TOKENS = (CAT, ODD, ("one",))


def everything():
    return [figure for names in TOKENS for figure in of_every_kind(names)]


def test_every_drawing_is_well_formed_and_has_a_name_and_a_size_in_pixels():
    for figure in everything():
        root = ET.fromstring(svg(figure))
        assert root.get("role") == "img"
        assert root.find("{http://www.w3.org/2000/svg}title") is not None
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert int(root.get("width")) > 0
        assert int(root.get("height")) > 0


def test_nothing_a_reader_typed_becomes_markup_style_or_script():
    for figure in of_every_kind(ODD):
        tags = {element.tag.split("}")[1] for element in ET.fromstring(svg(figure)).iter()}
        assert tags <= {"svg", "title", "g", "path", "rect", "text", "circle"}
        assert not re.search(r"<[^>]* (style|on\w+)=", svg(figure))
        assert "\x00" not in svg(figure)
        assert "\u202e" not in svg(figure)


def test_no_coordinate_is_not_a_number():
    for figure in everything():
        marks = re.sub(r"<title>.*?</title>|>[^<]*<", "", svg(figure))
        assert not re.search(r"\b(nan|inf)\b", marks)


def test_no_letter_leaves_the_picture():
    for names in (CAT, ("one",), tuple(f"token{i}" for i in range(64))):
        for figure in of_every_kind(names):
            root = ET.fromstring(svg(figure))
            for text in root.iter("{http://www.w3.org/2000/svg}text"):
                assert -1 <= float(text.get("x")) <= float(root.get("width")), figure.name
                assert 0 <= float(text.get("y")) <= float(root.get("height")), figure.name


def test_nan_is_refused_with_its_place():
    values = np.eye(2)
    values[1, 0] = np.nan
    for draw in (svg, lambda f: standalone(f, "", "")):
        try:
            draw(Heatmap("m", "M", ("a", "b"), ("c", "d"), values))
        except NotANumber as error:
            assert "values[1, 0]" in str(error)
        else:
            raise AssertionError
    curve = Line("l", np.arange(2.0), np.array([1, np.inf]))
    try:
        svg(Lines("l", "L", (curve,), "x", "y"))
    except NotANumber as error:
        assert "lines[0].y[1]" in str(error)
    else:
        raise AssertionError


def test_figures_of_nothing_and_of_no_range_are_drawn():
    none2, none3 = np.zeros((0, 2)), np.zeros((0, 3))
    for figure in (
        Bars("b", "B", (), np.zeros(0)),
        Bars("b", "B", ("x", "y"), np.zeros(2), scale="signed"),
        Lines("l", "L", (), "x", "y"),
        Lines("l", "L", (Line("flat", np.ones(1), np.zeros(1)),), "x", "y", log_x=True, log_y=True),
        Scatter("s", "S", none2, ()),
        Scatter("s", "S", np.ones((3, 2)), ("a", "b", "c")),
        Scatter3D("s", "S", none3, ()),
        Scatter3D("s", "S", np.ones((2, 3)), ("a", "b")),
        Graph("g", "G", (), ()),
        Tokens("t", "T", ()),
        Tokens("t", "T", ("a",), np.array([-np.inf])),
    ):
        ET.fromstring(svg(figure))


def test_arcs_are_drawn_from_two_hundredths_and_step_by_tenths():
    values = np.array([[0.019, 0.981], [0.35, 0.65]])
    drawing = svg(Arcs("a", "A", ("x", "y"), ("x", "y"), values))
    drawn = re.findall(r'class="fig-arc o(\d+)" d="([^"]*)" data-token="(\d)"', drawing)
    assert [(step, row) for step, _d, row in drawn] == [("10", "0"), ("4", "1"), ("7", "1")]


def test_the_chosen_word_is_drawn_last_and_the_others_quietly():
    drawing = svg(Arcs("a", "A", CAT, CAT, weights(6), chosen=2))
    rows = re.findall(r'class="fig-arc ([^"]*)"[^>]*data-token="(\d)"', drawing)
    assert rows[-1][1] == "2"
    assert all(("is-quiet" in name) == (row != "2") for name, row in rows)


def test_small_maps_keep_the_largest_weight_of_each_block():
    big = np.zeros((128, 128))
    big[127, 0] = 1.0
    small = pooled(big)
    assert small.shape == (24, 24)
    assert small[23, 0] == 1.0
    assert small.sum() == 1.0


def test_72_small_maps_of_16_tokens_weigh_less_than_100_kilobytes():
    values = np.stack([[weights(16, l * 12 + h) for h in range(12)] for l in range(6)])
    grid = HeadGrid("h", "H", values, (("broad",) * 12,) * 6, CAT)
    layers = thumbnails(grid)
    assert [(layer, head) for layer, head, _p, _m in layers[1][:2]] == [(2, 1), (2, 2)]
    assert sum(len(picture) for layer in layers for *_rest, picture in layer) < 100_000


def test_bars_grow_from_zero_in_proportion():
    drawing = svg(Bars("b", "B", ("a", "b"), np.array([1.0, 0.25])))
    widths = re.findall(r'width="([\d.]+)" height="16" class="fig-bar"', drawing)
    assert widths == ["320", "80"]
    both = svg(Bars("b", "B", ("a", "b"), np.array([-1.0, 3.0])))
    widths = re.findall(r'width="([\d.]+)" height="16" class="fig-bar"', both)
    assert widths == ["80", "240"]


def test_what_a_logarithmic_axis_cannot_hold_is_said():
    curve = Line("l", np.array([1.0, 10, 100]), np.array([1.0, 0, 1e-3]))
    assert "1 points at 0" not in svg(Lines("l", "L", (curve,), "x", "y"))
    drawing = svg(Lines("l", "L", (curve,), "x", "y", log_y=True))
    assert "left out: 1" in drawing


def test_a_long_curve_is_thinned_but_keeps_its_spike():
    y = np.zeros(5000)
    y[2500] = 1.0
    drawing = svg(Lines("l", "L", (Line("l", np.arange(5000.0), y),), "x", "y"))
    d = re.search(r'fig-line-1" d="([^"]*)"', drawing)[1]
    assert d.count("L") < 1000
    assert " 30.0" in d  # the top of the plot


def test_labels_never_cover_each_other():
    rng = np.random.default_rng(0)
    points = [(float(x), float(y)) for x, y in rng.random((60, 2)) * 300]
    spots = place(points, ["label"] * 60, (0, 0, 400, 400))
    shown = [s for s in spots if s.room]
    wide = 5 * 7.85
    lefts = [s.x - {"": 0, "fig-middle": wide / 2, "fig-end": wide}[s.anchor] for s in shown]
    for i, a in enumerate(shown):
        for j in range(i):
            apart = abs(lefts[i] - lefts[j]) >= wide - 1e-9 or abs(a.y - shown[j].y) >= 14 - 1e-9
            assert apart
    assert 20 < len(shown) < 60


def test_equal_axes_make_a_square_of_a_square():
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    drawing = svg(Scatter("s", "S", corners, tuple("abcd")))
    dots = np.array(re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawing), dtype=float)
    across, up = dots[2] - dots[0], dots[0] - dots[1]
    assert np.isclose(across[0], up[1], atol=0.02)


def test_space_is_flattened_along_its_diagonal():
    # (1, 1, 1) lies behind (0, 0, 0): both are seen at the same place
    assert np.allclose(flatten(np.array([[0.0, 0, 0], [1, 1, 1]])), 0)
    assert np.allclose(flatten(np.array([[1.0, 0, 0]])), [[3**0.5 / 2, 0.5]])


def test_a_standalone_file_holds_its_colours_caption_and_model():
    for figure in everything():
        text = standalone(figure, "“it” looks at <animal>", "MiniLM, 22 M parameters")
        root = ET.fromstring(text)
        assert "var(" not in text
        assert "light-dark" not in text
        assert root.find("{http://www.w3.org/2000/svg}style") is not None
        assert "“it” looks at &lt;animal&gt;" in text
        assert "MiniLM, 22 M parameters" in text
    assert ".h16 { fill: #171b67; }" in text
    assert ".fig-tick" in text


def test_numbers_are_said_with_three_digits_that_count():
    cases = {0.0: "0", 0.30951: "0.31", 1.0: "1", -12.345: "−12.3", 1500.0: "1,500",
             384.0: "384", 1e-9: "1.0·10⁻⁹", 2_500_000.0: "2.5·10⁶", 999.9: "1000"}  # fmt: skip
    assert {value: short(value) for value in cases} == cases


def test_the_amounts_of_one_figure_have_the_same_decimals():
    names, values = ("a", "b", "c"), np.array([0.849, 0.78, 0.0004])
    for figure in (Bars("b", "B", names, values), Tokens("t", "T", names, values)):
        drawn = [each.text for each in ET.fromstring(svg(figure)).findall(".//{*}text")]
        assert {"0.849", "0.780", "4.0·10⁻⁴"} <= set(drawn)
        assert [row[0].shown for row in table(figure).rows] == ["0.849", "0.780", "4.0·10⁻⁴"]


def test_a_chip_stands_out_where_it_is_marked_and_lights_up_with_its_word():
    figure = Tokens("t", "T", ("didn", "'", "t"), marked=(1,), words=(4, 4, None))
    chips = ET.fromstring(svg(figure)).findall(".//{*}g[@data-token]")
    assert [chip.get("data-token") for chip in chips] == ["4", "4"]
    rings = [
        rect.get("class")
        for rect in ET.fromstring(svg(figure)).iter()
        if "fig-chip" in rect.get("class", "")
    ]
    assert ["is-marked" in each for each in rings] == [False, True, False]


def test_narrow_lines_of_chips_fit_a_phone():
    words = tuple(f"word{n}" for n in range(40))
    wide, narrow = (ET.fromstring(svg(Tokens("t", "T", words, narrow=n))) for n in (False, True))
    assert float(narrow.get("width")) <= 328 < float(wide.get("width"))


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_a_ring_of_few_nodes_begins_at_the_top_of_its_picture(count):
    nodes = tuple(Node(f"n{n}", 0, 0) for n in range(count))
    drawing = ET.fromstring(svg(Graph("g", "G", nodes, (), ring=True)))
    names = [float(words.get("y")) for words in drawing.findall(".//{*}text")]
    assert len(names) == count
    assert min(names) < 30
