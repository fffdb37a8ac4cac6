"""The matched pair's training, as it was recorded: loss against tokens seen, masked and causal."""

from typing import Any, Literal, NamedTuple

import numpy as np

from app.engine.surprise import surprisal
from app.figures import Line, Lines
from app.figures.describe import Array, Role
from app.i18n import _
from app.lab import Formula, Lab, LabForm, Prediction, Preset, Result, Snippet, control
from app.models import ModelCard, Models

MEASURES = {
    "held_out": _("loss on held-out sentences"),
    "accuracy": _("share guessed right"),
    "training": _("loss in training"),
}
Y_TITLES = {
    "held_out": _("mean −ln P of a token asked for, in nats"),
    "accuracy": _("share of the tokens asked for"),
    "training": _("mean −ln P of a token asked for, in nats"),
}
NAMES = {"matched-masked": _("masked"), "matched-causal": _("causal")}
ROLES: dict[str, Role] = {"matched-masked": "encoder", "matched-causal": "decoder"}
PICKED = 0.15  # the share of tokens that masked training asks for
Measure = Literal["held_out", "accuracy", "training"]


class LearningCurvesForm(LabForm):
    """What a reader may set."""

    measure: Measure = control("choice", "held_out", _("What is drawn"), labels=MEASURES)
    log: bool = control("switch", False, _("Tokens on a logarithmic axis"))


class Curve(NamedTuple):
    """One recorded training."""

    card: ModelCard
    name: str  # as on the page
    role: Role
    tokens: Array  # (points) read so far
    values: Array  # (points) what is drawn
    losses: Array  # (points) on held-out sentences, in nats


def compute(form: LearningCurvesForm, models: Models) -> Result:
    """Lay the recorded curves of both trainings over the tokens that each had read."""
    curves = tuple(
        curve_of(card, points, form.measure)
        for name in NAMES
        for card in models.cards()
        if card.name == name and (points := models.record(name, "curve.json"))
    )
    perplexities = [float(surprisal(-curve.losses[-1:]).perplexity) for curve in curves]
    finding = find(curves, perplexities)
    return Result(
        finding=finding,
        figures=(draw(curves, form),),
        maths=formulas(curves, perplexities),
        snippet=snippet(curves),
        models=tuple(curve.card for curve in curves),
        predict=predict(curves, finding),
        notes=remarks(curves),
    )


def curve_of(card: ModelCard, points: list[dict[str, Any]], measure: str) -> Curve:
    """Read what was recorded as a model was trained."""
    column = {
        name: np.array([point[name] for point in points], float)
        for name in ("tokens", "held_out", measure)
    }
    return Curve(
        card,
        NAMES[card.name],
        ROLES[card.name],
        column["tokens"],
        column[measure],
        column["held_out"],
    )


def draw(curves: tuple[Curve, ...], form: LearningCurvesForm) -> Lines:
    """Describe the curves."""
    return Lines(
        "curves",
        MEASURES[form.measure].capitalize(),
        tuple(Line(c.name, c.tokens / 1e6, c.values, c.role) for c in curves),
        _("millions of tokens read"),
        Y_TITLES[form.measure],
        log_x=form.log,
        caption=_(
            "Recorded as the two networks were trained: same text, sizes, first weights, batches "
            "and steps. Nothing here is computed anew."
        ),
    )


def find(curves: tuple[Curve, ...], perplexities: list[float]) -> str:
    """Say where they stood after the first and after the last tokens that both have read."""
    if len(curves) < 2:
        alone = _("After {n:.2f} million tokens {name} training stands at {loss:.2f} nats.")
        [curve] = curves
        return alone.format(n=curve.tokens[-1] / 1e6, name=curve.name, loss=float(curve.losses[-1]))
    both = np.intersect1d(curves[0].tokens, curves[1].tokens)
    (masked, causal), pairs = curves, []
    for tokens in (both[0], both[-1]):
        first, second = (float(c.losses[c.tokens == tokens][0]) for c in curves)
        text = _("after {n:.2f} million, {first:.2f} ({masked}) against {second:.2f} ({causal})")
        pairs.append(
            text.format(
                n=tokens / 1e6,
                first=first,
                second=second,
                masked=masked.name,
                causal=causal.name,
            )
        )
    said = _("The loss at equal numbers of tokens: {pairs} nats.").format(pairs="; ".join(pairs))
    choices = _("In the end one is as unsure as among {a:.0f} tokens, the other as among {b:.0f}.")
    return f"{said} {choices.format(a=perplexities[0], b=perplexities[1])}"


