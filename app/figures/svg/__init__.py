"""The page's own drawing of every figure: SVG with classes, coloured by the style sheet."""

import re
from dataclasses import replace
from typing import assert_never

from markupsafe import Markup

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
from app.figures.numbers import check
from app.figures.svg.arcs import arcs
from app.figures.svg.bars import bars
from app.figures.svg.graph import graph
from app.figures.svg.head_grid import head_grid, thumbnails
from app.figures.svg.heatmap import SMALL, heatmap
from app.figures.svg.lines import lines
from app.figures.svg.ring import FEW, ring
from app.figures.svg.scatter import scatter
from app.figures.svg.scatter3d import scatter3d
from app.figures.svg.tokens import tokens

__all__ = ["narrow", "svg", "thumbnails"]

PHONE = 326.0  # pixels between the margins of a small phone


def svg(figure: Figure) -> Markup:  # noqa: C901, PLR0911 (a line for each kind)
    """Draw a figure.

    Raises: NotANumber, when the figure holds NaN.
    """
    check(figure)
    match figure:
        case Heatmap():
            return heatmap(figure)
        case Arcs():
            return arcs(figure)
        case HeadGrid():
            return head_grid(figure)
        case Bars():
            return bars(figure)
        case Lines():
            return lines(figure)
        case Scatter():
            return scatter(figure)
        case Scatter3D():
            return scatter3d(figure)
        case Graph(ring=True):
            return ring(figure)
        case Graph():
            return graph(figure)
        case Tokens():
            return tokens(figure)
        case _ as never:
            assert_never(never)


def narrow(figure: Figure, whole: Markup) -> Markup | None:
    """Draw a figure again for a phone, its letters as large; None where the one drawing fits both.

    A map of too many columns for legible cells stays as it is, and scrolls.
    """
    if width(whole) <= PHONE + 1:
        return None
    match figure:
        case Heatmap() if figure.values.shape[1] * SMALL < PHONE:
            drawing = heatmap(figure, PHONE)
        case Arcs(layout="columns"):
            drawing = arcs(figure, PHONE)
        case Bars():
            drawing = bars(figure, PHONE)
        case Lines():
            drawing = lines(figure, PHONE)
        case Scatter():
            drawing = scatter(figure, PHONE)
        case Graph(ring=True) if len(figure.nodes) <= FEW:
            drawing = ring(figure, PHONE)
        case Tokens():
            drawing = tokens(replace(figure, narrow=True))
        case _:
            return None
    return drawing if width(drawing) <= PHONE + 1 else None


def width(drawing: Markup) -> int:
    """Read how wide a drawing is, in pixels."""
    found = re.search(r'<svg [^>]*? width="(\d+)"', drawing)
    return int(found[1]) if found else 0
