"""Habits of heads: what an attention map does, told by numbers and a name.

Many heads of trained models do something simple: look one word back, or rest on [SEP]. Each score
below is a share between 0 and 1, averaged over the tokens that can show the habit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.functions import Array

# A head has a habit when at least this share of its weight goes there. By spreading evenly it would
# reach 1/T; half means that the habit outweighs everything else together.
HABIT = 0.5
# Even weights have an entropy of ln T, here scaled to 1. From this share on a head is called broad.
BROAD = 0.85


class HeadPatterns(NamedTuple):
    """How strongly each head of a layer shows each habit, (H) numbers in [0, 1] each."""

    previous: Array  # weight on the token before
    next: Array  # weight on the token after
    self: Array  # weight on the token itself
    first: Array  # weight on the first token, a usual resting place ([CLS])
    separator: Array  # weight on the separators ([SEP]), the other resting place
    broad: Array  # entropy of the weights, 1 when they are even


def evenness(weights: Array) -> Array:
    """Measure how evenly each row spreads its weight: 1 over all tokens alike, 0 on one alone.

    Shapes: weights (..., T, S) -> (..., T).

    Example: one of two tokens gets all; two share evenly.
        >>> evenness(np.array([[1.0, 0.0], [0.5, 0.5]])).tolist()
        [0.0, 1.0]

    Source: Shannon 1948, entropy in nats, divided by its largest value, ln S.
    """
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    entropy = np.maximum(-np.sum(weights * logs, axis=-1), 0)
    return np.asarray(entropy / max(np.log(weights.shape[-1]), 1e-9), weights.dtype)


def average(shares: Array) -> Array:
    """Average over the tokens, the last axis; 0 where there are none, as for the only token's past.

    Shapes: shares (H, n) -> (H).

    Example:
        >>> average(np.array([[0.5, 1.0]])).tolist(), average(np.empty((1, 0))).tolist()
        ([0.75], [0.0])
    """
    return np.asarray(shares.sum(axis=-1) / max(shares.shape[-1], 1), shares.dtype)


def measure_patterns(weights: Array, separators: NDArray[np.bool_]) -> HeadPatterns:
    """Measure the habits of each head of one layer on one sentence.

    The first token has no token before it and the last none after it, so they do not count there.
    A resting place does not count as its own visitor.

    Shapes: weights (H, T, T), separators (T) true at [SEP] -> HeadPatterns, (H) each.

    Example: both tokens look at the first.
        >>> found = measure_patterns(np.array([[[1.0, 0.0], [1.0, 0.0]]]), np.array([False, False]))
        >>> found.first.tolist(), found.previous.tolist(), found.self.tolist()
        ([1.0], [1.0], [0.5])

    Source: Clark et al. 2019, sections 3.1 to 3.3, here as averages over one sentence.
    """
    return HeadPatterns(
        previous=average(np.diagonal(weights, -1, 1, 2)),
        next=average(np.diagonal(weights, 1, 1, 2)),
        self=average(np.diagonal(weights, 0, 1, 2)),
        first=average(weights[:, 1:, 0]),
        separator=average(weights[:, ~separators][:, :, separators].sum(axis=-1)),
        broad=average(evenness(weights)),
    )


def name_pattern(patterns: HeadPatterns, head: int) -> str:
    """Name a head's strongest habit, or call it mixed.

    The habit with the largest share wins if it is at least HABIT; otherwise the head is broad from
    BROAD on, and mixed below. Labels: previous, next, self, first, separator, broad, mixed.

    Example:
        >>> weights = np.array([[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> name_pattern(measure_patterns(weights, np.array([False, False, False])), head=0)
        'previous'
    """
    shares = {name: float(scores[head]) for name, scores in patterns._asdict().items()}
    evenly = shares.pop("broad")
    habit = max(shares, key=shares.__getitem__)
    if shares[habit] >= HABIT:
        return habit
    return "broad" if evenly >= BROAD else "mixed"
