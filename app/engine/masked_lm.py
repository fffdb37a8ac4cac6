"""The masked-language head: what word stood where a blank is, asked of an encoder.

Names as in Hugging Face's BertForMaskedLM: cls.predictions.transform.dense (D, D),
cls.predictions.transform.LayerNorm, cls.predictions.bias (V); the output matrix is the encoder's
own embeddings.word_embeddings.weight. Low-rank adapters stand beside the matrix they change:
encoder.layer.N.….lora_A (r, in) and .lora_B (out, r).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from app.engine import EngineError, WeightMismatch
from app.engine.bert import ACTIVATIONS, Ids, Weights, part
from app.engine.functions import Array, layer_norm, linear, softmax

HEAD = "cls.predictions"
WORDS = "embeddings.word_embeddings.weight"


class Scored(NamedTuple):
    """What the head computes at every place, in order."""

    transformed: Array  # (T, D)
    activated: Array  # (T, D)
    normed: Array  # (T, D) comparable with word embeddings
    logits: Array  # (T, V)


class Blank(NamedTuple):
    """The likeliest words at one place, best first."""

    place: int
    tokens: tuple[int, ...]
    probabilities: tuple[float, ...]


class Rank(NamedTuple):
    """Where one word stands among all, when they are sorted by probability."""

    place: int  # 1 is the likeliest
    probability: float


class Unmasking(NamedTuple):
    """One pass of the encoder: every blank's candidates, and which blanks were filled."""

    blanks: tuple[Blank, ...]  # those open before this pass, the most certain first
    filled: tuple[Blank, ...]  # those filled by their first candidate
    ids: Ids  # the text afterwards


def score_words(
    hidden: Array, weights: Weights, *, epsilon: float, activation: str = "gelu"
) -> Scored:
    """Compare what the encoder makes of each place with every word of the vocabulary.

    Shapes: hidden (T, D) -> three of (T, D), logits (T, V).

    Source: Devlin et al. 2018, section 3.1; the layer before the output as in BertForMaskedLM.
    """
    transformed = linear(hidden, *part(weights, f"{HEAD}.transform.dense"))
    activated = ACTIVATIONS[activation](transformed)
    norm = part(weights, f"{HEAD}.transform.LayerNorm")
    normed = layer_norm(activated, *norm, epsilon=epsilon)
    return Scored(
        transformed, activated, normed, linear(normed, weights[WORDS], weights[f"{HEAD}.bias"])
    )


def candidates(
    logits: Array, places: Sequence[int], *, count: int = 5, banned: Sequence[int] = ()
) -> tuple[Blank, ...]:
    """List the likeliest words at any number of blanks; each blank is guessed as if alone.

    Shapes: logits (T, V) -> one Blank a place. Words that are `banned` take no share.

    Example: scores ln 1, ln 2, ln 1 are shares of ¼, ½, ¼.
        >>> [blank] = candidates(np.log([[1.0, 2.0, 1.0]]), [0], count=1)
        >>> blank.tokens, round(blank.probabilities[0], 6)
        ((1,), 0.5)
    """
    blanks = []
    for place in places:
        scores = logits[place].copy()
        scores[list(banned)] = -np.inf
        shares = softmax(scores)
        best = np.argsort(-shares, kind="stable")[:count]
        blanks.append(Blank(place, tuple(best.tolist()), tuple(shares[best].tolist())))
    return tuple(blanks)


def rank_of(scores: Array, token: int, *, banned: Sequence[int] = ()) -> Rank:
    """Find how likely one word was held to be, and how many were held to be likelier.

    Shapes: scores (V) -> Rank. Words that are `banned` take no share.

    Example: scores ln 1, ln 2, ln 1 are shares of ¼, ½, ¼; two words share the second place.
        >>> rank = rank_of(np.log([1.0, 2.0, 1.0]), 2)
        >>> rank.place, round(rank.probability, 6)
        (2, 0.25)
    """
    allowed = scores.copy()
    allowed[list(banned)] = -np.inf
    shares = softmax(allowed)
    return Rank(1 + int((shares > shares[token]).sum()), float(shares[token]))


def unmask(
    score: Callable[[Ids], Array],
    ids: Ids,
    mask_id: int,
    *,
    at_once: int = 1,
    count: int = 5,
    banned: Sequence[int] = (),
) -> Iterator[Unmasking]:
    """Fill the blanks where the encoder is surest, read the text again, and so on to the last.

    Shapes: ids (T); score: ids (T) -> logits (T, V). One Unmasking a pass.

    Raises: EngineError, when at_once is below 1.

    Source: Ghazvininejad et al. 2019, Mask-Predict, with easiest-first filling.
    """
    if at_once < 1:
        raise EngineError(f"at_once is {at_once}; every pass fills one blank at least")
    ids, banned = ids.copy(), (*banned, mask_id)
    while len(places := np.flatnonzero(ids == mask_id).tolist()):
        blanks = candidates(score(ids), places, count=count, banned=banned)
        surest = tuple(sorted(blanks, key=lambda blank: -blank.probabilities[0]))
        for blank in surest[:at_once]:
            ids[blank.place] = blank.tokens[0]
        yield Unmasking(surest, surest[:at_once], ids.copy())


def merge_adapters(weights: Weights, head: Weights, *, scale: float) -> dict[str, Array]:
    """Fold what was learned on top of an encoder into its own matrices: W + scale·B·A.

    A full tensor in `head` is taken as it is, in place of the encoder's if that has one.

    Shapes: lora_A (r, in), lora_B (out, r) -> added to a weight (out, in).

    Raises: WeightMismatch, for an adapter without its other half or without a matrix.

    Source: Hu et al. 2021, LoRA, equation 3.
    """
    merged = {**weights, **{name: t for name, t in head.items() if ".lora_" not in name}}
    adapted = {name.rpartition(".lora_")[0] for name in head if ".lora_" in name}
    for name in sorted(adapted):
        halves = [head.get(f"{name}.lora_{half}") for half in "BA"]
        matrix = merged.get(f"{name}.weight")
        if matrix is None or halves[0] is None or halves[1] is None:
            raise WeightMismatch(f"the adapter {name} lacks its matrix, lora_A or lora_B")
        change: Array = np.float32(scale) * (halves[0] @ halves[1])
        merged[f"{name}.weight"] = matrix + change
    return merged
