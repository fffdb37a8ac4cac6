"""All heads of a model as small maps: enough to see a pattern, small enough to send them all."""

import numpy as np
from markupsafe import Markup, escape

from app.figures.describe import Array, HeadGrid
from app.figures.svg import parts
from app.figures.svg.parts import element, rect, text
from app.figures.svg.shades import cells, shading
from app.i18n import _

MOST = 24  # cells along a side; longer sentences are pooled
COARSE = 8  # shades of a small map
SIDE, PITCH = 56, 68  # pixels of a map, and from one to the next, in the picture of all

Thumbnail = tuple[int, int, str, Markup]  # layer and head from 1, what the head does, its map


def pooled(weights: Array, most: int = MOST) -> Array:
    """Shrink a map by keeping the largest weight of each block, so that no stripe is lost.

    Example:
        >>> pooled(np.eye(4), most=2)
        array([[1., 0.], [0., 1.]])
    """
    for axis in (0, 1):
        count = weights.shape[axis]
        if count > most:
            starts = np.unique(np.arange(most) * count // most)
            weights = np.maximum.reduceat(weights, starts, axis=axis)
    return weights


def thumbnails(grid: HeadGrid) -> list[list[Thumbnail]]:
    """Give each layer's heads: layer and head counted from 1, what the head does, its small map."""
    return [
        [
            (layer + 1, head + 1, pattern, _picture(grid.values[layer, head], layer, head, pattern))
            for head, pattern in enumerate(patterns)
        ]
        for layer, patterns in enumerate(grid.patterns)
    ]


def head_grid(figure: HeadGrid) -> Markup:
    """Draw all maps in one picture, a row for each layer; the chosen one is framed."""
    drawn = []
    for layer, maps in enumerate(figure.values):
        y = 24 + layer * (PITCH + 16)
        drawn.append(text(0, y + SIDE / 2 + 4, _("layer {n}").format(n=layer + 1), "fig-axis"))
        for head, weights in enumerate(maps):
            x = 62 + head * PITCH
            size = pooled(weights).shape
            unit = f"translate({x} {y}) scale({SIDE / size[1]:.4g} {SIDE / size[0]:.4g})"
            frame = "is-chosen" if (layer, head) == figure.chosen else "fig-frame"
            drawn += [
                rect(x, y, SIDE, SIDE, "fig-cell h0"),
                element("g", _shades(weights), transform=unit),
                rect(x, y, SIDE, SIDE, frame),
                text(x, y + SIDE + 14, parts.shorten(figure.patterns[layer][head], 9), "fig-note"),
            ]
    layers, heads = figure.values.shape[:2]
    names = [text(62 + h * PITCH, 16, str(h + 1), "fig-axis") for h in range(heads)]
    size = (62 + heads * PITCH, 28 + layers * (PITCH + 16))
    return parts.picture(*size, figure.title, [*names, *drawn])


def _shades(weights: Array) -> Markup:
    """Draw a map in eight shades, in unit cells."""
    shades = shading(weights, "weights")
    small = pooled(weights)
    coarse = np.floor(np.clip(small, 0, 1) * COARSE + 0.5).astype(np.int_) * (16 // COARSE)
    return cells(coarse, shades)


def _picture(weights: Array, layer: int, head: int, pattern: str) -> Markup:
    rows, columns = pooled(weights).shape
    name = _("layer {layer}, head {head}: {pattern}").format(
        layer=layer + 1, head=head + 1, pattern=pattern
    )
    said = escape(name)
    return Markup(  # noqa: S704 (the name is escaped, the rest is our own)
        f'<svg viewBox="0 0 {columns} {rows}" role="img" aria-label="{said}">'
        f"<title>{said}</title>{_shades(weights)}</svg>"
    )
