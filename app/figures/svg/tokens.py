"""A sentence's tokens as chips, shaded by a number, with a word under each."""

from dataclasses import dataclass

from markupsafe import Markup

from app.figures.describe import Tokens
from app.figures.numbers import alike
from app.figures.svg import parts
from app.figures.svg.legend import HEIGHT, legend
from app.figures.svg.parts import MONO, NUMBER, SANS, element, join, label, rect, text
from app.figures.svg.shades import BLOCKED, Shading, shading

WIDE, NARROW = 640, 324  # pixels of a line of chips
CHIP = 28
LONGEST = 24


@dataclass(frozen=True)
class Chip:
    """Where a token's chip stands, and the number under it."""

    x: float
    y: float
    wide: float
    said: str


def tokens(figure: Tokens) -> Markup:
    """Draw the chips in lines like text, and the scale of their shades below."""
    shades = None if figure.values is None else shading(figure.values, figure.scale)
    top = 22.0 if figure.value_title else 2.0
    high = CHIP + 8 + 16 * bool(figure.states) + 16 * (shades is not None)
    chips = _chips(figure, top, high)
    drawn = [text(0, 13, figure.value_title, "fig-axis")] if figure.value_title else []
    drawn += [_chip(figure, i, chip, shades) for i, chip in enumerate(chips)]
    end = (chips[-1].y if chips else top) + high
    if shades is not None:
        drawn.append(legend(0, end, shades))
        end += HEIGHT
    width = max((chip.x + chip.wide for chip in chips), default=40.0)
    width = max(width, len(figure.value_title) * SANS, 240.0 if shades else 0.0)
    return parts.picture(width + 2, end + 2, figure.title, drawn)


def _chips(figure: Tokens, top: float, high: float) -> list[Chip]:
    """Set chips one after the other, and on a new line where one is full."""
    placed, x, y = [], 1.0, top
    numbers = [""] * len(figure.labels) if figure.values is None else alike(figure.values)
    for i, name in enumerate(figure.labels):
        wide = max(min(parts.columns(name), LONGEST) * MONO + 14, 26.0)
        if figure.states:
            wide = max(wide, len(figure.states[i]) * SANS + 10)
        wide = max(wide, len(numbers[i]) * NUMBER + 6)
        if x + wide > (NARROW if figure.narrow else WIDE) and x > 1:
            x, y = 1.0, y + high + 4
        placed.append(Chip(x, y, wide, numbers[i]))
        x += wide + 5
    return placed


def _chip(figure: Tokens, i: int, chip: Chip, shades: Shading | None) -> Markup:
    middle, below = chip.x + chip.wide / 2, chip.y + CHIP + 13
    ground, ink = "fig-chip is-plain", ""
    drawn = []
    if shades is not None and figure.values is not None:
        level = int(shades.levels(figure.values[i : i + 1])[0])
        ground = f"fig-chip {'fig-blocked' if level == BLOCKED else shades.class_of(level)}"
        ink = shades.ink_on(level)
        drawn.append(text(middle, below, chip.said, "fig-number fig-middle"))
        below += 16
    if figure.states and figure.states[i]:
        drawn.append(text(middle, below, figure.states[i], "fig-note fig-middle"))
    ground += " is-marked" if i in figure.marked else ""
    box = rect(chip.x, chip.y, chip.wide, CHIP, ground, rx=3)
    words = label(middle, chip.y + 18.5, figure.labels[i], f"fig-middle {ink}", most=LONGEST)
    word = figure.words[i] if figure.words else i
    return element("g", join((box, words, *drawn)), data_token=word)
