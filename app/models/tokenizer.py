"""From a text to the pieces a model reads, and back to the words and letters they came from."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import tokenizers
from numpy.typing import NDArray

from app.models import labels
from app.models.errors import BrokenModel

Span = tuple[int, int]
# Letters, an apostrophe, letters: "didn't", "l’été".
CONTRACTION = re.compile(r"[^\W\d_]+(?:['’ʼ][^\W\d_]+)+")


@dataclass(frozen=True)
class Tokenized:
    """One text, cut: the i-th entry of every field speaks of the i-th token."""

    ids: NDArray[np.int64]  # (T)
    pieces: tuple[str, ...]  # as the vocabulary writes them: "##ing"
    labels: tuple[str, ...]  # as the page shows them: "·ing"
    words: tuple[int | None, ...]  # number of the word it belongs to; a special token has none
    spans: tuple[Span | None, ...]  # from which character to which; a special token has none
    special: tuple[bool, ...]  # added by the model's own rules, never typed
    text: str

    def __len__(self) -> int:
        """How many tokens the model reads."""
        return len(self.pieces)

    @cached_property
    def word_spans(self) -> tuple[Span, ...]:
        """From which character to which each word goes."""
        return word_spans(self.words, self.spans)

    @cached_property
    def word_labels(self) -> tuple[str, ...]:
        """The words as they were typed, without what cannot be seen."""
        return tuple(
            labels.clean(self.text[start:end]).strip() or self._joined(word)
            for word, (start, end) in enumerate(self.word_spans)
        )

    def _joined(self, word: int) -> str:
        pairs = zip(self.labels, self.words, strict=True)
        return "".join(label for label, w in pairs if w == word)


def word_spans(words: tuple[int | None, ...], spans: tuple[Span | None, ...]) -> tuple[Span, ...]:
    """Give each word's first and last character from those of its pieces.

    Example:
        >>> word_spans((None, 0, 0, 1, None), (None, (0, 2), (2, 5), (6, 7), None))
        ((0, 5), (6, 7))
    """
    found: dict[int, Span] = {}
    for word, span in zip(words, spans, strict=True):
        if word is not None and span is not None:
            start, end = found.get(word, span)
            found[word] = min(start, span[0]), max(end, span[1])
    return tuple(found[word] for word in sorted(found))


def join_apostrophes(
    words: tuple[int | None, ...], spans: tuple[Span, ...], text: str
) -> tuple[int | None, ...]:
    """Make one word of "didn't", which tokenizers cut into three.

    A mark of punctuation is a word of its own, except an apostrophe between letters.

    Example:
        >>> join_apostrophes((None, 0, 1, 2, 3), ((0, 4), (4, 5), (5, 6), (6, 7)), "didn't.")
        (None, 0, 0, 0, 1)
    """
    whole = [found.span() for found in CONTRACTION.finditer(text)]
    order: dict[Span, int] = {}
    joined = []
    for start, end in spans:
        around = next((w for w in whole if w[0] <= start and end <= w[1]), (start, end))
        order.setdefault(around, len(order))
        joined.append(order[around])
    return tuple(None if word is None else joined[word] for word in words)


class Tokenizer:
    """Cuts text as one checkpoint was trained to read it.

    Special tokens come from the model's own rules only: a typed "[SEP]" is five letters of text.
    """

    def __init__(self, description: str) -> None:
        """Build from the text of a tokenizer.json."""
        self._inner = tokenizers.Tokenizer.from_str(description)
        self._inner.no_padding()
        self._inner.no_truncation()
        # Only a special token can be kept from matching typed text, so all added ones become that.
        added = self._inner.get_added_tokens_decoder()
        self._inner.add_special_tokens([token.content for token in added.values()])
        self._inner.encode_special_tokens = True
        self.special = {token.content: number for number, token in added.items()}
        self.kind = type(self._inner.model).__name__  # WordPiece, BPE, Unigram
        self.unknown: str | None = getattr(self._inner.model, "unk_token", None)
        bytes_inside = type(self._inner.decoder).__name__ == "ByteLevel"
        self.label = labels.label_for(self.kind, bytes_inside=bytes_inside)

    @classmethod
    def open(cls, path: Path) -> "Tokenizer":
        """Read a tokenizer.json.

        Raises: BrokenModel.
        """
        try:
            return cls(path.read_text(encoding="utf-8"))
        except Exception as error:  # the library raises bare Exception for a file it cannot use
            raise BrokenModel(f"{path.name} cannot be read: {error}") from error

    def __len__(self) -> int:
        """How many pieces the vocabulary has, special tokens included."""
        return self._inner.get_vocab_size()

    def encode(self, text: str, *, add_special: bool = True) -> Tokenized:
        """Cut a text into pieces, remembering which letters and which word each came from."""
        cut = self._inner.encode(text, add_special_tokens=add_special)
        special = tuple(map(bool, cut.special_tokens_mask))
        rows = tuple(zip(cut.offsets, special, strict=True))
        spans = tuple(None if own else (start, end) for (start, end), own in rows)
        words = renumber(tuple(cut.word_ids), special)
        words = join_apostrophes(words, word_spans(words, spans), text)
        pieces = tuple(cut.tokens)
        return Tokenized(
            ids=np.array(cut.ids, np.int64),
            pieces=pieces,
            labels=tuple(map(self._show, pieces, spans, [text] * len(pieces))),
            words=words,
            spans=spans,
            special=special,
            text=text,
        )

    def _show(self, piece: str, span: Span | None, text: str) -> str:
        if span is not None and piece == self.unknown:
            return labels.unknown(text[span[0] : span[1]], piece)
        return self.label(piece)

    def decode(self, ids: "NDArray[np.int64] | list[int]", *, skip_special: bool = True) -> str:
        """Write the text that a sequence of token numbers stands for."""
        return self._inner.decode([int(i) for i in ids], skip_special_tokens=skip_special)

    def piece(self, number: int) -> str:
        """Give the piece with this number; empty when there is none."""
        return self._inner.id_to_token(number) or ""

    def number(self, piece: str) -> int | None:
        """Give the number of a piece, special tokens such as "[MASK]" included."""
        return self._inner.token_to_id(piece)


def renumber(words: tuple[int | None, ...], special: tuple[bool, ...]) -> tuple[int | None, ...]:
    """Count words from 0 without gaps, and give special tokens none.

    Example:
        >>> renumber((None, 0, 0, 2, 7), (True, False, False, False, True))
        (None, 0, 0, 1, None)
    """
    order: dict[int, int] = {}
    return tuple(
        None if own or word is None else order.setdefault(word, len(order))
        for word, own in zip(words, special, strict=True)
    )
