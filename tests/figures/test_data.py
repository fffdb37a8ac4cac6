"""Tables, plain data, comma-separated values and Plotly's description of every figure."""

import csv
import io
import json

import numpy as np
import plotly.graph_objects as go
from figure_examples import CAT, ODD, of_every_kind, weights

from app.figures import Arcs, Bars, Heatmap, Line, Lines, Scatter
from app.figures.data import csv_text, data
from app.figures.plotly import plotly
from app.figures.table import table

THIRD = Heatmap("m", "M", ("a", "b"), ("c", "d"), np.array([[1 / 3, 2 / 3], [-np.inf, 0.5]]))


def test_a_table_has_a_heading_for_every_column_and_row():
    for names in (CAT, ODD, ("one",)):
        for figure in of_every_kind(names):
            made = table(figure)
            assert len(made.rows) == len(made.row_headings)
            assert all(len(row) + 1 == len(made.headings) for row in made.rows), figure.name


def test_a_table_keeps_the_number_and_says_it_short():
    rows = table(THIRD).rows
    assert (rows[0][0].value, rows[0][0].shown) == (1 / 3, "0.333")
    assert (rows[1][0].value, rows[1][0].shown) == (None, "−∞")


def test_curves_over_the_same_x_share_a_table():
    x = np.array([1.0, 2])
    figure = Lines("l", "L", (Line("a", x, x), Line("b", x, 2 * x)), "T", "cost")
    made = table(figure)
    assert made.headings == ("T", "a", "b")
    assert [[cell.value for cell in row] for row in made.rows] == [[1, 2], [2, 4]]


def test_data_is_unrounded_and_minus_infinity_is_null():
    held = json.loads(json.dumps(data(THIRD), allow_nan=False))
    assert held["kind"] == "heatmap"
    assert (held["rows"], held["columns"]) == (["a", "b"], ["c", "d"])
    assert held["values"] == [[1 / 3, 2 / 3], [None, 0.5]]


def test_every_kind_can_be_written_as_json():
    for names in (CAT, ODD, ("one",)):
        for figure in of_every_kind(names):
            held = json.loads(json.dumps(data(figure), allow_nan=False))
            assert held["title"] == figure.title
            json.dumps(plotly(figure), allow_nan=False)


def test_single_precision_is_given_as_the_number_it_is():
    value = np.array([[0.1]], dtype=np.float32)
    assert data(Heatmap("m", "M", ("a",), ("b",), value))["values"] == [[float(np.float32(0.1))]]


def test_a_spreadsheet_runs_nothing_a_reader_typed():
    names = ("=1+1", "+a", "-b", "@c", "\tx", " =y", "plain")
    written = csv_text([Bars("b", "=T", names, np.array([-1.5, 0, 1, 2, 3, 4, 5]))])
    rows = list(csv.reader(io.StringIO(written)))
    assert rows[0] == ["'=T"]
    assert [row[0] for row in rows[2:]] == [*(f"'{name}" for name in names[:-1]), "plain"]
    assert rows[2][1] == "-1.5"  # a negative number stays a number


def test_values_survive_comma_separation_exactly():
    rows = list(csv.reader(io.StringIO(csv_text([THIRD, THIRD]))))
    assert float(rows[2][1]) == 1 / 3
    assert rows[3][1] == ""
    assert rows.count([]) == 1  # between the two


def with_real_colours(part):
    """Stand in for the page's script: "--heat-16" becomes a colour."""
    if isinstance(part, str):
        return "#000000" if part.startswith("--") else part
    if isinstance(part, list):
        return [with_real_colours(one) for one in part]
    return {k: with_real_colours(v) for k, v in part.items()} if isinstance(part, dict) else part


def test_plotly_accepts_every_figure():
    for names in (CAT, ODD, ("one",)):
        for figure in of_every_kind(names):
            go.Figure(with_real_colours(plotly(figure)))


def test_equal_words_do_not_merge_and_row_one_is_at_the_top():
    made = plotly(Heatmap("m", "M", CAT, CAT, weights(6), tokens=True))
    for axis in ("xaxis", "yaxis"):
        assert made["layout"][axis]["tickvals"] == [0, 1, 2, 3, 4, 5]
        assert made["layout"][axis]["ticktext"] == list(CAT)
    assert made["layout"]["yaxis"]["autorange"] == "reversed"
    trace = made["data"][0]
    assert (trace["xgap"], trace["ygap"], trace["showscale"]) == (1, 1, False)
    assert (trace["zmin"], trace["zmax"]) == (0, 1)
    assert trace["colorscale"][16] == [1.0, "--heat-16"]


def test_a_signed_range_is_symmetric():
    trace = plotly(Heatmap("m", "M", ("a",), ("b", "c"), np.array([[-3.0, 1]]), scale="signed"))[
        "data"
    ][0]
    assert (trace["zmin"], trace["zmax"]) == (-3, 3)
    assert trace["colorscale"][0] == [0.0, "--diverge--8"]


def test_typed_tags_are_text_to_plotly_and_typed_text_to_the_read_out():
    made = plotly(Arcs("a", "A", ("<b>&",), ("x",), np.ones((1, 1))))
    assert made["layout"]["yaxis"]["ticktext"] == ["&lt;b&gt;&amp;"]
    assert made["layout"]["meta"]["rows"] == ["<b>&"]
    spot = plotly(Scatter("s", "S", np.zeros((1, 2)), ("<i>",), details=("a<br>b",)))["data"][0]
    assert spot["hovertext"] == ["&lt;i&gt;<br>a&lt;br&gt;b"]
