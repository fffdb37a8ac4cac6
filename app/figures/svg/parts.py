"""The parts that drawings are made of: elements whose text is always escaped."""

import unicodedata
from collections.abc import Iterable, Mapping

from markupsafe import Markup, escape

# Advance widths in pixels, a little wide: 13 px mono has 7.8; sans is measured on Inter.
MONO, SANS, NUMBER = 7.85, 7.0, 7.25
LINE = 18  # from one line of text to the next
WIDE = ("W", "F")  # East Asian width: two columns
# Characters that XML forbids, and those that turn the direction of what follows them.
DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Take out of a reader's text what would break the drawing around it."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        "�" if unicodedata.category(c) in ("Cc", "Cs") or c in "\ufffe\uffff" else c
        for c in text
        if c not in DIRECTIONS
    )


def columns(text: str) -> int:
    """Count how many letters wide a text is in a fixed-width face."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in WIDE for c in text)
    nothing = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) + wide - nothing


def shorten(text: str, most: int) -> str:
    """Cut a text to so many columns, with an ellipsis where it was cut.

    Example:
        >>> shorten("Donaudampfschiff", 8)
        'Donauda…'
    """
    if columns(text) <= most:
        return text
    kept = ""
    for c in text:
        if columns(kept + c) > most - 1:
            break
        kept += c
    return kept + "…"


def say(number: float) -> str:
    """Write a coordinate with at most two decimals.

    Example:
        >>> say(3.0), say(2 / 3)
        ('3', '0.67')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".").replace("-0", "0", number == 0)


def attributes(given: Mapping[str, object]) -> str:
    """Write attributes, escaped: class_ becomes class, data_x data-x; None is left out."""
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(held)}"'
        for name, held in given.items()
        if held is not None
    )


def _value(held: object) -> str:
    if isinstance(held, float):
        return say(held)
    return str(held) if isinstance(held, int) else str(escape(held))


def element(tag: str, content: Markup | str = "", /, **given: object) -> Markup:
    """Write one element; content that is not markup yet is escaped."""
    inside = escape(content)
    head = f"<{tag}{attributes(given)}"
    drawn = f"{head}>{inside}</{tag}>" if inside else f"{head}/>"
    return Markup(drawn)  # noqa: S704 (attributes and content were escaped just above)


def join(parts: Iterable[Markup]) -> Markup:
    """Put pieces of a drawing one after the other."""
    return Markup("").join(parts)


def text(x: float, y: float, words: str, class_: str, /, **given: object) -> Markup:
    """Write words whose baseline starts at (x, y)."""
    return element("text", clean(words), x=float(x), y=float(y), class_=class_, **given)


def label(x: float, y: float, words: str, class_: str, /, most: int, **given: object) -> Markup:
    """Write a reader's token: cut when it is long, whole on hover, in its own direction."""
    whole = clean(words)
    seen = shorten(whole, most)
    full = element("title", whole) if seen != whole else Markup("")
    return element(
        "text", full + escape(seen), x=float(x), y=float(y), class_=f"fig-label {class_}".strip(),
        unicode_bidi="isolate", **given,
    )  # fmt: skip


def rect(x: float, y: float, w: float, h: float, class_: str, /, **given: object) -> Markup:
    """Draw a rectangle."""
    return element(
        "rect", x=float(x), y=float(y), width=float(w), height=float(h), class_=class_, **given
    )


def picture(
    w: float, h: float, title: str, content: Iterable[Markup], /, **given: object
) -> Markup:
    """Put a drawing together: its unit is the CSS pixel, its title is its accessible name."""
    wide, high = round(w + 0.5), round(h + 0.5)
    name = clean(title)
    return element(
        "svg", element("title", name) + join(content), xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {wide} {high}", width=wide, height=high, role="img", aria_label=name, **given,
    )  # fmt: skip
