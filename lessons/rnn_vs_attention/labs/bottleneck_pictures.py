"""The pictures of the bottleneck lab: what is read, what is answered, how often it is right."""

import numpy as np

from app.figures import Bars, Figure, Heatmap, Line, Lines, Tokens
from app.figures.describe import Array, Role
from app.i18n import _
from lessons.rnn_vs_attention.labs.recall_answers import ASSIGNMENTS, LENGTHS, ROWS, Answer, Asked

NAMES = {"attention": _("attention"), "lstm": "LSTM", "gru": "GRU", "rnn": "RNN"}
ROLES: dict[str, Role] = {
    "attention": "accent",
    "lstm": "encoder",
    "gru": "decoder",
    "rnn": "key",
}


def draw(asked: Asked, answers: tuple[Answer, ...], values: int) -> tuple[Figure, ...]:
    """Describe all five pictures."""
    return (
        read(asked),
        said(asked, answers),
        steady(answers),
        recorded(answers, values),
        live(answers, values),
    )


def read(asked: Asked) -> Tokens:
    """Describe what the networks read, and in which symbols."""
    told, symbols = asked.told, asked.symbols
    numbers = dict(zip(told.values, symbols.values - symbols.first + 1, strict=True))
    labels, states = list[str](), list[str]()
    for key, value, number in zip(told.keys, told.answers, symbols.keys + 1, strict=True):
        labels += [key, value]
        states += [
            _("key {n}").format(n=number),
            _("value {n}").format(n=numbers[value]),
        ]
    place = 2 * told.asked
    return Tokens(
        "read",
        _("What the networks read, from left to right"),
        (*labels, f"{told.keys[told.asked]}?"),
        states=(*states, states[place]),
        marked=(place, place + 1, len(labels)),
        caption=_("Under each word its symbol. Framed: the pair that is asked for, the question."),
    )


def said(asked: Asked, answers: tuple[Answer, ...]) -> Heatmap:
    """Describe the probability that each network gives to each of the reader's values."""
    shares = np.stack([answer.probabilities for answer in answers])
    named = shares[:, asked.symbols.values]
    rest = np.clip(1 - named.sum(axis=1, keepdims=True), 0, 1)
    return Heatmap(
        "answers",
        _("What each network answers"),
        tuple(NAMES[answer.network.cell] for answer in answers),
        (*asked.told.values, _("never told")),
        np.concatenate([named, rest], axis=1),
        row_title=_("row: the network"),
        column_title=_("column: a value; each row sums to 1"),
        chosen=(None, asked.told.values.index(asked.told.right)),
        numbers=True,
        caption=_("Framed: the value that was told with the key asked for."),
    )


def steady(answers: tuple[Answer, ...]) -> Bars:
    """Describe how often each is right when other symbols stand for the same words."""
    caption = _("Your pairs and question, written in {n} other random choices of symbols.")
    return Bars(
        "steady",
        _("Is it luck? The same question in other symbols"),
        tuple(NAMES[answer.network.cell] for answer in answers),
        np.array([answer.steady for answer in answers]),
        _("share of right answers"),
        scale="weights",
        caption=caption.format(n=ASSIGNMENTS),
    )


def guessing(x: Array, values: int) -> Line:
    """Describe what naming any value at random would score."""
    return Line(_("guessing"), x, np.full(len(x), 1 / values), "plain")


def recorded(answers: tuple[Answer, ...], values: int) -> Lines:
    """Describe the scores that were measured once, after training."""
    x = np.arange(1.0, 1 + max((len(answer.recorded) for answer in answers), default=0))
    lines = tuple(
        Line(NAMES[a.network.cell], x, np.array(a.recorded), ROLES[a.network.cell])
        for a in answers
        if len(a.recorded) == len(x)
    )
    return Lines(
        "recorded",
        _("Measured after training"),
        (*lines, guessing(x, values)),
        _("pairs told"),
        _("share of right answers"),
        caption=_("2,000 fresh random lists for each number of pairs, from the card."),
    )


def live(answers: tuple[Answer, ...], values: int) -> Lines:
    """Describe the scores measured a moment ago."""
    x = np.array(LENGTHS, float)
    lines = tuple(
        Line(NAMES[a.network.cell], x, a.by_pairs, ROLES[a.network.cell]) for a in answers
    )
    caption = _("{n} random lists of each length, drawn by number and answered just now.")
    return Lines(
        "live",
        _("Measured just now"),
        (*lines, guessing(x, values)),
        _("pairs told"),
        _("share of right answers"),
        caption=caption.format(n=ROWS),
    )
