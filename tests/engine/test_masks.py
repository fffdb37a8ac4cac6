"""Masks drawn by hand, and what they let through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import EmptyRow
from app.engine.functions import softmax
from app.engine.masks import (
    causal,
    custom,
    first_layer,
    full,
    leaks,
    mask_after_softmax,
    padding,
    prefix,
    reach,
    refuse_empty_rows,
    sliding_window,
)

DRAWN = {
    "full": (full(3), "xxx xxx xxx"),
    "causal": (causal(3), "x.. xx. xxx"),
    "padding": (padding(np.array([True, True, False])), "xx. xx. xx."),
    "window of one behind": (sliding_window(4, before=1), "x... xx.. .xx. ..xx"),
    "window on both sides": (sliding_window(4, before=1, after=1), "xx.. xxx. .xxx ..xx"),
    "prefix of two": (prefix(4, 2), "xx.. xx.. xxx. xxxx"),
    "prefix of none": (prefix(3, 0), "x.. xx. xxx"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_each_mask_is_open_exactly_where_it_is_drawn_open(name):
    mask, drawing = DRAWN[name]
    allowed = np.array([[cell == "x" for cell in row] for row in drawing.split()])
    np.testing.assert_array_equal(mask, np.where(allowed, 0, -np.inf))
    assert mask.dtype == np.float32


@given(st.integers(1, 12), st.integers(0, 12))
def test_masks_add_up_to_what_both_allow(tokens, width):
    both = causal(tokens) + sliding_window(tokens, before=width, after=width)
    np.testing.assert_array_equal(both, sliding_window(tokens, before=width))


@given(st.integers(1, 12))
def test_a_masked_row_of_softmax_still_sums_to_one_over_what_is_left(tokens):
    weights = softmax(np.zeros((tokens, tokens)) + causal(tokens))
    # row i sees i + 1 tokens, each gets 1 / (i + 1)
    np.testing.assert_allclose(np.diag(weights), 1 / np.arange(1, tokens + 1), rtol=1e-6)


def test_all_empty_rows_are_named_counting_from_one():
    allowed = np.array([[False, False, False], [True, False, False], [False, False, False]])
    with pytest.raises(EmptyRow, match="rows 1, 3 may look at nothing"):
        refuse_empty_rows(custom(allowed))


def test_a_cell_above_the_diagonal_is_a_leak_and_a_causal_mask_has_none():
    drawn = causal(4)
    drawn[1, 3] = 0
    assert leaks(drawn) == [(1, 3)]
    assert leaks(causal(4)) == []


def test_a_leak_spreads_with_every_layer():
    # 1 sees 3 directly; 2 sees 1, and so knows of 3 from the second layer on
    drawn = causal(4)
    drawn[1, 3] = 0
    assert not reach(drawn, 1)[2, 3]
    assert reach(drawn, 2)[2, 3]
    assert not reach(drawn, 9)[0, 1:].any()


def test_a_window_reaches_its_width_once_a_layer():
    seen = reach(sliding_window(9, before=2), layers=3)
    assert seen[8].tolist() == [False, False, *[True] * 7]  # 8 − 3·2 = 2


@given(st.integers(1, 7), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_first_layer_that_knows_is_the_length_of_the_shortest_way(tokens, layers, seed):
    allowed = np.random.default_rng(seed).random((tokens, tokens)) < 0.3
    found = first_layer(custom(allowed), layers)
    for start in range(tokens):
        steps, edge, layer = {start: 0}, {start}, 0
        while edge and layer < layers:
            layer += 1
            edge = {j for i in edge for j in range(tokens) if allowed[i, j] and j not in steps}
            steps |= dict.fromkeys(edge, layer)
        want = [steps.get(j, -np.inf) for j in range(tokens)]
        assert found[start].tolist() == want


def test_masked_after_softmax_a_row_keeps_less_than_one():
    # softmax of three equal scores gives thirds; the causal rows keep one, two and three of them
    late = mask_after_softmax(np.zeros((3, 3), np.float32), causal(3))
    np.testing.assert_allclose(late.sum(axis=1), [1 / 3, 2 / 3, 1], rtol=1e-6)
