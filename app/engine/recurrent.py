"""Recurrent layers, forward and backward through time: one state, handed from token to token.

Three cells by name: "rnn", "lstm", "gru". E is the width of an input, D that of the state, and
G the number of parts (1, 4, 3) that a cell stacks in each of its matrices.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from app.engine.functions import Array


class RecurrentWeights(NamedTuple):
    """One recurrent layer as PyTorch stores it; or a loss's gradient, in the same places."""

    weight_ih: Array  # (G·D, E)
    weight_hh: Array  # (G·D, D)
    bias_ih: Array  # (G·D)
    bias_hh: Array  # (G·D)


class RecurrentTrace(NamedTuple):
    """Every intermediate of a recurrent layer, one row a token, in order of computation."""

    inputs: Array  # (T, E)
    projected: Array  # (T, G·D) what the token contributes
    previous: Array  # (T, D) the state that the token meets
    previous_cell: Array  # (T, D) the cell that it meets (LSTM; zeros elsewhere)
    recurrent: Array  # (T, G·D) what the state contributes
    gates: Array  # (T, G·D) tanh (rnn); input, forget, candidate, output; reset, update, candidate
    cells: Array  # (T, D)
    states: Array  # (T, D) the output


class StepBack(NamedTuple):
    """A gradient carried from one state to the one before; leading axes are kept."""

    input_side: Array  # (..., G·D) where the token's contribution was added
    recurrent_side: Array  # (..., G·D) where the state's was
    state: Array  # (..., D) what the state before is to blame for
    cell: Array  # (..., D) what the cell before is to blame for


class RecurrentGradients(NamedTuple):
    """Gradients of a loss with respect to all that went into a recurrent layer."""

    inputs: Array  # (T, E)
    weights: RecurrentWeights
    start: Array  # (D)


class Step(NamedTuple):
    """What one token makes of the state."""

    gates: Array  # (G·D)
    cell: Array  # (D)
    state: Array  # (D)


def sigmoid(x: Array) -> Array:
    """Squash any number into 0 to 1: how far a gate stands open.

    Shapes: x (...) -> (...).

    Example: 1 / (1 + e^(−ln 3)) = 1 / (1 + ⅓).
        >>> sigmoid(np.array([0.0, np.log(3)])).round(6)
        array([0.5 , 0.75])
    """
    half = np.float32(0.5)
    opened: Array = half + half * np.tanh(half * x)  # the same function; tanh cannot overflow
    return opened


def rnn_step(projected: Array, recurrent: Array, _state: Array, cell: Array) -> Step:
    """Mix token and state, and squash: h' = tanh(W·x + U·h + b).

    Shapes: (D), (D), (D), (D) -> three of (D).

    Source: Elman 1990.
    """
    state = np.tanh(projected + recurrent)
    return Step(state, cell, state)


def rnn_back(
    trace: RecurrentTrace, weight_hh: Array, t: int, state: Array, cell: Array
) -> StepBack:
    """Undo rnn_step: through the slope of tanh, 1 − h'², then back through U.

    Shapes: weight_hh (D, D), state and cell (..., D) -> four of (..., D).
    """
    side = state * (1 - trace.states[t] ** 2)
    return StepBack(side, side, side @ weight_hh, cell)


def lstm_step(projected: Array, recurrent: Array, _state: Array, cell: Array) -> Step:
    """Keep a cell that is added to instead of rewritten: c' = f·c + i·g, then h' = o·tanh(c').

    Shapes: (4·D), (4·D), (D), (D) -> gates (4·D), cell (D), state (D).

    Source: Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000.
    """
    enter, forget, candidate, out = (projected + recurrent).reshape(4, -1)
    enter, forget, out = sigmoid(enter), sigmoid(forget), sigmoid(out)
    candidate = np.tanh(candidate)
    cell = forget * cell + enter * candidate
    gates = np.concatenate([enter, forget, candidate, out])
    return Step(gates, cell, out * np.tanh(cell))


def lstm_back(
    trace: RecurrentTrace, weight_hh: Array, t: int, state: Array, cell: Array
) -> StepBack:
    """Undo lstm_step: the cell's gradient is only multiplied by the forget gate, never by U.

    Shapes: weight_hh (4·D, D), state and cell (..., D) -> two of (..., 4·D), two of (..., D).
    """
    enter, forget, candidate, out = trace.gates[t].reshape(4, -1)
    shown = np.tanh(trace.cells[t])
    cell = cell + state * out * (1 - shown**2)
    side = np.concatenate(
        [
            cell * candidate * enter * (1 - enter),
            cell * trace.previous_cell[t] * forget * (1 - forget),
            cell * enter * (1 - candidate**2),
            state * shown * out * (1 - out),
        ],
        axis=-1,
    )
    return StepBack(side, side, side @ weight_hh, cell * forget)


def gru_step(projected: Array, recurrent: Array, state: Array, cell: Array) -> Step:
    """Slide from the old state to a candidate: h' = z·h + (1 − z)·n.

    Shapes: (3·D), (3·D), (D), (D) -> gates (3·D), cell (D), state (D).

    Source: Cho et al. 2014; the reset gate stands after the product, as in torch.nn.GRU.
    """
    (token_reset, token_update, token_new) = projected.reshape(3, -1)
    (state_reset, state_update, state_new) = recurrent.reshape(3, -1)
    reset, update = sigmoid(token_reset + state_reset), sigmoid(token_update + state_update)
    candidate = np.tanh(token_new + reset * state_new)
    gates = np.concatenate([reset, update, candidate])
    return Step(gates, cell, update * state + (1 - update) * candidate)


