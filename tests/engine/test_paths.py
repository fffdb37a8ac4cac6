"""Paths in chains and webs, against arithmetic and against each other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.masks import sliding_window
from app.engine.paths import (
    attention_links,
    hops,
    longest_paths,
    recurrent_links,
    shortest_path,
)

TOKENS = st.integers(1, 14)


@given(TOKENS)
def test_in_a_chain_hops_are_the_distance_and_nothing_travels_backwards(tokens):
    row, column = np.indices((tokens, tokens))
    expected = np.where(row >= column, row - column, -1)
    np.testing.assert_array_equal(hops(recurrent_links(tokens)), expected)


@given(TOKENS)
def test_a_chain_read_both_ways_reaches_everybody_at_their_distance(tokens):
    row, column = np.indices((tokens, tokens))
    found = hops(recurrent_links(tokens, bidirectional=True))
    np.testing.assert_array_equal(found, abs(row - column))


@given(TOKENS)
def test_in_a_web_everybody_else_is_one_hop_away(tokens):
    np.testing.assert_array_equal(hops(attention_links(tokens)), 1 - np.eye(tokens))


@given(TOKENS)
def test_the_longest_paths_are_those_found_by_counting(tokens):
    chain, web = (hops(links(tokens)).max() for links in (recurrent_links, attention_links))
    assert longest_paths(tokens) == (chain, web)


@given(TOKENS, st.data())
def test_a_path_has_as_many_hops_as_counted_and_each_is_a_link(tokens, data):
    bits = data.draw(st.lists(st.booleans(), min_size=tokens**2, max_size=tokens**2))
    links = np.reshape(bits, (tokens, tokens))
    source, target = (data.draw(st.integers(0, tokens - 1)) for _ in range(2))
    path = shortest_path(links, source, target)
    assert len(path) - 1 == hops(links)[target, source]
    assert all(links[after, before] for before, after in pairwise(path))


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (recurrent_links(6), []),
        (recurrent_links(6, bidirectional=True), [4, 3, 2, 1]),
        (attention_links(6), [4, 1]),
        (attention_links(6, causal=True), []),
    ],
)
def test_from_a_late_token_back_to_an_early_one(links, expected):
    assert shortest_path(links, 4, 1) == expected


def test_a_window_of_two_needs_half_as_many_layers_as_the_chain_needs_steps():
    links = np.isfinite(sliding_window(9, before=2))
    assert shortest_path(links, 0, 8) == [0, 2, 4, 6, 8]
