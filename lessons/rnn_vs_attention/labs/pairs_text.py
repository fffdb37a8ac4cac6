"""The reader's own pairs: read from a line of text, and written in the networks' symbols."""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.i18n import _
from app.lab import BadInput, visible
from app.models.labels import clean

LONGEST = 24  # characters of a key or a value
PAIR = re.compile(r"^([^=:]+)[=:]([^=:]+)$")
Ids = NDArray[np.int64]


class Told(NamedTuple):
    """Pairs and a question, as the reader wrote them."""

    keys: tuple[str, ...]
    answers: tuple[str, ...]  # one a key
    asked: int  # which of the keys

    @property
    def values(self) -> tuple[str, ...]:
        """The different values, in order of appearance."""
        return tuple(dict.fromkeys(self.answers))

    @property
    def right(self) -> str:
        """The value that was told with the key asked for."""
        return self.answers[self.asked]


class Symbols(NamedTuple):
    """Which of the networks' symbols stand for the reader's words."""

    keys: Ids  # (pairs)
    values: Ids  # (different values)
    first: int  # the number of the first value symbol: the keys' numbers come before it


def refuse(message: str) -> BadInput:
    """Say at the field what to change."""
    return BadInput("pairs", message)


def parse(text: str, *, most: int, values: int) -> Told:
    """Read "cat=3, dog=7; dog?": pairs, then the key that is asked for.

    Raises: BadInput, at the field, saying what to change.

    Example:
        >>> parse("cat=3, dog=7; cat?", most=16, values=16)
        Told(keys=('cat', 'dog'), answers=('3', '7'), asked=0)
    """
    if not visible(text):
        raise refuse(_("Write pairs and a question, such as: cat=3, dog=7; dog?"))
    parts = [clean(part).strip() for part in re.split(r"[,;\n]", text)]
    parts = [part for part in parts if part]
    questions = [part for part in parts if part.endswith("?") and "=" not in part]
    if len(questions) != 1 or parts[-1] != questions[0]:
        raise refuse(_("End with one question: a key and a question mark, such as: dog?"))
    found = [split(part) for part in parts[:-1]]
    if not 1 <= len(found) <= most:
        message = _("These are {n} pairs; the networks were trained on 1 to {most}.")
        raise refuse(message.format(n=len(found), most=most))
    keys, answers = tuple(k for k, _value in found), tuple(v for _key, v in found)
    return checked(keys, answers, questions[0].rstrip("? "), values)


def split(part: str) -> tuple[str, str]:
    """Read one pair.

    Raises: BadInput.
    """
    match = PAIR.match(part)
    names = [] if match is None else [match[1].strip(), match[2].strip()]
    if len(names) != 2 or not all(map(visible, names)):
        message = _("“{part}” is no pair. A pair is written key=value, such as dog=7.")
        raise refuse(message.format(part=part[: 2 * LONGEST]))
    if max(map(len, names)) > LONGEST:
        message = _("“{part}…” is too long: {most} characters for a key or a value are enough.")
        raise refuse(message.format(part=part[:LONGEST], most=LONGEST))
    return names[0], names[1]


def checked(keys: tuple[str, ...], answers: tuple[str, ...], asked: str, values: int) -> Told:
    """Make sure that the question has one answer.

    Raises: BadInput.
    """
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        message = _("“{key}” stands there twice; then nobody could say what is right.")
        raise refuse(message.format(key=twice))
    if asked not in keys:
        message = _("“{key}” is asked for and was never told. Ask for one of: {keys}.")
        raise refuse(message.format(key=asked[:LONGEST], keys=", ".join(keys)))
    told = Told(keys, answers, keys.index(asked))
    if len(told.values) > values:
        raise refuse(_("At most {n} different values, please.").format(n=values))
    return told


def assign(told: Told, *, keys: int, values: int, generator: np.random.Generator) -> Symbols:
    """Draw a symbol for each of the reader's keys and values; the same word gets the same one."""
    return Symbols(
        generator.permutation(keys)[: len(told.keys)],
        keys + generator.permutation(values)[: len(told.values)],
        keys,
    )


def row_of(told: Told, symbols: Symbols) -> Ids:
    """Write the pairs and the question in the networks' symbols: key, value, …, key.

    Shapes: -> (2 · pairs + 1).
    """
    place = {value: n for n, value in enumerate(told.values)}
    answers = symbols.values[[place[value] for value in told.answers]]
    listed = np.stack([symbols.keys, answers], axis=1).ravel()
    return np.append(listed, symbols.keys[told.asked]).astype(np.int64)
