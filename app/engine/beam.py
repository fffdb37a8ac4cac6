"""Searching for a likely text: the likeliest next word each time, or several drafts side by side.

Any decoder can be searched. It is given as a function: the new tokens of B texts and their cache
in, scores of the next word and a longer cache out.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.cache import Cache, LayerCache
from app.engine.functions import Array, log_softmax

Ids = NDArray[np.int64]
NextWord = Callable[[Ids, Cache | None], tuple[Array, Cache]]  # (B, T), cache -> (B, V), cache


class Choice(NamedTuple):
    """One word chosen, and the likeliest words at this place, best first."""

    token: int
    log_probability: float
    alternatives: tuple[tuple[int, float], ...]  # token, log-probability


class Draft(NamedTuple):
    """A text in the making, without its start token."""

    ids: tuple[int, ...]
    log_probability: float  # of the whole text
    score: float  # the same, divided by the length penalty


class BeamStep(NamedTuple):
    """One step of a beam search."""

    considered: tuple[Draft, ...]  # the best continuations of all drafts, best first
    live: tuple[Draft, ...]  # those that are kept and go on
    finished: tuple[Draft, ...]  # all that have ended so far, best first


class BeamSearch(NamedTuple):
    """The text found, and how."""

    best: Draft
    steps: tuple[BeamStep, ...]


def greedy(
    step: NextWord, start: Sequence[int], end: int, *, limit: int, alternatives: int = 5
) -> Iterator[Choice]:
    """Take the likeliest word each time, and never look back; the end is a word as well.

    Shapes: start (T) tokens -> at most `limit` choices.

    Source: Sutskever, Vinyals and Le 2014, section 3.2 (a beam of size 1).
    """
    ids, cache = np.array([start]), None
    for _ in range(limit):
        scores, cache = step(ids, cache)
        logs = log_softmax(scores[0])
        order = np.argsort(-logs, kind="stable")[:alternatives]
        pairs = tuple((int(token), float(logs[token])) for token in order)
        yield Choice(*pairs[0], pairs)
        if pairs[0][0] == end:
            return
        ids = order[None, :1]


def length_penalty(tokens: int, strength: float) -> float:
    """Say what a text's log-probability is divided by, so that short texts do not always win.

    Example: with strength 1, seven tokens count twice as much as one.
        >>> length_penalty(1, 1.0), length_penalty(7, 1.0), length_penalty(7, 0.0)
        (1.0, 2.0, 1.0)

    Source: Wu et al. 2016, equation 14; strength 0.6 in Vaswani et al. 2017, section 6.1.
    """
    return math.pow((5 + tokens) / 6, strength)


def continuations(
    live: Sequence[Draft], logs: Array, count: int, strength: float
) -> list[tuple[int, Draft]]:
    """List the likeliest ways to add a word to any of the drafts, with the draft each comes from.

    Shapes: logs (B, V), one row a draft -> at most `count` pairs, best first.
    """
    totals = logs + np.array([[draft.log_probability] for draft in live], logs.dtype)
    found = []
    for place in np.argsort(-totals, axis=None, kind="stable")[:count]:
        parent, token = divmod(int(place), logs.shape[1])
        ids, total = (*live[parent].ids, token), float(totals[parent, token])
        found.append((parent, Draft(ids, total, total / length_penalty(len(ids), strength))))
    return found


def settled(live: Sequence[Draft], finished: Sequence[Draft], limit: int, strength: float) -> bool:
    """Tell whether no draft can still overtake the best finished one, however it goes on.

    A draft can only lose probability; the most that it can gain is the longest text's penalty.
    """
    best_hope = live[0].log_probability / length_penalty(limit, strength)
    return bool(finished) and finished[0].score >= best_hope


def beam_search(
    step: NextWord,
    start: Sequence[int],
    end: int,
    *,
    limit: int,
    beams: int = 4,
    strength: float = 0.6,
) -> BeamSearch:
    """Keep a few drafts at every step: the best first word need not begin the best text.

    Shapes: start (T) tokens -> BeamSearch.

    Source: Wu et al. 2016, section 7; Vaswani et al. 2017, section 6.1 (4 beams).
    """
    live, finished, steps = [Draft((), 0.0, 0.0)], list[Draft](), list[BeamStep]()
    ids, cache = np.array([start]), None
    for _ in range(limit):
        scores, cache = step(ids, cache)
        considered = continuations(live, log_softmax(scores), 2 * beams, strength)
        finished += [draft for _, draft in considered[:beams] if draft.ids[-1] == end]
        finished.sort(key=lambda draft: -draft.score)
        kept = [(parent, draft) for parent, draft in considered if draft.ids[-1] != end][:beams]
        live, parents = [draft for _, draft in kept], [parent for parent, _ in kept]
        steps.append(BeamStep(tuple(d for _, d in considered), tuple(live), tuple(finished)))
        if settled(live, finished, limit, strength):
            break
        cache = tuple(LayerCache(keys[parents], values[parents]) for keys, values in cache)
        ids = np.array([[draft.ids[-1]] for draft in live])
    return BeamSearch((finished or live)[0], tuple(steps))
