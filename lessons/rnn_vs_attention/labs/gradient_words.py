"""What the gradient lab says: its finding, its formulas, its lines of NumPy, its remarks."""

import math

from app.figures.numbers import power_of_ten, short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from lessons.rnn_vs_attention.labs.gradient_measure import HEADS, WIDTH, Flow, Setting

NAMES = {
    "rnn": _("plain recurrent layer"),
    "lstm": _("LSTM"),
    "gru": _("GRU"),
    "attention": _("attention"),
}
SMALLEST = -44.85  # log10 of 2⁻¹⁴⁹, the smallest positive number of 32 bits
# What is left against the start, at least, as log10, and what that is called.
LEFT = (
    (0.0, _("it has grown")),
    (-1.0, _("a tenth or more")),
    (-6.0, _("a millionth or more")),
    (-9.0, _("a billionth or more")),
    (-math.inf, _("less than a billionth")),
)


def split(log: float) -> tuple[float, int]:
    """Take a logarithm apart into a number from 1 to 10 and a power of ten.

    Example:
        >>> [round(part, 6) for part in split(-0.69897)], split(-math.inf)
        ([2.0, -1], (0.0, 0))
    """
    if not math.isfinite(log):
        return 0.0, 0
    exponent = math.floor(log)
    mantissa = round(10 ** (log - exponent), 1)
    return (1.0, exponent + 1) if mantissa == 10 else (mantissa, exponent)


def say(log: float) -> str:
    """Say a size by its logarithm, however small it is.

    Example:
        >>> say(-400.5), say(-0.30103), say(-math.inf)
        ('3.2·10⁻⁴⁰¹', '0.5', '0')
    """
    if -2 < log < 4:
        return short(10**log)
    mantissa, exponent = split(log)
    return f"{mantissa:g}·{power_of_ten(exponent)}" if mantissa else "0"


def tex(log: float) -> str:
    """Write a size by its logarithm in LaTeX."""
    if -2 < log < 4:
        return f"{10**log:.3g}"
    mantissa, exponent = split(log)
    return rf"{mantissa:g}\cdot 10^{{{exponent}}}" if mantissa else "0"


def find(flow: Flow, back: int) -> str:
    """Say in a few sentences what is left at the chosen distance, and how fast it goes."""
    sizes = ((NAMES[name], say(float(each[back]))) for name, each in flow.sizes.items())
    listed = ", ".join(f"{name} {size}" for name, size in sizes)
    steps = _("1 step") if back == 1 else _("{n} steps").format(n=back)
    left = _("{steps} back, the size of the gradient is: {listed}.")
    sentences = [left.format(steps=steps, listed=listed)]
    averages = flow.falls["attention"].averages
    if len(averages) > 1:
        text = _("Through attention the far end counts {ratio} times as much as the near end.")
        ratio = short(10 ** float(averages[-1] - averages[0]))
        sentences += [*paces(flow), text.format(ratio=ratio)]
    return " ".join(sentences)


def paces(flow: Flow) -> list[str]:
    """Say how soon each recurrent layer's gradient is halved, or that it grows."""
    fading, growing = [], []
    for name in flow.sizes:
        half_life = flow.falls[name].half_life
        if name != "attention" and math.isinf(half_life):
            growing.append(_("In the {name} it grows.").format(name=NAMES[name]))
        elif name != "attention":
            text = _("every {steps} steps in the {name}")
            fading.append(text.format(steps=short(half_life), name=NAMES[name]))
    if fading:
        growing.insert(0, _("It is halved {listed}.").format(listed=", ".join(fading)))
    return growing


def formulas(flow: Flow, setting: Setting, back: int) -> tuple[Formula, ...]:
    """Write each layer's derivative, in general and for the chosen token."""
    T, t, per_step = setting.tokens, setting.tokens - back, flow.falls["rnn"].per_step
    plain = Formula(
        _("Plain recurrent layer: one factor a step"),
        r"\frac{\partial h_T}{\partial x_t}=\left(\prod_{k=T}^{t+1}\mathrm{diag}(1-h_k^2)\,W\right)"
        r"\mathrm{diag}(1-h_t^2)\,U",
        rf"W,U\in\mathbb{{R}}^{{{WIDTH}\times {WIDTH}}}\quad T-t={T}-{t}={back}\text{{ factors}}",
        rf"\left\|\frac{{\partial h_{{{T}}}}}{{\partial x_{{{t}}}}}\right\|"
        rf"={tex(float(flow.sizes['rnn'][back]))}\qquad"
        rf"\text{{each step times }}{tex(per_step)}\text{{ on average}}",
    )
    gated = Formula(
        _("LSTM: along the cell, one forget gate a step"),
        r"\frac{\partial c_T}{\partial c_t}\approx\prod_{k=t+1}^{T}\mathrm{diag}(f_k)",
        rf"f_k\in(0,1)^{{{WIDTH}}}\quad \sigma({setting.bias:g})={flow.forget:.3f}",
        rf"{flow.forget:.3f}^{{{back}}}={tex(back * math.log10(flow.forget))}\qquad"
        rf"\text{{measured, by all ways: }}{tex(float(flow.sizes['lstm'][back]))}",
    )
    return plain, gated, direct(flow, T, t, back)


