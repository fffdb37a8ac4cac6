"""Curves over a common axis, each named where it ends."""

import math
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from app.figures.describe import Array, Line, Lines
from app.figures.svg import parts
from app.figures.svg.axes import Axis, across, around, room_for, upward, widened
from app.figures.svg.parts import SANS, element, join, text
from app.figures.svg.placing import apart
from app.i18n import _

WIDE, HIGH = 440.0, 250.0  # pixels of the plot
LOW = 200.0  # its height where there is little room
LONGEST = 32


def lines(figure: Lines, room: float = 0) -> Markup:
    """Draw the curves; what a logarithmic axis has no place for is left out, and counted."""
    top, tall = 30.0, LOW if room else HIGH
    low, high = _ends([c.y for c in figure.lines], figure.log_y)
    if not figure.log_y:
        low, high = widened(low, high)
    y = Axis(low, high, top + tall, top, figure.log_y)
    left = room_for(y)
    wide = room - left - 12 if room else WIDE
    x = Axis(*_ends([c.x for c in figure.lines], figure.log_x), left, left + wide, figure.log_x)
    drawn = [
        text(0, 14, figure.y_title, "fig-axis"),
        *upward(y, left, left + wide),
        *across(x, top + tall, top),
        text(left + wide, top + tall + 36, figure.x_title, "fig-axis fig-end"),
        *(_curve(line, i, x, y) for i, line in enumerate(figure.lines)),
    ]
    below = top + tall + 44
    note = _left_out(figure)
    if note:
        drawn.append(text(0 if room else left, below + 10, note, "fig-note"))
        below += 18
    if room:
        listed, high = _list(figure, left, below + 14)
        return parts.picture(room, below + high, figure.title, [*drawn, *listed])
    names = max((min(len(line.label), LONGEST) for line in figure.lines), default=0)
    width = max(left + wide + names * SANS + 16, len(figure.y_title) * SANS)
    return parts.picture(width, below, figure.title, [*drawn, *_names(figure, x, y)])


def _list(figure: Lines, left: float, top: float) -> tuple[list[Markup], float]:
    """Name the curves one under the other, each after a piece of it; and the height of that."""
    drawn = []
    for i, line in enumerate(figure.lines):
        y, name = top + i * parts.LINE, style(line, i)
        drawn.append(element("path", class_=name, d=f"M{left:.0f} {y - 4:.0f}h30"))
        words = parts.shorten(parts.clean(line.label), LONGEST)
        drawn.append(text(left + 38, y, words, f"fig-name {name}"))
    return drawn, 6.0 + len(figure.lines) * parts.LINE


def style(line: Line, index: int) -> str:
    """Name the class of a curve: its meaning, or its number among the curves."""
    if line.role == "plain":
        return f"fig-line-{index % 6 + 1}"
    return "fig-line" if line.role == "accent" else f"fig-line is-{line.role}"


def _ends(values: list[Array], log: bool) -> tuple[float, float]:
    every = np.concatenate([v.astype(np.float64) for v in values]) if values else np.zeros(0)
    return around(every[np.isfinite(every)], log=log)


def _drawable(line: Line, x: Axis, y: Axis) -> NDArray[Any]:
    """Say which points of a curve have a place on both axes."""
    open_ = np.isfinite(line.x) & np.isfinite(line.y)
    if x.log:
        open_ &= line.x > 0
    if y.log:
        open_ &= line.y > 0
    return open_


def _kept(line: Line, x: Axis) -> NDArray[Any]:
    """Choose the points to draw: of many in one column of pixels the lowest and the highest."""
    if len(line.x) <= 2 * WIDE:
        return np.arange(len(line.x))
    usable = np.clip(line.x, x.low, x.high)
    pixels = np.array([round(x.at(v)) for v in usable])
    kept = {0, len(line.x) - 1}
    for pixel in np.unique(pixels):
        members = np.flatnonzero(pixels == pixel)
        kept |= {int(members[np.argmin(line.y[members])]), int(members[np.argmax(line.y[members])])}
    return np.array(sorted(kept))


def _curve(line: Line, index: int, x: Axis, y: Axis) -> Markup:
    d, drawing = [], False
    kept = _kept(line, x)
    for px, py, seen in zip(line.x[kept], line.y[kept], _drawable(line, x, y)[kept], strict=True):
        if seen:
            d.append(f"{'L' if drawing else 'M'}{x.at(px):.1f} {y.at(py):.1f}")
        drawing = bool(seen)
    dots = [
        element("circle", cx=x.at(px), cy=y.at(py), r=2.5, class_="fig-dot")
        for px, py, seen in zip(line.x, line.y, _drawable(line, x, y), strict=True)
        if seen and len(line.x) == 1
    ]
    path = element("path", class_=style(line, index), d="".join(d))
    return element("g", join([element("title", parts.clean(line.label)), path, *dots]))


def _names(figure: Lines, x: Axis, y: Axis) -> list[Markup]:
    """Write each curve's name at its end, moved apart where two would touch."""
    ends = []
    for i, line in enumerate(figure.lines):
        seen = np.flatnonzero(_drawable(line, x, y))
        if len(seen):
            last = seen[-1]
            ends.append((y.at(line.y[last]), x.at(line.x[last]), i))
    # Where there are too many to name, every so-manyth is; each has its name on hover.
    ends = sorted(ends)[:: max(1, math.ceil(len(ends) * 16 / (HIGH + 8)))]
    spots = apart([want for want, _x, _i in ends], 16, y.end, y.start + 8)
    drawn = []
    right = x.end + 10
    for (want, at_x, i), at_y in zip(ends, spots, strict=True):
        if abs(at_y - want) > 3 or right - at_x > 16:
            lead = f"M{at_x + 2:.1f} {want:.1f}L{right - 3:.1f} {at_y:.1f}"
            drawn.append(element("path", class_="fig-lead", d=lead))
        words = parts.shorten(parts.clean(figure.lines[i].label), LONGEST)
        drawn.append(text(right, at_y + 4.5, words, f"fig-name {style(figure.lines[i], i)}"))
    return drawn


def _left_out(figure: Lines) -> str:
    """Say how many points a logarithmic axis cannot hold."""
    count = sum(
        int(((line.y <= 0) & figure.log_y | (line.x <= 0) & figure.log_x).sum())
        for line in figure.lines
    )
    if not count:
        return ""
    words = _("left out: {count} values of 0 or less, which a logarithmic axis cannot hold")
    return words.format(count=count)
