"""The key–value cache: growing, forgetting, and what of it another text may use."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.cache import (
    cached_tokens,
    common_prefix,
    empty_cache,
    reusable,
    truncate,
)

IDS = st.lists(st.integers(0, 3), max_size=12)


def filled(tokens):
    """A cache of two layers whose keys count the tokens."""
    count = np.arange(tokens, dtype=np.float32)[None, :, None]
    return tuple(layer.extended(count, -count) for layer in empty_cache(2, 1, 1))


def test_new_tokens_stand_behind_old_ones_and_the_old_cache_stays_as_it_is():
    old = filled(3)
    new = old[0].extended(np.full((1, 1, 1), 9.0), np.full((1, 1, 1), 8.0))
    assert new.keys.ravel().tolist() == [0, 1, 2, 9]
    assert new.values.ravel().tolist() == [0, -1, -2, 8]
    assert cached_tokens(old) == 3


@settings(deadline=None)
@given(first=IDS, second=IDS)
def test_the_common_prefix_is_common_and_no_longer_one_is(first, second):
    same = common_prefix(first, second)
    assert first[:same] == second[:same]
    assert first[: same + 1] != second[: same + 1] or same == min(len(first), len(second))
    assert same == common_prefix(second, first)


@settings(deadline=None)
@given(old=IDS.filter(len), new=IDS.filter(len))
def test_what_may_be_reused_is_true_for_the_new_text_and_leaves_one_token_to_read(old, new):
    kept = cached_tokens(reusable(filled(len(old)), old, new))
    assert old[:kept] == new[:kept]
    assert kept < len(new)


@pytest.mark.parametrize("tokens", [0, 2, 5])
def test_forgetting_keeps_the_first_tokens_of_every_layer(tokens):
    cut = truncate(filled(5), tokens)
    assert [layer.keys.ravel().tolist() for layer in cut] == [list(range(tokens))] * 2
    assert cached_tokens(cut) == tokens
