"""Who looks at whom: tokens, and curves as strong as the weights between them."""

import math
from collections import defaultdict
from collections.abc import Callable

from markupsafe import Markup

from app.figures.describe import Arcs
from app.figures.svg import parts
from app.figures.svg.parts import MONO, SANS, element, label, text
from app.i18n import _

FAINTEST = 0.02  # weaker lines are left out
MANY, CROWDED = 32, 0.1  # of more tokens than this, rows that are not chosen show only these
ROW = 22  # pixels from one token to the next
GAP, LEAST = 170.0, 60.0  # between the two columns, and at least where there is little room
LONGEST = 18
Shape = Callable[[int, int], str]  # row, column: the curve between them


def arcs(figure: Arcs, room: float = 0) -> Markup:
    """Draw the tokens in two columns, or in one row with the curves above it."""
    return _in_a_row(figure) if figure.layout == "row" else _in_columns(figure, room)


def strength(weight: float) -> int:
    """Give the step of ten that a weight is drawn in; 0 is not drawn.

    Example:
        >>> strength(0.01), strength(0.02), strength(0.31), strength(1.0)
        (0, 1, 4, 10)
    """
    return 0 if weight < FAINTEST else min(10, math.ceil(weight * 10 - 1e-9))


def _curves(figure: Arcs, shape: Shape) -> list[Markup]:
    """Draw one path for each row and step; the chosen row comes last, on top of the others."""
    drawn = []
    order = sorted(range(len(figure.rows)), key=lambda row: row == figure.chosen)
    for row in order:
        steps: dict[int, list[str]] = defaultdict(list)
        quiet = figure.chosen is not None and row != figure.chosen
        least = CROWDED if quiet and len(figure.rows) > MANY else FAINTEST
        for column, weight in enumerate(figure.values[row]):
            if weight >= least and (step := strength(float(weight))):
                steps[step if figure.chosen is None else min(step + 3, 10)].append(
                    shape(row, column)
                )
        for step, curves in sorted(steps.items()):
            name = "fig-arc is-quiet o1" if quiet else f"fig-arc o{step}"
            drawn.append(element("path", class_=name, d="".join(curves), data_token=row))
    return drawn


def _in_columns(figure: Arcs, room: float) -> Markup:
    widest = [
        max((min(parts.columns(n), LONGEST) for n in names), default=1) * MONO
        for names in (figure.rows, figure.columns)
    ]
    heads = (figure.row_title or _("looks"), figure.column_title or _("is looked at"))
    x0 = max(widest[0], len(heads[0]) * SANS) + 8
    beside = max(widest[1], len(heads[1]) * SANS) + 10
    gap = max(LEAST, min(GAP, room - x0 - beside - 1)) if room else GAP
    x1, top = x0 + gap, 26.0

    def line(row: int, column: int) -> str:
        y0, y1 = top + (row + 0.5) * ROW, top + (column + 0.5) * ROW
        bend = gap * 0.45
        start, end = f"{x0:.0f} {y0:.0f}", f"{x1:.0f} {y1:.0f}"
        return f"M{start}C{x0 + bend:.0f} {y0:.0f} {x1 - bend:.0f} {y1:.0f} {end}"

    content = [
        text(x0 - 6, 14, heads[0], "fig-axis fig-end"),
        text(x1 + 6, 14, heads[1], "fig-axis"),
        *_curves(figure, line),
        *_names(figure.rows, x0 - 6, top, "fig-end", figure.chosen),
        *_names(figure.columns, x1 + 6, top, "", None),
    ]
    high = top + max(len(figure.rows), len(figure.columns)) * ROW + 4
    return parts.picture(x1 + beside, high, figure.title, content)


def _names(
    names: tuple[str, ...], x: float, top: float, class_: str, chosen: int | None
) -> list[Markup]:
    return [
        label(
            x, top + (i + 0.5) * ROW + 4.5, name,
            f"{class_} is-chosen" if i == chosen else class_, most=LONGEST, data_token=i,
        )
        for i, name in enumerate(names)
    ]  # fmt: skip


def _in_a_row(figure: Arcs) -> Markup:
    """Set the words on one line; a curve rises higher the further it reaches."""
    widths = [min(parts.columns(n), LONGEST) * MONO + 14 for n in figure.rows]
    middles = [sum(widths[:i]) + w / 2 for i, w in enumerate(widths)]
    rise = _rise(figure, middles)
    base = rise + 14

    def line(row: int, column: int) -> str:
        x0, x1 = middles[row], middles[column]
        if row == column:  # a loop above the word itself
            return f"M{x0 - 5:.0f} {base:.0f}c-6 -20 16 -20 10 0"
        top = base - _height(abs(x1 - x0)) * 4 / 3
        return f"M{x0:.0f} {base:.0f}C{x0:.0f} {top:.0f} {x1:.0f} {top:.0f} {x1:.0f} {base:.0f}"

    words = [
        label(
            x, base + 18, name, "fig-middle is-chosen" if i == figure.chosen else "fig-middle",
            most=LONGEST, data_token=i,
        )
        for i, (x, name) in enumerate(zip(middles, figure.rows, strict=True))
    ]  # fmt: skip
    content = [*_curves(figure, line), *words]
    return parts.picture(max(sum(widths), 40), base + 28, figure.title, content)


def _height(distance: float) -> float:
    """Say how high a curve over so many pixels rises: less than in proportion."""
    return 5.2 * float(distance**0.55)


def _rise(figure: Arcs, middles: list[float]) -> float:
    """Find the height of the highest curve that is drawn."""
    reached = [
        abs(middles[r] - middles[c])
        for r, row in enumerate(figure.values)
        for c, weight in enumerate(row)
        if strength(float(weight))
    ]
    return max(_height(max(reached, default=0.0)), 16.0)
