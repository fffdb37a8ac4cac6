"""What the damage lab says: its finding, its formulas, its lines of NumPy, its remarks."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.corruption import FATES, Signals
from app.figures.describe import Labels
from app.figures.numbers import short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import Encoder, Models
from app.reading import quote
from lessons.bert_vs_gpt.labs.corruption_losses import Charges, Paid


class Roll(NamedTuple):
    """One roll of the damage, and a thousand more."""

    labels: Labels
    read_as: Labels
    actions: tuple[str, ...]
    signals: Signals
    tally: NDArray[np.int64]  # (rolls, 3)
    share: int  # percent
    seed: int
    special: tuple[bool, ...]  # of all tokens that the encoder reads


def count(number: int, one: str, many: str) -> str:
    """Put a number before the right form of a word.

    Example:
        >>> count(1, "token", "tokens"), count(0, "token", "tokens")
        ('1 token', '0 tokens')
    """
    return f"{number} {one if number == 1 else many}"


def find(roll: Roll) -> str:
    """Say in a few sentences what was damaged and what it teaches."""
    masked, swapped, kept = (roll.actions.count(fate) for fate in FATES)
    picked, causal = roll.signals
    said = _("Of {tokens}, {picked} picked: {masked} masked, {swapped} forged, {kept} kept.")
    sentences = [
        said.format(
            tokens=count(len(roll.labels), _("token"), _("tokens")),
            picked=count(picked, _("is"), _("are")),
            masked=masked,
            swapped=swapped,
            kept=kept,
        )
    ]
    forged = [n for n, action in enumerate(roll.actions) if action == "random"]
    if forged:
        became = _("{before} became {after}.")
        before, after = quote(roll.labels[forged[0]]), quote(roll.read_as[forged[0]])
        sentences.append(became.format(before=before, after=after))
    if causal == 0:
        sentences.append(_("Causal training learns nothing here: no token has one before it."))
    else:
        ratio = _("Masked training is scored on {masked}, causal training on {causal}: {times}.")
        sentences.append(ratio.format(masked=picked, causal=causal, times=times(causal / picked)))
    return " ".join(sentences)


def times(ratio: float) -> str:
    """Say how many times as much."""
    if ratio == 1:
        return _("as many")
    return _("{ratio} times as many").format(ratio=short(ratio))


def formulas(roll: Roll, paid: Charges) -> tuple[Formula, ...]:
    """Write how many are picked, what is summed, and how often nothing is forged."""
    n, k, share = len(roll.labels), roll.signals.masked, f"{roll.share / 100:g}"
    picked = Formula(
        _("How many tokens are picked"),
        r"|S|=\max(1,\ \mathrm{round}(p\,n))",
        rf"n={n}\quad p={share}\quad S\subseteq\{{1,\dots,{n}\}}",
        rf"\max(1,\ \mathrm{{round}}({share}\cdot {n}))={k}",
    )
    spared = float((roll.tally[:, 1] == 0).mean())
    chance = Formula(
        _("How often a roll holds no forgery at all"),
        r"P(\text{none})=0.9^{|S|}",
        rf"|S|={k}",
        rf"0.9^{{{k}}}={0.9**k:.3f}\qquad\text{{counted: }}{spared:.3f}",
    )
    return picked, *objectives(roll, paid), chance


def objectives(roll: Roll, paid: Charges) -> tuple[Formula, Formula]:
    """Write both losses, with the sums that the models would pay."""
    n, places = len(roll.labels), [m + 1 for m, a in enumerate(roll.actions) if a != "untouched"]
    shown = ",".join(map(str, places[:12])) + (r",\dots" if len(places) > 12 else "")
    detective = Formula(
        _("Masked loss: the picked tokens, each from both sides"),
        r"\mathcal{L}_{\mathrm{MLM}}=-\sum_{i\in S}\log P(x_i\mid x_{\backslash S})",
        rf"S=\{{{shown}\}}\quad |S|={len(places)}",
        total(paid.masked),
    )
    terms = len(paid.causal.nats) if paid.causal else max(n - 1, 0)
    begin = 2 if paid.causal is None or paid.causal.first else 1
    novelist = Formula(
        _("Causal loss: every token that has one before it"),
        r"\mathcal{L}_{\mathrm{CLM}}=-\sum_{t}\log P(x_t\mid x_{<t})",
        rf"t={begin},\dots,{terms + begin - 1}\quad {terms}\ \text{{terms}}",
        total(paid.causal),
    )
    return detective, novelist


def total(paid: Paid | None) -> str:
    """Write a loss as a sum, as far as it fits on a line."""
    if paid is None or not len(paid.nats):
        return ""
    parts = "+".join(f"{nats:.2f}" for nats in paid.nats[:6])
    more = r"+\dots" if len(paid.nats) > 6 else ""
    return rf"{parts}{more}={float(paid.nats.sum()):.2f}\ \text{{nats}}"


def reproduce(roll: Roll) -> Snippet:
    """Write this roll as lines of NumPy."""
    begin = roll.special.index(False)
    code = (
        "import numpy as np\n\n"
        f"n, share, first = {len(roll.labels)}, {roll.share / 100:g}, {begin}  "
        "# the encoder's own [CLS] comes first\n"
        f"rng = np.random.default_rng({roll.seed})\n"
        "places = rng.permutation(np.arange(first, first + n))[: max(1, round(share * n))]\n"
        f"throws = rng.random({len(roll.special)})\n"
        "fate = lambda t: 'mask' if t < 0.8 else 'random' if t < 0.9 else 'keep'\n"
        "print({int(p) - first + 1: fate(throws[p]) for p in sorted(places)})"
    )
    told = {n + 1: action for n, action in enumerate(roll.actions) if action != "untouched"}
    return Snippet(code, str(told))


def predict(roll: Roll, finding: str) -> Prediction | None:
    """Ask how many tokens will be scored."""
    n, picked = len(roll.labels), roll.signals.masked
    if n < 4:
        return None
    options = tuple(map(str, sorted({picked, max(picked + 1, n // 2), n - 1, n})))
    question = _("Of these {n} tokens, how many will masked training be scored on?")
    return Prediction(question.format(n=n), options, str(picked), finding)


def remarks(
    roll: Roll, encoder: Encoder, models: Models, paid: Charges, *, asked: bool
) -> tuple[str, ...]:
    """Say what chance did, what the models would pay, and which model is not there."""
    spared, k = int((roll.tally[:, 1] == 0).sum()), roll.signals.masked
    chance = _(
        "In {spared} of the {rolls} rolls nothing at all was forged; 0.9 to the power {k} "
        "leads one to expect {expected}."
    ).format(spared=spared, rolls=f"{len(roll.tally):,}", k=k, expected=round(1000 * 0.9**k))
    if not asked:
        return (chance,)
    return chance, masked_note(encoder, paid.masked), causal_note(models, paid.causal)


def masked_note(encoder: Encoder, paid: Paid | None) -> str:
    """Say what the masked loss came to, or why there is none."""
    if paid is None:
        text = _(
            "The masked loss cannot be shown with {model}: it gives each token a vector, and has "
            "no head that turns a vector into a word."
        )
        return text.format(model=encoder.card.title)
    text = _("The masked loss, by {model}: {mean} nats for a picked token, on average over {n}.")
    if encoder.card.kind == "random":
        text += _(" Its weights are random, so it guesses blindly.")
    mean = short(float(paid.nats.mean()))
    return text.format(model=paid.card.title, mean=mean, n=len(paid.nats))


def causal_note(models: Models, paid: Paid | None) -> str:
    """Say what the causal loss came to, or why there is none."""
    if paid is None:
        if models.has("decoder"):
            return _("The sentence takes too many of the decoder’s tokens to be scored here.")
        return _("The causal loss cannot be shown: no decoder is installed here.")
    if not len(paid.nats):
        text = _(
            "The causal loss, by {model}: none. To it this is one token, and none stands before."
        )
        return text.format(model=paid.card.title)
    text = _(
        "The causal loss, by {model}: {mean} nats, on average over {tokens}. It is as unsure as "
        "among {perplexity} equally likely tokens."
    )
    mean = float(paid.nats.mean())
    return text.format(
        model=paid.card.title,
        tokens=count(len(paid.nats), _("token"), _("tokens")),
        mean=short(mean),
        perplexity=short(float(np.exp(mean))),
    )
