"""A drawn mask as text: a row of 0 and 1 for each token, rows parted by strokes."""

import re

import numpy as np

from app.engine.masks import Allowed
from app.figures.describe import Array
from app.i18n import _
from app.lab import BadInput


def write(mask: Array) -> str:
    """Write a mask as text: 1 where looking is allowed.

    Example:
        >>> write(np.array([[0, -np.inf], [0, 0]]))
        '10/11'
    """
    return "/".join("".join("01"[int(cell)] for cell in row) for row in np.isfinite(mask))


def parse(text: str, tokens: int) -> tuple[Allowed, bool]:
    """Read a drawn mask; nothing drawn yet is a causal one. Also say whether it had to be fitted.

    Example:
        >>> parse("10/11", 2)[0].astype(int).tolist(), parse("11/11", 2)[1]
        ([[1, 0], [1, 1]], False)

    Raises: BadInput, when there is anything but 0 and 1, or rows differ in length.
    """
    rows = [row for row in re.split(r"[/\s,;|]+", text) if row]
    if not rows:
        return np.tri(tokens, dtype=bool), False
    odd = next((sign for row in rows for sign in row if sign not in "01"), "")
    if odd:
        message = _(
            "There is “{sign}” in the mask. Use 1 for “may look”, 0 for “may not”, / for a new row."
        )
        raise BadInput("mask", message.format(sign=odd))
    lengths = [len(row) for row in rows]
    if len(set(lengths)) > 1:
        at = next(n for n, length in enumerate(lengths) if length != lengths[0])
        message = _(
            "Row {row} of the mask has {own} cells, row 1 has {first}. Make them equally long."
        )
        raise BadInput("mask", message.format(row=at + 1, own=lengths[at], first=lengths[0]))
    return fit(np.array([[sign == "1" for sign in row] for row in rows]), tokens)


def fit(drawn: Allowed, tokens: int) -> tuple[Allowed, bool]:
    """Cut a drawing to a sentence of another length, or go on with causal rows.

    A row that only loses its open cells by the cut may look at itself.

    Example:
        >>> fit(np.array([[True, True], [False, True]]), 3)[0].astype(int).tolist()
        [[1, 1, 0], [0, 1, 0], [1, 1, 1]]
    """
    if drawn.shape == (tokens, tokens):
        return drawn, False
    rows, columns = (min(size, tokens) for size in drawn.shape)
    allowed = np.tri(tokens, dtype=bool)
    allowed[:rows] = False
    allowed[:rows, :columns] = drawn[:rows, :columns]
    robbed = drawn[:rows].any(axis=1) & ~allowed[:rows].any(axis=1)
    for row in np.flatnonzero(robbed):
        allowed[row, row] = True
    return allowed, True
