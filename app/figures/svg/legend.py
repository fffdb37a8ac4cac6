"""The strip under a shaded figure that says what its two ends stand for."""

from markupsafe import Markup

from app.figures.numbers import short
from app.figures.svg.parts import NUMBER, SANS, element, join, rect, text
from app.figures.svg.shades import Shading
from app.i18n import _

HEIGHT = 26
STEP, THIN = 8, 5  # pixels a shade, and where there is little room


def legend(x: float, y: float, shades: Shading, *, blocked: str = "", step: int = STEP) -> Markup:
    """Draw the shades in a row between the numbers of their ends, and what −∞ means, if given."""
    if shades.high <= shades.low:
        every = _("all others are {value}") if blocked else _("every value is {value}")
        words = every.format(value=short(shades.low))
        said = text(x, y + 12, words, "fig-note")
        after = x + len(words) * SANS + 14
        return element("g", join((said, _blocked(after, y, blocked))) if blocked else said)
    low, high = short(shades.low), short(shades.high)
    start = x + len(low) * NUMBER + 5
    first = -8 if shades.signed else 0
    drawn = [text(x, y + 12, low, "fig-number")]
    for i in range(17):
        name = f"fig-cell {shades.class_of(first + i)}"
        drawn.append(rect(start + i * step, y + 2, step, 12, name))
    end = start + 17 * step
    drawn += [
        rect(start, y + 2, 17 * step, 12, "fig-frame"),
        text(end + 5, y + 12, high, "fig-number"),
    ]
    if blocked:
        after = end + 5 + len(high) * NUMBER + 14
        drawn.append(_blocked(after, y, blocked))
    return element("g", join(drawn), aria_hidden="true")


def _blocked(x: float, y: float, words: str) -> Markup:
    hatch = f"M{x:.0f} {y + 14:.0f}l12 -12"
    return join(
        (
            rect(x, y + 2, 12, 12, "fig-cell fig-blocked"),
            element("path", class_="fig-hatch", d=hatch),
            text(x + 17, y + 12, words, "fig-note"),
        )
    )
