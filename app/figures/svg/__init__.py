"""The page's own drawing of every figure: SVG with classes, coloured by the style sheet."""

from markupsafe import Markup

from app.figures.describe import Figure, Heatmap
from app.figures.numbers import check
from app.figures.svg.heatmap import heatmap


def svg(figure: Figure) -> Markup:
    """Draw a figure.

    Raises: NotANumber, when the figure holds NaN.
    """
    check(figure)
    match figure:
        case Heatmap():
            return heatmap(figure)
        case _:
            raise NotImplementedError(figure.kind)
