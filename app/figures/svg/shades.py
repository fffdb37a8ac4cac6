"""From a number to one of seventeen shades, and from shades to few short paths."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from app.figures.describe import Array, Scale

BLOCKED = -99  # the level of −∞: nothing may pass
Levels = NDArray[np.int_]


@dataclass(frozen=True)
class Shading:
    """What the two ends of a scale stand for."""

    low: float
    high: float
    signed: bool
    faint: float = 0.0  # weights: from here on a value is shown, in the lightest shade at least

    def levels(self, values: Array) -> Levels:
        """Give each value its shade: 0…16, or −8…8 when signed; −∞ is BLOCKED."""
        open_ = np.where(np.isneginf(values), self.low, values)
        steps = np.zeros(values.shape)
        if self.high > self.low:
            unit = np.clip((open_.astype(np.float64) - self.low) / (self.high - self.low), 0, 1)
            steps = np.floor(unit * 16 + 0.5) - (8 if self.signed else 0)
            if self.faint:
                steps = np.where(unit >= self.faint, np.maximum(steps, 1), 0)
        return np.where(np.isneginf(values), BLOCKED, steps).astype(np.int_)

    def ink_on(self, level: int) -> str:
        """Name the class of letters that can be read on a level."""
        middle, dark = (5, 6) if self.signed else (8, 10)
        if level == BLOCKED or abs(level) < middle:
            return "fig-on-light"
        return "fig-on-dark" if abs(level) >= dark else "fig-on-middle"

    def class_of(self, level: int) -> str:
        """Name the style class of a level."""
        return f"{'d' if self.signed else 'h'}{level}"


def _faint(weights: Array) -> float:
    """Give the least weight that is shown: half of an even share, at most half a shade."""
    return 0.5 / max(16, int(weights.shape[-1]))


def shading(values: Array, scale: Scale) -> Shading:
    """Choose the ends of the scale from what the quantity is, not from where it happens to lie."""
    finite = values[np.isfinite(values)]
    if scale == "weights":
        return Shading(0.0, 1.0, signed=False, faint=_faint(values))
    if not finite.size:
        return Shading(0.0, 0.0, signed=scale == "signed")
    if scale == "signed":
        most = float(np.abs(finite).max())
        return Shading(-most, most, signed=True)
    return Shading(float(finite.min()), float(finite.max()), signed=False)


def runs(levels: NDArray[Any]) -> list[tuple[int, int, int, int]]:
    """List the stretches of equal cells of each row: (row, first column, length, level).

    Example:
        >>> runs(np.array([[5, 5, 0], [0, 0, 0]]))
        [(0, 0, 2, 5), (0, 2, 1, 0), (1, 0, 3, 0)]
    """
    first = np.ones(levels.shape, dtype=bool)
    first[:, 1:] = levels[:, 1:] != levels[:, :-1]
    at = np.flatnonzero(first)
    lengths = np.diff(at, append=levels.size)
    row, column = np.divmod(at, max(levels.shape[1], 1))
    found = zip(row.tolist(), column.tolist(), lengths.tolist(), strict=True)
    return [(*place, level) for place, level in zip(found, levels.flat[at].tolist(), strict=True)]


def cells(levels: Levels, shades: Shading) -> Markup:
    """Draw a matrix in unit cells: one path a level; level 0 is the ground and is not drawn."""
    pieces: dict[int, list[str]] = defaultdict(list)
    for r, c, n, level in runs(levels):
        if level:
            pieces[level].append(f"M{c} {r}h{n}v1h-{n}z")
    drawn = []
    for level, d in sorted(pieces.items()):
        name = "fig-blocked" if level == BLOCKED else shades.class_of(level)
        drawn.append(f'<path class="fig-cell {name}" d="{"".join(d)}"/>')
    return Markup("".join(drawn))  # noqa: S704 (names and numbers of our own)


def hatching(levels: Levels) -> str:
    """Give the lines that hatch blocked cells, in unit cells, as few as there can be."""
    rows, columns = levels.shape
    slanted = np.zeros((rows + columns - 1, rows), dtype=bool)  # one row for each anti-diagonal
    r, c = np.nonzero(levels == BLOCKED)
    slanted[r + c, r] = True
    return "".join(
        f"M{k - first + 1} {first}l-{n} {n}" for k, first, n, blocked in runs(slanted) if blocked
    )
