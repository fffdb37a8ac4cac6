"""Shaping and drawing the next token, and writing on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EngineError
from app.engine.sampling import (
    draw,
    generate,
    grow,
    likeliest,
    nucleus,
    shape_distribution,
)

LOGITS = st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=40).map(np.float32)


def chain(ids, cache):
    """A decoder that prefers the next number of five, and remembers how much it has read."""
    known = cache[0] if cache else 0
    logits = np.zeros(5, np.float32)
    logits[(ids[-1] + 1) % 5] = 3
    return logits, (known + len(ids),)


def test_temperature_sharpens_and_flattens():
    logits = np.log(np.float32([1, 2, 4]))
    # at temperature ½ the shares are squared: 1, 4, 16 of 21
    sharp = shape_distribution(logits, temperature=0.5).probabilities
    np.testing.assert_allclose(sharp, np.array([1, 4, 16]) / 21, rtol=1e-6)
    # at temperature 2 their roots are taken: 1, √2, 2
    flat = shape_distribution(logits, temperature=2).probabilities
    np.testing.assert_allclose(flat, np.array([1, 2**0.5, 2]) / (3 + 2**0.5), rtol=1e-6)


def test_temperature_zero_is_certain_of_the_first_of_the_best():
    spread = shape_distribution(np.float32([1, 5, 5, 2]), temperature=0)
    assert spread.probabilities.tolist() == [0, 1, 0, 0]
    assert spread.kept.tolist() == [False, True, False, False]


def test_top_k_comes_before_top_p():
    # 0.4, 0.3, 0.2, 0.1; the two best are 4/7 = 0.571 and 3/7, so that top-p 0.5 keeps one of them
    logits = np.log(np.float32([0.1, 0.2, 0.3, 0.4]))
    assert shape_distribution(logits, top_k=2).kept.tolist() == [False, False, True, True]
    assert shape_distribution(logits, top_p=0.5).kept.tolist() == [False, False, True, True]
    assert shape_distribution(logits, top_k=2, top_p=0.5).kept.tolist() == [False] * 3 + [True]


def test_the_model_s_own_log_probabilities_are_not_touched_by_shaping():
    logits = np.log(np.float32([1, 3]))
    shaped = shape_distribution(logits, temperature=0.1, top_k=1)
    np.testing.assert_allclose(np.exp(shaped.log_probabilities), [0.25, 0.75], rtol=1e-6)


@settings(deadline=None)
@given(
    logits=LOGITS, temperature=st.floats(0, 5), top_k=st.integers(0, 50), top_p=st.floats(0.01, 1)
)
def test_a_distribution_sums_to_one_and_keeps_the_best(logits, temperature, top_k, top_p):
    spread = shape_distribution(logits, temperature=temperature, top_k=top_k, top_p=top_p)
    assert spread.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert spread.scaled[spread.kept].max() == pytest.approx(spread.scaled.max(), abs=1e-5)
    assert (spread.probabilities[~spread.kept] == 0).all()
    assert not top_k or spread.kept.sum() <= top_k


@settings(deadline=None)
@given(logits=LOGITS, seed=st.integers(0, 2**32))
def test_what_was_cut_off_is_never_drawn(logits, seed):
    spread = shape_distribution(logits, top_k=2)
    assert spread.kept[draw(spread.probabilities, np.random.default_rng(seed))]


def test_tokens_are_drawn_as_often_as_they_should_be():
    random, probabilities = np.random.default_rng(1), np.array([0.1, 0.6, 0.3])
    counts = np.bincount([draw(probabilities, random) for _ in range(20_000)])
    np.testing.assert_allclose(counts / 20_000, probabilities, atol=0.01)


def test_the_nucleus_is_the_smallest_that_reaches_its_share():
    assert nucleus(np.array([0.5, 0.3, 0.2]), 0.5).tolist() == [True, False, False]
    assert nucleus(np.array([0.5, 0.3, 0.2]), 0.51).tolist() == [True, True, False]
    assert nucleus(np.array([0.5, 0.3, 0.2]), 1.0).all()


@settings(deadline=None)
@given(scores=LOGITS, count=st.integers(1, 50))
def test_the_likeliest_are_those_that_sorting_finds(scores, count):
    assert (likeliest(scores, count) == np.argsort(-scores, kind="stable")[:count]).all()


@pytest.mark.parametrize(
    "options",
    [{"temperature": -1}, {"temperature": np.nan}, {"top_k": -1}, {"top_p": 0}, {"top_p": 1.1}],
)
def test_settings_out_of_range_are_refused_with_their_values(options):
    with pytest.raises(EngineError, match=str(next(iter(options.values())))):
        shape_distribution(np.zeros(3, np.float32), **options)


def test_writing_on_greedily_follows_the_likeliest_and_reads_each_token_once():
    written = list(generate(chain, np.array([0, 1]), limit=4, temperature=0))
    assert [token.id for token in written] == [2, 3, 4, 0]
    assert [token.cache for token in written] == [(2,), (3,), (4,), (5,)]
    assert [a.id for a in written[0].alternatives] == [2, 0, 1, 3, 4]


def test_a_stop_token_is_handed_over_and_ends_the_text():
    assert [t.id for t in generate(chain, np.array([0]), limit=9, stop=[3], temperature=0)] == [
        1,
        2,
        3,
    ]


@settings(deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_same_seed_writes_the_same_text(seed):
    first, second = (
        [token.id for token in generate(chain, np.array([0]), limit=12, seed=seed)]
        for _ in range(2)
    )
    assert first == second


def test_from_any_token_another_way_may_be_taken():
    written = list(generate(chain, np.array([0]), limit=3, temperature=0))
    other = written[1].alternatives[1].id
    branch = list(generate(chain, np.array([other]), cache=None, limit=2, temperature=0))
    assert branch[0].id == (other + 1) % 5


def test_a_tree_of_continuations_multiplies_probabilities_along_its_branches():
    tree = grow(chain, np.array([0]), wide=2, deep=3)
    assert [branch.id for branch in tree] == [1, 0]
    assert [branch.id for branch in tree[0].branches[0].branches] == [3, 0]
    assert all(not leaf.branches for leaf in tree[1].branches[0].branches)
    # e³ against 4 others of e⁰
    assert tree[0].log_probability == pytest.approx(3 - np.log(np.exp(3) + 4), rel=1e-5)
