"""The pictures of attention in tiles."""

import numpy as np

from app.engine.flash import plain_bytes, tiled_bytes
from app.figures import Figure, Heatmap, Line, Lines
from app.figures.describe import Array
from app.i18n import _
from lessons.attention.labs.flash_measured import BLOCK, Measured
from lessons.attention.labs.flash_words import Tiled

LENGTHS = tuple(2**n for n in range(4, 14))  # 16 … 8192 tokens
NUMBERED = 8  # tiles along a side: up to here each cell has room for its number


def draw(seen: Tiled, measured: Measured | None) -> tuple[Figure, ...]:
    """Describe the running maxima and sums, and the bytes held."""
    maxima, totals = np.zeros((2, len(seen.labels), seen.side), np.float32)
    for tile in seen.tiled.tiles:
        column = tile.keys.start // seen.block
        maxima[tile.queries, column], totals[tile.queries, column] = tile.maximum, tile.total
    return (
        running(seen, "maximum", _("Running maximum m"), maxima),
        running(seen, "total", _("Running sum ℓ"), totals),
        memory(seen, measured),
    )


def running(seen: Tiled, name: str, title: str, values: Array) -> Heatmap:
    """Describe what is known of each row after each block of keys."""
    return Heatmap(
        name=name,
        title=title,
        rows=seen.labels,
        columns=tuple(seen.span(n) for n in range(seen.side)),
        values=values,
        row_title=_("row: the token that looks"),
        column_title=_("column: after the keys with these numbers"),
        scale="range",
        chosen=(seen.token, None),
        numbers=seen.side <= NUMBERED,
        compact=True,
        caption=CAPTIONS[name],
    )


CAPTIONS = {
    "maximum": _("It only grows; the last column is the largest score of the row"),
    "total": _("It shrinks whenever the maximum grows; the last column is softmax’s denominator"),
}


def memory(seen: Tiled, measured: Measured | None) -> Lines:
    """Describe the bytes that each way holds beside queries, keys and values."""
    T = np.array(LENGTHS, np.float64)
    plain = np.array([plain_bytes(n, seen.width) for n in LENGTHS], np.float64)
    tiled = np.array([tiled_bytes(n, seen.width, block=seen.block) for n in LENGTHS], np.float64)
    name = _("tiles of {block}").format(block=seen.block)
    lines = [Line(_("plain"), T, plain), Line(name, T, tiled)]
    if measured:
        name = _("tiles of {block}, measured").format(block=BLOCK)
        lines += [points(_("plain, measured"), measured.plain), points(name, measured.tiled)]
    return Lines(
        name="memory",
        title=_("Bytes held for one head"),
        lines=tuple(lines),
        x_title=_("tokens T"),
        y_title=_("bytes beside Q, K and V"),
        log_x=True,
        log_y=True,
        caption=_("Both axes grow by factors: the steeper line quadruples where the other doubles"),
    )


def points(name: str, pairs: tuple[tuple[int, int], ...]) -> Line:
    """Turn measured pairs into a curve."""
    return Line(name, *np.array(pairs, np.float64).reshape(-1, 2).T)
