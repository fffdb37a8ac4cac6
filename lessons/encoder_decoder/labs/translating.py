"""A sentence read, written in German, and every choice of the decoder laid open."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine import seq2seq
from app.engine.beam import Draft, NextWord, beam_search, greedy
from app.engine.functions import log_softmax
from app.engine.seq2seq import Decoded
from app.figures.describe import Array, Labels
from app.i18n import _
from app.models import Tokenized, Translator
from app.models.labels import CONTINUES, SPACE, clean

MOST = 80  # tokens that are written at most
ROOM = 12  # so many more than the source has
KEPT = 6  # alternatives shown at each step
START = "▁"  # before a piece that begins a word, in this vocabulary


class Written(NamedTuple):
    """A translation, and how it came about."""

    ids: NDArray[np.int64]  # (T) the tokens chosen, the end last if it came to one
    text: str
    source_labels: Labels  # (S)
    target_labels: Labels  # (T)
    decoded: Decoded  # row t is the look and the scores with which token t was chosen
    logs: Array  # (T, V)
    drafts: tuple[tuple[str, float], ...]  # finished texts and their probabilities; beam search
    finished: bool

    @property
    def chosen(self) -> Array:
        """The probability of each token when it was chosen, (T)."""
        return np.exp(self.logs[np.arange(len(self.ids)), self.ids])

    @property
    def looks(self) -> Array:
        """All maps of cross-attention, (L, H, T, S); row = target token, column = source token."""
        crosses = [layer.cross for layer in self.decoded.stack.layers]
        return np.stack([cross.attention.weights for cross in crosses if cross is not None])


def show(piece: str) -> str:
    """Show a piece of the shared vocabulary: a dot where it continues a word.

    Example:
        >>> show("▁dog"), show("imal"), show("."), show("▁")
        ('dog', '·imal', '.', '␣')
    """
    if piece.startswith(START):
        return clean(piece[1:]) or SPACE
    return f"{CONTINUES}{clean(piece)}" if piece[:1].isalnum() else clean(piece)


def source_labels(tokens: Tokenized) -> Labels:
    """Name the source's tokens, and the end that the encoder reads too."""
    pairs = zip(tokens.pieces, tokens.labels, strict=True)
    return (*(show(p) if "<" not in p else label for p, label in pairs), _("end"))


def target_labels(translator: Translator, ids: tuple[int, ...]) -> Labels:
    """Name the tokens written, and the end where it was reached."""
    labels = [show(translator.tokenizer.piece(int(n))) for n in ids]
    return (*labels[:-1], _("end") if int(ids[-1]) == translator.end else labels[-1])


def translate(
    translator: Translator, tokens: Tokenized, *, beams: int
) -> tuple[Written, tuple[int, int]]:
    """Read the source once, search for a translation, and read that once more to see each choice.

    beams: 1 is greedy. Gives the translation too, with how many source and target tokens there are.
    """
    weights, config = translator.weights, translator.config
    source = translator.source(tokens.text)
    memory = seq2seq.remember(seq2seq.encode(source, weights, config).hidden, weights, config)
    limit = min(MOST, len(source) + ROOM)
    ids, drafts = search(translator, seq2seq.next_word(memory, weights, config), limit, beams)
    given = np.array([translator.start, *ids[:-1]], np.int64)
    decoded = seq2seq.decode(given, memory, weights, config)
    written = Written(
        ids=np.array(ids, np.int64),
        text=text_of(translator, ids),
        source_labels=source_labels(tokens),
        target_labels=target_labels(translator, ids),
        decoded=decoded,
        logs=log_softmax(decoded.logits),
        drafts=tuple(
            (text_of(translator, d.ids), float(np.exp(d.log_probability))) for d in drafts
        ),
        finished=int(ids[-1]) == translator.end,
    )
    return written, (len(source), len(ids))


def search(
    translator: Translator, step: NextWord, limit: int, beams: int
) -> tuple[tuple[int, ...], tuple[Draft, ...]]:
    """Find a text: the likeliest token each time, or the best of several drafts."""
    start, end = [translator.start], translator.end
    if beams == 1:
        return tuple(choice.token for choice in greedy(step, start, end, limit=limit)), ()
    found = beam_search(step, start, end, limit=limit, beams=beams)
    return found.best.ids, found.steps[-1].finished[:KEPT]


def text_of(translator: Translator, ids: tuple[int, ...]) -> str:
    """Write the text that tokens stand for."""
    return clean(translator.tokenizer.decode(list(ids)))
