"""What each model says to a blank: the encoder from both sides and from one, the decoder too."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.engine.bert import BertConfig
from app.engine.bert_fast import encode_fast
from app.engine.functions import softmax
from app.engine.masked_lm import Blank, Rank, candidates, rank_of, score_words
from app.engine.surprise import causal_surprise
from app.figures.describe import Array, Labels
from app.lab import Stopwatch
from app.models import Decoder, Encoder
from lessons.bert_vs_gpt.labs.blanks import Blanked, Ids, restore

SHOWN = 8  # candidates of a list
LONGEST = 256  # tokens that the decoder reads here


class Guess(NamedTuple):
    """One model's list for one blank, and where the word that stood there is in it."""

    labels: Labels
    shares: Array  # (candidates)
    rank: Rank | None  # none where the word is not one piece of this model's
    original: str  # that word, or the piece of it, as this model writes it


class Detective(NamedTuple):
    """What the encoder says: at every blank from both sides, at one from the left alone."""

    blanks: tuple[Blank, ...]
    guesses: tuple[Guess, ...]  # one a blank
    left: Guess  # at the blank looked at
    scores: Array  # (V) there, from both sides


class Whole(NamedTuple):
    """What the decoder says when it reads the sentence once for each candidate."""

    words: Labels
    nats: Array  # (k) −ln of the probability of each whole sentence
    shares: Array  # (k) among the candidates alone
    ms: float


def score_at(filler: Encoder, ids: Ids, places: Sequence[int]) -> Array:
    """Let the encoder read a text with blanks, and score every word at some places.

    Shapes: ids (T) -> (places, V).
    """
    config, weights = filler.config, filler.weights
    hidden = encode_fast(ids, weights, config).last[list(places)]
    scored = score_words(hidden, weights, epsilon=config.epsilon, activation=config.activation)
    return scored.logits


def fill(filler: Encoder, text: Blanked, look: int, banned: Sequence[int]) -> Detective:
    """Ask the encoder about all blanks, and about one with all that follows hidden.

    Nothing may look at what is not there: the text is read up to the blank and no further.
    """
    scores = score_at(filler, text.ids, text.places)
    rows = range(len(text.places))
    blanks = candidates(scores, rows, count=SHOWN, banned=banned)
    place = text.places[look]
    cut = score_at(filler, text.ids[: place + 1], [place])
    [before] = candidates(cut, [0], count=SHOWN, banned=banned)
    return Detective(
        blanks,
        tuple(guess_of(filler, blanks[n], scores[n], text.originals[n], banned) for n in rows),
        guess_of(filler, before, cut[0], text.originals[look], banned),
        scores[look],
    )


def guess_of(
    filler: Encoder, blank: Blank, scores: Array, original: int, banned: Sequence[int]
) -> Guess:
    """Name one blank's candidates, and find the word that stood there."""
    piece = filler.tokenizer.piece
    return Guess(
        tuple(filler.tokenizer.label(piece(token)) for token in blank.tokens),
        np.array(blank.probabilities),
        None if original in banned else rank_of(scores, original, banned=banned),
        filler.tokenizer.label(piece(original)),
    )


def go_on(decoder: Decoder, text: Blanked, look: int) -> Guess | None:
    """Ask the decoder what comes after the words before the blank.

    None: nothing stands before it and this decoder needs something, or it is too long for here.
    """
    span = text.tokens.spans[text.places[look]]
    if span is None:
        return None
    before = text.tokens.text[: span[0]]
    own = decoder.tokenizer.encode(before.rstrip(), add_special=False).ids
    ids = np.concatenate([np.array(decoder.start, np.int64), own])
    opens = isinstance(decoder.config, BertConfig)  # trained on what follows its start alone
    if not (1 if opens else len(decoder.start) + 1) <= len(ids) <= LONGEST:
        return None
    scores, _cache = decoder.read_remembering(ids)
    shares = softmax(scores)
    best = np.argsort(-shares, kind="stable")[:SHOWN]
    label, piece = decoder.tokenizer.label, decoder.tokenizer.piece
    whole = decoder.tokenizer.encode(text.tokens.text[: span[1]], add_special=False).ids
    follows = len(whole) > len(own) and bool((whole[: len(own)] == own).all())
    token = int(whole[len(own)]) if follows else -1
    return Guess(
        tuple(label(piece(int(n))) for n in best),
        shares[best],
        rank_of(scores, token) if follows else None,
        label(piece(token)) if follows else "",
    )


def try_whole(
    decoder: Decoder, filler: Encoder, text: Blanked, look: int, blank: Blank, count: int
) -> Whole | None:
    """Let the decoder score the sentence once for each candidate: as many passes as candidates.

    None: the sentence is too long for it here, or is one token that nothing precedes.
    """
    span, watch = text.tokens.spans[text.places[look]], Stopwatch()
    if span is None:
        return None
    start, end = span
    named = [filler.tokenizer.decode([token]).removeprefix("##") for token in blank.tokens[:count]]
    original = text.tokens.text[start:end]
    others = [word for word in named if word and word.lower() != original.lower()]
    words = (original, *dict.fromkeys(others))[:count]
    first = np.array(decoder.start, np.int64)
    with watch.running():
        costs = []
        for word in words:
            sentence = restore(text.tokens.text, span, word)
            own = decoder.tokenizer.encode(sentence, add_special=False).ids
            ids = np.concatenate([first, own])
            if not 2 <= len(ids) <= LONGEST:
                return None
            costs.append(float(causal_surprise(decoder.score(ids), ids).nats.sum()))
    nats = np.array(costs)
    return Whole(words, nats, softmax(-nats), watch.ms)
