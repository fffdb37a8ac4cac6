"""Points with names in a plane."""

from collections.abc import Iterator

import numpy as np
from markupsafe import Markup

from app.figures.describe import Array, Labels, Scatter
from app.figures.svg import parts
from app.figures.svg.axes import Axis, across, around, room_for, upward
from app.figures.svg.marks import arrow, group_order, mark, role_class
from app.figures.svg.parts import MONO, SANS, element, join, text
from app.figures.svg.placing import Spot, place

WIDE, HIGH, EDGE = 560.0, 420.0, 26.0  # pixels of the plane, and of room at its edges
TALL = 320.0  # its height where there is little room
LONGEST = 22


def scatter(figure: Scatter, room: float = 0) -> Markup:
    """Draw the points, their names where there is room, and the arrows between them."""
    top = 26.0 if figure.y_title else 8.0
    left = room_for(Axis(*around(figure.points[:, 1]), 0, 1)) if len(figure.points) else 30.0
    wide, high = (room - left - 12, TALL) if room else (WIDE, HIGH)
    x, y = _axes(figure, left, top, (wide, high))
    at = [(x.at(px), y.at(py)) for px, py in figure.points]
    inside = (left, top, left + wide, top + high)
    names = [parts.shorten(parts.clean(name), LONGEST) for name in figure.labels]
    drawn = [
        text(0, 14, figure.y_title, "fig-axis") if figure.y_title else Markup(""),
        *upward(y, left, left + wide),
        *across(x, top + high, top),
        *(arrow(at[a], at[b]) for a, b in figure.arrows),
        *_points(figure, at, place(at, names, inside, [(at[a], at[b]) for a, b in figure.arrows])),
    ]
    below = top + high + 34
    if figure.x_title:
        drawn.append(text(left + wide, below, figure.x_title, "fig-axis fig-end"))
        below += 22
    keys, height = key(figure.groups, left, below, wide)
    width = max(left + wide + 12, len(figure.y_title) * SANS)
    return parts.picture(width, below - 12 + height, figure.title, [*drawn, *keys])


def _axes(figure: Scatter, left: float, top: float, size: tuple[float, float]) -> tuple[Axis, Axis]:
    """Fit the points into the plane; with equal axes one unit is as long on both."""
    (x0, x1), (y0, y1) = around(figure.points[:, 0]), around(figure.points[:, 1])
    wide, high = size[0] - 2 * EDGE, size[1] - 2 * EDGE
    if figure.equal:
        scale = max((x1 - x0) / wide, (y1 - y0) / high)
        grow_x, grow_y = scale * wide - (x1 - x0), scale * high - (y1 - y0)
        x0, x1, y0, y1 = x0 - grow_x / 2, x1 + grow_x / 2, y0 - grow_y / 2, y1 + grow_y / 2
    more_x, more_y = (x1 - x0) * EDGE / wide, (y1 - y0) * EDGE / high
    return (
        Axis(x0 - more_x, x1 + more_x, left, left + size[0]),
        Axis(y0 - more_y, y1 + more_y, top + size[1], top),
    )


def _points(figure: Scatter, at: list[tuple[float, float]], spots: list[Spot]) -> Iterator[Markup]:
    order = group_order(figure.groups)
    for i, ((x, y), spot) in enumerate(zip(at, spots, strict=True)):
        shape = order[figure.groups[i]] if figure.groups else 0
        role = role_class(figure.roles[i]) if figure.roles else ""
        details = figure.details[i] if figure.details else ""
        yield named(mark(x, y, shape, class_=f"fig-dot{role}"), spot, figure.labels[i], details)


def named(dot: Markup, spot: Spot, name: str, details: str) -> Markup:
    """Put a point and its name together; a name without room shows when the point is pointed at."""
    said = parts.clean(f"{name}: {details}" if details else name)
    class_ = spot.anchor if spot.room else "fig-tucked"
    words = parts.label(spot.x, spot.y, name, class_, most=LONGEST)
    return element("g", join((element("title", said), dot, words)), class_="fig-point")


def key(groups: Labels, x: float, y: float, wide: float) -> tuple[list[Markup], float]:
    """Say which mark stands for which group, in as many lines as it needs; and their height."""
    drawn: list[Markup] = []
    start, line = x, 0
    names = [name for name in group_order(groups) if name]
    if len(names) < 2:
        return [], 0.0
    for name in names:
        size = min(parts.columns(name), LONGEST) * MONO + 32
        if start + size > x + wide and start > x:
            start, line = x, line + 1
        at = y + line * 20
        drawn.append(mark(start + 6, at - 4, group_order(groups)[name]))
        drawn.append(parts.label(start + 16, at, name, "", most=LONGEST))
        start += size
    return drawn, (line + 1) * 20.0


def bounds(points: Array) -> tuple[Array, Array]:
    """Give the least and the greatest of each coordinate; without points, of the unit box."""
    if not len(points):
        return np.zeros(points.shape[1]), np.ones(points.shape[1])
    return points.min(axis=0), points.max(axis=0)
