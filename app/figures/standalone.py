"""A figure as a file of its own: the same drawing with its colours, caption and model inside."""

import re
import textwrap
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from app.figures.describe import Figure
from app.figures.svg import svg
from app.figures.svg.parts import clean

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
LINE = 18  # pixels of a line under the drawing
LETTER = 6.6  # pixels of a letter in 12 px sans


@cache
def tokens() -> dict[str, str]:
    """Read the colours and faces by their names, as they are by day."""
    found = dict(re.findall(r"--([\w-]+):\s*([^;]+);", _sheet("tokens")))
    by_day = re.compile(r"light-dark\(([^,]+),.*\)")
    return {name: by_day.sub(r"\1", value.strip()) for name, value in found.items()}


def _sheet(name: str) -> str:
    """Read a style sheet without its comments and without what is only for print."""
    text = (CSS / f"{name}.css").read_text(encoding="utf-8")
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.split(r"@media (?:print|\(prefers)", bare)[0]


@cache
def style() -> str:
    """Give the rules of the page's drawings with every name replaced by its value."""
    # Only rules of the drawing itself: not those of its frame, of scripts, of the pointer.
    rules = [
        rule
        for sheet in ("figure", "drawing")
        for rule in re.findall(r"(?:^|(?<=[}\n]))\s*(svg [^{}]+\{[^{}]*\})", _sheet(sheet))
        if not re.search(r":hover|transition|cross-|has-lit", rule)
    ]
    values = tokens()
    return re.sub(r"var\(--([\w-]+)\)", lambda m: values[m[1]], "\n".join(rules))


def standalone(figure: Figure, caption: str, model_line: str) -> str:
    """Write a figure as an .svg file: its title above, caption and model below, by daylight."""
    drawing = svg(figure)
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawing)
    wide, high = (int(size[1]), int(size[2])) if size else (640, 480)
    full = max(wide, 360) + 32
    letters = int((full - 32) / LETTER)
    title = textwrap.wrap(clean(figure.title), int(letters * 0.85)) or [""]
    below = [
        line for words in (figure.caption, caption, model_line)
        for line in textwrap.wrap(clean(words), letters)
    ]  # fmt: skip
    top = 16 + LINE * len(title)
    height = top + 8 + high + 14 + LINE * len(below) + 10
    parts = [
        _file_head(full, height),
        Markup("<title>{}</title>").format(clean(figure.title)),
        Markup(f"<style>{style()}</style>"),  # noqa: S704 (our own style sheets)
        Markup('<rect width="100%" height="100%" fill="{}"/>').format(tokens()["paper"]),
        *(_line(words, 14 + LINE * (i + 1), "fig-title") for i, words in enumerate(title)),
        Markup('<svg x="16" y="{}" ').format(top + 8) + drawing[len("<svg ") :],
        *(_line(line, top + high + 8 + LINE * (i + 1), "fig-note") for i, line in enumerate(below)),
        Markup("</svg>\n"),
    ]
    return str(Markup("").join(parts))


def _file_head(wide: int, high: int) -> Markup:
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">'
    ).format(wide, high)


def _line(words: str, y: int, class_: str) -> Markup:
    return Markup('<text x="16" y="{}" class="{}">{}</text>').format(y, class_, escape(words))
