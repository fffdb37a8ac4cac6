"""From scores to text: shape the distribution of the next token, draw from it, and go on.

`read` stands everywhere for a decoder: a function of the new ids and the cache of what stands
before them, which returns the logits after the last of them, (V), and the longer cache.
"""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine import EngineError
from app.engine.bert import Ids
from app.engine.cache import Cache, cached_tokens
from app.engine.functions import Array, log_softmax, softmax

COLDEST = 1e-3  # a temperature below this is as good as 0, and dividing by it could overflow
Read = Callable[[Ids, Cache | None], tuple[Array, Cache]]


class Distribution(NamedTuple):
    """How the next token is drawn, step by step."""

    log_probabilities: Array  # (V) in nats, as the model gave them
    scaled: Array  # (V) logits divided by the temperature
    kept: NDArray[np.bool_]  # (V) what top-k and top-p leave
    probabilities: Array  # (V) what is drawn from; 0 where nothing was kept


class Alternative(NamedTuple):
    """A token that could come next."""

    id: int
    log_probability: float  # in nats, as the model gave it
    probability: float  # as it was drawn from


class Written(NamedTuple):
    """One token of a text being written, and the state it was drawn in."""

    id: int
    log_probability: float  # in nats, as the model gave it
    alternatives: tuple[Alternative, ...]  # the likeliest first
    cache: Cache  # of all that stands before this token: another may be tried from here


class Branch(NamedTuple):
    """A token in a tree of continuations."""

    id: int
    log_probability: float  # in nats, given what stands before it
    branches: tuple["Branch", ...]


def likeliest(scores: Array, count: int) -> Ids:
    """List the numbers of the highest scores, the highest first; of equals the lower number.

    Shapes: scores (V) -> (count).

    Example:
        >>> likeliest(np.array([1.0, 3.0, 2.0]), 2).tolist()
        [1, 2]
    """
    count = min(count, len(scores))
    falling = -scores
    candidates = np.flatnonzero(falling <= np.partition(falling, count - 1)[count - 1])
    return candidates[np.argsort(falling[candidates], kind="stable")][:count]


def nucleus(probabilities: Array, top_p: float) -> NDArray[np.bool_]:
    """Keep the fewest likeliest tokens that together reach a probability of top_p.

    Shapes: probabilities (V) -> (V) true where kept.

    Example: 0.5 is not enough, 0.5 and 0.3 are.
        >>> nucleus(np.array([0.2, 0.5, 0.3]), 0.7).tolist()
        [False, True, True]

    Source: Holtzman et al. 2020, equation 2.
    """
    order = likeliest(probabilities, int(np.count_nonzero(probabilities)))
    before = np.cumsum(probabilities[order], dtype=np.float64) - probabilities[order]
    kept = np.zeros(len(probabilities), bool)
    kept[order[before < top_p]] = True
    return kept


def shape_distribution(
    logits: Array, *, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0
) -> Distribution:
    """Sharpen or flatten the model's distribution, and cut off its tail.

    Temperature comes first, then top-k (0: no cut), then top-p. At temperature 0 the likeliest
    token is certain.

    Shapes: logits (V) -> Distribution.

    Example: ln 1 and ln 3 are ¼ and ¾; at temperature ½ they are 1² and 3² of 10.
        >>> shape_distribution(np.log([1.0, 3.0]), temperature=0.5).probabilities.round(6)
        array([0.1, 0.9])

    Raises: EngineError, for a temperature below 0, a top_k below 0 or a top_p outside 0 to 1.

    Source: Fan et al. 2018 (top-k), Holtzman et al. 2020 (top-p); in the order of transformers.
    """
    if not (0 <= temperature < np.inf and top_k >= 0 and 0 < top_p <= 1):
        raise EngineError(f"temperature {temperature}, top-k {top_k}, top-p {top_p}: out of range")
    certain = temperature < COLDEST
    scaled = logits / (1.0 if certain else float(temperature))
    count = 1 if certain else top_k or len(logits)
    kept = np.full(len(logits), count >= len(logits))
    if count < len(logits):
        kept[likeliest(scaled, count)] = True
    if top_p < 1:
        kept = nucleus(softmax(np.where(kept, scaled, -np.inf)), top_p)
    probabilities = softmax(np.where(kept, scaled, -np.inf))
    return Distribution(log_softmax(logits), scaled, kept, probabilities)


def draw(probabilities: Array, random: np.random.Generator) -> int:
    """Draw one token: throw a dart at a bar of length 1 on which each token has its share.

    Shapes: probabilities (V) -> its number.

    Example:
        >>> draw(np.array([0.0, 1.0, 0.0]), np.random.default_rng(0))
        1
    """
    ends = np.cumsum(probabilities, dtype=np.float64)
    return int(np.searchsorted(ends, random.random() * ends[-1], side="right"))


def generate(
    read: Read,
    ids: Ids,
    *,
    cache: Cache | None = None,
    limit: int,
    stop: Collection[int] = (),
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
    alternatives: int = 10,
) -> Iterator[Written]:
    """Write on, token by token; each is handed over as soon as it is drawn.

    Shapes: ids (T) -> up to `limit` tokens; one of `stop` ends the text and is handed over too. A
    cache may hold the keys and values of the first ids, as `cache.reusable` gives them.
    """
    random = np.random.default_rng(seed)
    new = ids[cached_tokens(cache) if cache else 0 :]
    for _ in range(limit):
        logits, cache = read(new, cache)
        spread = shape_distribution(logits, temperature=temperature, top_k=top_k, top_p=top_p)
        number = draw(spread.probabilities, random)
        log = float(spread.log_probabilities[number])
        yield Written(number, log, listed(spread, alternatives), cache)
        if number in stop:
            return
        new = np.array([number])


def listed(spread: Distribution, count: int) -> tuple[Alternative, ...]:
    """List the likeliest tokens with their probabilities, before and after shaping."""
    logs, probabilities = spread.log_probabilities, spread.probabilities
    best = likeliest(logs, count).tolist()
    return tuple(Alternative(n, float(logs[n]), float(probabilities[n])) for n in best)


def grow(
    read: Read, ids: Ids, *, cache: Cache | None = None, wide: int, deep: int
) -> tuple[Branch, ...]:
    """Grow the tree of likeliest continuations: `wide` branches at every token, `deep` tokens long.

    The decoder reads once a fork: 1 + wide + wide² + … times.

    Example: a decoder that always prefers 1 to 0.
        >>> always = lambda ids, cache: (np.log([1.0, 3.0]), ())
        >>> [(b.id, b.branches[0].id) for b in grow(always, np.array([0]), wide=2, deep=2)]
        [(1, 1), (0, 1)]
    """
    logits, longer = read(ids, cache)
    logs = log_softmax(logits)
    return tuple(
        Branch(
            n,
            float(logs[n]),
            grow(read, np.array([n]), cache=longer, wide=wide, deep=deep - 1) if deep > 1 else (),
        )
        for n in likeliest(logs, wide).tolist()
    )
