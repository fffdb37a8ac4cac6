"""The four functions, against numbers worked by hand and against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.engine.functions import gelu, gelu_tanh, layer_norm, linear, relu, softmax

SCORES = arrays(np.float32, (3, 5), elements=st.floats(-50, 50, width=32))


def test_scores_of_ln_1_ln_2_and_ln_5_become_shares_of_one_two_and_five_eighths():
    # 1 + 2 + 5 = 8
    np.testing.assert_allclose(softmax(np.log([1.0, 2.0, 5.0])), [0.125, 0.25, 0.625])


@given(SCORES)
def test_every_row_of_softmax_sums_to_one(scores):
    np.testing.assert_allclose(softmax(scores).sum(axis=-1), 1, atol=1e-5)


@given(SCORES, st.floats(-20, 20))
def test_adding_the_same_number_to_all_scores_changes_no_share(scores, shift):
    np.testing.assert_allclose(softmax(scores + np.float32(shift)), softmax(scores), atol=1e-5)


def test_softmax_of_huge_scores_is_finite_and_of_minus_infinity_exactly_zero():
    np.testing.assert_array_equal(softmax(np.float32([3e38, -np.inf])), [1, 0])


def test_softmax_runs_down_any_axis():
    scores = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(softmax(scores, axis=0), softmax(scores.T).T)


def test_layer_norm_gives_each_row_the_learned_mean_and_spread():
    x = np.random.default_rng(0).normal(3, 7, (4, 64)).astype(np.float32)
    y = layer_norm(x, np.full(64, 2, np.float32), np.full(64, 5, np.float32), epsilon=1e-12)
    np.testing.assert_allclose(y.mean(axis=-1), 5, atol=1e-5)
    np.testing.assert_allclose(y.std(axis=-1), 2, atol=1e-5)


def test_gelu_is_within_its_stated_error_of_the_exact_definition_everywhere():
    x = np.linspace(-12, 12, 4801)
    exact = np.array([v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x])
    assert np.abs(gelu(x) - exact).max() < 1e-5
    erf = np.array([math.erf(v / math.sqrt(2)) for v in x[x != 0]])
    assert np.abs(2 * gelu(x[x != 0]) / x[x != 0] - 1 - erf).max() < 3e-6


def test_gelu_lets_huge_numbers_pass_and_silences_huge_negative_ones():
    np.testing.assert_array_equal(gelu(np.float32([-1000, 1000])), [0, 1000])


@pytest.mark.parametrize("function", [softmax, gelu, gelu_tanh, relu])
def test_a_float32_goes_in_and_a_float32_comes_out(function):
    assert function(np.ones((2, 3), np.float32)).dtype == np.float32


def test_linear_without_a_bias_is_the_product_alone():
    # [1 2]·[3 4] = 11
    np.testing.assert_array_equal(linear(np.float32([[1, 2]]), np.float32([[3, 4]])), [[11]])
