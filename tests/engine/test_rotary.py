"""Rotary positions: turning keeps lengths, and a product knows the distance alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.rotary import rotate, rotation

PLACES = st.integers(0, 200)


def at(x, place):
    return rotate(x[None], rotation(np.array([place]), width=len(x), base=100.0))[0]


@settings(deadline=None)
@given(first=PLACES, second=PLACES, shift=PLACES, seed=st.integers(0, 99))
def test_a_product_depends_on_how_far_apart_two_tokens_stand_and_not_on_where(
    first, second, shift, seed
):
    query, key = np.random.default_rng(seed).normal(size=(2, 8)).astype(np.float32)
    here = at(query, first) @ at(key, second)
    there = at(query, first + shift) @ at(key, second + shift)
    assert here == pytest.approx(there, abs=1e-3)


@settings(deadline=None)
@given(place=PLACES, seed=st.integers(0, 99))
def test_turning_keeps_lengths(place, seed):
    x = np.random.default_rng(seed).normal(size=8).astype(np.float32)
    assert np.linalg.norm(at(x, place)) == pytest.approx(np.linalg.norm(x), rel=1e-5)


def test_the_first_position_is_not_turned_at_all():
    x = np.arange(8, dtype=np.float32)
    assert (at(x, 0) == x).all()


def test_it_is_the_product_with_a_complex_number_of_length_one():
    x = np.random.default_rng(0).normal(size=8).astype(np.float32)
    speeds = 100.0 ** (-np.arange(4) / 4)  # base^(−2i/K) with K = 8
    turned = (x[:4] + 1j * x[4:]) * np.exp(1j * 5 * speeds)
    np.testing.assert_allclose(at(x, 5), [*turned.real, *turned.imag], atol=1e-5)
