"""BERT's damage: how a sentence is made into a riddle with known answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

PICKED = 0.15  # of the tokens; these shares are those of Devlin et al. 2018, section 3.1
TO_MASK = 0.8  # of the picked tokens
TO_RANDOM = 0.1  # of the picked tokens; the rest stays
FATES = ("mask", "random", "keep")


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


def decide(throws: NDArray[np.floating]) -> NDArray[np.str_]:
    """Turn a throw between 0 and 1 into a picked token's fate: eight, one and one of ten.

    Shapes: throws (...) -> (...).

    Example:
        >>> decide(np.array([0.0, 0.79, 0.8, 0.89, 0.9])).tolist()
        ['mask', 'mask', 'random', 'random', 'keep']

    Source: Devlin et al. 2018, section 3.1, task 1.
    """
    mask, swap, keep = FATES
    return np.select([throws < TO_MASK, throws < TO_MASK + TO_RANDOM], [mask, swap], keep)


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
    actions = np.where(picked, decide(generator.random(len(ids))), "untouched")
    swaps = generator.choice(candidates, len(ids))
    masks = np.full_like(ids, mask_id)
    damaged = np.select([actions == "mask", actions == "random"], [masks, swaps], ids)
    return Damage(picked, tuple(actions.tolist()), damaged)


def tally_fates(picked: int, *, rolls: int, generator: np.random.Generator) -> Ids:
    """Roll the fates of so many picked tokens again and again, and count them.

    Shapes: -> (rolls, 3): how many were masked, swapped and kept in each roll.

    Example: of a hundred thousand throws, about 80, 10 and 10 %.
        >>> counts = tally_fates(100, rolls=1000, generator=np.random.default_rng(0))
        >>> (counts.sum(axis=0) / counts.sum()).round(2)
        array([0.8, 0.1, 0.1])
    """
    fates = decide(generator.random((rolls, picked)))
    return np.stack([(fates == fate).sum(axis=1) for fate in FATES], axis=1)


def training_signals(picked: NDArray[np.bool_]) -> Signals:
    """Count what one sentence teaches: BERT learns at the picked tokens, GPT at all but the first.

    Shapes: picked (T) -> Signals.

    Example:
        >>> training_signals(np.array([False, True, False, False]))
        Signals(masked=1, causal=3)

    Source: the sums of the two losses; Devlin et al. 2018, Radford et al. 2018, equation 1.
    """
    return Signals(masked=int(picked.sum()), causal=max(len(picked) - 1, 0))
