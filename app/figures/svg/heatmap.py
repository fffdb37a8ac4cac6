"""A matrix as shades of ink, with names on its rows and columns."""

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from app.figures.describe import Heatmap
from app.figures.numbers import evenly
from app.figures.svg import parts
from app.figures.svg.legend import HEIGHT as LEGEND
from app.figures.svg.legend import STEP, THIN, legend
from app.figures.svg.parts import MONO, NUMBER, SANS, element, join, label, rect, text
from app.figures.svg.shades import BLOCKED, Levels, Shading, cells, hatching, shading
from app.i18n import _

# How large a cell is for so many rows or columns; between them, in proportion.
COUNTS, SIZES = (1, 8, 16, 32, 64, 128), (40, 40, 28, 20, 13, 8)
LONGEST = 16  # letters of a label
# A compact map is half a page wide for up to 16 tokens: pixels of all columns, least of a cell.
HALF, COMPACT = 320.0, 20.0
ROOMY = 72  # pixels of a cell widened so that the names of few columns need no turning
UNHATCHED = 30  # pixels: in a smaller cell the hatching says −∞, a number would be unreadable on it
PITCH = 13  # two labels closer than this would touch
SMALL = 12.0  # pixels of a cell, at least, where a map is made to fit little room


@dataclass(frozen=True)
class Plan:
    """Where everything of a heat map stands, in pixels."""

    left: float
    top: float
    wide: float  # of a cell
    high: float
    turn: int  # degrees by which the columns' labels are turned
    width: float
    height: float


def heatmap(figure: Heatmap, room: float = 0) -> Markup:
    """Draw the cells, their names, their scale, and a frame around what is chosen."""
    plan = _narrow(figure, room) if room else _plan(figure)
    shades = shading(figure.values, figure.scale)
    levels = shades.levels(figure.values)
    rows, columns = levels.shape
    w, h = columns * plan.wide, rows * plan.high
    place = f"translate({parts.say(plan.left)} {parts.say(plan.top)})"
    unit = f"{place} scale({parts.say(plan.wide)} {parts.say(plan.high)})"
    content = [
        *_titles(figure),
        rect(plan.left, plan.top, w, h, f"fig-cell {shades.class_of(0)}"),
        element("g", cells(levels, shades), transform=unit),
        _lines_between(plan, levels, unit),
        rect(plan.left, plan.top, w, h, "fig-frame"),
        *_row_labels(figure, plan),
        *_column_labels(figure, plan),
        *(_numbers(figure, plan, levels, shades) if figure.numbers else ()),
        *_chosen(figure, plan),
        _scale(plan, shades, blocked=_blocked(figure, levels), narrow=bool(room)),
    ]
    area = {"data_x": plan.left, "data_y": plan.top, "data_w": float(w), "data_h": float(h)}
    return parts.picture(
        plan.width, plan.height, figure.title, content,
        **area, data_rows=rows, data_columns=columns,
    )  # fmt: skip


def _scale(plan: Plan, shades: Shading, *, blocked: str, narrow: bool) -> Markup:
    """Say under the map what its shades stand for; where there is little room, from the edge on."""
    left, step = (0.0, THIN) if narrow else (plan.left, STEP)
    return legend(left, plan.height - LEGEND, shades, blocked=blocked, step=step)


def _blocked(figure: Heatmap, levels: Levels) -> str:
    """Say what −∞ means in this map, where there is any."""
    words = figure.blocked_title or _("−∞: may not look")
    return words if bool((levels == BLOCKED).any()) else ""


def cell_size(count: int) -> int:
    """Give the side of a cell in pixels, smaller the more there are.

    Example:
        >>> [cell_size(count) for count in (1, 8, 16, 32, 64, 128)]
        [40, 40, 28, 20, 13, 8]
    """
    return round(float(np.interp(np.log2(max(count, 1)), np.log2(COUNTS), SIZES)))


def _plan(figure: Heatmap) -> Plan:
    rows, columns = figure.values.shape
    wide = high = float(cell_size(max(rows, columns)))
    if figure.compact:
        wide = high = min(wide, max(COMPACT, HALF / columns))
    high = max(high, min(cell_size(rows), COMPACT if figure.compact else 22.0))
    if figure.numbers and columns <= 24:
        most = max(map(len, evenly(figure.values)), default=1)
        room = (6, COMPACT) if figure.compact else (8, 24.0)
        wide, high = max(wide, most * NUMBER + room[0]), max(high, room[1])
    widest = _widest(figure.columns)
    if columns <= 8 and wide < widest + 6 <= ROOMY:
        wide = widest + 6
    turn = 0 if widest <= wide - 4 else 45 if wide >= 19 else 90
    rise = {0: 20.0, 45: widest * 0.71 + 18, 90: widest + 10}[turn]
    titles = _titles(figure)
    top = len(titles) * parts.LINE + rise
    left = max(_widest(figure.rows) + 10, 24.0)
    beside = widest * 0.71 if turn == 45 else 0.0
    spoken = max((len(t) for t in _title_words(figure)), default=0) * SANS
    under = 370 if np.isneginf(figure.values).any() else 260  # the legend
    width = max(left + columns * wide + beside + 8, spoken + 8, left + under)
    return Plan(left, top, wide, high, turn, width, top + rows * high + 10 + LEGEND)


