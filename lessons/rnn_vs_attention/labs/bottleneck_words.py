"""What the bottleneck lab says: its finding, its formulas, its lines of NumPy, its remarks."""

import math

import numpy as np

from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import RecallNetworks
from app.reading import quote
from lessons.rnn_vs_attention.labs.bottleneck_pictures import NAMES
from lessons.rnn_vs_attention.labs.recall_answers import ASSIGNMENTS, ROWS, Answer, Asked


def listed(names: list[str]) -> str:
    """Join names as one says them.

    Example:
        >>> listed(["a"]), listed(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    if len(names) < 2:
        return "".join(names)
    return _("{some} and {last}").format(some=", ".join(names[:-1]), last=names[-1])


def what(asked: Asked, answer: Answer) -> str:
    """Name in the reader's own words what a network said."""
    numbers = asked.symbols.values.tolist()
    if answer.said not in numbers:
        return _("a value that was never told")
    return quote(asked.told.values[numbers.index(answer.said)])


def find(asked: Asked, answers: tuple[Answer, ...]) -> str:
    """Say who was right, who was wrong, and how many numbers each could remember in."""
    told = asked.told
    right = [answer for answer in answers if answer.is_right]
    wrong = [answer for answer in answers if not answer.is_right]
    pairs = _("one pair") if len(told.keys) == 1 else _("{n} pairs").format(n=len(told.keys))
    begin = _("Of {pairs}, {key} is asked for; {value} is right.")
    said = [begin.format(pairs=pairs, key=quote(told.keys[told.asked]), value=quote(told.right))]
    if right:
        names = [f"{NAMES[a.network.cell]} ({a.right:.2f})" for a in right]
        said.append(_("Found (with this probability) by {names}.").format(names=listed(names)))
    said += [missed(asked, answer) for answer in wrong]
    return " ".join(said)


def missed(asked: Asked, answer: Answer) -> str:
    """Say what one network answered instead."""
    text = _(
        "{name}, holding it all in {width} numbers, says {value} "
        "and gives the right one {share:.2f}."
    )
    if answer.network.cell == "attention":
        text = _("{name} says {value} and gives the right one {share:.2f}.")
    return text.format(
        name=NAMES[answer.network.cell],
        width=answer.held,
        value=what(asked, answer),
        share=answer.right,
    )


def formulas(
    asked: Asked, answers: tuple[Answer, ...], nets: RecallNetworks
) -> tuple[Formula, ...]:
    """Write where the answer comes from, how it is scored, and how much has to be remembered."""
    tokens = 2 * len(asked.told.keys) + 1
    kept = Formula(
        _("What each kind of network keeps of T tokens"),
        r"\text{recurrent: }h_T,\ D\ \text{numbers (LSTM }2D\text{)}\qquad"
        r"\text{attention: }K,V,\ 2LTD\ \text{numbers}",
        memory(answers, tokens),
    )
    return answered(answers, tokens), needed(len(asked.told.keys), nets), kept


def answered(answers: tuple[Answer, ...], tokens: int) -> Formula:
    """Write the right value's probability in the first recurrent network, or in any."""
    recurrent = [a for a in answers if a.network.cell != "attention"]
    shown = recurrent[0] if recurrent else answers[0]
    width, symbols = shown.network.width, len(shown.logits)
    score, total = float(shown.logits[shown.place]), float(np.exp(shown.logits).sum())
    return Formula(
        _("The right value’s probability, from the {name}’s last state alone").format(
            name=NAMES[shown.network.cell]
        ),
        r"P(v)=\frac{\exp(z_v)}{\sum_u\exp(z_u)}\qquad z=W\,h_T+b\qquad h_t=f(h_{t-1},x_t)",
        rf"T={tokens}\quad h_T\in\mathbb{{R}}^{{{width}}}\quad "
        rf"W\in\mathbb{{R}}^{{{symbols}\times {width}}}",
        rf"P=\frac{{\exp({score:.2f})}}{{{total:.2f}}}={shown.right:.3f}",
    )


def needed(pairs: int, nets: RecallNetworks) -> Formula:
    """Count the bits of so many pairs: which keys they have, and which value each of them."""
    keys, values = nets.keys, nets.values
    ways = math.comb(keys, pairs)
    bits = math.log2(ways) + pairs * math.log2(values)
    return Formula(
        _("How much there is to remember"),
        r"\log_2\binom{K}{n}+n\,\log_2 V\ \text{bits}",
        rf"K={keys}\ \text{{keys}}\quad V={values}\ \text{{values}}\quad n={pairs}\ \text{{pairs}}",
        rf"\log_2 {ways}+{pairs}\cdot {math.log2(values):g}={bits:.1f}\ \text{{bits}}",
    )


def memory(answers: tuple[Answer, ...], tokens: int) -> str:
    """Count the numbers that each network keeps."""
    parts = []
    for answer in answers:
        attends = answer.network.cell == "attention"
        kept = 2 * tokens * answer.held if attends else answer.held
        parts.append(rf"\text{{{NAMES[answer.network.cell]}: }}{kept}")
    return r"\qquad ".join(parts)


def snippet(answers: tuple[Answer, ...]) -> Snippet:
    """Write the answer of the first recurrent network as lines of NumPy."""
    shown = next((a for a in answers if a.network.cell != "attention"), answers[0])
    scores = ", ".join(f"{float(z):.3f}" for z in shown.logits)
    z = np.array([round(float(z), 3) for z in shown.logits])
    weights = np.exp(z - z.max())
    share = float((weights / weights.sum())[shown.place])
    code = (
        "import numpy as np\n\n"
        f"# {NAMES[shown.network.cell]}: a score for each of its {len(z)} symbols\n"
        f"z = np.array([{scores}])\n"
        "p = np.exp(z - z.max())\np /= p.sum()\n"
        f'print(f"{{p[{shown.place}]:.3f}}")'
    )
    return Snippet(code, f"{share:.3f}")


def predict(asked: Asked, answers: tuple[Answer, ...], finding: str) -> Prediction:
    """Ask how many of the networks will be right."""
    question = _("Before you look: how many of the {n} networks will answer {key} right?")
    return Prediction(
        question.format(n=len(answers), key=quote(asked.told.keys[asked.told.asked])),
        tuple(str(n) for n in range(len(answers) + 1)),
        str(sum(answer.is_right for answer in answers)),
        finding,
    )


def remarks(asked: Asked, answers: tuple[Answer, ...], nets: RecallNetworks) -> tuple[str, ...]:
    """Explain the symbols, the sizes, and what the measurements are good for."""
    told = asked.told
    symbols = _(
        "The networks know no words: they were trained on {keys} key symbols and {values} value "
        "symbols. Each of your words is given one, drawn by number; the same word always gets the "
        "same. Another draw can turn a lucky answer into a wrong one, so {n} other draws are tried."
    ).format(keys=nets.keys, values=nets.values, n=ASSIGNMENTS)
    counts = ", ".join(f"{NAMES[a.network.cell]} {a.network.parameters:,}" for a in answers)
    sizes = _("Parameters: {counts}. All were trained on the same drills for the same steps.")
    chance = _(
        "With {rows} lists a length, a share can be off by {off:.0f} points by chance alone."
    ).format(rows=ROWS, off=100 / math.sqrt(ROWS))
    notes = [symbols, sizes.format(counts=counts), chance]
    if len(told.values) == 1:
        notes.append(_("Only one value was told, so nobody has to know whose it is."))
    return tuple(notes)
