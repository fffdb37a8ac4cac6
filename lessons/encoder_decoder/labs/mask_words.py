"""What the mask workshop says: its finding, its maths, its question."""

from dataclasses import dataclass

import numpy as np

from app.engine.functions import softmax
from app.figures.describe import Array
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import ModelCard
from app.reading import quote

NAMED = 3  # leaks named one by one
OPENINGS = {
    "padding": _("It hides the filler, not the future:"),
    "prefix": _("Inside the prefix the future is open on purpose:"),
}


@dataclass(frozen=True)
class Masked:
    """One head's look through a mask, and what the mask does to the whole stack."""

    kind: str
    labels: tuple[str, ...]
    mask: Array  # (T, T) 0 or −∞
    scores: Array  # (T, T)
    masked: Array  # (T, T)
    weights: Array  # (T, T)
    sums: Array  # (T) what the rows sum to when masked after softmax
    first: Array  # (T, T) the layer after which row first knows of column; −∞ for never
    ahead: list[tuple[int, int]]  # the places where a token sees its own future
    place: tuple[int, int]  # layer and head, from 1
    layers: int
    width: int  # of a head

    def at(self, token: int) -> str:
        """Name a token with its place, since words repeat."""
        return f"{quote(self.labels[token])} ({token + 1})"


def find(seen: Masked, row: int) -> str:
    """Say what the mask hides, what leaks, and what masking too late would do."""
    shut, cells = int(np.isneginf(seen.mask).sum()), seen.mask.size
    if not shut:
        return _(
            "Nothing is shut: all {cells} cells are open, and each token sees the whole sentence, "
            "its own future included. That is an encoder; a decoder trained so would copy the "
            "answer."
        ).format(cells=cells)
    counted = _("The mask shuts {shut} of {cells} cells.").format(
        shut=f"{shut:,}", cells=f"{cells:,}"
    )
    return f"{counted} {leaking(seen)} {too_late(seen, row)}"


def leaking(seen: Masked) -> str:
    """Name the later tokens that the mask lets through: at once, and through several layers."""
    if not seen.ahead:
        return _(
            "No token sees a later one, and none learns of a later one through all {layers} layers."
        ).format(layers=seen.layers)
    listed = [
        _("{row} sees {column}").format(row=seen.at(i), column=seen.at(j))
        for i, j in seen.ahead[:NAMED]
    ]
    rest = len(seen.ahead) - NAMED
    more = _(" and {rest} more").format(rest=rest) if rest > 0 else ""
    opening = OPENINGS.get(seen.kind, _("The future leaks:"))
    return f"{opening} {', '.join(listed)}{more}. {over_layers(seen)}"


def over_layers(seen: Masked) -> str:
    """Say who learns of its future only through others."""
    rows, columns = np.nonzero(np.triu(seen.first > 1, k=1))
    if not len(rows):
        return _("Through more layers it leaks no further.")
    order = np.argsort(seen.first[rows, columns], kind="stable")
    i, j = int(rows[order[0]]), int(columns[order[0]])
    sentence = _(
        "Through {layers} layers it spreads to {count} more pairs: {row} knows of {column} after "
        "layer {first}, though its own row hides it."
    )
    first = int(seen.first[i, j])
    return sentence.format(
        layers=seen.layers, count=len(rows), row=seen.at(i), column=seen.at(j), first=first
    )


def too_late(seen: Masked, row: int) -> str:
    """Say what the chosen row would sum to, had the mask come after softmax."""
    sentence = _("Put on after softmax, it would leave {row} with weights that sum to {total:.2f}.")
    return sentence.format(row=seen.at(row), total=float(seen.sums[row]))


