"""A phone gets a drawing of its own: as narrow as the screen, its letters as large."""

import re

import numpy as np
import pytest

from app.figures import Bars, Graph, Heatmap, Line, Lines, Node, Scatter
from app.figures.plotly import plotly
from app.figures.svg import PHONE, narrow, svg, width

WORDS = (
    "The", "animal", "did", "not", "cross", "the", "street", "because", "it", "was", "too", "tired",
)  # fmt: skip


def square(count):
    names = tuple(f"w{i}" for i in range(count))
    return Heatmap("m", "Map", names, names, np.eye(count))


WIDE = (
    Heatmap("m", "Map", WORDS, WORDS, np.eye(12), tokens=True),
    Bars("b", "Bars", WORDS, np.linspace(0, 1, 12), "cosine with a long title that goes on"),
    Lines(
        "l",
        "Lines",
        (
            Line("one with a longer name", np.arange(9.0), np.arange(9.0)),
            Line("two", np.arange(9.0), np.ones(9)),
        ),
        "x",
        "y",
    ),
    Scatter("s", "Points", np.eye(2), ("a", "b")),
)


@pytest.mark.parametrize("figure", WIDE, ids=lambda figure: figure.kind)
def test_what_is_wider_than_a_phone_is_drawn_again_within_it(figure):
    whole = svg(figure)
    small = narrow(figure, whole)
    assert width(whole) > PHONE
    assert small is not None
    assert width(small) <= PHONE + 1
    for x in re.findall(r'<text[^>]* x="([\d.]+)"', small):
        assert float(x) <= PHONE


def test_a_ring_of_twelve_words_fits_a_phone_with_every_chip_and_a_longer_one_scrolls():
    nodes = tuple(Node(word, 0, 0) for word in WORDS)
    small = narrow(ring := Graph("r", "Ring", nodes, (), ring=True), svg(ring))
    chips = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', small)
    assert len(chips) == len(WORDS)
    assert all(float(x) + float(wide) <= PHONE for x, wide in chips)
    longer = Graph("r", "Ring", nodes + nodes, (), ring=True)
    assert narrow(longer, svg(longer)) is None


def test_what_fits_a_phone_is_drawn_once():
    figure = square(3)
    whole = svg(figure)
    assert narrow(figure, whole) is None or width(whole) > PHONE


def test_a_map_of_too_many_columns_stays_as_it_is():
    figure = square(64)
    assert narrow(figure, svg(figure)) is None


def test_every_curve_is_named_under_a_narrow_drawing():
    small = narrow(WIDE[2], svg(WIDE[2]))
    assert small is not None
    assert ">one with a longer name</text>" in small
    assert ">two</text>" in small


def test_many_words_along_an_axis_of_plotly_are_thinned_and_still_said():
    made = plotly(square(128))
    assert len(made["layout"]["xaxis"]["tickvals"]) <= 44
    assert made["layout"]["xaxis"]["ticktext"][1] == "w3"
    assert made["data"][0]["text"][5][127] == "w5 → w127"
    assert "text" not in plotly(square(12))["data"][0]


def test_plotly_is_never_asked_for_raised_figures_which_need_inline_styles():
    curve = (Line("one", np.array([1.0, 1e6]), np.array([1.0, 1e9])),)
    layout = plotly(Lines("l", "L", curve, "x", "y", log_x=True, log_y=True))["layout"]
    assert {layout[axis]["exponentformat"] for axis in ("xaxis", "yaxis")} == {"SI"}
