"""Word vectors learned from nothing but text: words that keep company come to lie together.

Skip-gram guesses a neighbour from a word, CBOW a word from all its neighbours; both are one
computation, a mean of context vectors that must pick the true word out of a few drawn at random.
N counts the examples, C the places for context words (1 in skip-gram), M the words to choose from.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine import EngineError
from app.engine.functions import Array
from app.engine.recurrent import sigmoid

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Word2VecConfig:
    """How to train; the settings of Mikolov et al. 2013 where nothing else is said."""

    skip_gram: bool = True  # False: CBOW
    width: int = 50  # D
    window: int = 5  # neighbours on each side at most; each word draws its own number up to this
    negatives: int = 5  # words drawn at random against each true one
    epochs: int = 10  # times the text is read
    rate: float = 0.1  # the longest step of any number
    threshold: float = 1e-3  # words more frequent than this share are thinned out
    least: int = 2  # rarer words are left out
    batch: int = 128  # examples a step
    seed: int = 0


class Vocabulary(NamedTuple):
    """The words of a text, the commonest first."""

    words: tuple[str, ...]
    counts: Ids  # (V)


class Examples(NamedTuple):
    """What to guess from what."""

    contexts: Ids  # (N, C) −1 where a place is empty
    targets: Ids  # (N) the true word


class Table(NamedTuple):
    """One vector a word, and how far each number has been pushed so far."""

    vectors: Array  # (V, D)
    squares: Array  # (V, D) sums of squared gradients


class Guess(NamedTuple):
    """One step's loss and its gradients."""

    loss: Array  # (N) nats
    inputs: Array  # (N, C, D) for the context words' vectors
    outputs: Array  # (N, M, D) for the vectors of the words to choose from


class Progress(NamedTuple):
    """Where the training stands."""

    done: float  # 0 to 1
    epoch: int  # from 1
    loss: float  # mean of the examples since the last report, nats
    vectors: Array  # (V, D) a copy


def count_words(sentences: Sequence[Sequence[str]], *, least: int) -> Vocabulary:
    """List the words that occur often enough to learn from.

    Example:
        >>> count_words([["a", "cat"], ["a", "dog", "a", "cat"]], least=2).words
        ('a', 'cat')

    Raises: EngineError, when fewer than two words are left.
    """
    counted = Counter(word for sentence in sentences for word in sentence)
    kept = [(word, count) for word, count in counted.most_common() if count >= least]
    if len(kept) < 2:
        raise EngineError(f"{len(kept)} words occur {least} times or more; use a longer text")
    return Vocabulary(tuple(w for w, _ in kept), np.array([count for _, count in kept]))


def noise_shares(counts: Ids) -> Array:
    """Say how often each word is drawn as a wrong answer: rare ones a little more than they occur.

    Shapes: counts (V) -> (V), summing to 1.

    Example: 16^¾ = 8 and 1^¾ = 1.
        >>> noise_shares(np.array([16, 1])).round(4)
        array([0.8889, 0.1111], dtype=float32)

    Source: Mikolov et al. 2013b, section 2.2.
    """
    powers = counts.astype(np.float32) ** np.float32(0.75)
    shares: Array = powers / powers.sum()
    return shares


def keep_shares(counts: Ids, threshold: float) -> Array:
    """Say how often each word is read: "the" teaches little about its neighbours.

    Shapes: counts (V) -> (V).

    Example: a word that is 80 % of the text, with a threshold of 20 %: √(0.2 / 0.8).
        >>> keep_shares(np.array([8, 2]), 0.2).round(4)
        array([0.5, 1. ], dtype=float32)

    Source: Mikolov et al. 2013b, equation 5.
    """
    frequencies: Array = (counts / counts.sum()).astype(np.float32)
    kept: Array = np.minimum(1, np.sqrt(np.float32(threshold) / frequencies))
    return kept


def examples(
    ids: Ids, sentences: Ids, config: Word2VecConfig, random: np.random.Generator
) -> Examples:
    """Pair every word with its neighbours; nearer ones are paired more often.

    Shapes: ids (T), sentences (T) the number of each word's sentence -> N examples, shuffled.

    Source: Mikolov et al. 2013a, section 3.
    """
    reach = random.integers(1, config.window + 1, len(ids))
    steps = [step for step in range(-config.window, config.window + 1) if step]
    places = np.arange(len(ids))[:, None] + np.array(steps)
    inside = (places >= 0) & (places < len(ids)) & (np.abs(steps) <= reach[:, None])
    places = np.where(inside, places, 0)
    inside &= sentences[places] == sentences[:, None]
    neighbours = np.where(inside, ids[places], -1)
    if config.skip_gram:
        rows, columns = np.nonzero(inside)
        made = Examples(ids[rows][:, None], neighbours[rows, columns])
    else:
        accompanied = inside.any(axis=1)
        made = Examples(neighbours[accompanied], ids[accompanied])
    order = random.permutation(len(made.targets))
    return Examples(made.contexts[order], made.targets[order])


