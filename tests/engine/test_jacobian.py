import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from app.engine.jacobian import (
    AttentionWeights,
    attention_jacobian,
    initial_attention,
    log_norms,
    measure_fall,
    recurrent_log_norms,
)
from app.engine.recurrent import CELLS, RecurrentWeights, initial_weights, recur

GOLDEN = Path(__file__).parent / "golden"
KINDS = sorted(CELLS)


@pytest.mark.parametrize("kind", KINDS)
def test_recurrent_norms_equal_those_of_pytorch(kind):
    golden = np.load(GOLDEN / "recurrent.npz")
    weights = RecurrentWeights(*(golden[f"{kind}.{name}"] for name in RecurrentWeights._fields))
    trace = recur(kind, golden[f"{kind}.inputs"], weights)
    theirs = np.linalg.norm(golden[f"{kind}.jacobian"], axis=(1, 2))
    np.testing.assert_allclose(10 ** recurrent_log_norms(kind, trace, weights), theirs, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_recurrent_norms_equal_finite_differences(kind):
    weights = initial_weights(kind, 2, 4, seed=1, gain=1.1, forget_bias=1, dtype=np.float64)
    inputs = np.random.default_rng(0).standard_normal((8, 2))
    ours = recurrent_log_norms(kind, recur(kind, inputs, weights), weights)
    for t in range(8):
        slopes = []
        for column in range(2):
            nudge = np.zeros_like(inputs)
            nudge[t, column] = 1e-6
            above = recur(kind, inputs + nudge, weights).states[-1]
            below = recur(kind, inputs - nudge, weights).states[-1]
            slopes.append((above - below) / 2e-6)
        np.testing.assert_allclose(10 ** ours[t], np.linalg.norm(slopes), rtol=1e-6)


def test_attention_jacobians_equal_those_of_pytorch():
    golden = np.load(GOLDEN / "jacobian.npz")
    weights = AttentionWeights(*(golden[name] for name in AttentionWeights._fields))
    ours = attention_jacobian(golden["inputs"], weights, heads=2)
    np.testing.assert_allclose(ours.weights, golden["shares"], atol=1e-12)
    np.testing.assert_allclose(ours.through_values, golden["values"], atol=1e-12)
    np.testing.assert_allclose(ours.whole, golden["whole"], atol=1e-12)


def test_one_head_without_an_output_matrix_is_its_share_times_the_value_matrix():
    random = np.random.default_rng(0)
    query, key, value = random.standard_normal((3, 4, 4))
    inputs = random.standard_normal((5, 4))
    ours = attention_jacobian(inputs, AttentionWeights(query, key, value, np.eye(4)), heads=1)
    expected = ours.weights[0][:, None, None] * value
    np.testing.assert_allclose(ours.through_values, expected, atol=1e-12)


def test_a_linear_chain_shrinks_by_its_gain_at_every_step():
    # At x = 0 the state stays 0, tanh has slope 1, and ∂h_T/∂x_t = (0.5·rotation)^(T−t)·W.
    weights = initial_weights("rnn", 6, 6, seed=0, gain=0.5, dtype=np.float64)
    norms = recurrent_log_norms("rnn", recur("rnn", np.zeros((2000, 6)), weights), weights)
    steps = np.arange(1999, -1, -1)
    expected = np.log10(np.linalg.norm(weights.weight_ih)) + steps * np.log10(0.5)
    np.testing.assert_allclose(norms, expected, atol=1e-9)
    assert norms[0] < -600  # far below the smallest float, and still a number


def test_a_gain_above_one_explodes_without_overflow():
    weights = initial_weights("rnn", 3, 3, seed=0, gain=2.0)
    inputs = np.zeros((2000, 3), np.float32)
    assert recurrent_log_norms("rnn", recur("rnn", inputs, weights), weights)[0] > 600


def test_no_path_back_is_minus_infinity_without_a_warning():
    weights = initial_weights("rnn", 3, 3, seed=0, gain=0.0)
    norms = recurrent_log_norms("rnn", recur("rnn", np.ones((4, 3), np.float32), weights), weights)
    assert np.isneginf(norms[:3]).all()
    assert np.isfinite(norms[3])


def test_a_jacobian_too_small_to_square_in_single_precision_is_still_measured():
    np.testing.assert_allclose(log_norms(np.full((2, 2), 5e-31, np.float32)), -30, rtol=1e-6)


def test_an_attention_layer_passes_a_gradient_back_at_any_distance():
    # With equal words every share is 1/T, and every input is worth W_O·W_V / T: no decay at all.
    layer = initial_attention(8, seed=0, dtype=np.float64)
    ours = attention_jacobian(np.ones((500, 8)), layer, heads=2)
    np.testing.assert_allclose(ours.whole[0], layer.output @ layer.value / 500, atol=1e-12)
    np.testing.assert_allclose(ours.whole[0], ours.whole[-2], atol=1e-12)


def test_a_zero_jacobian_has_a_norm_of_minus_infinity():
    assert np.isneginf(log_norms(np.zeros((2, 2))))


def test_a_larger_forget_bias_keeps_more_of_a_far_input():
    inputs = np.random.default_rng(0).standard_normal((300, 16)).astype(np.float32)
    far = []
    for bias in (0.0, 2.0, 5.0):
        weights = initial_weights("lstm", 16, 16, seed=0, forget_bias=bias)
        far.append(recurrent_log_norms("lstm", recur("lstm", inputs, weights), weights)[0])
    assert far[0] < far[1] < far[2]


def test_two_thousand_tokens_stay_within_bounded_memory():
    random = np.random.default_rng(0)
    inputs = random.standard_normal((2000, 32)).astype(np.float32)
    tracemalloc.start()
    weights = initial_weights("lstm", 32, 32, seed=0)
    assert recurrent_log_norms("lstm", recur("lstm", inputs, weights), weights).shape == (2000,)
    whole = attention_jacobian(inputs, initial_attention(32, seed=0), heads=4).whole
    assert whole.dtype == np.float32
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize("per_step", [-0.3, -0.001, 0.25])
def test_a_straight_line_of_logarithms_is_found_again(per_step):
    fall = measure_fall(2 + per_step * np.arange(300.0))
    assert fall.per_step == pytest.approx(per_step)
    # Half is left after log10 2 = 0.30103 has been lost.
    expected = 0.30103 / -per_step if per_step < 0 else np.inf
    assert fall.half_life == pytest.approx(expected, rel=1e-5)
    assert len(fall.averages) == 10
    np.testing.assert_allclose(fall.averages, 2 + per_step * fall.distances)


def test_the_last_tokens_own_size_and_zeros_do_not_bend_the_line():
    fall = measure_fall(np.array([50.0, -1.0, -2.0, -np.inf]))
    assert fall.per_step == pytest.approx(-1)
    assert fall.distances.tolist() == [1, 2]


def test_of_zeros_alone_nothing_is_left_at_once():
    fall = measure_fall(np.array([0.0, -np.inf, -np.inf]))
    assert (fall.per_step, fall.half_life, len(fall.averages)) == (-np.inf, 0.0, 0)


def test_one_step_makes_no_line():
    fall = measure_fall(np.array([0.0, -1.0]))
    assert (fall.per_step, fall.half_life) == (0.0, np.inf)
