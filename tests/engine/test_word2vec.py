import time
from dataclasses import replace

import numpy as np
import pytest

from app.engine import EngineError
from app.engine.word2vec import (
    Word2VecConfig,
    count_words,
    draw,
    examples,
    guess,
    keep_shares,
    noise_shares,
    train,
)

METHODS = pytest.mark.parametrize("skip_gram", [True, False])


def two_topics(sentences=400, seed=0):
    """A made-up language of two topics: words of one never stand beside words of the other."""
    random = np.random.default_rng(seed)
    topics = [[f"{name}{n}" for n in range(8)] for name in ("sea", "sky")]
    return [list(random.choice(topics[n % 2], 8)) for n in range(sentences)]


def small(**changes):
    return replace(Word2VecConfig(width=16, window=3, epochs=6, threshold=1.0, seed=4), **changes)


@METHODS
def test_gradients_equal_finite_differences(skip_gram):
    random = np.random.default_rng(0)
    inputs, outputs = random.normal(size=(2, 6, 3))
    contexts = np.array([[1], [4]]) if skip_gram else np.array([[1, 2, -1], [4, -1, -1]])
    choices = np.array([[0, 3, 3, 0], [5, 2, 1, 0]])  # word 0 drawn against itself: left out

    def loss():
        return guess(contexts, choices, inputs, outputs).loss.sum()

    step = guess(contexts, choices, inputs, outputs)
    for table, rows, gradient in (
        (inputs, contexts, step.inputs),
        (outputs, choices, step.outputs),
    ):
        dense = np.zeros_like(table)
        np.add.at(dense, rows, gradient)
        for place in np.ndindex(table.shape):
            kept = table[place]
            table[place] = kept + 1e-6
            above = loss()
            table[place] = kept - 1e-6
            below = loss()
            table[place] = kept
            np.testing.assert_allclose(dense[place], (above - below) / 2e-6, atol=1e-6)


def test_the_loss_of_vectors_that_know_nothing_is_ln_2_a_choice():
    zeros = np.zeros((4, 5), np.float32)
    loss = guess(np.array([[0]]), np.array([[1, 2, 3]]), zeros, zeros).loss
    np.testing.assert_allclose(loss, 3 * np.log(2), rtol=1e-6)


def test_skip_gram_pairs_every_word_with_its_neighbours_in_the_same_sentence():
    ids, sentences = np.array([10, 11, 12, 20, 21]), np.array([0, 0, 0, 1, 1])
    made = examples(ids, sentences, small(window=1), np.random.default_rng(0))
    pairs = sorted(zip(made.contexts[:, 0].tolist(), made.targets.tolist(), strict=True))
    assert pairs == [(10, 11), (11, 10), (11, 12), (12, 11), (20, 21), (21, 20)]


def test_cbow_gives_every_word_all_its_neighbours_at_once():
    ids, sentences = np.array([10, 11, 12, 30]), np.array([0, 0, 0, 1])
    config = small(window=1, skip_gram=False)
    made = examples(ids, sentences, config, np.random.default_rng(0))
    by_target = dict(zip(made.targets.tolist(), made.contexts.tolist(), strict=True))
    assert by_target == {10: [-1, 11], 11: [10, 12], 12: [11, -1]}  # 30 stands alone


def test_nearer_neighbours_are_paired_more_often():
    ids = np.arange(3000)
    made = examples(ids, np.zeros(3000, int), small(window=4), np.random.default_rng(0))
    distances = np.bincount(np.abs(made.contexts[:, 0] - made.targets))[1:]
    # A word draws its reach from 1 to 4, so that distance d is used with chance (5 − d) / 4.
    np.testing.assert_allclose(distances / 6000, [1, 0.75, 0.5, 0.25], atol=0.03)


def test_wrong_words_are_drawn_by_frequency_to_the_power_three_quarters():
    counts = np.array([81, 16, 1])  # to the power ¾: 27, 8, 1
    np.testing.assert_allclose(noise_shares(counts), np.array([27, 8, 1]) / 36, rtol=1e-6)
    drawn = draw(np.zeros(4000, int), counts, 5, np.random.default_rng(0))
    assert not drawn[:, 0].any()
    np.testing.assert_allclose(
        np.bincount(drawn[:, 1:].ravel()) / 20000, noise_shares(counts), atol=0.01
    )


def test_common_words_are_thinned_out_and_rare_ones_kept():
    # Frequencies 0.9, 0.09, 0.01 with threshold 0.09: √0.1, 1, 1.
    np.testing.assert_allclose(keep_shares(np.array([90, 9, 1]), 0.09), [0.1**0.5, 1, 1], rtol=1e-6)


@METHODS
def test_words_of_one_topic_come_to_lie_together(skip_gram):
    config = small(skip_gram=skip_gram)
    sentences = two_topics()
    last = list(train(sentences, config))[-1]
    words = count_words(sentences, least=2).words
    unit = last.vectors / np.linalg.norm(last.vectors, axis=1, keepdims=True)
    sea = np.array([word.startswith("sea") for word in words])
    cosines = unit @ unit.T
    same = cosines[np.ix_(sea, sea)].mean(), cosines[np.ix_(~sea, ~sea)].mean()
    assert min(same) > cosines[np.ix_(sea, ~sea)].mean() + 0.5


@METHODS
def test_the_same_seed_gives_the_same_vectors_and_another_seed_others(skip_gram):
    config = small(skip_gram=skip_gram, epochs=2)
    first, second = (list(train(two_topics(80), config))[-1].vectors for _ in range(2))
    np.testing.assert_array_equal(first, second)
    other = list(train(two_topics(80), replace(config, seed=5)))[-1].vectors
    assert (first != other).any()


def test_progress_rises_to_one_and_the_loss_falls():
    reports = list(train(two_topics(), small(), reports=20))
    done = [report.done for report in reports]
    assert done == sorted(done)
    assert done[-1] == 1.0
    assert 15 <= len(reports) <= 20
    assert reports[-1].loss < 0.85 * reports[0].loss < 0.85 * 6 * np.log(2)
    assert [reports[0].epoch, reports[-1].epoch] == [1, 6]


def test_a_report_is_not_changed_by_what_comes_later():
    training = train(two_topics(), small())
    first = next(training)
    kept = first.vectors.copy()
    next(training)
    np.testing.assert_array_equal(first.vectors, kept)


def test_training_may_be_stopped_at_any_report():
    training = train(two_topics(), small(epochs=100))
    assert next(training).done < 0.1
    training.close()


def test_a_text_without_enough_words_or_neighbours_is_refused():
    with pytest.raises(EngineError, match="1 words occur 2 times or more"):
        next(train([["a", "a", "b"]], small()))
    with pytest.raises(EngineError, match="no word has a neighbour"):
        next(train([["a"], ["a"], ["b"], ["b"]], small()))


def test_a_few_thousand_words_are_read_in_a_few_seconds():
    started = time.perf_counter()
    list(train(two_topics(400), small(width=50, window=5, epochs=2)))
    assert time.perf_counter() - started < 10