def formulas(curves: tuple[Curve, ...], perplexities: list[float]) -> tuple[Formula, Formula]:
    """Write what is averaged, and how many guesses were scored along the way."""
    shown = r"\qquad ".join(
        rf"\text{{{curve.name}: }}e^{{{float(curve.losses[-1]):.3f}}}={perplexity:.1f}"
        for curve, perplexity in zip(curves, perplexities, strict=True)
    )
    loss = Formula(
        _("The loss, and the number of equally likely tokens it is worth"),
        r"\ell=-\frac{1}{|S|}\sum_{i\in S}\ln P(x_i\mid\text{what may be seen})"
        r"\qquad\text{perplexity}=e^{\ell}",
        numbers=shown,
    )
    tokens = float(curves[0].tokens[-1])
    signals = Formula(
        _("Guesses that were scored"),
        r"\text{masked: }0.15\,N\qquad\text{causal: about }N",
        rf"N={tokens:,.0f}".replace(",", r"{,}"),
        rf"0.15\cdot N\approx {PICKED * tokens / 1e6:.2f}\ \text{{million}}"
        rf"\qquad N\approx {tokens / 1e6:.2f}\ \text{{million}}",
    )
    return loss, signals


def snippet(curves: tuple[Curve, ...]) -> Snippet:
    """Write the perplexities as lines of NumPy."""
    losses = [round(float(curve.losses[-1]), 4) for curve in curves]
    named = ", ".join(curve.card.name for curve in curves)
    code = (
        "import numpy as np\n\n"
        f"losses = np.array({losses})  # nats, the last of: {named}\n"
        "print(np.exp(losses).round(1).tolist())"
    )
    return Snippet(code, str(np.exp(np.array(losses)).round(1).tolist()))


def predict(curves: tuple[Curve, ...], finding: str) -> Prediction | None:
    """Ask whose loss falls faster at first."""
    if len(curves) < 2:
        return None
    masked, causal = (float(curve.losses[0]) for curve in curves)
    question = _("Before you look: whose loss is lower after the first {n:.1f} million tokens?")
    options = (NAMES["matched-masked"], NAMES["matched-causal"])
    return Prediction(
        question.format(n=curves[0].tokens[0] / 1e6),
        options,
        options[0] if masked < causal else options[1],
        finding,
    )


def remarks(curves: tuple[Curve, ...]) -> tuple[str, ...]:
    """Say what may be compared here and what may not."""
    notes = [
        _(
            "The heights are answers to different questions: a masked guess has both sides to go "
            "by, a causal one the past alone. What may be compared is how fast each falls."
        ),
        _(
            "Causal training scores every token and masked training 15%, so at the same place on "
            "the axis the first has had more than six times the guesses."
        ),
    ]
    if len(curves) < len(NAMES):
        notes.append(_("Only one of the pair is installed here."))
    return tuple(notes)


LEARNING_CURVES = Lab(
    slug="learning-curves",
    number=32,
    title=_("Who learns faster from the same text?"),
    form=LearningCurvesForm,
    compute=compute,
    template="learning-curves.html",
    shows=(surprisal,),
    needs=("masked_lm",),
    presets=(
        Preset(_("the loss"), {"measure": "held_out", "log": "false"}),
        Preset(_("the share guessed right"), {"measure": "accuracy", "log": "false"}),
        Preset(_("a logarithmic axis"), {"measure": "held_out", "log": "true"}),
    ),
)
