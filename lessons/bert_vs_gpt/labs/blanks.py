"""Which words are blanked, and the sentence with blanks as each model reads it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.i18n import _
from app.lab import BadInput
from app.models import Tokenized

Ids = NDArray[np.int64]


class Blanked(NamedTuple):
    """A sentence in which some words are hidden."""

    tokens: Tokenized
    words: tuple[int, ...]  # numbers of the hidden words, from 0
    places: tuple[int, ...]  # of their pieces among all tokens
    ids: Ids  # with a blank at each of those places

    @property
    def originals(self) -> tuple[int, ...]:
        """The tokens that stood at the blanks."""
        return tuple(int(self.tokens.ids[place]) for place in self.places)


def blank_out(tokens: Tokenized, typed: str, mask_id: int) -> Blanked:
    """Hide the words that a reader ticked, each piece of them; with none ticked choose one.

    Raises: BadInput, for what is no list of numbers.
    """
    words = read_numbers(typed, len(tokens.word_spans)) or (striking(tokens),)
    places = tuple(n for n, word in enumerate(tokens.words) if word in words)
    ids = tokens.ids.copy()
    ids[list(places)] = mask_id
    return Blanked(tokens, words, places, ids)


def read_numbers(typed: str, count: int) -> tuple[int, ...]:
    """Read "2,5" as words from 0; numbers beyond the sentence, left from a longer one, are dropped.

    Example:
        >>> read_numbers("5, 2,99", 8)
        (1, 4)
    """
    numbers = [part.strip() for part in typed.split(",") if part.strip()]
    if not all(number.isdecimal() and number.isascii() for number in numbers):
        raise BadInput("blanks", _("Number the words to blank from 1, such as: 2,5"))
    return tuple(sorted({int(n) - 1 for n in numbers if 1 <= int(n[:6]) <= count}))


def striking(tokens: Tokenized) -> int:
    """Choose a word that is worth guessing: the longest, the first of those."""
    lengths = [sum(map(str.isalpha, label)) for label in tokens.word_labels]
    return int(np.argmax(lengths)) if lengths else 0


def restore(text: str, span: tuple[int, int], word: str) -> str:
    """Put a word into the place of another, with a capital where that had one.

    Example:
        >>> restore("Cats sleep.", (0, 4), "dogs")
        'Dogs sleep.'
    """
    start, end = span
    if text[start:end][:1].isupper():
        word = word[:1].upper() + word[1:]
    return text[:start] + word + text[end:]
