"""The pictures of an analogy: two rankings, and the parallelogram seen from above its plane."""

from typing import NamedTuple

import numpy as np

from app.engine.projection import plane, share_in
from app.engine.vectors import Analogy, cosine
from app.figures import Bars, Scatter
from app.figures.describe import Array
from app.i18n import _
from app.models import WordVectors
from app.reading import quote
from lessons.embeddings.labs.vocabulary import thousands


class Answered(NamedTuple):
    """The question, its answer, and the table that gave it."""

    names: tuple[str, str, str]  # a, b, c as the table spells them
    rows: tuple[int, int, int]
    best: int  # row of the nearest word that is none of the three
    found: Analogy
    vectors: WordVectors

    @property
    def question(self) -> str:
        """The question as a line of arithmetic."""
        a, b, c = self.names
        return f"{a} − {b} + {c}"

    @property
    def answer(self) -> str:
        """The nearest word that is none of the three."""
        return self.vectors.words[self.best]


def draw_bars(asked: Answered) -> tuple[Bars, Bars]:
    """Describe both rankings: with the three words that went in, and without them."""
    words, found = asked.vectors.words, asked.found
    letters = {row: f" · {letter}" for row, letter in zip(asked.rows, "abc", strict=True)}
    labels = tuple(words[row] + letters.get(int(row), "") for row in found.among_all.rows)
    with_inputs = Bars(
        name="with-inputs",
        title=_("All {count} words").format(count=thousands(len(words))),
        labels=labels,
        values=found.among_all.cosines,
        value_title=_("cosine with {sum}").format(sum=asked.question),
        chosen=0,
        caption=_("Nothing is left out; a, b and c mark the three inputs."),
    )
    others = Bars(
        name="without-inputs",
        title=_("Without the three inputs"),
        labels=tuple(words[row] for row in found.without_inputs.rows),
        values=found.without_inputs.cosines,
        value_title=_("cosine with {sum}").format(sum=asked.question),
        chosen=0,
        caption=_("The usual rule: a, b and c may not be answers."),
    )
    return with_inputs, others


def draw_plane(asked: Answered) -> tuple[Scatter, tuple[str, ...]]:
    """Describe the parallelogram, seen from straight above its plane, and say what it hides."""
    a, b, c = (np.asarray(asked.vectors.vectors[row], np.float32) for row in asked.rows)
    d = np.asarray(asked.vectors.vectors[asked.best], np.float32)
    axes = plane(c - b, a - b)
    steps = np.stack([b - b, a - b, c - b, asked.found.target - b, d - b])
    shares = share_in(axes, steps)
    (name_a, name_b, name_c), answer = asked.names, asked.answer
    inside = _("{share:.0%} of the step from {b} lies in this plane")
    figure = Scatter(
        name="plane",
        title=_("The parallelogram, in the plane of its corners"),
        points=steps @ axes.T,
        labels=(name_b, name_a, name_c, asked.question, answer),
        groups=(*(_("in the plane"),) * 4, _("a shadow on it")),
        arrows=((0, 1), (2, 3), (0, 2), (1, 3)),
        details=(
            _("where both steps begin"),
            *(inside.format(share=float(s), b=quote(name_b)) for s in shares[1:]),
        ),
        x_title=_("along the step from {b} to {c}").format(b=quote(name_b), c=quote(name_c)),
        y_title=_("across it, toward {a}").format(a=quote(name_a)),
        caption=_(
            "Lengths and angles between the three inputs and the computed corner are true; "
            "the answer is a word of its own, and its point is a shadow."
        ),
    )
    return figure, say_plane(asked, axes, float(shares[4]), d)


def say_plane(asked: Answered, axes: Array, share: float, d: Array) -> tuple[str, ...]:
    """Say how much of the answer lies in the plane, and how well the two steps agree."""
    a, b, c = (np.asarray(asked.vectors.vectors[row], np.float32) for row in asked.rows)
    name_a, name_b, name_c = map(quote, asked.names)
    if not axes.any(axis=1).all():
        flat = _("Two of the three words are one and the same, so there is no parallelogram.")
        return (flat,)
    words = {"a": name_a, "b": name_b, "c": name_c, "d": quote(asked.answer)}
    seen = _(
        "{a}, {b}, {c} and the computed corner lie in one plane exactly. Of the step from {b} to "
        "{d}, {share:.0%} lies in it (as squared length); the rest points out of the page."
    )
    agree = _(
        "An analogy works when two steps agree: from {b} to {c} and from {a} to {d} "
        "measure cosine {cosine:.2f}."
    )
    said = [seen.format(**words, share=share)]
    if (d != a).any():
        said.append(agree.format(**words, cosine=cosine(c - b, d - a)).replace("-0.", "−0."))
    return tuple(said)
