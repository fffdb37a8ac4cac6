"""How much of a gradient survives: the size of ∂(last output)/∂(input t), for every t.

A Jacobian holds the slope of every output number by every input number; its size is measured by
the Frobenius norm, the root of the sum of squares. Over a thousand steps sizes leave the range of
a float, so that the logarithm is kept.
"""

import math
from typing import NamedTuple

import numpy as np

from app.engine.functions import Array, softmax
from app.engine.recurrent import CELLS, RecurrentTrace, RecurrentWeights


class AttentionWeights(NamedTuple):
    """The four projections of a self-attention layer, stored [out, in]."""

    query: Array  # (D, D)
    key: Array  # (D, D)
    value: Array  # (D, D)
    output: Array  # (D, D)


class AttentionJacobian(NamedTuple):
    """Slopes of the last token's output by each input, and the two ways they arise."""

    weights: Array  # (H, T) how much the last token takes from each
    through_values: Array  # (T, D, D) what is said changes
    through_softmax: Array  # (T, D, D) who is heard changes
    whole: Array  # (T, D, D) their sum


def initial_attention(
    width: int, *, seed: int, dtype: type[np.floating] = np.float32
) -> AttentionWeights:
    """Draw a fresh attention layer, each projection of variance 1/D.

    Shapes: -> four of (D, D).

    Source: LeCun et al. 1998, section 4.6 (variance by fan-in).
    """
    random = np.random.default_rng(seed)
    drawn = random.standard_normal((4, width, width)) / np.sqrt(width)
    return AttentionWeights(*drawn.astype(dtype))


def log_norms(jacobians: Array) -> Array:
    """Measure Jacobians by the logarithm (base 10) of their Frobenius norm; all zeros give −∞.

    Shapes: jacobians (..., D, E) -> (...).

    Example: √(60² + 80²) = 100 = 10².
        >>> log_norms(np.array([[[60.0, 0.0], [0.0, 80.0]]]))
        array([2.])
    """
    with np.errstate(divide="ignore"):
        squares = np.square(jacobians, dtype=np.float64)  # those of 1e-25 are no float32
        norms: Array = (np.log10(squares.sum(axis=(-1, -2))) / 2).astype(jacobians.dtype)
    return norms


class Fall(NamedTuple):
    """How fast a gradient fades on its way back, as a straight line through its logarithms."""

    per_step: float  # log10 of the factor that one more step multiplies it by; 0 from one step
    half_life: float  # steps until half is left; infinite where it does not fade
    distances: Array  # (N) the middles of up to ten stretches of the way
    averages: Array  # (N) log10 of the size in each, on average


def measure_fall(by_distance: Array) -> Fall:
    """Fit a straight line through the logarithms of a gradient's sizes, by least squares.

    Shapes: by_distance (T), the last token first; its own size is left out, and so is −∞ -> Fall.

    Example: a tenth is left after each step, so half after log10 2 = 0.301 steps.
        >>> fall = measure_fall(np.array([9.0, -1.0, -2.0, -3.0]))
        >>> round(fall.per_step, 6), round(fall.half_life, 6), fall.averages.tolist()
        (-1.0, 0.30103, [-1.0, -2.0, -3.0])

    Source: least squares, Legendre 1805.
    """
    steps = np.flatnonzero(np.isfinite(by_distance[1:])) + 1
    sizes = by_distance[steps].astype(np.float64)
    if len(steps) == 0:
        return Fall(-math.inf, 0.0, by_distance[:0], by_distance[:0])
    spread = steps - steps.mean()
    per_step = float(spread @ sizes) / max(float(spread @ spread), 1e-9)
    half_life = math.log10(2) / -per_step if per_step < 0 else math.inf
    stretches = [np.array_split(each, min(10, len(steps))) for each in (steps, sizes)]
    distances, averages = (np.array([part.mean() for part in each]) for each in stretches)
    return Fall(per_step, half_life, distances, averages)


def recurrent_log_norms(kind: str, trace: RecurrentTrace, weights: RecurrentWeights) -> Array:
    """Follow the gradient of the last state back to every input: a product of T − t Jacobians.

    The whole Jacobian travels back, one row a number of the last state. It is brought to size 1 at
    every step, the size going into the logarithm, so that nothing underflows or overflows. Give
    float64: where tanh is nearly 1, float32 rounds its slope to nothing.

    Shapes: trace of T tokens -> (T): log10 of ‖∂h_T/∂x_t‖.

    Example: h = tanh(x + h) from 0: at x = 0 each slope is 1, so every norm is 1.
        >>> from app.engine.recurrent import recur
        >>> one = RecurrentWeights(np.ones((1, 1)), np.ones((1, 1)), np.zeros(1), np.zeros(1))
        >>> recurrent_log_norms("rnn", recur("rnn", np.zeros((3, 1)), one), one)
        array([0., 0., 0.])

    Source: Bengio, Simard and Frasconi 1994; Pascanu, Mikolov and Bengio 2013, equation 5.
    """
    state = np.eye(trace.states.shape[1], dtype=trace.states.dtype)
    cell, size = np.zeros_like(state), 0.0
    norms: Array = np.empty(len(trace.states), state.dtype)
    for t in reversed(range(len(norms))):
        back = CELLS[kind].back(trace, weights.weight_hh, t, state, cell)
        norms[t] = size + log_norms(back.input_side @ weights.weight_ih)
        scale = max(np.abs(back.state).max(), np.abs(back.cell).max())
        if scale == 0:
            norms[:t] = -np.inf
            break
        state, cell, size = back.state / scale, back.cell / scale, size + math.log10(scale)
    return norms


def attention_jacobian(
    inputs: Array, weights: AttentionWeights, *, heads: int
) -> AttentionJacobian:
    """Differentiate the last token's attention output by every input, values and softmax apart.

    With shares a and values v of a head, and y = Σ aⱼ·vⱼ: through the values each input is worth
    a_t·W_V; through the softmax, the score s_t moves y by a_t·(v_t − y). The causal mask hides
    nothing from the last token. Nothing is multiplied T times: one hop, whatever the distance.

    Shapes: inputs (T, D) -> weights (H, T), three of (T, D, D).

    Source: Vaswani et al. 2017, equation 1, differentiated.
    """
    D = inputs.shape[1]
    K = D // heads
    query, key, value = (w.reshape(heads, K, D) for w in weights[:3])
    asked, scale = query @ inputs[-1], 1 / math.sqrt(K)  # (H, K)
    keys, values = (np.einsum("td,hkd->htk", inputs, w) for w in (key, value))
    shares = softmax(np.einsum("hk,htk->ht", asked, keys) * scale)
    moved = shares[..., None] * (values - np.einsum("ht,htk->hk", shares, values)[:, None])
    out = weights.output.reshape(D, heads, K)
    by_key = np.einsum("hk,hkd->hd", asked, key) * scale  # slope of each score by its own input
    by_query = np.einsum("htk,hkd->htd", keys, query) * scale  # ... by the last input
    direct = np.einsum("ohk,hkd->hod", out, value)
    through_values = np.einsum("ht,hod->tod", shares, direct)
    told = np.einsum("ohk,htk->tho", out, moved)
    through_softmax = np.einsum("tho,hd->tod", told, by_key)
    through_softmax[-1] += np.einsum("tho,htd->od", told, by_query)
    whole = through_values + through_softmax
    return AttentionJacobian(shares, through_values, through_softmax, whole)