def numbers(seen: Masked, cell: tuple[int, int]) -> tuple[tuple[Formula, ...], Snippet]:
    """Write the chosen cell as a formula with its numbers, and as lines of NumPy."""
    row, column = cell
    count, score, weight = len(seen.labels), seen.scores[cell], float(seen.weights[cell])
    total = float(np.exp(seen.masked[row]).sum())
    added = "-\\infty" if np.isneginf(seen.mask[cell]) else "+0"
    here = Formula(
        _("The weight of this cell"),
        r"\alpha_{ij}=\frac{\exp(s_{ij}+M_{ij})}{\sum_{m}\exp(s_{im}+M_{im})}"
        r"\qquad s_{ij}=\frac{q_i\cdot k_j}{\sqrt{d_k}}",
        rf"S,M,A\in\mathbb{{R}}^{{{count}\times {count}}}\qquad d_k={seen.width}",
        rf"\alpha_{{{row + 1},{column + 1}}}=\frac{{\exp({score:.3f}{added})}}{{{total:.3f}}}"
        rf"={weight:.3f}",
    )
    late = Formula(
        _("The same row, masked after softmax"),
        r"\sum_{j}m_{ij}\,\frac{\exp(s_{ij})}{\sum_{m}\exp(s_{im})}\leq 1"
        r"\qquad m_{ij}=\exp(M_{ij})\in\{0,1\}",
        numbers=rf"\frac{{{total:.3f}}}{{{float(np.exp(seen.scores[row]).sum()):.3f}}}"
        rf"={float(seen.sums[row]):.3f}",
    )
    return (here, late), snippet(seen, row, column)


def snippet(seen: Masked, row: int, column: int) -> Snippet:
    """Give lines of NumPy that print the chosen weight."""
    kept: Array = np.round(seen.scores[row].astype(np.float64), 4)
    weight = float(softmax(kept + seen.mask[row])[column])
    scores = ", ".join(f"{score:.4f}" for score in kept)
    mask = ", ".join("-np.inf" if np.isneginf(m) else "0" for m in seen.mask[row])
    code = (
        "import numpy as np\n\n"
        f"# q·k/√d_k of token {row + 1} with {len(seen.labels)} tokens; its row of the mask\n"
        f"scores = np.array([{scores}])\nmask = np.array([{mask}])\n"
        "masked = scores + mask\nweights = np.exp(masked - masked.max())\n"
        f"weights /= weights.sum()\nprint(f'{{weights[{column}]:.3f}}')"
    )
    return Snippet(code, f"{weight:.3f}")


def predict(seen: Masked, row: int) -> Prediction | None:
    """Ask where the hidden share goes, where there is some and somebody to take it."""
    kept = float(seen.sums[row])
    if not 0.02 < kept < 0.95 or np.isfinite(seen.mask[row]).sum() < 2:
        return None
    question = _(
        "Before you look: without the mask {row} gives {lost:.2f} of its weight here to tokens "
        "that the mask hides. Where does that share go?"
    )
    options = (
        _("to the tokens left, in equal parts"),
        _("to the tokens left, in proportion"),
        _("it is lost"),
    )
    answer = _(
        "In proportion: each weight left in the row of {row} is multiplied by the same "
        "1 ÷ {kept:.2f} = {factor:.2f}, because softmax divides by the sum of what is left."
    )
    words = seen.at(row)
    return Prediction(
        question.format(row=words, lost=1 - kept),
        options,
        options[1],
        answer.format(row=words, kept=kept, factor=1 / kept),
    )


def remarks(seen: Masked, card: ModelCard, *, fitted: bool) -> tuple[str, ...]:
    """Say what a careful reader should know of these numbers."""
    notes = []
    if fitted:
        notes.append(
            _(
                "Your drawing was made for another sentence: it was fitted to this one’s length, "
                "and new rows look backwards."
            )
        )
    if card.kind == "random":
        notes.append(_("The weights are RANDOM: masks work the same, the numbers mean nothing."))
    elif seen.kind != "full":
        notes.append(
            _(
                "The mask is on in every layer. This encoder was trained to see everything, so "
                "under a mask it reads worse than a model trained with it would."
            )
        )
    return tuple(notes)
