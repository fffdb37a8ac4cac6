"""Does the gradient survive? Real backpropagation from the last output to every input."""

import math

import numpy as np

from app.engine.jacobian import (
    attention_jacobian,
    initial_attention,
    log_norms,
    measure_fall,
    recurrent_log_norms,
)
from app.engine.recurrent import initial_weights, recur
from app.figures import Bars, Figure, Line, Lines
from app.figures.describe import Role
from app.i18n import _
from app.lab import Lab, LabForm, Preset, Result, Stopwatch, control
from app.models import Models
from lessons.rnn_vs_attention.labs.gradient_measure import Flow, Setting, measure
from lessons.rnn_vs_attention.labs.gradient_words import (
    NAMES,
    find,
    formulas,
    predict,
    remarks,
    reproduce,
)

DISTANCE, SIZE = _("steps back from the last output"), _("log₁₀ of the norm of ∂output / ∂input")
ROLES: dict[str, Role] = {"rnn": "decoder", "lstm": "key", "gru": "value", "attention": "encoder"}


class GradientFlowForm(LabForm):
    """What a reader may set."""

    gain: float = control(
        "slider", 1.0, _("Gain of the plain layer"), ge=0.1, le=3, step=0.05, allow_inf_nan=False
    )
    bias: float = control(
        "slider", 1.0, _("LSTM’s forget bias"), ge=-2, le=8, step=0.25, allow_inf_nan=False
    )
    steps: int = control("number", 200, _("Tokens"), ge=2, le=2000)
    back: int = control("number", 100, _("Steps back in the finding"), ge=1, le=1999)
    seed: int = control("number", 1, _("Seed"), ge=1, le=1_000_000)
    gru: bool = control("switch", False, _("A GRU too, the LSTM’s simpler relative"))


def compute(form: GradientFlowForm, _models: Models) -> Result:
    """Differentiate the last output by every input, in a chain, a gated chain and a web."""
    back = min(form.back, form.steps - 1)  # a shorter text is no reason to refuse
    kinds = ("rnn", "lstm", "gru") if form.gru else ("rnn", "lstm")
    setting = Setting(form.steps, form.gain, form.bias, form.seed, kinds)
    watch = Stopwatch()
    with watch.running():
        flow = measure(setting)
    finding = find(flow, back)
    return Result(
        finding=finding,
        figures=draw(flow, setting),
        maths=formulas(flow, setting, back),
        snippet=reproduce(flow, setting, back),
        engine_ms=watch.ms,
        predict=predict(flow, back, finding),
        chosen={"back": back},
        notes=remarks(flow, setting),
        context={"halved": any(halved(flow))},
    )


def draw(flow: Flow, setting: Setting) -> tuple[Figure, ...]:
    """Describe the gradient's size against distance, attention's two ways, and the half-lives."""
    names = {
        **NAMES,
        "rnn": _("plain, gain {gain:g}").format(gain=setting.gain),
        "lstm": _("LSTM, bias {bias:g}").format(bias=setting.bias),
    }
    lives = half_lives(flow, names)
    main = Lines(
        "norms",
        _("How much of the gradient arrives"),
        tuple(
            Line(names[kind], np.arange(len(sizes), dtype=float), sizes, ROLES[kind])
            for kind, sizes in flow.sizes.items()
        ),
        DISTANCE,
        SIZE,
        caption=_("−10 means: a ten-billionth. A straight line loses the same share each step."),
    )
    return (main, ways(flow), lives) if lives else (main, ways(flow))


def ways(flow: Flow) -> Lines:
    """Describe attention's two ways, averaged over tenths of the distance."""
    drawn: tuple[tuple[str, str, Role], ...] = (
        ("attention", _("both together"), "encoder"),
        ("values", _("through the values"), "value"),
        ("softmax", _("through the softmax"), "query"),
    )
    falls = ((flow.falls[name], label, role) for name, label, role in drawn)
    return Lines(
        "ways",
        _("Attention alone, by its two ways"),
        tuple(Line(label, fall.distances, fall.averages, role) for fall, label, role in falls),
        DISTANCE,
        SIZE,
        caption=_(
            "What is heard may change (values), and who is heard (softmax). Averages over tenths "
            "of the way. Nothing in this layer knows the distance, so the ups and downs are chance."
        ),
    )


def halved(flow: Flow) -> list[str]:
    """List the recurrent layers whose gradient fades."""
    chains = (name for name in flow.sizes if name != "attention")
    return [name for name in chains if math.isfinite(flow.falls[name].half_life)]


def half_lives(flow: Flow, names: dict[str, str]) -> Bars | None:
    """Describe after how many steps the gradient is halved, where it fades at all."""
    shown = halved(flow)
    if not shown:
        return None
    caption = _(
        "From a straight line fitted to each curve above. Attention has no half-life: "
        "its size does not depend on the distance."
    )
    if len(shown) < len(flow.sizes) - 1:
        caption += _(" A curve that does not fall is left out.")
    values = np.array([flow.falls[name].half_life for name in shown])
    return Bars(
        "half-lives",
        _("Steps until half is left"),
        tuple(names[name] for name in shown),
        values,
        _("steps"),
        caption=caption,
    )


def preset(label: str, **values: str) -> Preset:
    """Suggest some settings; the rest goes back to where it began."""
    return Preset(label, {"gain": "1", "bias": "1", "steps": "200", "seed": "1", **values})


GRADIENT_FLOW = Lab(
    slug="gradient-flow",
    number=26,
    title=_("Does the gradient survive?"),
    form=GradientFlowForm,
    compute=compute,
    template="gradient-flow.html",
    shows=(
        recurrent_log_norms,
        attention_jacobian,
        log_norms,
        measure_fall,
        recur,
        initial_weights,
        initial_attention,
    ),
    presets=(
        preset(_("fading fast"), gain="0.5", bias="0", back="100"),
        preset(_("a cure, at 200 tokens"), bias="2.5", back="199"),
        preset(_("and at 2,000"), bias="2.5", steps="2000", back="1999"),
        preset(_("a gradient that nearly holds"), gain="1.85", back="100"),
        preset(_("one that explodes"), gain="3", back="100"),
    ),
)