def read_text(
    sentences: Sequence[Sequence[str]],
    vocabulary: Vocabulary,
    config: Word2VecConfig,
    random: np.random.Generator,
) -> Examples:
    """Read the text once: skip some of the common words, and pair what is left.

    Shapes: -> N examples.

    Raises: EngineError, when no word has a neighbour.
    """
    index = {word: row for row, word in enumerate(vocabulary.words)}
    pairs = [(index[w], n) for n, words in enumerate(sentences) for w in words if w in index]
    ids, numbers = np.array(pairs).T
    kept = random.random(len(ids)) < keep_shares(vocabulary.counts, config.threshold)[ids]
    made = examples(ids[kept], numbers[kept], config, random)
    if not len(made.targets):
        raise EngineError("no word has a neighbour; use longer sentences or a higher threshold")
    return made


def draw(targets: Ids, counts: Ids, negatives: int, random: np.random.Generator) -> Ids:
    """Put words drawn at random beside each true one.

    Shapes: targets (N), counts (V) -> (N, 1 + negatives), the true word first.

    Source: word2vec.c, the table of words to the power ¾.
    """
    ends = np.cumsum(noise_shares(counts), dtype=np.float64)
    dice = random.random((len(targets), negatives)) * ends[-1]
    return np.column_stack([targets, np.searchsorted(ends, dice, side="right")])


def guess(contexts: Ids, choices: Ids, inputs: Array, outputs: Array) -> Guess:
    """Tell the true word from those drawn at random, and learn from how well that went.

    Shapes: contexts (N, C), choices (N, M) with the true word first, inputs and outputs (V, D)
    -> loss (N), gradients (N, C, D) and (N, M, D). A true word drawn again counts for nothing.

    Source: Mikolov et al. 2013b, equation 4.
    """
    given: Array = (contexts >= 0)[..., None].astype(np.float32)
    given /= given.sum(axis=1, keepdims=True)
    context = (inputs[contexts] * given).sum(axis=1)
    chosen = outputs[choices]
    scores = (chosen @ context[..., None])[..., 0]
    counted = choices != choices[:, :1]
    counted[:, 0] = True
    signs = np.where(np.arange(choices.shape[1]) == 0, np.float32(-1), np.float32(1))
    loss: Array = (np.logaddexp(0, signs * scores) * counted).sum(axis=1)
    errors = signs * sigmoid(signs * scores) * counted
    blame = (errors[:, None] @ chosen)[:, 0]
    return Guess(loss, given * blame[:, None], errors[..., None] * context[:, None])


def descend(table: Table, rows: Ids, gradients: Array, *, rate: float) -> None:
    """Take one step downhill in the named rows, a shorter one where many have been taken.

    A plain step, as long as the sum of a row's gradients, would burst on a small text, which
    repeats its words many times within one step.

    Shapes: rows (...), gradients (..., D); the table itself is changed.

    Source: Duchi, Hazan and Singer 2011, AdaGrad, figure 1 (diagonal).
    """
    touched, places = np.unique(rows, return_inverse=True)
    summed = np.zeros((len(touched), gradients.shape[-1]), gradients.dtype)
    np.add.at(summed, places.reshape(rows.shape), gradients)
    table.squares[touched] += summed * summed
    lengths = np.sqrt(table.squares[touched]) + np.float32(1e-8)  # never zero
    table.vectors[touched] -= np.float32(rate) * summed / lengths


def average(losses: Sequence[Array]) -> float:
    """Average the losses of several steps, example by example."""
    return float(np.concatenate(losses).mean())


def train(
    sentences: Sequence[Sequence[str]], config: Word2VecConfig, *, reports: int = 100
) -> Iterator[Progress]:
    """Read the text again and again, a small step downhill each time, and report on the way.

    Shapes: -> at most `reports` Progresses, vectors (V, D) in the order of count_words.

    Raises: EngineError, for a text without enough words.

    Source: Mikolov et al. 2013b; word2vec.c for the first vectors.
    """
    vocabulary = count_words(sentences, least=config.least)
    random, size = np.random.default_rng(config.seed), (len(vocabulary.words), config.width)
    first = random.uniform(-0.5, 0.5, size).astype(np.float32) / np.float32(config.width)
    inputs, outputs = Table(first, np.zeros_like(first)), Table(*np.zeros((2, *size), np.float32))
    losses, told = list[Array](), 0
    for epoch in range(config.epochs):
        made = read_text(sentences, vocabulary, config, random)
        for batch in range(0, len(made.targets), config.batch):
            done = (epoch + batch / len(made.targets)) / config.epochs
            if done * reports >= told + 1:
                yield Progress(done, epoch + 1, average(losses), inputs.vectors.copy())
                told, losses = int(done * reports), []
            contexts, targets = (array[batch : batch + config.batch] for array in made)
            choices = draw(targets, vocabulary.counts, config.negatives, random)
            step = guess(contexts, choices, inputs.vectors, outputs.vectors)
            descend(inputs, contexts, step.inputs, rate=config.rate)
            descend(outputs, choices, step.outputs, rate=config.rate)
            losses.append(step.loss)
    yield Progress(1.0, config.epochs, average(losses), inputs.vectors.copy())
