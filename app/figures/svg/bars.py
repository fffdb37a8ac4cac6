"""Amounts as lying bars, each with its name before it and its value behind it."""

import numpy as np
from markupsafe import Markup

from app.figures.describe import Bars
from app.figures.numbers import alike
from app.figures.svg import parts
from app.figures.svg.axes import Axis, around
from app.figures.svg.parts import MONO, NUMBER, element, label, rect, text

ROW, THICK, LONG = 26, 16, 320.0  # pixels: from bar to bar, a bar's height, the longest bar
SHORT = 96.0  # pixels the longest bar has at least, however little room there is
LONGEST, CUT = 34, 18  # letters of a name, and where there is little room


def bars(figure: Bars, room: float = 0) -> Markup:
    """Draw the bars from a common zero line, all of it inside the room where one is given."""
    most = CUT if room else LONGEST
    left = max((min(parts.columns(n), most) for n in figure.labels), default=1) * MONO + 10
    before = _room(figure) if bool((figure.values < 0).any()) else 0.0
    long = min(LONG, max(SHORT, room - left - before - _room(figure) - 4)) if room else LONG
    axis = _axis(figure, left + before, long)
    top = 24.0 if figure.value_title else 4.0
    zero = axis.at(0)
    said = len(figure.value_title) * parts.SANS
    start = max(0.0, min(left + before, room - said)) if room else left + before
    drawn = [text(start, 14, figure.value_title, "fig-axis")] if figure.value_title else []
    for i, words in enumerate(zip(figure.labels, alike(figure.values), strict=True)):
        drawn += _bar(figure, i, words, axis, (left - 8, top + i * ROW, most))
    end = top + len(figure.labels) * ROW
    drawn.append(element("path", class_="fig-rule", d=f"M{zero:.1f} {top:.0f}V{end:.0f}"))
    width = left + before + long + _room(figure) + 4
    width = max(width, start + said)
    return parts.picture(width, end + 4, figure.title, drawn)


def _room(figure: Bars) -> float:
    return max(map(len, alike(figure.values)), default=1) * NUMBER + 8


def _axis(figure: Bars, start: float, long: float) -> Axis:
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
    return Axis(low, high, start, start + long)


def _bar(
    figure: Bars, i: int, words: tuple[str, str], axis: Axis, place: tuple[float, float, int]
) -> list[Markup]:
    (name, said), value = words, float(figure.values[i])
    x, y, most = place
    zero = axis.at(0)
    end = axis.at(max(min(value, axis.high), axis.low))
    role = "" if figure.role in ("plain", "accent") else f" is-{figure.role}"
    chosen = " is-chosen" if i == figure.chosen else ""
    middle = y + ROW / 2
    number = (end - 5, "fig-number fig-end") if value < 0 else (end + 5, "fig-number")
    return [
        label(x, middle + 4.5, name, f"fig-end{chosen}", most=most),
        rect(min(zero, end), middle - THICK / 2, abs(end - zero), THICK, f"fig-bar{role}{chosen}"),
        text(number[0], middle + 4, said, number[1]),
    ]
