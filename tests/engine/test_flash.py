import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import EngineError
from app.engine.attention import attend
from app.engine.flash import attend_in_tiles, plain_bytes, tiled_bytes, tiles
from app.engine.masks import causal


def random_heads(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal((3, *shape)).astype(np.float32)


@given(
    length=st.integers(1, 40),
    block=st.integers(1, 45),
    masked=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_tiles_give_what_plain_attention_gives(length, block, masked, seed):
    queries, keys, values = random_heads(2, length, 5, seed=seed)
    plain = attend(queries, keys, values, mask=causal(length) if masked else None)
    tiled = attend_in_tiles(queries, keys, values, block=block, causal=masked)
    np.testing.assert_allclose(tiled.mixed, plain.mixed, atol=1e-5)
    np.testing.assert_allclose(tiled.maximum, plain.masked.max(axis=-1), atol=1e-5)
    shifted = np.exp(plain.masked - plain.masked.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(tiled.total, shifted.sum(axis=-1), rtol=1e-5)


def test_scores_of_hundreds_do_not_overflow():
    queries, keys, values = random_heads(16, 4) * np.float32(40)
    plain = attend(queries, keys, values)
    tiled = attend_in_tiles(queries, keys, values, block=4)
    np.testing.assert_allclose(tiled.mixed, plain.mixed, rtol=1e-4, atol=1e-4)


def test_running_maximum_and_sum_follow_the_arithmetic_by_hand():
    # Scores ln 1, ln 2, ln 4 in blocks of one: maxima 0, ln 2, ln 4;
    # sums 1, then 1·½ + 1 = 1.5, then 1.5·½ + 1 = 1.75 = 7/4.
    keys = np.log([[1.0], [2.0], [4.0]])
    values = np.array([[7.0], [7.0], [0.0]])
    seen = list(tiles(np.ones((1, 1)), keys, values, block=1))
    np.testing.assert_allclose([tile.maximum[0] for tile in seen], np.log([1, 2, 4]), atol=1e-12)
    np.testing.assert_allclose([tile.total[0] for tile in seen], [1, 1.5, 1.75])
    # The outputs on the way: 7, 7, then (1·7 + 2·7 + 4·0) / 7 = 3.
    np.testing.assert_allclose([tile.mixed[0, 0] for tile in seen], [7, 7, 3])


def test_a_causal_run_skips_the_tiles_above_the_diagonal():
    queries, keys, values = random_heads(8, 4)
    run = attend_in_tiles(queries, keys, values, block=2, causal=True, keep_tiles=True)
    assert len(run.tiles) == 1 + 2 + 3 + 4
    assert all(tile.keys.start <= tile.queries.start for tile in run.tiles)
    assert len(attend_in_tiles(queries, keys, values, block=2, keep_tiles=True).tiles) == 16


def test_a_block_below_one_is_refused_with_its_value():
    try:
        attend_in_tiles(*random_heads(3, 2), block=0)
    except EngineError as error:
        assert "block is 0" in str(error)
    else:
        raise AssertionError("accepted")


def peak_bytes(run):
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_the_bytes_that_are_counted_are_the_bytes_that_are_held():
    queries, keys, values = random_heads(1024, 32)
    tiled = peak_bytes(lambda: attend_in_tiles(queries, keys, values, block=64))
    assert 0.7 < tiled / tiled_bytes(1024, 32, block=64) < 1.4
    plain = peak_bytes(lambda: attend(queries, keys, values))
    assert 0.7 < plain / plain_bytes(1024, 32) < 1.6
    assert plain > 15 * tiled


def test_eight_thousand_tokens_stay_within_a_few_megabytes():
    queries, keys, values = random_heads(8192, 32)
    peak = peak_bytes(lambda: attend_in_tiles(queries, keys, values, block=256))
    assert peak < 5e6 < plain_bytes(8192, 32) / 100
    np.testing.assert_allclose(
        attend_in_tiles(queries[-3:], keys, values, block=256).mixed,
        attend(queries[-3:], keys, values).mixed,
        atol=1e-5,
    )