def _narrow(figure: Heatmap, room: float) -> Plan:
    """Fit all columns into little room where that is possible, their names turned upright."""
    plan = _plan(figure)
    rows, columns = figure.values.shape
    wide = max(SMALL, min(plan.wide, (room - plan.left - 4) / columns))
    widest, titles = _widest(figure.columns), len(_titles(figure)) * parts.LINE
    turn = 0 if widest <= wide - 4 else 90
    top = titles + (widest + 10 if turn else 20.0)
    high = wide if rows == columns else plan.high
    width = max(plan.left + columns * wide + 4, room)
    return Plan(plan.left, top, wide, high, turn, width, top + rows * high + 10 + LEGEND)


def _widest(labels: tuple[str, ...]) -> float:
    longest = max((min(parts.columns(name), LONGEST) for name in labels), default=1)
    return longest * MONO


def _title_words(figure: Heatmap) -> list[str]:
    column, row = figure.column_title, figure.row_title
    if figure.tokens:
        column = column or _("column: the word looked at")
        row = row or _("row: the word that looks")
    return [f"{words} {arrow}" for words, arrow in ((column, "→"), (row, "↓")) if words]


def _titles(figure: Heatmap) -> list[Markup]:
    return [
        text(0, 13 + i * parts.LINE, words, "fig-axis")
        for i, words in enumerate(_title_words(figure))
    ]


def _every(size: float) -> int:
    """Say that every so-manyth label is written, so that they do not touch."""
    return int(np.ceil(PITCH / size))


def _row_labels(figure: Heatmap, plan: Plan) -> list[Markup]:
    return [
        label(
            plan.left - 6, plan.top + (i + 0.5) * plan.high + 4.5, name, "fig-end",
            most=LONGEST, data_token=i if figure.tokens else None,
        )
        for i, name in enumerate(figure.rows)
        if i % _every(plan.high) == 0
    ]  # fmt: skip


def _column_labels(figure: Heatmap, plan: Plan) -> list[Markup]:
    drawn = []
    for j, name in enumerate(figure.columns):
        if j % _every(plan.wide):
            continue
        x, y = plan.left + (j + 0.5) * plan.wide, plan.top - 6
        token = j if figure.tokens else None
        if plan.turn:
            x += 4.5 if plan.turn == 90 else 2
            turned = f"rotate(-{plan.turn} {parts.say(x)} {parts.say(y)})"
            drawn.append(label(x, y, name, "", most=LONGEST, transform=turned, data_token=token))
        else:
            drawn.append(label(x, y, name, "fig-middle", most=LONGEST, data_token=token))
    return drawn


def _lines_between(plan: Plan, levels: Levels, unit: str) -> Markup:
    """Hatch what is blocked, and part the cells by lines of paper when they are large enough."""
    rows, columns = levels.shape
    drawn = []
    hatched = hatching(levels)
    if hatched:
        drawn.append(element("path", class_="fig-hatch", d=hatched, transform=unit))
    if min(plan.wide, plan.high) >= 12:
        across = "".join(f"M0 {r}h{columns}" for r in range(1, rows))
        down = "".join(f"M{c} 0v{rows}" for c in range(1, columns))
        drawn.append(element("path", class_="fig-gap", d=across + down, transform=unit))
    return join(drawn)


def _numbers(figure: Heatmap, plan: Plan, levels: Levels, shades: Shading) -> list[Markup]:
    """Print each number into its cell, where it fits."""
    drawn = []
    for (i, j), said in zip(np.ndindex(levels.shape), evenly(figure.values), strict=True):
        crowded = plan.wide < UNHATCHED and levels[i, j] == BLOCKED
        if crowded or len(said) * NUMBER > plan.wide - 2 or plan.high < 15:
            continue
        name = f"fig-number fig-middle {shades.ink_on(int(levels[i, j]))}"
        x, y = plan.left + (j + 0.5) * plan.wide, plan.top + (i + 0.5) * plan.high + 4
        drawn.append(text(x, y, said, name))
    return drawn


def _chosen(figure: Heatmap, plan: Plan) -> list[Markup]:
    rows, columns = figure.values.shape
    row, column = figure.chosen
    frames = []
    if row is not None:
        y = plan.top + row * plan.high
        frames.append(rect(plan.left, y, columns * plan.wide, plan.high, "is-chosen"))
    if column is not None:
        x = plan.left + column * plan.wide
        frames.append(rect(x, plan.top, plan.wide, rows * plan.high, "is-chosen"))
    return frames
