"""Amounts as lying bars, each with its name before it and its value behind it."""

import numpy as np
from markupsafe import Markup

from app.figures.describe import Bars
from app.figures.numbers import short
from app.figures.svg import parts
from app.figures.svg.axes import Axis, around
from app.figures.svg.parts import MONO, NUMBER, element, label, rect, text

ROW, THICK, LONG = 26, 16, 320  # pixels: from bar to bar, a bar's height, the longest bar
LONGEST = 26


def bars(figure: Bars) -> Markup:
    """Draw the bars from a common zero line."""
    left = max((min(parts.columns(n), LONGEST) for n in figure.labels), default=1) * MONO + 10
    before = _room(figure) if bool((figure.values < 0).any()) else 0.0
    axis = _axis(figure, left + before)
    top = 24.0 if figure.value_title else 4.0
    zero = axis.at(0)
    drawn = [text(left + before, 14, figure.value_title, "fig-axis")] if figure.value_title else []
    for i, (name, value) in enumerate(zip(figure.labels, figure.values, strict=True)):
        drawn += _bar(figure, i, name, float(value), axis, left - 8, top + i * ROW)
    end = top + len(figure.labels) * ROW
    drawn.append(element("path", class_="fig-rule", d=f"M{zero:.1f} {top:.0f}V{end:.0f}"))
    width = left + before + LONG + _room(figure) + 4
    width = max(width, left + before + len(figure.value_title) * parts.SANS)
    return parts.picture(width, end + 4, figure.title, drawn)


def _room(figure: Bars) -> float:
    return max((len(short(float(v))) for v in figure.values), default=1) * NUMBER + 8


def _axis(figure: Bars, start: float) -> Axis:
    """Lay the values over the pixels; zero is always part of the axis."""
    finite = figure.values[np.isfinite(figure.values)]
    if figure.scale == "weights":
        low, high = 0.0, 1.0
    elif figure.scale == "signed":
        high = float(np.abs(finite).max(initial=0.0)) or 1.0
        low = -high
    else:
        low, high = around(finite, zero=True)
        low, high = (0.0, 1.0) if not finite.any() else (low, high)
    return Axis(low, high, start, start + LONG)


def _bar(
    figure: Bars, i: int, name: str, value: float, axis: Axis, x: float, y: float
) -> list[Markup]:
    zero = axis.at(0)
    end = axis.at(max(min(value, axis.high), axis.low))
    role = "" if figure.role in ("plain", "accent") else f" is-{figure.role}"
    chosen = " is-chosen" if i == figure.chosen else ""
    middle = y + ROW / 2
    number = (end - 5, "fig-number fig-end") if value < 0 else (end + 5, "fig-number")
    return [
        label(x, middle + 4.5, name, f"fig-end{chosen}", most=LONGEST),
        rect(min(zero, end), middle - THICK / 2, abs(end - zero), THICK, f"fig-bar{role}{chosen}"),
        text(number[0], middle + 4, short(value), number[1]),
    ]
