"""Points in space, flattened from one fixed side; Plotly turns them."""

import numpy as np
from markupsafe import Markup

from app.figures.describe import Array, Scatter3D
from app.figures.svg import parts
from app.figures.svg.marks import group_order, mark
from app.figures.svg.parts import SANS, element, text
from app.figures.svg.placing import place
from app.figures.svg.scatter import LONGEST, bounds, key, named
from app.i18n import _

WIDE, HIGH = 560, 440
MOST_STEMS = 40  # so many points get a line down to the floor, which shows how deep they lie
COS30, SIN30 = 0.8660254, 0.5


def flatten(points: Array) -> Array:
    """Look along the diagonal of the unit box: x runs right and down, y left and down, z up.

    Example:
        >>> flatten(np.array([[0.0, 0, 0], [0, 0, 1]])).tolist()
        [[0.0, 0.0], [0.0, -1.0]]
    """
    x, y, z = points.T
    return np.stack([(x - y) * COS30, (x + y) * SIN30 - z], axis=1)


def scatter3d(figure: Scatter3D) -> Markup:
    """Draw the nearer points larger; and say that this is a projection."""
    low, high = bounds(figure.points)
    size = float((high - low).max()) or 1.0  # one unit is as long on all three axes
    box = (figure.points - (low + high) / 2) / size + 0.5
    at = _pixels(flatten(box))
    near = box @ np.array([1.0, 1.0, 1.0]) / 3
    order = [int(i) for i in np.argsort(near)]
    names = [parts.shorten(parts.clean(figure.labels[i]), LONGEST) for i in order]
    spots = place([at[i] for i in order], names, (0, 0, WIDE, HIGH))
    groups = group_order(figure.groups)
    drawn = _frame(figure)
    if len(at) <= MOST_STEMS:
        floor = _pixels(flatten(box * np.array([1.0, 1.0, 0.0])))
        ends = zip(at, floor, strict=True)
        stems = "".join(f"M{x:.1f} {y:.1f}V{low:.1f}" for (x, y), (_x, low) in ends)
        drawn.append(element("path", class_="fig-drop", d=stems))
    for i, spot in zip(order, spots, strict=True):
        shape = groups[figure.groups[i]] if figure.groups else 0
        dot = mark(*at[i], shape, size=3.0 + 4.0 * float(np.clip(near[i], 0, 1)))
        details = figure.details[i] if figure.details else ""
        drawn.append(named(dot, spot, figure.labels[i], details))
    note = _("Flattened from one side: a larger mark is nearer.")
    drawn.append(text(0, HIGH + 16, note, "fig-note"))
    keys, more = key(figure.groups, 0, HIGH + 40, WIDE)
    return parts.picture(WIDE, HIGH + 26 + more, figure.title, [*drawn, *keys])


def _pixels(flat: Array) -> list[tuple[float, float]]:
    """Lay the flattened unit box over the picture: it is 2·cos 30° wide and 2 high."""
    scale = (HIGH - 60) / 2
    return [(WIDE / 2 + float(x) * scale, 30 + (float(y) + 1) * scale) for x, y in flat]


def _frame(figure: Scatter3D) -> list[Markup]:
    """Draw the box's floor and back edge, and name its axes."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float64)
    o, x, both, y, z = _pixels(flatten(corners))

    def line(*points: tuple[float, float]) -> str:
        return "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points)

    first, second, third = (t or n for t, n in zip(figure.axis_titles, "xyz", strict=True))
    return [
        element("path", class_="fig-grid", d=line(o, x, both, y, o, z)),
        text(min(x[0] - 10, WIDE - len(first) * SANS), x[1] + 34, first, "fig-axis"),
        text(y[0] + 10, y[1] + 34, second, "fig-axis fig-end")
        if len(second) * SANS < y[0] + 10
        else text(0, y[1] + 34, second, "fig-axis"),
        text(z[0] + 8, z[1] - 6, third, "fig-axis"),
    ]
