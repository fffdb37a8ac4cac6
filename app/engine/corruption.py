"""BERT's damage: how a sentence is made into a riddle with known answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

PICKED = 0.15  # of the tokens; these shares are those of Devlin et al. 2018, section 3.1
TO_MASK = 0.8  # of the picked tokens
TO_RANDOM = 0.1  # of the picked tokens; the rest stays


class Damage(NamedTuple):
    """A damaged sentence, and where the model will be asked."""

    picked: NDArray[np.bool_]  # (T) where the loss is taken
    actions: tuple[str, ...]  # T of: untouched, mask, random, keep
    ids: Ids  # (T) what the model reads


class Signals(NamedTuple):
    """How many tokens of one sentence teach a model something."""

    masked: int  # the picked ones
    causal: int  # all that have a token before them


def pick(
    may_be_picked: NDArray[np.bool_], share: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw a share of the tokens that may be picked, rounded, but one at least.

    Shapes: may_be_picked (T) -> (T).

    Example: half of the last four.
        >>> pick(np.array([False, True, True, True, True]), 0.5, np.random.default_rng(0)).sum()
        np.int64(2)

    Source: the file create_pretraining_data.py of Google's BERT, which rounds likewise.
    """
    places = np.flatnonzero(may_be_picked)
    count = max(1, round(share * len(places)))
    return np.isin(np.arange(len(may_be_picked)), generator.permutation(places)[:count])


def corrupt(
    ids: Ids,
    may_be_picked: NDArray[np.bool_],
    *,
    mask_id: int,
    candidates: Ids,
    generator: np.random.Generator,
    share: float = PICKED,
) -> Damage:
    """Pick some tokens and damage most of them: of ten, eight blanked, one swapped, one left.

    Shapes: ids (T), may_be_picked (T) false at [CLS] and [SEP], candidates (n) the ids that a swap
    may put in -> Damage.

    Example:
        >>> damage = corrupt(np.arange(4), np.ones(4, bool), mask_id=99, share=1.0,
        ...                  candidates=np.array([7]), generator=np.random.default_rng(3))
        >>> damage.actions, damage.ids.tolist()
        (('random', 'mask', 'mask', 'mask'), [7, 99, 99, 99])

    Source: Devlin et al. 2018, section 3.1, task 1.
    """
    picked = pick(may_be_picked, share, generator)
    fates = generator.random(len(ids))
    swaps = generator.choice(candidates, len(ids))
    masked = picked & (fates < TO_MASK)
    swapped = picked & ~masked & (fates < TO_MASK + TO_RANDOM)
    actions = np.select([masked, swapped, picked], ["mask", "random", "keep"], "untouched")
    damaged = np.select([masked, swapped], [np.full_like(ids, mask_id), swaps], ids)
    return Damage(picked, tuple(actions.tolist()), damaged)


def training_signals(picked: NDArray[np.bool_]) -> Signals:
    """Count what one sentence teaches: BERT learns at the picked tokens, GPT at all but the first.

    Shapes: picked (T) -> Signals.

    Example:
        >>> training_signals(np.array([False, True, False, False]))
        Signals(masked=1, causal=3)

    Source: the sums of the two losses; Devlin et al. 2018, Radford et al. 2018, equation 1.
    """
    return Signals(masked=int(picked.sum()), causal=max(len(picked) - 1, 0))