def direct(flow: Flow, T: int, t: int, back: int) -> Formula:
    """Write the derivative through attention, which has one factor at any distance."""
    return Formula(
        _("Attention: one factor, and a second way through the softmax"),
        r"\frac{\partial y_T}{\partial x_t}=A_{Tt}\,W_V"
        r"+\sum_{k}\frac{\partial A_{Tk}}{\partial x_t}\,x_kW_V",
        rf"A\in\mathbb{{R}}^{{{HEADS}\times {T}\times {T}}}\quad "
        rf"W_V\in\mathbb{{R}}^{{{WIDTH}\times {WIDTH}}}\quad \frac{{1}}{{T}}={1 / T:.3g}",
        rf"A_{{{T},{t}}}={float(flow.shares[back]):.3g}\qquad"
        rf"\text{{through the values }}{tex(float(flow.through_values[back]))},\ "
        rf"\text{{through the softmax }}{tex(float(flow.through_softmax[back]))},\ "
        rf"\text{{whole }}{tex(float(flow.sizes['attention'][back]))}",
    )


def reproduce(flow: Flow, setting: Setting, back: int) -> Snippet:
    """Write the product of Jacobians as lines of NumPy, with the same seed and size."""
    code = (
        "import numpy as np\n\n"
        f"T, D, back, gain, seed = {setting.tokens}, {WIDTH}, {back}, {setting.gain:g}, "
        f"{setting.seed}\n"
        "rng = np.random.default_rng(seed)\n"
        "U = rng.standard_normal((D, D)) / np.sqrt(D)\n"
        "W = gain * np.ascontiguousarray(np.linalg.qr(rng.standard_normal((D, D)))[0])\n"
        "x = np.random.default_rng(seed + 1).standard_normal((T, D))\n"
        "h = [np.zeros(D)]\n"
        "for told in x @ U.T:\n"
        "    h.append(np.tanh(told + W @ h[-1]))\n\n"
        "J, log = np.eye(D), 0.0  # kept at size 1, or it would underflow\n"
        "for k in range(T, T - back, -1):\n"
        "    J = J * (1 - h[k] ** 2) @ W\n"
        "    log += np.log10(np.abs(J).max())\n"
        "    J /= np.abs(J).max()\n"
        "last = J * (1 - h[T - back] ** 2) @ U\n"
        'print(f"{log + np.log10(np.linalg.norm(last)):.2f}")  # log10 of the norm'
    )
    return Snippet(code, f"{float(flow.sizes['rnn'][back]):.2f}")


def predict(flow: Flow, back: int, finding: str) -> Prediction:
    """Ask how much of the plain layer's gradient is left."""
    left = float(flow.sizes["rnn"][back] - flow.sizes["rnn"][0])
    measured = next(words for least, words in LEFT if left >= least)
    question = _(
        "How much of the plain recurrent layer’s gradient is left {n} steps back, "
        "against what there is at the last word?"
    )
    return Prediction(question.format(n=back), tuple(w for _least, w in LEFT), measured, finding)


def remarks(flow: Flow, setting: Setting) -> tuple[str, ...]:
    """Say what these layers are, when a computer would write 0, and what else keeps gradients."""
    made = _(
        "These are fresh layers, width {width}, weights drawn with seed {seed}: where training "
        "starts, not what it reaches. Their inputs are random vectors of unit variance and not "
        "your sentence, whose vectors are wider than these layers."
    ).format(width=WIDTH, seed=setting.seed)
    below = [sizes < SMALLEST for sizes in flow.sizes.values()]
    lost = [int(each.argmax()) for each in below if each.any()]
    zero = _(
        "From {n} steps back on, a computer with 32-bit numbers would write 0 for one of these. "
        "The logarithm is kept here, and the real product with it."
    )
    whole = _(
        "In a deep stack the gradient must also come down through the layers. There residual "
        "connections, which add a layer’s input to its output, and normalization matter as much "
        "as the single hop along the text."
    )
    return (made, *([zero.format(n=min(lost))] if lost else ()), whole)
