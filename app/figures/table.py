"""Every figure as a table: what a screen reader gets, and everyone without scripts."""

from dataclasses import dataclass
from typing import assert_never

from app.figures.describe import (
    Arcs,
    Array,
    Bars,
    Figure,
    Graph,
    HeadGrid,
    Heatmap,
    Lines,
    Scatter,
    Scatter3D,
    Tokens,
)
from app.figures.numbers import alike, check, exact, short
from app.i18n import _


@dataclass(frozen=True)
class Cell:
    """One cell: what it holds, and how that is said."""

    value: float | str | None  # unrounded; None where there is no number
    shown: str


@dataclass(frozen=True)
class Table:
    """A table with names on its columns and rows."""

    caption: str
    headings: tuple[str, ...]  # the first stands over the row headings
    row_headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table(figure: Figure) -> Table:  # noqa: PLR0911 (a line for each kind)
    """Give a figure's numbers as a table, unrounded and as they are said.

    Raises: NotANumber, when the figure holds NaN.
    """
    check(figure)
    match figure:
        case Heatmap() | Arcs():
            return _matrix(figure)
        case HeadGrid():
            return _head_grid(figure)
        case Bars():
            return _bars(figure)
        case Lines():
            return _lines(figure)
        case Scatter() | Scatter3D():
            return _points(figure)
        case Graph():
            return _graph(figure)
        case Tokens():
            return _tokens(figure)
        case _ as never:
            assert_never(never)


def _number(value: float) -> Cell:
    return Cell(exact(value), short(float(value)))


def _amounts(values: Array) -> list[Cell]:
    """Give the amounts of one figure, said with the same decimals."""
    said = zip(values, alike(values), strict=True)
    return [Cell(exact(float(value)), shown) for value, shown in said]


def _text(text: str) -> Cell:
    return Cell(text, text)


def _matrix(figure: Heatmap | Arcs) -> Table:
    corner = " \\ ".join(filter(None, (figure.row_title, figure.column_title)))
    rows = tuple(tuple(_number(v) for v in row) for row in figure.values)
    headings = (corner or _("row \\ column"), *figure.columns)
    return Table(figure.title, headings, tuple(figure.rows), rows)


def _head_grid(figure: HeadGrid) -> Table:
    heads = figure.values.shape[1]
    headings = (_("Layer"), *(_("Head {n}").format(n=n + 1) for n in range(heads)))
    names = tuple(_("Layer {n}").format(n=n + 1) for n in range(figure.values.shape[0]))
    rows = tuple(tuple(_text(pattern) for pattern in layer) for layer in figure.patterns)
    return Table(figure.title, headings, names, rows)


def _bars(figure: Bars) -> Table:
    rows = tuple((cell,) for cell in _amounts(figure.values))
    headings = ("", figure.value_title or _("value"))
    return Table(figure.title, headings, tuple(figure.labels), rows)


def _lines(figure: Lines) -> Table:
    """One row a point; curves that share their x stand side by side."""
    first = figure.lines[0] if figure.lines else None
    shared = first is not None and all(
        line.x.shape == first.x.shape and bool((line.x == first.x).all()) for line in figure.lines
    )
    if first is not None and shared:
        headings = (figure.x_title, *(line.label for line in figure.lines))
        names = tuple(short(float(x)) for x in first.x)
        rows = tuple(zip(*((_number(y) for y in line.y) for line in figure.lines), strict=True))
        return Table(figure.title, headings, names, rows)
    points = [(line, x, y) for line in figure.lines for x, y in zip(line.x, line.y, strict=True)]
    return Table(
        figure.title,
        (_("curve"), figure.x_title, figure.y_title),
        tuple(line.label for line, x, y in points),
        tuple((_number(x), _number(y)) for line, x, y in points),
    )


def _points(figure: Scatter | Scatter3D) -> Table:
    axes: tuple[str, ...]
    if isinstance(figure, Scatter):
        axes = (figure.x_title or "x", figure.y_title or "y")
    else:
        axes = tuple(t or n for t, n in zip(figure.axis_titles, "xyz", strict=True))
    more = [(_("group"), figure.groups), (_("details"), figure.details)]
    more = [(name, words) for name, words in more if words]
    rows = tuple(
        (*(_number(v) for v in point), *(_text(words[i]) for _name, words in more))
        for i, point in enumerate(figure.points)
    )
    headings = ("", *axes, *(name for name, _words in more))
    return Table(figure.title, headings, tuple(figure.labels), rows)


def _graph(figure: Graph) -> Table:
    names = [node.label for node in figure.nodes]
    rows = tuple(
        (
            _text(names[edge.target]),
            _number(edge.weight),
            _text(edge.label),
            _text(_("yes") if edge.lit else ""),
        )
        for edge in figure.edges
    )
    headings = (_("from"), _("to"), _("strength"), _("label"), _("on the path"))
    return Table(figure.title, headings, tuple(names[e.source] for e in figure.edges), rows)


def _tokens(figure: Tokens) -> Table:
    headings, columns = [_("token")], []
    if figure.values is not None:
        headings.append(figure.value_title or _("value"))
        columns.append(_amounts(figure.values))
    if figure.states:
        headings.append(_("state"))
        columns.append([_text(state) for state in figure.states])
    rows = tuple(tuple(column[i] for column in columns) for i in range(len(figure.labels)))
    return Table(figure.title, tuple(headings), tuple(figure.labels), rows)
