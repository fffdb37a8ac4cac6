from pathlib import Path

import numpy as np
import pytest

from app.engine.recurrent import CELLS, RecurrentWeights, back_through_time, initial_weights, recur

GOLDEN = np.load(Path(__file__).parent / "golden" / "recurrent.npz")
KINDS = sorted(CELLS)


def golden_weights(kind, prefix=""):
    names = RecurrentWeights._fields
    return RecurrentWeights(*(GOLDEN[f"{kind}.{prefix}{name}"] for name in names))


@pytest.mark.parametrize("kind", KINDS)
def test_states_equal_those_of_pytorch(kind):
    trace = recur(kind, GOLDEN[f"{kind}.inputs"], golden_weights(kind))
    np.testing.assert_allclose(trace.states, GOLDEN[f"{kind}.states"], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_through_time_equal_those_of_pytorch(kind):
    weights = golden_weights(kind)
    trace = recur(kind, GOLDEN[f"{kind}.inputs"], weights)
    gradients = back_through_time(kind, trace, weights, GOLDEN[f"{kind}.wanted"])
    for ours, theirs in zip(gradients.weights, golden_weights(kind, "grad."), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    np.testing.assert_allclose(gradients.inputs, GOLDEN[f"{kind}.grad.inputs"], atol=1e-12)
    np.testing.assert_allclose(gradients.start, GOLDEN[f"{kind}.grad.start"], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_equal_finite_differences(kind):
    random = np.random.default_rng(3)
    weights = initial_weights(kind, 2, 3, seed=1, gain=1.3, forget_bias=0.5, dtype=np.float64)
    inputs, wanted = random.standard_normal((5, 2)), random.standard_normal((5, 3))

    def loss():
        return float((recur(kind, inputs, weights).states * wanted).sum())

    gradients = back_through_time(kind, recur(kind, inputs, weights), weights, wanted)
    pairs = [(inputs, gradients.inputs), *zip(weights, gradients.weights, strict=True)]
    for array, gradient in pairs:
        for place in np.ndindex(array.shape):
            kept, step = array[place], 1e-6
            array[place] = kept + step
            above = loss()
            array[place] = kept - step
            below = loss()
            array[place] = kept
            assert abs((above - below) / (2 * step) - gradient[place]) < 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_reading_in_two_parts_gives_the_same_states_where_the_state_is_handed_on(kind):
    weights = initial_weights(kind, 3, 4, seed=0)
    inputs = np.random.default_rng(0).standard_normal((7, 3)).astype(np.float32)
    whole = recur(kind, inputs, weights)
    first = recur(kind, inputs[:3], weights)
    np.testing.assert_array_equal(first.states, whole.states[:3])
    if kind != "lstm":
        rest = recur(kind, inputs[3:], weights, start=first.states[-1])
        np.testing.assert_allclose(rest.states, whole.states[3:], atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_stays_single_precision(kind):
    trace = recur(kind, np.ones((2, 3), np.float32), initial_weights(kind, 3, 4, seed=0))
    assert {array.dtype for array in trace} == {np.dtype(np.float32)}


def test_an_open_forget_gate_and_a_shut_input_gate_keep_the_cell_unchanged():
    # Gates f = σ(40) = 1, i = σ(−40) = 0, o = σ(40) = 1: c stays at what the first token left.
    weights = initial_weights("lstm", 1, 2, seed=0, gain=0.0, dtype=np.float64)
    weights.weight_ih[:] = 0
    weights.weight_ih[:2] = 80  # the first token, 1, opens the input gate; later ones are 0
    weights.bias_ih[:] = np.repeat([-40.0, 40.0, 1.0, 40.0], 2)
    cells = recur("lstm", np.array([[1.0], [0.0], [0.0], [0.0]]), weights).cells
    np.testing.assert_allclose(cells, np.tanh(1.0), atol=1e-12)


def test_the_recurrent_matrix_is_a_rotation_times_the_gain():
    weights = initial_weights("gru", 4, 5, seed=2, gain=0.7, dtype=np.float64)
    for part in weights.weight_hh.reshape(3, 5, 5):
        np.testing.assert_allclose(part @ part.T, 0.49 * np.eye(5), atol=1e-12)


def test_the_forget_bias_reaches_the_forget_gate_alone():
    bias = initial_weights("lstm", 2, 3, seed=0, forget_bias=2.0).bias_ih
    assert bias.tolist() == [0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0]
    assert not initial_weights("gru", 2, 3, seed=0, forget_bias=2.0).bias_ih.any()


def test_the_same_seed_draws_the_same_layer():
    first_draw, second_draw = (initial_weights("rnn", 2, 3, seed=5) for _ in range(2))
    for first, second in zip(first_draw, second_draw, strict=True):
        np.testing.assert_array_equal(first, second)
