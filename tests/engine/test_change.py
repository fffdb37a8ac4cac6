"""Two versions of a text side by side: pairs of tokens, distances, and a past that keeps still."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.change import align, movement, same_length
from app.engine.llama import write_on
from app.engine.llama_config import LlamaConfig
from app.engine.llama_fast import write_on_fast
from app.models.kinds import read_json
from app.models.tensors import open_tensors

TINY = Path(__file__).parent / "golden" / "llama_tiny"

TEXT = st.lists(st.integers(0, 5), min_size=1, max_size=12).map(lambda n: np.array(n, np.int64))


@pytest.mark.parametrize(
    "second, pairs",
    [
        ([1, 9, 3, 4], [(0, 0), (1, 1), (2, 2), (3, 3)]),  # one for one
        ([1, 8, 9, 3, 4], [(0, 0), (1, 2), (2, 3), (3, 4)]),  # one for two: the last of them
        ([1, 3, 4], [(0, 0), (2, 1), (3, 2)]),  # taken out: it has no counterpart
        ([1, 2, 9, 3, 4], [(0, 0), (1, 1), (2, 3), (3, 4)]),  # put in: nothing stood there
        ([9, 2, 3, 4], [(0, 0), (1, 1), (2, 2), (3, 3)]),  # the first
        ([1, 2, 3, 9], [(0, 0), (1, 1), (2, 2), (3, 3)]),  # the last
        ([1, 2, 3, 4], [(0, 0), (1, 1), (2, 2), (3, 3)]),  # nothing
    ],
)
def test_tokens_are_paired_around_the_change(second, pairs):
    found = align(np.array([1, 2, 3, 4]), np.array(second))
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == pairs


@given(TEXT, TEXT)
def test_what_is_paired_outside_the_change_is_the_same_and_in_order(first, second):
    found = align(first, second)
    assert (np.diff(found.first) > 0).all()
    assert (np.diff(found.second) > 0).all()
    outside = [*range(found.before), *range(len(found.first) - found.after, len(found.first))]
    assert (first[found.first[outside]] == second[found.second[outside]]).all()


@given(TEXT, TEXT)
def test_filling_up_changes_no_token_of_either_text(first, second):
    filled = same_length(first, second, 7)
    assert len(filled[0]) == len(filled[1]) == max(len(first), len(second))
    assert filled[0][: len(first)].tolist() == first.tolist()
    assert filled[1][: len(second)].tolist() == second.tolist()


def test_a_vector_of_zeros_does_not_divide_by_zero():
    moved = movement(np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32))
    assert moved.tolist() == [0.0, 0.0]


@settings(deadline=None, max_examples=200)
@given(
    past=st.lists(st.integers(0, 95), min_size=1, max_size=20),
    futures=st.lists(st.lists(st.integers(0, 95), max_size=20), min_size=2, max_size=2),
)
@pytest.mark.parametrize("read", [write_on, write_on_fast])
def test_at_equal_lengths_a_decoders_past_keeps_still_to_the_last_bit(read, past, futures):
    config = LlamaConfig.from_dict(read_json(TINY / "config.json"))
    weights = open_tensors(TINY / "model.safetensors")
    first, second = same_length(*(np.array(past + future, np.int64) for future in futures), 7)
    hidden = [read(ids, weights, config).hidden[:, : len(past)] for ids in (first, second)]
    assert np.array_equal(*hidden)
    assert not movement(*hidden).any()
