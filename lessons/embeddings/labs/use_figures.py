"""The pictures of a word's uses: curves over the layers, a matrix, a map."""

from typing import NamedTuple

import numpy as np

from app.engine.projection import pca
from app.engine.vectors import directions
from app.figures import Heatmap, Line, Lines, Scatter
from app.figures.describe import Array
from app.i18n import _
from app.reading import quote
from lessons.embeddings.labs.uses import Use


class Compared(NamedTuple):
    """All uses of a word, and how alike they are in every layer."""

    word: str
    uses: tuple[Use, ...]
    texts: tuple[str, ...]  # the sentence of each use
    vectors: Array  # (L + 1, uses, D)
    cosines: Array  # (L + 1, uses, uses)
    static: Array  # (uses, uses) cosines of the rows of the word table
    usual: float | None  # mean cosine of two unlike tokens in the chosen layer
    layer: int  # the chosen one; 0 is what the first layer reads

    @property
    def labels(self) -> tuple[str, ...]:
        """The uses' names."""
        return tuple(use.label for use in self.uses)


def draw_lines(compared: Compared, look: int) -> Lines:
    """Describe how alike one use and each other one are, from the first layer to the last."""
    layers = np.arange(len(compared.cosines), dtype=np.float32)
    others = [n for n in range(len(compared.uses)) if n != look]
    static = np.full(len(layers), compared.static[look, others].mean(), np.float32)
    curves = [Line(compared.labels[n], layers, compared.cosines[:, look, n]) for n in others]
    return Lines(
        name="layers",
        title=_("{word} in line {use}, compared with its other uses").format(
            word=quote(compared.word), use=compared.uses[look].mark
        ),
        lines=(Line(_("static vector"), layers, static, "accent"), *curves),
        x_title=_("layer (0: word and position, before any layer)"),
        y_title=_("cosine"),
        caption=_("Lines that stay high are uses that mean alike; those that fall have parted."),
    )


def draw_matrix(compared: Compared, pair: tuple[int, int]) -> Heatmap:
    """Describe every use against every other in the chosen layer."""
    return Heatmap(
        name="cosines",
        title=_("Every use with every other, layer {n}").format(n=compared.layer),
        rows=compared.labels,
        columns=compared.labels,
        values=compared.cosines[compared.layer],
        row_title=_("row: one use"),
        column_title=_("column: the other"),
        scale="range",
        chosen=pair,
        numbers=True,
        caption=_("Shades run from the least cosine here to 1. The number is the cosine."),
    )


def draw_map(compared: Compared) -> tuple[Scatter, tuple[str, ...]]:
    """Describe the uses as points, laid flat by PCA, and say what that hides."""
    view = pca(directions(compared.vectors[compared.layer]), 2)
    first, second = (float(share) for share in view.explained)
    figure = Scatter(
        name="map",
        title=_("The uses on a map, layer {n}").format(n=compared.layer),
        points=view.points,
        labels=compared.labels,
        details=compared.texts,
        x_title=_("first direction ({share:.0%} of the variance)").format(share=first),
        y_title=_("second direction ({share:.0%})").format(share=second),
        caption=_("Each point is the vector that one sentence gives the word, laid flat by PCA."),
    )
    if not view.explained.any():
        return figure, ()
    text = _("The map keeps {share:.0%} of the variance between the uses.")
    return figure, (text.format(share=first + second),)
