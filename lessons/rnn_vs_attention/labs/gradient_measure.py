"""What the gradient lab measures: fresh layers, run forward, then differentiated all the way."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from app.engine.jacobian import (
    Fall,
    attention_jacobian,
    initial_attention,
    log_norms,
    measure_fall,
    recurrent_log_norms,
)
from app.engine.recurrent import initial_weights, recur, sigmoid
from app.figures.describe import Array

WIDTH, HEADS = 32, 4


class Setting(NamedTuple):
    """What the layers are made with."""

    tokens: int
    gain: float  # of the plain recurrent layer; the gated ones start with rotations, gain 1
    bias: float  # of the LSTM's forget gate
    seed: int
    kinds: tuple[str, ...]  # recurrent ones


class Flow(NamedTuple):
    """Sizes as log10, nearest token first: entry n is n steps before the last output."""

    sizes: Mapping[str, Array]  # by layer: rnn, lstm, gru, attention
    falls: Mapping[str, Fall]  # and of attention's two ways: values, softmax
    through_values: Array
    through_softmax: Array
    shares: Array  # how much the last token takes from each, over all heads on average
    forget: float  # how far the bias alone opens the forget gate


def fresh_inputs(tokens: int, seed: int) -> Array:
    """Draw vectors of unit variance that have nothing to do with each other, (T, D)."""
    return np.random.default_rng(seed + 1).standard_normal((tokens, WIDTH))


def recurrent_sizes(kind: str, inputs: Array, setting: Setting) -> Array:
    """Read with a fresh recurrent layer, and follow the last state's gradient to every input."""
    weights = initial_weights(
        kind,
        WIDTH,
        WIDTH,
        seed=setting.seed,
        gain=setting.gain if kind == "rnn" else 1.0,
        forget_bias=setting.bias,
        dtype=np.float64,
    )
    return recurrent_log_norms(kind, recur(kind, inputs, weights), weights)[::-1]


def measure(setting: Setting) -> Flow:
    """Measure every layer on the same inputs."""
    inputs = fresh_inputs(setting.tokens, setting.seed)
    sizes = {kind: recurrent_sizes(kind, inputs, setting) for kind in setting.kinds}
    weights = initial_attention(WIDTH, seed=setting.seed, dtype=np.float64)
    found = attention_jacobian(inputs, weights, heads=HEADS)
    sizes["attention"] = log_norms(found.whole)[::-1]
    values, softmax = (
        log_norms(way)[::-1] for way in (found.through_values, found.through_softmax)
    )
    every = {**sizes, "values": values, "softmax": softmax}
    return Flow(
        sizes=sizes,
        falls={name: measure_fall(each) for name, each in every.items()},
        through_values=values,
        through_softmax=softmax,
        shares=found.weights.mean(axis=0)[::-1],
        forget=float(sigmoid(np.array(setting.bias))),
    )
