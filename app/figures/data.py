"""Every figure as plain data, unrounded: what data.json and data.csv hold."""

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, assert_never

from app.figures.describe import (
    Arcs,
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
from app.figures.numbers import check, nested
from app.figures.table import Cell, table

Data = dict[str, Any]
# A spreadsheet reads a cell that starts so as a formula (OWASP, "CSV injection").
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def data(figure: Figure) -> Data:
    """Give a figure's names and unrounded numbers as JSON can hold them; −∞ becomes null.

    Raises: NotANumber, when the figure holds NaN.
    """
    check(figure)
    head = {"kind": figure.kind, "name": figure.name, "title": figure.title}
    return head | _body(figure)


def _body(figure: Figure) -> Data:  # noqa: PLR0911 (a line for each kind)
    match figure:
        case Heatmap() | Arcs():
            names = {"rows": list(figure.rows), "columns": list(figure.columns)}
            return {**names, "values": nested(figure.values)}
        case HeadGrid():
            patterns = [list(layer) for layer in figure.patterns]
            return {
                "rows": list(figure.rows),
                "patterns": patterns,
                "values": nested(figure.values),
            }
        case Bars():
            return {"labels": list(figure.labels), "values": nested(figure.values)}
        case Lines():
            return _lines(figure)
        case Scatter() | Scatter3D():
            return _points(figure)
        case Graph():
            edges = [asdict(edge) for edge in figure.edges]
            return {"nodes": [asdict(node) for node in figure.nodes], "edges": edges}
        case Tokens():
            values = None if figure.values is None else nested(figure.values)
            return {"labels": list(figure.labels), "values": values, "states": list(figure.states)}
        case _ as never:
            assert_never(never)


def _lines(figure: Lines) -> Data:
    curves = [{"label": c.label, "x": nested(c.x), "y": nested(c.y)} for c in figure.lines]
    return {"x_title": figure.x_title, "y_title": figure.y_title, "lines": curves}


def _points(figure: Scatter | Scatter3D) -> Data:
    held: Data = {
        "labels": list(figure.labels),
        "points": nested(figure.points),
        "groups": list(figure.groups),
        "details": list(figure.details),
    }
    if isinstance(figure, Scatter):
        held["arrows"] = [list(arrow) for arrow in figure.arrows]
    return held


def harmless(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would take for a formula.

    Example:
        >>> harmless("=1+1"), harmless("cat")
        ("'=1+1", 'cat')
    """
    return f"'{text}" if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA) else text


def csv_text(figures: Iterable[Figure]) -> str:
    """Write the tables of figures below each other, numbers unrounded, a blank line between."""
    out = io.StringIO()
    write = csv.writer(out)
    for index, figure in enumerate(figures):
        if index:
            write.writerow([])
        held = table(figure)
        write.writerow([harmless(held.caption)])
        write.writerow([harmless(heading) for heading in held.headings])
        for name, row in zip(held.row_headings, held.rows, strict=True):
            write.writerow([harmless(name), *(_plain(cell) for cell in row)])
    return out.getvalue()


def _plain(cell: Cell) -> str:
    if cell.value is None:
        return ""
    return harmless(cell.value) if isinstance(cell.value, str) else repr(cell.value)
