"""Habits of heads, on maps drawn by hand."""

import numpy as np
import pytest

from app.engine.head_patterns import evenness, measure_patterns, name_pattern

SEP = np.array([False, False, False, True])
NONE = np.zeros(4, bool)
EVEN = np.full((4, 4), 0.25)
MAPS = {
    "previous": np.eye(4, k=-1) + np.diag([1.0, 0, 0, 0]),
    "next": np.eye(4, k=1) + np.diag([0, 0, 0, 1.0]),
    "self": np.eye(4),
    "first": np.tile([1.0, 0, 0, 0], (4, 1)),
    "separator": np.tile([0, 0, 0, 1.0], (4, 1)),
    "broad": EVEN,
    # each row half on two tokens, with no habit: evenness is ln 2 / ln 4 = ½
    "mixed": np.array([[0.5, 0, 0.5, 0], [0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0], [0, 0.5, 0, 0.5]]),
}


@pytest.mark.parametrize("name", MAPS)
def test_each_habit_drawn_purely_gets_its_name(name):
    assert name_pattern(measure_patterns(MAPS[name][None], SEP), 0) == name


def test_shares_are_averages_over_the_tokens_that_can_show_the_habit():
    weights = np.array([[[0.1, 0.6, 0.3], [0.2, 0.7, 0.1], [0.5, 0.4, 0.1]]])
    found = measure_patterns(weights, np.array([False, False, True]))
    assert found.previous == pytest.approx((0.2 + 0.4) / 2)
    assert found.next == pytest.approx((0.6 + 0.1) / 2)
    assert found.self == pytest.approx((0.1 + 0.7 + 0.1) / 3)
    assert found.first == pytest.approx((0.2 + 0.5) / 2)
    assert found.separator == pytest.approx((0.3 + 0.1) / 2)


def test_evenness_runs_from_zero_on_one_token_to_one_over_all():
    np.testing.assert_allclose(evenness(np.stack([np.eye(4), EVEN])).mean(axis=-1), [0, 1])
    # half and half among four: ln 2 / ln 4
    np.testing.assert_allclose(evenness(np.array([0.5, 0.5, 0, 0])), 0.5)


@pytest.mark.parametrize("separators", [True, False])
def test_a_single_token_has_finite_habits(separators):
    found = measure_patterns(np.ones((2, 1, 1), np.float32), np.array([separators]))
    assert np.isfinite(found).all()
    assert name_pattern(found, 1) == "self"


def test_every_head_is_measured_by_itself():
    found = measure_patterns(np.stack([MAPS["self"], MAPS["next"]]), NONE)
    assert [name_pattern(found, head) for head in (0, 1)] == ["self", "next"]
    assert found.previous.shape == (2,)
