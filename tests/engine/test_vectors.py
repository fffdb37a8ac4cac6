"""Word vectors: angles worked by hand, and search against sorting everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import ZeroVector
from app.engine.vectors import (
    all_cosines,
    analogy,
    cosine,
    cosine_matrix,
    directions,
    largest,
    lengths_of,
    nearest,
    nearest_to_each,
    place_of,
)

TABLE = np.random.default_rng(4).normal(size=(20_000, 50)).astype(np.float32)


@pytest.mark.parametrize(
    ("u", "v", "expected"),
    [
        ([1, 0], [5, 0], 1),
        ([1, 0], [0, 2], 0),
        ([1, 2], [-2, -4], -1),
        ([3, 4], [4, 3], 24 / 25),  # 12 + 12, by 5 · 5
    ],
)
def test_cosines_of_known_angles(u, v, expected):
    assert cosine(np.float32(u), np.float32(v)) == pytest.approx(expected, abs=1e-6)


def test_a_cosine_matrix_is_symmetric_with_ones_on_the_diagonal():
    found = cosine_matrix(TABLE[:40])
    np.testing.assert_allclose(found, found.T, atol=1e-6)
    np.testing.assert_array_equal(np.diag(found), 1)
    assert found[3, 7] == pytest.approx(cosine(TABLE[3], TABLE[7]), abs=1e-6)


def test_a_vector_of_zeros_is_refused_naming_its_row():
    with pytest.raises(ZeroVector, match=r"vector \[2\]"):
        cosine_matrix(np.float32([[1, 0], [0, 0]]))
    with pytest.raises(ZeroVector):
        nearest(TABLE, np.zeros(50, np.float32), 3)


def test_very_short_and_very_long_vectors_have_a_direction_too():
    tiny, huge = np.float32([3e-15, 4e-15]), np.float32([3e15, 4e15])
    np.testing.assert_allclose(directions(np.stack([tiny, huge])), [[0.6, 0.8]] * 2, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("known", [True, False])
def test_the_nearest_are_those_that_sorting_all_cosines_puts_first(dtype, known):
    table = TABLE.astype(dtype)
    lengths = lengths_of(table) if known else None
    found = nearest(table, TABLE[5] + TABLE[6], 10, lengths=lengths)
    exact = directions(table) @ directions(TABLE[5] + TABLE[6])
    np.testing.assert_array_equal(found.rows, np.argsort(-exact)[:10])
    np.testing.assert_allclose(found.cosines, np.sort(exact)[::-1][:10], atol=1e-6)


def test_the_nearest_to_a_word_is_itself_unless_it_is_excluded():
    assert nearest(TABLE, TABLE[77], 3).rows[0] == 77
    assert 77 not in nearest(TABLE, TABLE[77], 3, exclude=(77,)).rows


def test_asking_for_more_neighbours_than_there_are_gives_all():
    found = nearest(TABLE[:5], TABLE[0], 99, exclude=(0, 0))
    assert sorted(found.rows.tolist()) == [1, 2, 3, 4]


def test_a_row_of_zeros_in_the_table_comes_last():
    table = np.float32([[0, 0], [-1, 0.1], [1, 0]])
    assert nearest(table, np.float32([1, 0]), 3).rows.tolist() == [2, 1, 0]
    assert all_cosines(table, np.float32([1, 0]))[0] == -1


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=700), st.integers(1, 300))
def test_the_largest_scores_are_those_of_a_full_sort_and_the_earlier_of_equals_first(scores, count):
    expected = sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:count]
    assert largest(np.float32(scores), min(count, len(scores))).rows.tolist() == expected


def test_an_analogy_walks_the_same_step_from_another_start_and_ranks_both_ways():
    # man (0, 1), king (5, 1), woman (0, 2); b − a + c = (5, 2): queen; king is close as well
    words = np.float32([[0, 1], [5, 1], [0, 2], [5.1, 2], [-3, 0]])
    found = analogy(words, 0, 1, 2, count=5)
    np.testing.assert_allclose(found.target, [5, 2])
    assert found.among_all.rows.tolist()[:2] == [3, 1]
    assert found.without_inputs.rows.tolist() == [3, 4]


def test_an_analogy_that_cancels_out_is_refused():
    with pytest.raises(ZeroVector):
        analogy(np.float32([[2, 0], [1, 0], [1, 0]]), 0, 1, 2, count=1)


def test_the_nearest_of_many_rows_at_once_are_those_of_each_alone():
    rows = list(range(0, 200, 11))
    together = nearest_to_each(TABLE, rows, 5, lengths=lengths_of(TABLE))
    for row, found in zip(rows, together, strict=True):
        alone = nearest(TABLE, TABLE[row], 5, exclude=[row])
        np.testing.assert_array_equal(found.rows, alone.rows)
        np.testing.assert_allclose(found.cosines, alone.cosines, atol=1e-6)


def test_a_row_of_zeros_is_nobodys_nearest_and_one_row_has_no_neighbour():
    table = np.float32([[1, 0], [0, 0], [-1, 0.01]])
    (found,) = nearest_to_each(table, [0], 2, lengths=lengths_of(table))
    assert found.rows.tolist() == [2, 1]
    assert found.cosines[1] == -1
    (alone,) = nearest_to_each(table[:1], [0], 3, lengths=lengths_of(table[:1]))
    assert len(alone.rows) == 0


def test_the_place_of_a_row_is_where_sorting_puts_it():
    found = analogy(TABLE, 3, 4, 5, count=10)
    order = np.argsort(-found.cosines).tolist()
    assert [place_of(found.cosines, row) for row in order[:5]] == [1, 2, 3, 4, 5]
    row = int(found.without_inputs.rows[6])
    assert place_of(found.cosines, row, exclude=[3, 4, 5]) == 7
