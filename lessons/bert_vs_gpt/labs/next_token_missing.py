"""The lab on the next token where no decoder is installed: says so, and shapes a small example."""

import numpy as np
from numpy.typing import NDArray

from app.engine.sampling import COLDEST, shape_distribution
from app.figures import Bars
from app.i18n import _
from app.lab import Formula, Result, Snippet, Stopwatch
from lessons.bert_vs_gpt.labs.next_token_form import NextTokenForm

SHARES = (0.5, 0.25, 0.25)  # the example of the lesson
NAMES = ("A", "B", "C")


def without_decoder(form: NextTokenForm) -> Result:
    """Answer with the lesson's own three tokens, ½, ¼ and ¼, shaped as the reader set it."""
    watch = Stopwatch()
    logits = np.log(np.array(SHARES))
    with watch.running():
        spread = shape_distribution(
            logits, temperature=form.temperature, top_k=form.top_k, top_p=form.top_p
        )
    shares = [float(share) for share in spread.probabilities]
    told = ", ".join(f"{share:.3f}" for share in shares)
    finding = _(
        "No decoder is installed here, so your text cannot be continued: SmolLM2-135M-Instruct is "
        "missing, and `make fetch` brings it. Meanwhile temperature, top-k and top-p turn the "
        "lesson’s three made-up tokens ½, ¼, ¼ into {told}."
    )
    return Result(
        finding=finding.format(told=told),
        figures=(
            bars("model", _("Three made-up tokens"), np.array(SHARES)),
            bars("drawn", _("The same, after temperature and cuts"), spread.probabilities),
        ),
        maths=(formula(form, shares[0]),),
        snippet=reproduce(form, spread.kept.tolist(), shares[0]),
        engine_ms=watch.ms,
        context={"installed": False},
    )


def formula(form: NextTokenForm, share: float) -> Formula:
    """Write the softmax with the reader's temperature."""
    return Formula(
        _("Softmax with temperature τ, then the cut"),
        r"p_i=\frac{\exp(z_i/\tau)}{\sum_{j=1}^{V}\exp(z_j/\tau)}",
        r"z\in\mathbb{R}^{3}",
        rf"\tau={form.temperature:g}\quad q_1={share:.3f}",
    )


def reproduce(form: NextTokenForm, kept: list[bool], share: float) -> Snippet:
    """Write the first token's share as lines of NumPy."""
    heat = form.temperature if form.temperature >= COLDEST else 1.0
    code = (
        "import numpy as np\n\n"
        f"logits = np.log([0.5, 0.25, 0.25])\ntemperature = {heat:g}\n"
        f"kept = np.array({kept})  # by top-k and top-p\n"
        "shares = np.exp(logits / temperature) * kept\n"
        "print(round(float(shares[0] / shares.sum()), 3))"
    )
    return Snippet(code, str(round(share, 3)))


def bars(name: str, title: str, values: NDArray[np.floating]) -> Bars:
    """Describe the three as bars."""
    return Bars(name, title, NAMES, values, value_title=_("probability"), scale="weights")
