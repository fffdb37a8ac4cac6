"""Projections: spreads known beforehand, and honest measures of what a map keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import EngineError
from app.engine.projection import neighbour_preservation, neighbours, pca, plane, share_in

POINTS = np.random.default_rng(5).normal(size=(60, 8)) * [9, 5, 1, 1, 1, 1, 1, 1]


def test_pca_equals_the_eigenvectors_of_the_covariance():
    view = pca(POINTS, 3)
    values, vectors = np.linalg.eigh(np.cov(POINTS.T))
    np.testing.assert_allclose(view.explained, values[::-1][:3] / values.sum())
    np.testing.assert_allclose(np.abs(view.components), np.abs(vectors[:, ::-1][:, :3].T))


def test_all_directions_together_explain_everything_and_rebuild_the_points():
    view = pca(POINTS, 8)
    assert view.explained.sum() == pytest.approx(1)
    np.testing.assert_allclose(view.mean + view.points @ view.components, POINTS)


def test_the_largest_number_of_every_direction_is_positive_so_maps_do_not_flip():
    for points in (POINTS, -POINTS, POINTS[::-1]):
        components = pca(points, 3).components
        assert (components[np.arange(3), np.abs(components).argmax(axis=1)] > 0).all()


@pytest.mark.parametrize("count", [1, 2, 5])
def test_identical_words_lie_on_one_spot_without_noise_or_warning(count):
    view = pca(np.repeat(np.float32([[0.1, 0.7, -0.3, 2.9]]), count, axis=0), 2)
    np.testing.assert_allclose(view.points, 0, atol=1e-6)
    np.testing.assert_array_equal(view.explained, 0)


def test_two_words_lie_on_a_line():
    view = pca(np.float32([[0, 0, 0], [3, 4, 0]]), 2)
    np.testing.assert_allclose(np.sort(view.points[:, 0]), [-2.5, 2.5])  # 5 apart
    np.testing.assert_array_equal(view.points[:, 1], 0)
    np.testing.assert_allclose(view.explained, [1, 0])


def test_no_words_cannot_be_drawn():
    with pytest.raises(EngineError, match="at least one"):
        pca(np.empty((0, 3)), 2)


@given(st.integers(2, 10), st.integers(1, 12))
def test_a_map_that_moves_nothing_keeps_all_neighbours(count, near):
    points = POINTS[:count]
    assert neighbour_preservation(points, points, near) == 1


def test_every_point_has_exactly_the_asked_number_of_neighbours_and_never_itself():
    near = neighbours(POINTS, 4)
    np.testing.assert_array_equal(near.sum(axis=1), 4)
    assert not np.diag(near).any()


def test_one_word_alone_has_no_neighbours_to_lose():
    assert neighbour_preservation(POINTS[:1], POINTS[:1, :2], 5) == 1


def test_a_plane_has_two_directions_at_right_angles_and_holds_both_vectors():
    u, v = POINTS[:2]
    axes = plane(u, v)
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(share_in(axes, np.stack([u, v, u - 3 * v])), 1)
    assert axes[0] @ u == pytest.approx(np.linalg.norm(u))


def test_a_plane_of_vectors_on_one_line_keeps_one_direction():
    u = POINTS[0]
    for first, second in ((u, 2 * u), (u, -u), (u, 0 * u), (0 * u, u)):
        axes = plane(first, second)
        assert sorted(np.linalg.norm(axes, axis=1).round(9)) == [0, 1]
    np.testing.assert_array_equal(plane(0 * u, 0 * u), 0)


def test_what_stands_upright_on_a_plane_has_no_share_in_it():
    axes = plane(np.eye(3)[0], np.eye(3)[1])
    np.testing.assert_allclose(share_in(axes, np.float64([[0, 0, 2], [1, 0, 1]])), [0, 0.5])