def gru_back(
    trace: RecurrentTrace, weight_hh: Array, t: int, state: Array, cell: Array
) -> StepBack:
    """Undo gru_step: a part z of the gradient goes straight to the state before.

    Shapes: weight_hh (3·D, D), state and cell (..., D) -> two of (..., 3·D), two of (..., D).
    """
    reset, update, candidate = trace.gates[t].reshape(3, -1)
    new = state * (1 - update) * (1 - candidate**2)
    remembered = trace.recurrent[t].reshape(3, -1)[2]
    gates = [
        new * remembered * reset * (1 - reset),
        state * (trace.previous[t] - candidate) * update * (1 - update),
    ]
    input_side = np.concatenate([*gates, new], axis=-1)
    recurrent_side = np.concatenate([*gates, new * reset], axis=-1)
    return StepBack(input_side, recurrent_side, recurrent_side @ weight_hh + state * update, cell)


class Cell(NamedTuple):
    """A kind of recurrent cell: its parts, one step forward, one step back."""

    parts: int
    step: Callable[[Array, Array, Array, Array], Step]
    back: Callable[[RecurrentTrace, Array, int, Array, Array], StepBack]


CELLS: Mapping[str, Cell] = {
    "rnn": Cell(1, rnn_step, rnn_back),
    "lstm": Cell(4, lstm_step, lstm_back),
    "gru": Cell(3, gru_step, gru_back),
}


def initial_weights(
    kind: str,
    inputs: int,
    width: int,
    *,
    seed: int,
    gain: float = 1.0,
    forget_bias: float = 0.0,
    dtype: type[np.floating] = np.float32,
) -> RecurrentWeights:
    """Draw a fresh layer: each part of U a random rotation times `gain`, W of variance 1/E.

    Shapes: -> RecurrentWeights. `forget_bias` is added to the LSTM's forget gate alone.

    Source: Saxe, McClelland and Ganguli 2014 (orthogonal); Jozefowicz et al. 2015 (forget bias).
    """
    random, parts = np.random.default_rng(seed), CELLS[kind].parts
    weight_ih = random.standard_normal((parts * width, inputs)) / np.sqrt(inputs)
    turns = [np.linalg.qr(random.standard_normal((width, width)))[0] for _ in range(parts)]
    bias = np.zeros(parts * width)
    if kind == "lstm":
        bias[width : 2 * width] = forget_bias
    drawn = (weight_ih, gain * np.concatenate(turns), bias, np.zeros_like(bias))
    return RecurrentWeights(*(array.astype(dtype) for array in drawn))


def recur(
    kind: str, inputs: Array, weights: RecurrentWeights, *, start: Array | None = None
) -> RecurrentTrace:
    """Read the tokens one after the other: each state is made from the one before.

    Shapes: inputs (T, E), start (D) -> RecurrentTrace. The state starts at zero unless given.

    Example: with every weight 1, h₁ = tanh(1) and h₂ = tanh(0 + h₁).
        >>> one = RecurrentWeights(np.ones((1, 1)), np.ones((1, 1)), np.zeros(1), np.zeros(1))
        >>> recur("rnn", np.array([[1.0], [0.0]]), one).states.round(4).tolist()
        [[0.7616], [0.642]]
    """
    width = weights.weight_hh.shape[1]
    projected = inputs @ weights.weight_ih.T + weights.bias_ih
    state = np.zeros(width, inputs.dtype) if start is None else start
    cell, rows = np.zeros(width, inputs.dtype), []
    for token in projected:
        recurrent = weights.weight_hh @ state + weights.bias_hh
        step = CELLS[kind].step(token, recurrent, state, cell)
        rows.append((state, cell, recurrent, *step))
        state, cell = step.state, step.cell
    columns = (np.stack(column) for column in zip(*rows, strict=True))
    return RecurrentTrace(inputs, projected, *columns)


def back_through_time(
    kind: str, trace: RecurrentTrace, weights: RecurrentWeights, states: Array
) -> RecurrentGradients:
    """Carry a loss's gradient from the states back to the weights, the inputs and the start.

    Shapes: states (T, D), the loss's gradient for each state -> RecurrentGradients.

    Source: Werbos 1990, Backpropagation through time.
    """
    state = cell = np.zeros_like(states[0])
    input_sides, recurrent_sides = [], []
    for t in reversed(range(len(states))):
        back = CELLS[kind].back(trace, weights.weight_hh, t, states[t] + state, cell)
        input_sides.append(back.input_side)
        recurrent_sides.append(back.recurrent_side)
        state, cell = back.state, back.cell
    given, kept = np.stack(input_sides[::-1]), np.stack(recurrent_sides[::-1])
    gradient = RecurrentWeights(
        given.T @ trace.inputs, kept.T @ trace.previous, given.sum(axis=0), kept.sum(axis=0)
    )
    return RecurrentGradients(given @ weights.weight_ih, gradient, state)
