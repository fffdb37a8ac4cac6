"""Marks of a point: a shape for each group, so that groups differ in more than their colour."""

import math

from markupsafe import Markup

from app.figures.describe import Labels, Role
from app.figures.svg.parts import element

SHAPES = 6


def mark(x: float, y: float, shape: int, size: float = 5.0, class_: str = "fig-dot") -> Markup:
    """Draw the mark of a group at (x, y): circle, square, triangle, diamond, cross, ring."""
    k = shape % SHAPES
    name = f"{class_} fig-group-{k + 1}"
    if k in (0, 5):
        return element("circle", cx=float(x), cy=float(y), r=float(size), class_=name)
    return element("path", d=_outline(x, y, k, size), class_=name)


def _outline(x: float, y: float, k: int, s: float) -> str:
    corners = {
        1: [(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
        2: [(0, -1.15), (1.1, 0.8), (-1.1, 0.8)],
        3: [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        4: [
            (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4),
            (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4),
        ],
    }[k]  # fmt: skip
    return "M" + "L".join(f"{x + dx * s:.1f} {y + dy * s:.1f}" for dx, dy in corners) + "z"


def group_order(groups: Labels) -> dict[str, int]:
    """Number the groups in the order in which they come."""
    return {name: i for i, name in enumerate(dict.fromkeys(groups))}


def role_class(role: Role) -> str:
    """Name the class of a meaning; ink and accent need none."""
    return "" if role in ("plain", "accent") else f" is-{role}"


def arrow(start: tuple[float, float], end: tuple[float, float], gap: float = 7) -> Markup:
    """Draw an arrow between two points that stops short of both marks."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    if length < 2 * gap + 4:
        return Markup("")
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    tip, base = (x1 - ux * gap, y1 - uy * gap), (x1 - ux * (gap + 9), y1 - uy * (gap + 9))
    shaft = f"M{x0 + ux * gap:.1f} {y0 + uy * gap:.1f}L{base[0]:.1f} {base[1]:.1f}"
    head = (
        f"M{tip[0]:.1f} {tip[1]:.1f}L{base[0] - uy * 4:.1f} {base[1] + ux * 4:.1f}"
        f"L{base[0] + uy * 4:.1f} {base[1] - ux * 4:.1f}z"
    )
    return element("path", class_="fig-edge", d=shaft) + element("path", class_="fig-arrow", d=head)
