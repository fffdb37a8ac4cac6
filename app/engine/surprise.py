"""Surprise: how many bits a model would have paid for the word that really came."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.engine.bert import Ids
from app.engine.functions import Array, log_softmax


class Surprise(NamedTuple):
    """How unexpected each token was, and the text as a whole."""

    nats: Array  # (N) −ln of the probability each token was given
    bits: Array  # (N) −log₂ of it: the yes-or-no questions it would have taken to guess
    perplexity: float  # among how many equally likely tokens the model chose, on average


def surprisal(log_probabilities: Array) -> Surprise:
    """Turn the probabilities that tokens were given into surprise.

    Shapes: log_probabilities (N), in nats -> Surprise.

    Example: a quarter each time is two bits each time, a choice among four.
        >>> surprise = surprisal(np.log([0.25, 0.25]))
        >>> surprise.bits, round(surprise.perplexity, 6)
        (array([2., 2.]), 4.0)

    Source: Shannon 1948, section 6; perplexity: Jelinek et al. 1977.
    """
    nats: Array = -log_probabilities + 0.0  # + 0, so that certainty is 0 and not −0
    mean = float(nats.mean()) if len(nats) else math.nan
    return Surprise(nats, nats / math.log(2), math.exp(mean))


def causal_surprise(logits: Array, ids: Ids) -> Surprise:
    """Ask a decoder how surprising each token of a text was, given those before it.

    The first token has nothing before it and gets no number, so that N = T − 1.

    Shapes: logits (T, V), row t scoring what follows token t; ids (T) -> Surprise of T − 1.

    Example: after token 0, token 1 had ¾.
        >>> causal_surprise(np.log([[0.25, 0.75], [0.5, 0.5]]), np.array([0, 1])).nats.round(4)
        array([0.2877])

    Source: Radford et al. 2018, equation 1.
    """
    logs = log_softmax(logits[:-1])
    return surprisal(logs[np.arange(len(ids) - 1), ids[1:]])


def masked_surprise(masked_logits: Callable[[int], Array], ids: Ids, positions: Ids) -> Surprise:
    """Ask an encoder how surprising each token was, given all the others on both sides.

    Each of the tokens is hidden in turn, which takes one pass a token. The perplexity of these
    numbers is called pseudo-perplexity: they are not the factors of one probability, so it must
    not be compared with a decoder's.

    Shapes: masked_logits(position) -> (V), the scores at a position while it is hidden; ids (T),
    positions (N) -> Surprise of N.

    Example:
        >>> even = lambda position: np.zeros(4)
        >>> round(masked_surprise(even, np.array([3, 1, 2]), np.array([1, 2])).perplexity, 6)
        4.0

    Source: Salazar et al. 2020, equations 1 and 2.
    """
    logs = [log_softmax(masked_logits(int(place)))[ids[place]] for place in positions]
    return surprisal(np.array(logs))
