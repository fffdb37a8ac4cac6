"""The gradient lab: sizes against plain loops and finite differences, words, and settings."""

import contextlib
import io
import json
import math

import numpy as np
import pytest

from app.engine.jacobian import initial_attention
from app.engine.recurrent import initial_weights, recur
from lessons.rnn_vs_attention.labs.gradient_flow import GradientFlowForm, compute
from lessons.rnn_vs_attention.labs.gradient_measure import HEADS, WIDTH, fresh_inputs
from lessons.rnn_vs_attention.labs.gradient_words import say, split

ADDRESS = "/lessons/rnn-vs-attention/labs/gradient-flow"


def answer(models, **values):
    return compute(GradientFlowForm(**values), models)


def figure(result, name):
    return next(f for f in result.figures if f.name == name)


def line(result, figure_name, label):
    return next(each for each in figure(result, figure_name).lines if label in each.label)


@pytest.mark.parametrize(("gain", "back"), [(1.0, 0), (1.0, 1), (1.0, 37), (0.5, 20), (3.0, 59)])
def test_the_plain_layers_size_is_that_of_the_product_of_its_jacobians(small_models, gain, back):
    """∂h_T/∂x_t = diag(1 − h_T²) W · … · diag(1 − h_t²) U, multiplied out factor by factor."""
    result = answer(small_models, gain=gain, steps=60, back=max(back, 1))
    weights = initial_weights("rnn", WIDTH, WIDTH, seed=1, gain=gain, dtype=np.float64)
    states = recur("rnn", fresh_inputs(60, 1), weights).states
    product = np.eye(WIDTH)
    for k in range(59, 59 - back, -1):
        product = product @ np.diag(1 - states[k] ** 2) @ weights.weight_hh
    product = product @ np.diag(1 - states[59 - back] ** 2) @ weights.weight_ih
    size = math.log10(math.sqrt((product**2).sum()))
    assert line(result, "norms", "plain").y[back] == pytest.approx(size, abs=1e-9)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_a_gated_layers_sizes_are_those_of_finite_differences(small_models, kind):
    result = answer(small_models, steps=6, bias=2.0, gru=True, back=3)
    weights = initial_weights(kind, WIDTH, WIDTH, seed=1, forget_bias=2.0, dtype=np.float64)
    inputs = fresh_inputs(6, 1)
    for back in (0, 3, 5):
        slopes = np.empty((WIDTH, WIDTH))
        for n in range(WIDTH):
            nudge = np.zeros_like(inputs)
            nudge[5 - back, n] = 1e-6
            up, down = (recur(kind, inputs + s * nudge, weights).states[-1] for s in (1, -1))
            slopes[:, n] = (up - down) / 2e-6
        drawn = line(result, "norms", kind.upper()).y[back]
        assert drawn == pytest.approx(math.log10(np.linalg.norm(slopes)), abs=1e-5)


def test_attentions_sizes_are_those_of_finite_differences(small_models):
    def last_output(inputs):
        weights, size = initial_attention(WIDTH, seed=1, dtype=np.float64), WIDTH // HEADS
        query, key, value = (inputs @ w.T for w in weights[:3])
        mixed = []
        for h in range(HEADS):
            part = slice(h * size, (h + 1) * size)
            scores = np.exp(key[:, part] @ query[-1, part] / math.sqrt(size))
            mixed.append(scores / scores.sum() @ value[:, part])
        return weights.output @ np.concatenate(mixed)

    inputs, slopes = fresh_inputs(12, 1), np.empty((WIDTH, WIDTH))
    drawn = line(answer(small_models, steps=12), "norms", "attention").y
    for back in (0, 4, 11):
        for n in range(WIDTH):
            nudge = np.zeros_like(inputs)
            nudge[11 - back, n] = 1e-6
            slopes[:, n] = (last_output(inputs + nudge) - last_output(inputs - nudge)) / 2e-6
        assert drawn[back] == pytest.approx(math.log10(np.linalg.norm(slopes)), abs=1e-5)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"gain": 3.0, "seed": 7},
        {"gain": 0.1, "steps": 1500, "back": 1499},
        {"gain": 1.85, "steps": 2, "back": 1},
        {"gain": 0.55, "steps": 333, "back": 332, "seed": 999_999},
    ],
)
def test_the_lines_of_numpy_print_the_number_of_the_page(small_models, values):
    snippet = answer(small_models, **values).snippet
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet.code, "<snippet>", "exec"), {})
    assert printed.getvalue().strip() == snippet.prints


