"""What is said of attention in tiles: its steps, its finding, its maths."""

from dataclasses import dataclass

import numpy as np

from app.engine.attention import Attention
from app.engine.flash import (
    Tile,
    TiledAttention,
    attend_in_tiles,
    map_bytes,
    plain_bytes,
    tiled_bytes,
)
from app.figures.describe import Array
from app.figures.numbers import short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import ModelCard
from app.reading import quote
from lessons.attention.labs.flash_measured import BLOCK, PLAIN_UP_TO, Measured

LONG = 8192


@dataclass(frozen=True)
class Tiled:
    """One head, attended plainly and in tiles."""

    labels: tuple[str, ...]
    token: int  # the query that is followed
    place: tuple[int, int]  # layer and head, from 1
    block: int
    plain: Attention
    tiled: TiledAttention
    width: int
    held: tuple[int, int]  # bytes for this sentence: plain, tiled

    @property
    def side(self) -> int:
        """How many tiles stand along a side of the map."""
        return -(-len(self.labels) // self.block)

    @property
    def name(self) -> str:
        """The token that is followed, quoted."""
        return quote(self.labels[self.token])

    @property
    def difference(self) -> float:
        """The largest difference between the two outputs."""
        return float(np.abs(self.plain.mixed - self.tiled.mixed).max())

    @property
    def row(self) -> tuple[Tile, ...]:
        """The tiles that the followed query passes through, in order."""
        own = self.token
        return tuple(t for t in self.tiled.tiles if t.queries.start <= own < t.queries.stop)

    def span(self, block: int) -> str:
        """Name a block of keys by the numbers of its first and last token."""
        first, last = block * self.block + 1, min((block + 1) * self.block, len(self.labels))
        return str(first) if first == last else f"{first}–{last}"


@dataclass(frozen=True)
class Step:
    """One tile's arrival: a line for each query of its block."""

    title: str
    keys: str
    rows: tuple[tuple[str, bool, tuple[str, ...]], ...]  # token, followed or not, its numbers


def steps(seen: Tiled) -> tuple[Step, ...]:
    """Tell what each tile changes for the block of queries that holds the followed one."""
    return tuple(step(seen, n, tile) for n, tile in enumerate(seen.row))


def step(seen: Tiled, number: int, tile: Tile) -> Step:
    """Tell what one tile changes."""
    rows = []
    for n, token in enumerate(range(tile.queries.start, tile.queries.stop)):
        numbers = (tile.scores[n].max(), tile.maximum[n], tile.shrink[n], tile.total[n])
        said = (*(short(float(v)) for v in numbers), short(float(tile.mixed[n, 0])))
        rows.append((seen.labels[token], token == seen.token, said))
    title = _("Tile {n} of {all}: keys {span}").format(
        n=number + 1, all=seen.side, span=seen.span(number)
    )
    return Step(title, " ".join(seen.labels[tile.keys]), tuple(rows))


def size(count: float) -> str:
    """Say a number of bytes.

    Example:
        >>> size(512), size(3 * 1024), size(513 * 1024**2)
        ('512 bytes', '3 KiB', '513 MiB')
    """
    for factor, unit in ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB")):
        if count >= factor:
            return f"{short(float(f'{count / factor:.3g}'))} {unit}"
    return f"{count:.0f} bytes"


def find(seen: Tiled, measured: Measured | None) -> str:
    """Say how little the outputs differ, what was kept, and what a long text would take."""
    sentence = _(
        "Tile by tile ({block} × {block} tokens, {count} in all) the output is the same as at "
        "once, to within {difference}. Of the row of {name} two numbers were kept, m = {m} and "
        "ℓ = {total}; its "
        "maximum was {times} on the way. For {long} tokens the plain way would hold "
        "{plain} for this one head: the scores and the weights, {map} each, and the output. "
        "Tiles would hold {tiled}."
    )
    corrected = sum(bool(t.shrink[seen.token - t.queries.start] < 1) for t in seen.row[1:])
    words = {0: _("never corrected"), 1: _("corrected once"), 2: _("corrected twice")}
    return sentence.format(
        count=seen.side**2,
        block=seen.block,
        difference=short(float(f"{seen.difference:.1e}")),
        name=seen.name,
        m=short(float(seen.tiled.maximum[seen.token])),
        total=short(float(seen.tiled.total[seen.token])),
        times=words.get(corrected, _("corrected {n} times").format(n=corrected)),
        long=short(LONG),
        plain=size(plain_bytes(LONG, seen.width)),
        map=size(map_bytes(LONG)),
        tiled=size(tiled_bytes(LONG, seen.width, block=seen.block)),
    ) + (f" {said_of(measured)}" if measured else "")


def said_of(measured: Measured) -> str:
    """Say what was measured."""
    sentence = _("Measured here: plain {plain} at {short} tokens, tiles {tiled} at {long}.")
    return sentence.format(
        plain=size(measured.plain[-1][1]),
        short=short(measured.plain[-1][0]),
        tiled=size(measured.tiled[-1][1]),
        long=short(measured.tiled[-1][0]),
    )


def formulas(seen: Tiled) -> tuple[Formula, ...]:
    """Write how a tile corrects the sums, and how many bytes are held."""
    T, K, b = len(seen.labels), seen.width, seen.block
    plain, tiled = (f"{count:,}".replace(",", r"\,") for count in seen.held)
    return (
        correction(seen),
        Formula(
            _("Bytes held, plainly and in tiles of side b"),
            r"4\,(2T^2+TK)\qquad 4\,(2b^2+b\,(4+3K)+T\,(2K+2))",
            rf"T={T}\quad K={K}\quad b={min(b, T)}",
            rf"\text{{plainly }}{plain}\text{{ bytes}}\qquad"
            rf"\text{{in tiles }}{tiled}\text{{ bytes}}",
        ),
    )


def correction(seen: Tiled) -> Formula:
    """Write the online softmax, with the last correction of the followed row."""
    tiles, own = seen.row, seen.token - seen.row[0].queries.start
    late = [n for n, t in enumerate(tiles) if n and t.shrink[own] < 1]
    at = late[-1] if late else len(tiles) - 1
    tile = tiles[at]
    before, m, shrink = float(tiles[at - 1].total[own]), tile.maximum[own], tile.shrink[own]
    if not at:  # one tile only: nothing came before it
        before = 0.0
    added = float(tile.total[own]) - before * float(shrink)
    return Formula(
        _("A tile arrives: the sums are corrected, then added to"),
        r"m'=\max(m,\max_j s_j)\qquad \ell'=\ell\,e^{m-m'}+\sum_j e^{s_j-m'}"
        r"\qquad o'=o\,e^{m-m'}+\sum_j e^{s_j-m'}v_j",
        rf"s\in\mathbb{{R}}^{{{tile.scores.shape[-1]}}}\quad m,\ell\in\mathbb{{R}}\quad "
        rf"o\in\mathbb{{R}}^{{{seen.width}}}",
        rf"m'={m:.3f}\qquad \ell'={before:.3f}\cdot {shrink:.3f}+{added:.3f}={tile.total[own]:.3f}",
    )


def snippet(seen: Tiled) -> Snippet:
    """Give lines of NumPy that print the maximum and the sum of the followed row."""
    scores: Array = np.round(seen.plain.scores[seen.token].astype(np.float64), 4)
    listed = ", ".join(f"{score:.4f}" for score in scores.tolist())
    again = attend_in_tiles(
        np.ones((1, 1), scores.dtype), scores[:, None], scores[:, None], block=seen.block
    )
    code = (
        "import numpy as np\n\n"
        f"# q·k/√d_k of token {seen.token + 1} with all {len(scores)} tokens\n"
        f"scores = np.array([{listed}])\nmaximum, total = -np.inf, 0.0\n"
        f"for start in range(0, len(scores), {seen.block}):\n"
        f"    tile = scores[start : start + {seen.block}]\n"
        "    larger = max(maximum, tile.max())\n"
        "    total = total * np.exp(maximum - larger) + np.exp(tile - larger).sum()\n"
        "    maximum = larger\n"
        "print(f'{maximum:.3f} {total:.3f}')"
    )
    return Snippet(code, f"{again.maximum[0]:.3f} {again.total[0]:.3f}")


def predict(seen: Tiled) -> Prediction:
    """Ask how memory grows when the text doubles."""
    options = (_("both double"), _("plain × 4, tiles × 2"), _("both × 4"))
    plain = plain_bytes(LONG, seen.width) / plain_bytes(LONG // 2, seen.width)
    tiled = [tiled_bytes(n, seen.width, block=seen.block) for n in (LONG, LONG // 2)]
    answer = _(
        "From {half} to {long} tokens the plain way holds {plain} times as much, tiles {tiled}."
    )
    return Prediction(
        _("Before you look: the text becomes twice as long. How does the memory grow?"),
        options,
        options[1],
        answer.format(
            half=short(LONG // 2),
            long=short(LONG),
            plain=f"{plain:.2f}",
            tiled=f"{tiled[0] / tiled[1]:.2f}",
        ),
    )


def remarks(
    seen: Tiled, card: ModelCard, measured: Measured | None, *, asked: int
) -> tuple[str, ...]:
    """Say how it was measured, and what was cut."""
    notes = []
    if asked < seen.block:
        text = _("Tiles of {asked} would be {n} steps here; tiles of {block} are shown.")
        count = (len(seen.labels) // asked) ** 2
        notes.append(text.format(asked=asked, n=short(count), block=seen.block))
    if measured:
        text = _(
            "Measured once on this server as the peak of NumPy’s allocations, on random vectors "
            "of this head’s width, in {seconds:.1f} s; other requests at that moment count too. "
            "The plain way only up to {most} tokens, to spare the server; tiles have a side of "
            "{block}, since smaller ones take Python too many steps. NumPy holds one more copy "
            "of the map than the formula counts."
        )
        notes.append(text.format(seconds=measured.seconds, most=short(PLAIN_UP_TO), block=BLOCK))
    if card.kind == "random":
        notes.append(_("The weights are RANDOM: both ways agree all the same."))
    return tuple(notes)
