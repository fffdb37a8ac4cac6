"""BERT's damage: shares, seeds and what is left alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.corruption import corrupt, tally_fates, training_signals

MASK = 1
CANDIDATES = np.arange(500, 600)


def damage(ids, seed=0, special=(), share=0.15):
    may_be_picked = np.ones(len(ids), bool)
    may_be_picked[list(special)] = False
    options = {"mask_id": MASK, "candidates": CANDIDATES, "share": share}
    return corrupt(ids, may_be_picked, generator=np.random.default_rng(seed), **options)


def test_of_many_tokens_fifteen_percent_are_picked_and_split_eighty_ten_ten():
    found = damage(np.arange(2, 20_002))
    assert found.picked.sum() == 3000  # 0.15 · 20,000
    shares = [found.actions.count(name) / 3000 for name in ("mask", "random", "keep")]
    np.testing.assert_allclose(shares, [0.8, 0.1, 0.1], atol=0.02)


@given(st.integers(1, 60), st.integers(0, 2**32))
def test_actions_picks_and_ids_tell_the_same_story(tokens, seed):
    ids = np.arange(100, 100 + tokens)
    found = damage(ids, seed)
    for picked, action, before, after in zip(*found[:2], ids, found.ids, strict=True):
        assert picked == (action != "untouched")
        expected = {"mask": {MASK}, "random": set(CANDIDATES.tolist())}.get(action, {before})
        assert after in expected


@given(st.integers(0, 2**32))
def test_the_same_seed_does_the_same_damage(seed):
    first, second = (damage(np.arange(30), seed) for _ in range(2))
    assert first.actions == second.actions
    np.testing.assert_array_equal(first.ids, second.ids)


@pytest.mark.parametrize(("tokens", "picked"), [(1, 1), (3, 1), (10, 2), (20, 3)])
def test_at_least_one_token_is_picked_and_otherwise_fifteen_percent_rounded(tokens, picked):
    assert damage(np.arange(tokens)).picked.sum() == picked


def test_special_tokens_are_never_picked_even_when_all_others_are():
    found = damage(np.arange(6), special=(0, 5), share=1)
    assert found.picked.tolist() == [False, True, True, True, True, False]
    assert found.ids[[0, 5]].tolist() == [0, 5]


def test_nothing_is_picked_where_nothing_may_be():
    assert not damage(np.arange(2), special=(0, 1)).picked.any()


def test_a_causal_model_learns_at_every_token_but_the_first():
    found = damage(np.arange(20))
    assert training_signals(found.picked) == (3, 19)
    assert training_signals(np.array([True])) == (1, 0)


def test_every_roll_shares_out_all_the_picked_tokens():
    counts = tally_fates(7, rolls=500, generator=np.random.default_rng(1))
    assert counts.shape == (500, 3)
    assert (counts.sum(axis=1) == 7).all()
    assert (counts >= 0).all()


def test_of_many_rolls_of_two_tokens_eighty_one_in_a_hundred_hold_no_forgery():
    """0.9² = 0.81; of 20,000 rolls, three standard deviations are 0.8 percent."""
    counts = tally_fates(2, rolls=20_000, generator=np.random.default_rng(2))
    assert abs((counts[:, 1] == 0).mean() - 0.81) < 0.0084