def test_a_larger_gain_and_a_larger_bias_carry_further(small_models):
    weak, strong = (answer(small_models, gain=g, bias=b) for g, b in ((0.5, 0), (1.5, 2)))
    for name in ("plain", "LSTM"):
        assert line(weak, "norms", name).y[100] < line(strong, "norms", name).y[100] - 5


def test_two_thousand_tokens_stay_numbers_far_below_what_a_float_can_hold(small_models):
    result = answer(small_models, gain=0.1, bias=-2, steps=2000)
    sizes = line(result, "norms", "plain").y
    assert np.isfinite(sizes).all()
    assert sizes[-1] < -2000
    assert any("32-bit" in note for note in result.notes)


def test_attention_has_no_trend_where_the_chain_loses_hundreds_of_decades(small_models):
    result = answer(small_models, steps=1000)
    averages = line(result, "ways", "together").y
    assert np.ptp(averages) < 0.5
    assert line(result, "norms", "plain").y[-1] < -150


def test_an_exploding_gradient_is_said_to_grow_and_has_no_half_life(small_models):
    result = answer(small_models, gain=3.0)
    assert "plain recurrent layer it grows" in result.finding
    assert [name for name in figure(result, "half-lives").labels if "plain" in name] == []
    assert result.predict.measured == "it has grown"


def test_the_smallest_text_is_answered_without_a_line_through_one_point(small_models):
    result = answer(small_models, steps=2)
    assert "halved" not in result.finding
    assert "1 step back" in result.finding
    assert [f.name for f in result.figures] == ["norms", "ways"]


@pytest.mark.parametrize(("steps", "back", "used"), [(50, 100, 49), (2, 100, 1), (200, 199, 199)])
def test_a_distance_beyond_the_text_is_the_whole_text(small_models, steps, back, used):
    result = answer(small_models, steps=steps, back=back)
    assert result.chosen == {"back": used}
    assert result.finding.startswith(f"{used} step")


@pytest.mark.parametrize(
    ("name", "value"),
    [("gain", "0"), ("gain", "3.1"), ("gain", "nan"), ("bias", "9"), ("steps", "1"),
     ("steps", "2001"), ("seed", "0"), ("steps", "many")],
)  # fmt: skip
def test_what_cannot_be_used_is_answered_at_its_field(small_client, name, value):
    found = small_client.get(f"{ADDRESS}/data.json", params={name: value})
    assert found.status_code == 422
    assert list(json.loads(found.text)["errors"]) == [name]


@pytest.mark.parametrize(
    ("log", "said"),
    [(0.0, "1"), (-1.0, "0.1"), (-3.0, "1·10⁻³"), (-19.21, "6.2·10⁻²⁰"),
     (-0.02227 - 400, "9.5·10⁻⁴⁰¹"), (math.log10(9.96) - 50, "1·10⁻⁴⁹"), (-math.inf, "0")],
)  # fmt: skip
def test_a_size_is_said_by_its_logarithm(log, said):
    assert say(log) == said


def test_a_size_is_taken_apart_and_put_together_again():
    for log in np.linspace(-500, 500, 997):
        mantissa, exponent = split(float(log))
        assert 1 <= mantissa < 10
        assert math.log10(mantissa) + exponent == pytest.approx(log, abs=0.025)
