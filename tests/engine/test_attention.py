"""Attention once more as three plain loops, and numbers worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import EmptyRow
from app.engine.attention import attend, merge_heads, split_heads
from app.engine.masks import causal, custom


def by_three_loops(queries, keys, values):
    """The formula as one would write it on paper."""
    mixed = []
    for q in queries:
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in keys]
        shares = [math.exp(score) for score in scores]
        total = sum(shares)
        weights = [share / total for share in shares]
        mixed.append([sum(w * v[i] for w, v in zip(weights, values, strict=True)) for i in (0, 1)])
    return mixed


def test_attention_equals_three_plain_loops():
    queries, keys, values = np.random.default_rng(1).normal(size=(3, 6, 2))
    mixed = attend(queries, keys, values).mixed
    np.testing.assert_allclose(mixed, by_three_loops(queries, keys, values))


def test_every_step_of_attention_comes_back_in_order():
    # queries of width 4, so scores are halved: 2·ln 3 / 2 = ln 3; the weights are ¾ and ¼
    queries = np.array([[2 * math.log(3), 0, 0, 0]])
    keys = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]])
    values = np.array([[4.0, 0, 0, 0], [0, 8, 0, 0]])
    steps = attend(queries, keys, values)
    np.testing.assert_allclose(steps.scores, [[math.log(3), 0]])
    np.testing.assert_allclose(steps.masked, steps.scores)
    np.testing.assert_allclose(steps.weights, [[0.75, 0.25]])
    np.testing.assert_allclose(steps.mixed, [[3, 2, 0, 0]])


def test_row_is_the_query_and_column_the_key():
    # the second query alone fits the first key
    weights = attend(np.array([[0.0], [9.0]]), np.array([[9.0], [0.0]]), np.eye(2)).weights
    np.testing.assert_allclose(weights, [[0.5, 0.5], [1, 0]], atol=1e-9)


def test_without_the_scale_the_scores_are_the_plain_products():
    x = np.random.default_rng(2).normal(size=(5, 16))
    np.testing.assert_allclose(attend(x, x, x, scale=False).scores, x @ x.T)
    np.testing.assert_allclose(attend(x, x, x).scores * 4, x @ x.T)


def test_a_masked_key_gets_a_weight_of_exactly_zero():
    x = np.random.default_rng(3).normal(size=(2, 4, 8)).astype(np.float32)
    steps = attend(x, x, x, mask=causal(4))
    assert (steps.weights[:, np.triu_indices(4, 1)[0], np.triu_indices(4, 1)[1]] == 0).all()
    assert np.isfinite(steps.mixed).all()
    assert np.isfinite(steps.scores).all()


def test_a_mask_with_an_empty_row_is_refused():
    x = np.ones((2, 2))
    with pytest.raises(EmptyRow, match="row 2 may look at nothing"):
        attend(x, x, x, mask=custom(np.array([[True, True], [False, False]])))


def test_queries_may_come_from_one_sentence_and_keys_from_another():
    steps = attend(np.ones((3, 2)), np.ones((5, 2)), np.ones((5, 2)))
    assert steps.weights.shape == (3, 5)
    np.testing.assert_allclose(steps.weights, 0.2)


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3))
def test_merging_the_heads_undoes_splitting_them(tokens, heads, width):
    x = np.arange(tokens * heads * width).reshape(tokens, heads * width)
    np.testing.assert_array_equal(merge_heads(split_heads(x, heads)), x)
    assert split_heads(x, heads).shape == (heads, tokens, width)
