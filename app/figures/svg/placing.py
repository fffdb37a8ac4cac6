"""Finding room for labels: beside their points and clear of each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.figures.svg.parts import MONO, columns

Box = tuple[float, float, float, float]  # left, top, right, bottom
HIGH = 14  # pixels of a label's line
# Where a label may stand, best first: (sideways, down, how it is anchored).
PLACES = (
    (8, 4.5, ""), (-8, 4.5, "fig-end"), (0, -9, "fig-middle"), (0, 19, "fig-middle"),
    (7, -7, ""), (7, 16, ""), (-7, -7, "fig-end"), (-7, 16, "fig-end"),
)  # fmt: skip


@dataclass(frozen=True)
class Spot:
    """Where a label stands, and whether there was room for it."""

    x: float
    y: float
    anchor: str
    room: bool


Point = tuple[float, float]


def place(
    points: list[Point],
    names: list[str],
    inside: Box,
    lines: Sequence[tuple[Point, Point]] = (),
) -> list[Spot]:
    """Give every label the first free place beside its point; one without room shows on hover."""
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    for line in lines:
        taken += _along(*line)
    spots = []
    for own, ((x, y), name) in enumerate(zip(points, names, strict=True)):
        spots.append(_free(x, y, columns(name) * MONO, taken, own, inside))
        spot = spots[-1]
        if spot.room:
            taken.append(_box(spot, columns(name) * MONO))
    return spots


def _along(start: Point, end: Point) -> list[Box]:
    """Cover a line with small boxes, away from its two ends."""
    (x0, y0), (x1, y1) = start, end
    count = int(max(abs(x1 - x0), abs(y1 - y0)) / 6)
    steps = [(x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count) for i in range(2, count - 1)]
    return [(x - 2, y - 2, x + 2, y + 2) for x, y in steps]


def _free(x: float, y: float, wide: float, taken: list[Box], own: int, inside: Box) -> Spot:
    others = taken[:own] + taken[own + 1 :]
    for sideways, down, anchor in PLACES:
        spot = Spot(x + sideways, y + down, anchor, room=True)
        box = _box(spot, wide)
        if _within(box, inside) and not any(_touch(box, other) for other in others):
            return spot
    return Spot(x + 8, y + 4.5, "", room=False)


def _box(spot: Spot, wide: float) -> Box:
    left = spot.x - {"": 0, "fig-middle": wide / 2, "fig-end": wide}[spot.anchor]
    return left, spot.y - 11, left + wide, spot.y + HIGH - 11


def _within(box: Box, inside: Box) -> bool:
    return (
        box[0] >= inside[0] and box[1] >= inside[1] and box[2] <= inside[2] and box[3] <= inside[3]
    )


def _touch(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def apart(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Move rising positions apart by at least gap, and back up where they would pass high.

    Example:
        >>> apart([10.0, 12.0, 99.0], 16, 0, 100)
        [10.0, 26.0, 99.0]
    """
    moved: list[float] = []
    for want in wanted:
        moved.append(max(want, moved[-1] + gap if moved else low))
    limit = high
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - gap
    return moved
