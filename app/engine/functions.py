"""The four functions that every transformer is made of."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

# erf(x/√2) ≈ tanh(x·P(x²)); P's coefficients, constant term first, fitted to the smallest
# largest error, which is 2.9e-6. NumPy has no erf, and tanh is quick.
ERF_FIT = (7.97869712e-01, 3.63922864e-02, -8.78266551e-05, -3.66934233e-05, 1.42500433e-06)


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """Mix the numbers of each token into new numbers: the learned part of a model.

    Shapes: x (..., in), weight (out, in), bias (out) -> (..., out). The weight lies as
    checkpoints store it, one row an output.

    Example:
        >>> linear(np.array([1.0, 2.0]), np.array([[1.0, 1.0], [0.0, 3.0]]), np.array([0.5, 0.0]))
        array([3.5, 6. ])

    Source: torch.nn.Linear.
    """
    product = x @ weight.T
    return product if bias is None else product + bias


def softmax(scores: Array, axis: int = -1) -> Array:
    """Turn scores into shares of one: the larger the score, the larger the share.

    The largest score is taken off first, which changes nothing but keeps exp() finite. A score of
    −∞ gets a share of exactly zero.

    Shapes: scores (..., n) -> (..., n), each row summing to 1.

    Example: e⁰ = 1 and e^(ln 3) = 3, so the shares are one quarter and three quarters.
        >>> softmax(np.array([0.0, np.log(3.0)])).round(6)
        array([0.25, 0.75])

    Source: Bridle 1990; as used in Vaswani et al. 2017, equation 1.
    """
    shares: Array = np.exp(scores - scores.max(axis=axis, keepdims=True))
    shares /= shares.sum(axis=axis, keepdims=True)
    return shares


def log_softmax(scores: Array, axis: int = -1) -> Array:
    """Turn scores into logarithms of shares, exact even where a share is too small to write.

    Shapes: scores (..., n) -> (..., n).

    Example: the logarithms of one quarter and three quarters.
        >>> np.exp(log_softmax(np.array([0.0, np.log(3.0)]))).round(6)
        array([0.25, 0.75])

    Source: ln of Vaswani et al. 2017, equation 1; as in torch.log_softmax.
    """
    shifted = scores - scores.max(axis=axis, keepdims=True)
    logarithms: Array = shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return logarithms


def layer_norm(x: Array, weight: Array, bias: Array, *, epsilon: float) -> Array:
    """Bring each token's numbers to mean 0 and variance 1, then stretch and shift as learned.

    Shapes: x (..., D), weight (D), bias (D) -> (..., D).

    Example: 1 and 3 have mean 2 and variance 1.
        >>> layer_norm(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.array([0.0, 5.0]), epsilon=0)
        array([-1.,  7.])

    Source: Ba, Kiros and Hinton 2016, equation 4; epsilon as in torch.nn.LayerNorm.
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    normal: Array = centred / np.sqrt(variance + epsilon)
    return normal * weight + bias


def gelu(x: Array) -> Array:
    """Let large numbers pass and silence small ones, with a soft bend between.

    Each number is multiplied by the chance that a standard normal variable lies below it.

    Shapes: x (...) -> (...).

    Example: 84.13 % of a normal distribution lie below 1.
        >>> gelu(np.array([0.0, 1.0, -1.0])).round(4)
        array([ 0.    ,  0.8413, -0.1587])

    Source: Hendrycks and Gimpel 2016, the exact form; erf within 3e-6 (ERF_FIT above).
    """
    square = x * x
    series = square * ERF_FIT[-1] + ERF_FIT[-2]
    for coefficient in ERF_FIT[-3::-1]:
        series = series * square + coefficient
    passed: Array = x * (np.tanh(x * series) + 1) / 2
    return passed


def gelu_tanh(x: Array) -> Array:
    """Compute the older approximation of GELU, which some checkpoints were trained with.

    Shapes: x (...) -> (...).

    Example:
        >>> gelu_tanh(np.array([1.0])).round(4)
        array([0.8412])

    Source: Hendrycks and Gimpel 2016, section 2; called gelu_new in configurations.
    """
    bent = (x + x**3 * 0.044715) * math.sqrt(2 / math.pi)
    passed: Array = x * (np.tanh(bent) + 1) / 2
    return passed


def relu(x: Array) -> Array:
    """Let positive numbers pass and set the others to zero.

    Shapes: x (...) -> (...).

    Example:
        >>> relu(np.array([-2.0, 3.0]))
        array([0., 3.])

    Source: Vaswani et al. 2017, equation 2.
    """
    return np.maximum(x, 0)
