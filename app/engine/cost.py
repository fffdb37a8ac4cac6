"""What each operation costs, counted instead of measured, as a function of its sizes.

Multiply-adds are those of matrix products, where nearly all the work is. An exponential is one
call of exp, tanh or a sigmoid. Bytes are those of all float32 arrays that the operation makes.
Sequential steps are matrix products that must wait for each other: what no further processor can
shorten. Counted as the readable engine computes; biases, norms and sums are not multiply-adds.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Self

FLOAT_BYTES = 4  # one float32
# Of each cell, for every number of its state: parts of its matrices, exponentials, numbers kept.
RECURRENT: Mapping[str, tuple[int, int, int]] = {
    "rnn": (1, 1, 1),
    "lstm": (4, 5, 6),  # four gates and tanh(cell); gates, cell and state
    "gru": (3, 3, 4),  # three gates; gates and state
}


@dataclass(frozen=True)
class Cost:
    """The price of an operation; the price of one after the other is their sum."""

    multiply_adds: int = 0
    exponentials: int = 0
    parameters: int = 0
    bytes: int = 0
    sequential_steps: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def times(self, count: int) -> Self:
        """Pay for the same thing several times, one after the other, each with its own weights.

        Example:
            >>> Cost(multiply_adds=5, sequential_steps=2).times(3).sequential_steps
            6
        """
        return type(self)(*(count * part for part in astuple(self)))


def linear_cost(tokens: int, inputs: int, outputs: int, *, bias: bool = True) -> Cost:
    """Count one projection of every token.

    Example: two tokens from 3 numbers to 4: 2·3·4 multiply-adds, 3·4 + 4 parameters.
        >>> linear_cost(2, 3, 4).multiply_adds, linear_cost(2, 3, 4).parameters
        (24, 16)
    """
    weights = inputs * outputs + (outputs if bias else 0)
    return Cost(tokens * inputs * outputs, 0, weights, FLOAT_BYTES * tokens * outputs, 1)


def norm_cost(tokens: int, width: int) -> Cost:
    """Count one layer_norm: no matrix product, a weight and a bias a number."""
    return Cost(parameters=2 * width, bytes=FLOAT_BYTES * tokens * width)


def embedding_cost(tokens: int, width: int, *, rows: int) -> Cost:
    """Count a table look-up: many parameters, no work."""
    return Cost(parameters=rows * width, bytes=FLOAT_BYTES * tokens * width)


def mixing_cost(tokens: int, width: int, heads: int, *, seen: int) -> Cost:
    """Count the heart of attention: scores, softmax and mixing; all that grows with T².

    The products cost the same for any number of heads, since each is so much narrower; the maps
    and their exponentials are one more for every head.

    Example: 3 tokens of width 8: 2·3·3·8 multiply-adds; 9 exponentials a head.
        >>> [mixing_cost(3, 8, heads, seen=3).exponentials for heads in (1, 2)]
        [9, 18]
        >>> [mixing_cost(3, 8, heads, seen=3).multiply_adds for heads in (1, 2)]
        [144, 144]

    Source: Vaswani et al. 2017, table 1.
    """
    maps = heads * tokens * seen
    made = FLOAT_BYTES * (2 * maps + tokens * width)
    return Cost(2 * tokens * seen * width, maps, 0, made, 2)


def attention_cost(tokens: int, width: int, heads: int, *, cached: int = 0) -> Cost:
    """Count self-attention with its four projections; tokens in a cache are seen, not computed.

    The projections to queries, keys and values do not wait for each other: one step of three.

    Example: without a cache, 4·T·D² + 2·T²·D = 4·2·9 + 2·4·3 multiply-adds.
        >>> attention_cost(2, 3, 1).multiply_adds, attention_cost(2, 3, 1).sequential_steps
        (96, 4)

    Source: Vaswani et al. 2017, table 1 and section 3.2.2.
    """
    projection = linear_cost(tokens, width, width)
    mixing = mixing_cost(tokens, width, heads, seen=cached + tokens)
    return projection.times(4) + mixing + Cost(sequential_steps=-2)


def cross_attention_cost(tokens: int, source: int, width: int, heads: int) -> Cost:
    """Count attention to another text: its keys and values are projected as well."""
    own, theirs = linear_cost(tokens, width, width), linear_cost(source, width, width)
    mixing = mixing_cost(tokens, width, heads, seen=source)
    return own.times(2) + theirs.times(2) + mixing + Cost(sequential_steps=-2)


def feed_forward_cost(tokens: int, width: int, hidden: int, *, activation: str = "gelu") -> Cost:
    """Count the two-layer network that every token goes through by itself.

    Example: GELU takes one exponential a hidden number, ReLU none.
        >>> feed_forward_cost(2, 3, 12).exponentials
        24
        >>> feed_forward_cost(2, 3, 12, activation="relu").exponentials
        0
    """
    bent = tokens * hidden
    bend = Cost(exponentials=0 if activation == "relu" else bent, bytes=FLOAT_BYTES * bent)
    return linear_cost(tokens, width, hidden) + bend + linear_cost(tokens, hidden, width)


def recurrent_cost(kind: str, tokens: int, inputs: int, width: int) -> Cost:
    """Count a recurrent layer: T·D² work, and T steps of which none can start before the last.

    What the tokens contribute is one product for all of them, before the chain begins.

    Example: a plain network, E = D = 3: 2·(9 + 9) multiply-adds; 1 + 2 steps.
        >>> recurrent_cost("rnn", 2, 3, 3).multiply_adds
        36
        >>> recurrent_cost("rnn", 2, 3, 3).sequential_steps
        3

    Source: Vaswani et al. 2017, table 1; parts and biases as in PyTorch.
    """
    parts, exponentials, kept = RECURRENT[kind]
    return Cost(
        multiply_adds=tokens * parts * width * (inputs + width),
        exponentials=tokens * exponentials * width,
        parameters=parts * width * (inputs + width + 2),
        bytes=FLOAT_BYTES * tokens * width * (2 * parts + kept),
        sequential_steps=1 + tokens,
    )


def layer_cost(
    tokens: int,
    width: int,
    heads: int,
    hidden: int,
    *,
    cached: int = 0,
    source: int = 0,
    activation: str = "gelu",
) -> Cost:
    """Count one block: attention, in a decoder with a source cross-attention, and the rest.

    Each sub-layer brings one norm and one sum. A mask changes nothing: what it hides is computed
    all the same.

    Source: Vaswani et al. 2017, figure 1.
    """
    parts = attention_cost(tokens, width, heads, cached=cached)
    if source:
        parts += cross_attention_cost(tokens, source, width, heads)
    parts += feed_forward_cost(tokens, width, hidden, activation=activation)
    summed = Cost(bytes=FLOAT_BYTES * tokens * width)
    return parts + (norm_cost(tokens, width) + summed).times(3 if source else 2)


def cache_bytes(tokens: int, width: int, layers: int) -> int:
    """Count what a key–value cache holds; `width` is that of the keys, smaller with shared heads.

    Example: 10 tokens, 2 layers, keys and values of 8 numbers of 4 bytes.
        >>> cache_bytes(10, 8, 2)
        1280
    """
    return FLOAT_BYTES * 2 * layers * tokens * width


def writing_cost(
    prompt: int, written: int, *, width: int, heads: int, hidden: int, layers: int, use_cache: bool
) -> tuple[Cost, ...]:
    """Count what each new token costs a stack of decoder layers, with a cache or without.

    With a cache only the newest token is computed; without, the whole text again each time. The
    first entry is the reading of the prompt, which yields the first token.

    Example: with all sizes 1 a layer takes 6·T + 2·T·S multiply-adds, S being all tokens so far.
        >>> sizes = {"width": 1, "heads": 1, "hidden": 1, "layers": 1}
        >>> [c.multiply_adds for c in writing_cost(10, 2, **sizes, use_cache=True)]
        [260, 28]
        >>> [c.multiply_adds for c in writing_cost(10, 2, **sizes, use_cache=False)]
        [260, 308]

    Source: Shazeer 2019, section 2.4 (incremental generation).
    """
    read = [(prompt + n, 0) for n in range(written)]
    if use_cache:
        read = [(prompt, 0)] + [(1, prompt + n) for n in range(written - 1)]
    layer = (layer_cost(tokens, width, heads, hidden, cached=cached) for tokens, cached in read)
    return tuple(cost.times(layers) for cost in layer)
