"""The pictures of the mask workshop."""

from dataclasses import replace

import numpy as np

from app.figures import Bars, Figure, Heatmap
from app.i18n import _
from lessons.encoder_decoder.labs.mask_words import Masked

MOST_BARS = 24
DRAWN = 32  # tokens: up to here a digit or two fit
NUMBERED = 10  # tokens: up to here each cell has room for its number


def draw(seen: Masked, cell: tuple[int, int]) -> tuple[Figure, ...]:
    """Describe scores, mask, sum and weights; the lost row sums; who learns of whom."""
    scores = Heatmap(
        name="scores",
        title=_("1. Scores"),
        rows=seen.labels,
        columns=seen.labels,
        values=seen.scores,
        row_title=_("row: the token that looks"),
        column_title=_("column: the token looked at"),
        scale="range",
        chosen=cell,
        numbers=len(seen.labels) <= NUMBERED,
        compact=True,
        caption=_("How well each key fits each query, divided by √d_k; nothing is hidden yet."),
    )
    steps = (
        ("mask", _("2. The mask"), seen.mask, _("0 changes nothing; −∞ shuts the cell")),
        ("masked", _("3. Scores + mask"), seen.masked, _("What softmax is given")),
    )
    between = [
        replace(scores, name=name, title=title, values=values, caption=caption)
        for name, title, values, caption in steps
    ]
    return scores, *between, weights(seen, scores), row_sums(seen, cell[0]), knowledge(seen, cell)


def weights(seen: Masked, scores: Heatmap) -> Heatmap:
    """Describe what softmax makes of the masked scores."""
    return replace(
        scores,
        name="weights",
        title=_("4. Weights"),
        values=seen.weights,
        scale="weights",
        caption=_("After softmax, row by row: each row sums to 1, a shut cell has exactly 0."),
    )


def row_sums(seen: Masked, row: int) -> Bars:
    """Describe what each row would sum to, had the mask been put on after softmax."""
    shown = np.sort(np.argsort(seen.sums, kind="stable")[:MOST_BARS])
    caption = _("Multiplying the finished weights by 0 instead: the hidden share is lost")
    if len(shown) < len(seen.sums):
        caption += _(" (the {n} rows that lose most)").format(n=MOST_BARS)
    at = np.flatnonzero(shown == row)
    return Bars(
        name="row-sums",
        title=_("Masked after softmax: what each row sums to"),
        labels=tuple(seen.labels[n] for n in shown),
        values=seen.sums[shown],
        value_title=_("sum of the row; it should be 1"),
        chosen=int(at[0]) if len(at) else None,
        scale="weights",
        caption=caption,
    )


def knowledge(seen: Masked, cell: tuple[int, int]) -> Heatmap:
    """Describe after how many layers each token first knows of each other one."""
    return Heatmap(
        name="first-layer",
        title=_("Through {layers} layers: when who first knows of whom").format(layers=seen.layers),
        rows=seen.labels,
        columns=seen.labels,
        values=seen.first,
        row_title=_("row: the token that learns"),
        column_title=_("column: the token it learns of"),
        scale="range",
        chosen=cell,
        numbers=len(seen.labels) <= DRAWN,
        compact=True,
        blocked_title=_("−∞: never"),
        caption=_("0: itself; 1: seen directly; 2 and more: heard through others, layer by layer."),
    )
