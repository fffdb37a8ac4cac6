"""What many labs do first: read the sentence with an encoder, and name its tokens for the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.engine.merging import merge_pieces
from app.figures.describe import Array
from app.lab import read_sentence
from app.models import Encoder, Models, Tokenized


class TextForm(Protocol):
    """A form with the reader's sentence and a choice of model."""

    @property
    def text(self) -> str:
        """The reader's sentence."""

    @property
    def model(self) -> str:
        """The encoder's name, empty for the best one."""


def read(form: TextForm, models: Models) -> tuple[Encoder, Tokenized]:
    """Open the chosen encoder and cut the sentence as it reads it.

    Raises: BadInput, ModelError.
    """
    encoder = models.encoder(form.model)
    return encoder, read_sentence(form.text, encoder.tokenizer)


@dataclass(frozen=True)
class Rows:
    """What stands at the rows and columns of a map: pieces or words, special ones or not."""

    labels: tuple[str, ...]
    groups: NDArray[np.int64]  # (T) which row each token belongs to, before hiding
    shown: NDArray[np.int64]  # (rows) which of the groups are shown
    special: NDArray[np.bool_]  # (rows)

    def gather(self, weights: Array) -> Array:
        """Turn maps over tokens, (..., T, T), into maps over these rows."""
        merged = merge_pieces(weights, self.groups)
        return merged[..., self.shown[:, None], self.shown[None, :]]

    def hidden_share(self, weights: Array) -> Array:
        """Say how much weight each shown row gave to what is not shown, (..., rows)."""
        kept: Array = self.gather(weights).sum(axis=-1)
        return np.clip(1 - kept, 0, 1)


def rows_of(tokens: Tokenized, *, merge: bool, special: bool) -> Rows:
    """Lay out the rows of a map: pieces joined to words or not, special tokens shown or not."""
    names: list[object] = [
        ("special", n) if word is None or not merge else ("word", word)
        for n, word in enumerate(tokens.words)
    ]
    order = {name: place for place, name in enumerate(dict.fromkeys(names))}
    groups = np.array([order[name] for name in names], np.int64)
    first = [int(np.flatnonzero(groups == place)[0]) for place in range(len(order))]
    own = np.array([tokens.special[n] for n in first])
    labels = [
        tokens.word_labels[w] if merge and (w := tokens.words[n]) is not None else tokens.labels[n]
        for n in first
    ]
    shown = np.flatnonzero(~own | special)
    return Rows(tuple(labels[n] for n in shown), groups, shown, own[shown])


def quote(label: str, longest: int = 24) -> str:
    """Put a token into quotation marks, shortened when it is very long.

    Example:
        >>> quote("animal"), quote("a" * 40)
        ('“animal”', '“aaaaaaaaaaaaaaaaaaaaaaa…”')
    """
    return f"“{label if len(label) <= longest else label[: longest - 1] + '…'}”"


def tell_apart(labels: Sequence[str], place: int) -> str:
    """Quote a token; where its word stands there more than once, with its number counted from 1.

    Example:
        >>> tell_apart(("the", "cat", "saw", "the", "dog"), 3)
        '“the” (4)'
        >>> tell_apart(("the", "cat", "saw", "the", "dog"), 1)
        '“cat”'
    """
    twice = list(labels).count(labels[place]) > 1
    return f"{quote(labels[place])} ({place + 1})" if twice else quote(labels[place])
