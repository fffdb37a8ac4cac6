"""The pictures of one query's way."""

import numpy as np
from numpy.typing import NDArray

from app.figures import Bars, Figure, Heatmap
from app.figures.describe import Array
from app.i18n import _
from lessons.attention.labs.steps_words import FIRST, Asked

MOST = 20  # tokens shown in a picture
LOUDEST = 5  # contributions shown one by one


def draw(asked: Asked) -> tuple[Figure, ...]:
    """Describe a picture for each step, each vector by its first numbers."""
    shown = best(asked)
    return (
        vectors("embedding", _("How the token becomes a vector"), *sources(asked)),
        vectors(
            "query-key-value",
            _("Its query, key and value"),
            (_("query"), _("key"), _("value")),
            (asked.query, asked.keys[asked.token], asked.values[asked.token]),
        ),
        vectors(
            "keys",
            _("The keys of all tokens"),
            tuple(asked.labels[n] for n in shown),
            tuple(asked.keys[n] for n in shown),
        ),
        bars(asked, shown, "products", _("q·k"), asked.products),
        bars(asked, shown, "scores", _("q·k ÷ √d_k"), asked.scores),
        bars(asked, shown, "weights", _("weight after softmax"), asked.weights),
        vectors("mix", _("The weighted sum"), *mixture(asked)),
    )


def best(asked: Asked) -> NDArray[np.int64]:
    """Choose the tokens to show: all, or those with the largest scores, in reading order."""
    return np.sort(np.argsort(-asked.scores, kind="stable")[:MOST])


def vectors(name: str, title: str, rows: tuple[str, ...], values: tuple[Array, ...]) -> Heatmap:
    """Describe the first numbers of some vectors."""
    held = np.stack(values)[:, :FIRST]
    caption = ""
    if len(values[0]) > FIRST:
        caption = _("The first {first} of {all} numbers of each row.").format(
            first=FIRST, all=len(values[0])
        )
    return Heatmap(
        name=name,
        title=title,
        rows=rows,
        columns=tuple(str(n + 1) for n in range(held.shape[1])),
        values=held,
        column_title=_("column: which number of the vector"),
        scale="signed",
        numbers=True,
        compact=True,
        caption=caption,
    )


def sources(asked: Asked) -> tuple[tuple[str, ...], tuple[Array, ...]]:
    """Name the table rows that a token's vector is added up from, and what became of it."""
    names = [_("word"), _("+ position"), _("+ sentence"), _("normalized")]
    held = [asked.words, asked.position, asked.segment, asked.embedding]
    passed = asked.place[0] - 1
    if passed:
        named = _("after layer {n}").format(n=passed)
        names, held = [*names, named], [*held, asked.x]
    return tuple(names), tuple(held)


def bars(asked: Asked, shown: NDArray[np.int64], name: str, quantity: str, values: Array) -> Bars:
    """Describe one number for each token."""
    less = _("The {n} best fitting of {all} tokens").format(n=len(shown), all=len(values))
    return Bars(
        name=name,
        title=_("{quantity}, for each token").format(quantity=quantity),
        labels=tuple(asked.labels[n] for n in shown),
        values=values[shown],
        value_title=quantity,
        chosen=int(values[shown].argmax()),
        role="accent" if name == "weights" else "key",
        scale="weights" if name == "weights" else "range",
        caption=less if len(shown) < len(values) else "",
    )


def mixture(asked: Asked) -> tuple[tuple[str, ...], tuple[Array, ...]]:
    """Name the loudest contributions, the others together, and their sum."""
    order = np.argsort(-asked.weights, kind="stable")
    loud, rest = order[:LOUDEST], order[LOUDEST:]
    names = [f"{asked.weights[n]:.2f} · {asked.labels[n]}" for n in loud]
    held = [asked.parts[n] for n in loud]
    if len(rest):
        names.append(_("{n} others").format(n=len(rest)))
        held.append(asked.parts[rest].sum(axis=0))
    return (*names, _("sum")), (*held, asked.mixed)
