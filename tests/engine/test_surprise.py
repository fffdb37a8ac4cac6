"""Surprisal, perplexity and pseudo-perplexity."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.surprise import causal_surprise, masked_surprise, surprisal


def test_a_coin_costs_one_bit_and_certainty_none():
    surprise = surprisal(np.log([0.5, 1.0]))
    np.testing.assert_allclose(surprise.bits, [1, 0])
    np.testing.assert_allclose(surprise.nats, [math.log(2), 0])
    assert surprise.perplexity == pytest.approx(2**0.5)  # 2^(mean of 1 and 0 bits)
    assert not np.signbit(surprise.nats).any()


@settings(deadline=None)
@given(choices=st.integers(2, 300), tokens=st.integers(2, 20))
def test_a_model_that_knows_nothing_chooses_among_all(choices, tokens):
    ids = np.arange(tokens) % choices
    surprise = causal_surprise(np.zeros((tokens, choices), np.float32), ids)
    assert len(surprise.nats) == tokens - 1
    assert surprise.perplexity == pytest.approx(choices, rel=1e-4)


def test_each_row_of_logits_is_asked_about_the_token_after_it():
    logits = np.log([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [1 / 3] * 3])
    surprise = causal_surprise(logits, np.array([1, 2, 0]))
    np.testing.assert_allclose(np.exp(-surprise.nats), [0.7, 0.6])


def test_one_token_alone_has_no_surprise_and_no_perplexity():
    surprise = causal_surprise(np.zeros((1, 5)), np.array([2]))
    assert len(surprise.bits) == 0
    assert math.isnan(surprise.perplexity)


def test_pseudo_perplexity_hides_each_asked_position_once_and_no_other():
    asked = []

    def masked_logits(position):
        asked.append(position)
        return np.log(np.array([0.5, 0.25, 0.25]))

    surprise = masked_surprise(masked_logits, np.array([2, 0, 1, 2]), np.array([1, 2]))
    assert asked == [1, 2]
    np.testing.assert_allclose(surprise.bits, [1, 2])
    assert surprise.perplexity == pytest.approx(2**1.5)
