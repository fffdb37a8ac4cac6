"""What is said of one query's way: its finding, its maths, its question."""

from dataclasses import dataclass

import numpy as np

from app.engine.attention import attend, contributions
from app.engine.functions import softmax
from app.figures.describe import Array
from app.figures.numbers import short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import ModelCard
from app.reading import quote

FIRST = 8  # numbers of a vector that are shown at once
PRINTED = 24  # tokens: up to here the lines to reproduce hold all keys, above only the scores


@dataclass(frozen=True)
class Asked:
    """Every vector on the way of one token's question through one head."""

    labels: tuple[str, ...]
    special: tuple[bool, ...]
    token: int
    place: tuple[int, int]  # layer and head, from 1
    words: Array  # (D) the word's row of the table
    position: Array  # (D)
    segment: Array  # (D)
    embedding: Array  # (D) their sum, normalised
    x: Array  # (D) what this layer reads
    query: Array  # (K)
    keys: Array  # (T, K)
    values: Array  # (T, K)
    products: Array  # (T) q·k
    scores: Array  # (T) divided by √K
    weights: Array  # (T)
    parts: Array  # (T, K) each value, as loud as its weight
    mixed: Array  # (K)

    @property
    def best(self) -> int:
        """The token that gets the largest weight."""
        return int(self.weights.argmax())

    @property
    def name(self) -> str:
        """The token that asks, quoted."""
        return quote(self.labels[self.token])


def find(asked: Asked) -> str:
    """Say in a sentence how the largest weight came about."""
    best = asked.best
    target = _("itself") if best == asked.token else quote(asked.labels[best])
    sentence = _(
        "{name} gives {target} most: q·k is {product}, divided by √{size} it is {score}, and "
        "softmax over {count} tokens makes {weight:.2f} of it. So that share of the mix is the "
        "value of {target}."
    )
    return sentence.format(
        name=asked.name,
        target=target,
        product=short(float(asked.products[best])),
        size=len(asked.query),
        score=short(float(asked.scores[best])),
        count=len(asked.labels),
        weight=float(asked.weights[best]),
    )


def formulas(asked: Asked) -> tuple[Formula, ...]:
    """Write projection, weight and mix, each with this input's shapes and numbers."""
    return query_formula(asked), weight_formula(asked), mix_formula(asked)


def query_formula(asked: Asked) -> Formula:
    """Write how the query is made."""
    D, K = len(asked.x), len(asked.query)
    return Formula(
        _("The query"),
        r"q_i=x_iW_Q+b_Q",
        rf"x_i\in\mathbb{{R}}^{{{D}}}\quad W_Q\in\mathbb{{R}}^{{{D}\times {K}}}\quad "
        rf"q_i\in\mathbb{{R}}^{{{K}}}",
        rf"q_{{{asked.token + 1}}}=({', '.join(f'{v:.2f}' for v in asked.query[:4])},\ldots)",
    )


def weight_formula(asked: Asked) -> Formula:
    """Write how the largest weight is made."""
    T, K, best = len(asked.labels), len(asked.query), asked.best
    total = float(np.exp(asked.scores).sum())
    root, score = rf"{asked.products[best]:.3f}/\sqrt{{{K}}}", asked.scores[best]
    return Formula(
        _("The largest weight"),
        r"\alpha_{ij}=\frac{\exp(q_i\cdot k_j/\sqrt{d_k})}"
        r"{\sum_{m}\exp(q_i\cdot k_m/\sqrt{d_k})}",
        rf"q_i,k_j\in\mathbb{{R}}^{{{K}}}\quad \alpha_i\in\mathbb{{R}}^{{{T}}}",
        rf"\alpha_{{{asked.token + 1},{best + 1}}}=\frac{{\exp({root})}}{{{total:.3f}}}"
        rf"=\frac{{\exp({score:.3f})}}{{{total:.3f}}}={asked.weights[best]:.3f}",
    )


def mix_formula(asked: Asked) -> Formula:
    """Write how the first number of the mix is made, its three loudest terms one by one."""
    T, K = len(asked.labels), len(asked.query)
    loud = np.argsort(-asked.weights, kind="stable")[:3]
    terms = "".join(f"{asked.parts[n, 0]:+.3f}" for n in loud).lstrip("+")
    if len(loud) < T:
        terms += r"+\cdots"
    return Formula(
        _("The first number of the mix"),
        r"o_i=\sum_{j}\alpha_{ij}\,v_j",
        rf"V\in\mathbb{{R}}^{{{T}\times {K}}}\quad o_i\in\mathbb{{R}}^{{{K}}}",
        rf"o_{{{asked.token + 1},1}}={terms}={asked.mixed[0]:.3f}",
    )


def snippet(asked: Asked) -> Snippet:
    """Give lines of NumPy with the real numbers that print a weight and a number of the mix."""
    T, best, token = len(asked.labels), asked.best, asked.token + 1
    query, keys, values = (printed(part) for part in (asked.query, asked.keys, asked.values))
    if T <= PRINTED:
        rows = ",\n    ".join(listed(key) for key in keys)
        given = (
            f"# the query of token {token} and the keys of all {T} tokens\n"
            f"q = np.array({listed(query)})\nkeys = np.array([\n    {rows},\n])\n"
            "scores = keys @ q / np.sqrt(len(q))\n"
        )
        weights = attend(query[None], keys, values[:, :1]).weights[0]
    else:
        given = f"# q·k/√d_k of token {token}\nscores = np.array({listed(asked.scores)})\n"
        weights = softmax(printed(asked.scores))
    mixed = contributions(weights, values[:, :1]).sum()
    code = (
        f"import numpy as np\n\n{given}# the first number of each value\n"
        f"values = np.array({listed(values[:, 0])})\n"
        "weights = np.exp(scores - scores.max())\nweights /= weights.sum()\n"
        f"print(f'{{weights[{best}]:.3f}} {{weights @ values:.3f}}')"
    )
    return Snippet(code, f"{weights[best]:.3f} {mixed:.3f}")


def printed(values: Array) -> Array:
    """Keep of each number what its print keeps."""
    return np.round(values.astype(np.float64), 4)


def listed(values: Array) -> str:
    """Write numbers as a Python list."""
    return "[" + ", ".join(f"{value:.4f}" for value in values.tolist()) + "]"


def predict(asked: Asked) -> Prediction | None:
    """Ask which key fits best, where there are enough tokens to choose from."""
    order = [int(n) for n in np.argsort(-asked.scores) if not asked.special[n]]
    options = sorted(order[:1] + order[1 :: max(1, len(order) // 3)][:3])
    names = tuple(dict.fromkeys(asked.labels[n] for n in options))
    if len(names) < 3:
        return None
    question = _("Before you look: which of these keys fits the query of {name} best?")
    answer = _("{best}: q·k is {product}. {finding}").format(
        best=quote(asked.labels[order[0]]),
        product=short(float(asked.products[order[0]])),
        finding=find(asked),
    )
    return Prediction(question.format(name=asked.name), names, asked.labels[order[0]], answer)


def remarks(asked: Asked, card: ModelCard) -> tuple[str, ...]:
    """Say what a careful reader should know of these numbers."""
    notes = [
        _(
            "This is one head of layer {layer}. The other heads do the same with matrices of their "
            "own; their mixes are laid side by side and blended by one more matrix."
        ).format(layer=asked.place[0])
    ]
    if card.kind == "random":
        notes.append(_("The weights are RANDOM: the steps are right, the numbers mean nothing."))
    return tuple(notes)
