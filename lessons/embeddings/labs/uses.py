"""Where a word stands in sentences: its uses, each with the tokens that make it up."""

import re
from typing import NamedTuple

import numpy as np

from app.figures.describe import Array
from app.i18n import _
from app.lab import BadInput, read_sentence, visible
from app.models import Encoder, Tokenized
from app.models.labels import clean
from app.reading import quote

MOST_LINES, MOST_USES = 6, 8
LONGEST = 22  # letters of a label, as many as a map shows
TELLING = 4  # letters of a word that tells something: shorter ones are mostly grammar


class Use(NamedTuple):
    """One use of the word: its line, its tokens, and what it is called."""

    line: int  # from 0
    tokens: tuple[int, ...]
    mark: str  # its line, from 1, with a letter where a line has several
    label: str


def find_uses(word: str, tokens: Tokenized) -> list[tuple[int, ...]]:
    """Give the tokens of every place where a word stands whole, capitals or not.

    "bank" is not found in "bankrupt", since a use begins and ends where words of the text do.
    """
    starts = {start for start, _end in tokens.word_spans}
    ends = {end for _start, end in tokens.word_spans}
    found = []
    for match in re.finditer(re.escape(word), tokens.text, re.IGNORECASE):
        if match.start() in starts and match.end() in ends:
            inside = [
                n
                for n, span in enumerate(tokens.spans)
                if span is not None and match.start() <= span[0] and span[1] <= match.end()
            ]
            found.append(tuple(inside))
    return [use for use in found if use]


def name_use(tokens: Tokenized, use: tuple[int, ...], mark: str) -> str:
    """Write a use with the two telling words nearest to it: "1 river watched" says which bank."""
    inside = {tokens.words[n] for n in use}
    others = [
        (n, label)
        for n, label in enumerate(tokens.word_labels)
        if n not in inside and any(c.isalnum() for c in label)
    ]
    telling = [(n, label) for n, label in others if len(label) >= TELLING] or others
    centre = float(np.mean([n for n in inside if n is not None]))
    near = sorted(sorted(telling, key=lambda word: abs(word[0] - centre))[:2])
    text = " ".join([mark, *(label for _n, label in near)])
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def read_lines(text: str) -> tuple[str, ...]:
    """Cut what was typed into sentences, one a line.

    Raises: BadInput, for none and for too many.
    """
    lines = tuple(line.strip() for line in text.splitlines() if visible(line))
    if not lines:
        message = _("Type two to six sentences, one a line, each with the word in it.")
        raise BadInput("sentences", message)
    if len(lines) > MOST_LINES:
        message = _("These are {n} lines; at most {most} are compared. Take some out.")
        raise BadInput("sentences", message.format(n=len(lines), most=MOST_LINES))
    return lines


def read_uses(
    word: str, text: str, encoder: Encoder
) -> tuple[tuple[Tokenized, ...], tuple[Use, ...]]:
    """Cut the sentences into tokens, and find the word in each.

    Raises: BadInput, naming the line that lacks the word, is too long or cannot be read.
    """
    if not visible(word):
        raise BadInput("word", _("Type the word to follow, such as “bank”."))
    lines = tuple(read_line(n, line, encoder) for n, line in enumerate(read_lines(text)))
    found = [find_uses(word, tokens) for tokens in lines]
    if not any(found):
        message = _("No line has the word {word}. Type a word that stands in each of them.")
        raise BadInput("word", message.format(word=quote(clean(word))))
    for n, uses in enumerate(found):
        if not uses:
            message = _("Line {n} has no {word} in it, as a whole word. Change it or take it out.")
            raise BadInput("sentences", message.format(n=n + 1, word=quote(clean(word))))
    total = sum(map(len, found))
    if total > MOST_USES:
        message = _("The word stands here {n} times; at most {most} uses are compared.")
        raise BadInput("sentences", message.format(n=total, most=MOST_USES))
    named = tuple(
        Use(n, use, sign, name_use(lines[n], use, sign))
        for n, uses in enumerate(found)
        for use, sign in zip(uses, marks(n, len(uses)), strict=True)
    )
    if len(named) < 2:
        raise BadInput("sentences", _("One use has nothing to be compared with. Add a line."))
    return lines, named


def marks(line: int, count: int) -> list[str]:
    """Number the uses of a line, with letters when it has several.

    Example:
        >>> marks(0, 1), marks(2, 2)
        (['1'], ['3a', '3b'])
    """
    letters = "abcdefgh" if count > 1 else ("",)
    return [f"{line + 1}{letters[n]}" for n in range(count)]


def read_line(number: int, line: str, encoder: Encoder) -> Tokenized:
    """Cut one line into tokens.

    Raises: BadInput, naming the line.
    """
    try:
        return read_sentence(line, encoder.tokenizer, field="sentences")
    except BadInput as error:
        message = _("Line {n}: {what}").format(n=number + 1, what=error.message)
        raise BadInput("sentences", message) from error


def static_vectors(lines: tuple[Tokenized, ...], uses: tuple[Use, ...], encoder: Encoder) -> Array:
    """Give each use's row of the model's word table: what the word is before any sentence.

    Shapes: -> (uses, D).
    """
    table = encoder.weights["embeddings.word_embeddings.weight"]
    rows = [table[lines[use.line].ids[list(use.tokens)]].mean(axis=0) for use in uses]
    return np.stack(rows).astype(np.float32)
