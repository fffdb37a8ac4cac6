"""The fast encoder gives the readable one's numbers, from any number of threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EmptyRow, EngineError
from app.engine.bert import encode
from app.engine.bert_fast import encode_fast
from app.engine.masks import causal, padding
from tests.engine.golden.bert_cases import (
    TEXTS,
    TINY,
    TINY_LENGTHS,
    minilm,
    tiny,
    worst_difference_from_minilm,
)

IDS = TINY["tokens-7/ids"]
INTERVENTIONS = {
    "padding": {"mask": padding(np.array([1, 1, 1, 1, 1, 0, 0], bool))},
    "causal": {"mask": causal(7)},
    "segments": {"segments": np.array([0, 0, 0, 1, 1, 1, 1])},
    "no-positions": {"use_positions": False},
    "no-scale": {"scale": False},
    "heads": {"keep_heads": np.array([[1, 1, 1, 1], [0, 1, 0, 1]], bool)},
}


def equal(ids, checkpoint, **options):
    """All attention maps and hidden states within 1e-5 of the readable encoder's."""
    fast, readable = (f(ids, *checkpoint, **options) for f in (encode_fast, encode))
    np.testing.assert_allclose(fast.weights, readable.weights, atol=1e-5)
    np.testing.assert_allclose(fast.hidden, readable.hidden, atol=1e-5)
    np.testing.assert_array_equal(fast.last, fast.hidden[-1])
    assert fast.hidden.dtype == fast.weights.dtype == np.float32


@pytest.mark.parametrize("case", TINY_LENGTHS)
def test_the_fast_encoder_equals_the_readable_one_at_every_length(case):
    equal(TINY[f"{case}/ids"], tiny())


@pytest.mark.parametrize("case", INTERVENTIONS)
def test_the_fast_encoder_equals_the_readable_one_under_every_intervention(case):
    equal(IDS, tiny(), **INTERVENTIONS[case])


def test_the_fast_encoder_computes_other_activations_too():
    equal(IDS, tiny("bert_tiny_masked"))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 95), min_size=1, max_size=48))
def test_the_fast_encoder_equals_the_readable_one_on_any_ids(ids):
    equal(np.array(ids), tiny())


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text["name"])
def test_the_fast_encoder_gives_what_the_reference_gives_on_minilm(text):
    trace = encode_fast(np.array(text["ids"]), *minilm())
    assert worst_difference_from_minilm(text["name"], trace.last, trace.weights) < 1e-4


def test_eight_threads_at_once_get_what_one_gets():
    expected = encode_fast(IDS, *tiny())
    with ThreadPoolExecutor(8) as pool:
        for trace in pool.map(lambda _: encode_fast(IDS, *tiny()), range(200)):
            np.testing.assert_array_equal(trace.hidden, expected.hidden)
            np.testing.assert_array_equal(trace.weights, expected.weights)


def test_weights_and_mask_are_read_never_changed():
    weights, config = tiny()
    frozen = {name: tensor.copy() for name, tensor in weights.items()}
    mask = causal(7)
    for array in (*frozen.values(), mask):
        array.setflags(write=False)  # writing would raise
    encode_fast(IDS, frozen, config, mask=mask)


def test_the_fast_encoder_refuses_what_the_readable_one_refuses():
    with pytest.raises(EmptyRow):
        encode_fast(IDS, *tiny(), mask=padding(np.zeros(7, bool)))
    with pytest.raises(EngineError, match="0 tokens"):
        encode_fast(IDS[:0], *tiny())
