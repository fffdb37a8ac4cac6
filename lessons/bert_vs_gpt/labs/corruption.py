"""BERT's damage: some tokens picked, most of them blanked, a few forged, a few left alone."""

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.corruption import (
    FATES,
    Damage,
    Signals,
    corrupt,
    decide,
    pick,
    tally_fates,
    training_signals,
)
from app.figures import Bars, Figure, Heatmap, Tokens
from app.figures.describe import Array, Labels
from app.i18n import _
from app.lab import (
    EXAMPLE,
    BadInput,
    Lab,
    LabForm,
    Preset,
    Result,
    Stopwatch,
    control,
    model_choice,
    read_sentence,
    sentence,
)
from app.models import Encoder, Models, Tokenized, Tokenizer
from app.models.library import expect
from lessons.bert_vs_gpt.labs.corruption_losses import (
    Charges,
    causal_paid,
    charge,
    masked_paid,
)
from lessons.bert_vs_gpt.labs.corruption_words import (
    Roll,
    find,
    formulas,
    predict,
    remarks,
    reproduce,
)

Ids = NDArray[np.int64]
ROLLS = 1000
STATES = {"mask": _("masked"), "random": _("forged"), "keep": _("kept"), "untouched": ""}
# "[unused17]", "<pad>": entries of a vocabulary that no text is cut into.
RESERVED = re.compile(r"\[[^\]]+\]|<[^>]+>")


class CorruptionForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    share: int = control("slider", 15, _("Picked, in percent"), ge=5, le=50)
    seed: int = control("number", 2, _("Roll number"), ge=1, le=1_000_000)
    losses: bool = control("switch", True, _("Ask the models what they would pay"))
    model: str = model_choice()


class Cut(NamedTuple):
    """The sentence without the tokens that the encoder adds."""

    places: Ids  # of its tokens among all that the encoder reads
    labels: Labels
    words: tuple[int | None, ...]


def compute(form: CorruptionForm, models: Models) -> Result:
    """Damage the sentence once, count what either training learns from it, and roll on."""
    encoder = detective(form, models)
    tokens = read_sentence(form.text, encoder.tokenizer)
    candidates, mask_id = ordinary(encoder.tokenizer), mask_of(encoder.tokenizer)
    cut, watch = without_special(tokens), Stopwatch()
    with watch.running():
        damage = corrupt(
            tokens.ids,
            ~np.array(tokens.special),
            mask_id=mask_id,
            candidates=candidates,
            generator=np.random.default_rng(form.seed),
            share=form.share / 100,
        )
        signals = training_signals(damage.picked[cut.places])
        tally = tally_fates(signals.masked, rolls=ROLLS, generator=np.random.default_rng(form.seed))
        paid = charge_both(form, models, encoder, tokens, damage)
    read_as = damaged_labels(encoder.tokenizer, tokens, damage)
    roll = Roll(
        labels=cut.labels,
        read_as=tuple(read_as[n] for n in cut.places),
        actions=tuple(damage.actions[n] for n in cut.places),
        signals=signals,
        tally=tally,
        share=form.share,
        seed=form.seed,
        special=tuple(tokens.special),
    )
    return tell(form, models, encoder, roll, cut, paid, watch.ms)


def detective(form: CorruptionForm, models: Models) -> Encoder:
    """Open the chosen encoder: one that fills blanks, where there is any."""
    role = "masked_lm" if models.has("masked_lm") else "encoder"
    return expect(Encoder, models.get(role, form.model))


def charge_both(
    form: CorruptionForm, models: Models, encoder: Encoder, tokens: Tokenized, damage: Damage
) -> Charges:
    """Ask both models for their losses, as far as they are there and the reader wants it."""
    if not form.losses:
        return Charges(None, None)
    states = tuple(STATES[action] for action in damage.actions)
    masked = masked_paid(encoder, tokens, damage, states)
    return Charges(masked, causal_paid(models, tokens))


def tell(
    form: CorruptionForm,
    models: Models,
    encoder: Encoder,
    roll: Roll,
    cut: Cut,
    paid: Charges,
    engine_ms: float,
) -> Result:
    """Put what was found into words, figures, formulas and lines of NumPy."""
    finding = find(roll)
    figures = draw(roll, cut, paid)
    return Result(
        finding=finding,
        figures=figures,
        maths=formulas(roll, paid),
        snippet=reproduce(roll),
        models=(encoder.card, *([paid.causal.card] if paid.causal else ())),
        engine_ms=engine_ms,
        predict=predict(roll, finding),
        notes=remarks(roll, encoder, models, paid, asked=form.losses),
        context={
            "seed": form.seed,
            "losses": [f.name for f in figures if f.name.endswith("-loss")],
        },
    )


@lru_cache(maxsize=16)
def ordinary(tokenizer: Tokenizer) -> Ids:
    """List the pieces that a forgery may be: all that a text can be cut into."""
    reserved = set(tokenizer.special.values())
    numbers = [
        n
        for n in range(len(tokenizer))
        if n not in reserved and not RESERVED.fullmatch(tokenizer.piece(n))
    ]
    return np.array(numbers, np.int64)


def mask_of(tokenizer: Tokenizer) -> int:
    """Find the number of the blank.

    Raises: BadInput, when this model has none.
    """
    found = [tokenizer.number(name) for name in ("[MASK]", "<mask>")]
    for number in found:
        if number is not None:
            return number
    raise BadInput("model", _("This model’s vocabulary has no [MASK]. Choose another model."))


def without_special(tokens: Tokenized) -> Cut:
    """Leave out what the encoder adds: it is never picked."""
    places = np.flatnonzero(~np.array(tokens.special))
    return Cut(
        places, tuple(tokens.labels[n] for n in places), tuple(tokens.words[n] for n in places)
    )


def damaged_labels(tokenizer: Tokenizer, tokens: Tokenized, damage: Damage) -> Labels:
    """Name what the model reads in place of each token."""
    return tuple(
        tokenizer.label(tokenizer.piece(int(number))) if action in {"mask", "random"} else label
        for label, action, number in zip(tokens.labels, damage.actions, damage.ids, strict=True)
    )


def draw(roll: Roll, cut: Cut, paid: Charges) -> tuple[Figure, ...]:
    """Describe the sentence before and after, where losses are taken, and the many rolls."""
    losses = tuple(
        charge(name, found)
        for name, found in (("masked-loss", paid.masked), ("causal-loss", paid.causal))
        if found is not None and len(found.nats)
    )
    counts = (where(roll), signals_of(roll.signals, len(roll.labels)), rates(roll.tally))
    return (*sentences(roll, cut), *counts, *losses)


def sentences(roll: Roll, cut: Cut) -> tuple[Tokens, Tokens]:
    """Describe the sentence as it was written, and as the model reads it."""
    picked = tuple(n for n, action in enumerate(roll.actions) if action != "untouched")
    before = Tokens(
        "original",
        _("As it was written: this is what has to be restored"),
        cut.labels,
        states=("",) * len(cut.labels),  # lines as high as those beside it
        marked=picked,
        words=cut.words,
        narrow=True,
        caption=_("Framed: the picked tokens."),
    )
    after = Tokens(
        "damaged",
        _("As the model reads it"),
        roll.read_as,
        states=tuple(STATES[action] for action in roll.actions),
        marked=picked,
        words=cut.words,
        narrow=True,
        caption=_("Under each picked token, what happened to it. The model is not told which."),
    )
    return before, after


def where(roll: Roll) -> Heatmap:
    """Describe on which tokens either training takes its loss: two rows of marks."""
    picked = np.array([action != "untouched" for action in roll.actions])
    follows = np.arange(len(picked)) > 0
    return Heatmap(
        "scored",
        _("Where the loss is taken"),
        (_("masked"), _("causal")),
        roll.labels,
        np.array([picked, follows], float),
        row_title=_("row: the way of training"),
        column_title=_("column: the token to be predicted"),
        caption=_(
            "Filled: this prediction is scored. Blank: it costs nothing, right or wrong. "
            "What the encoder adds, such as [CLS] and [SEP], is never picked."
        ),
    )


def signals_of(signals: Signals, tokens: int) -> Bars:
    """Describe how many predictions are scored."""
    caption = _("With a start token in front, causal training scores the first token too: {n}.")
    return Bars(
        "signals",
        _("What one pass over this sentence teaches"),
        (_("masked (BERT)"), _("causal (GPT)")),
        np.array([signals.masked, signals.causal], float),
        _("predictions scored"),
        caption=caption.format(n=tokens),
    )


def rates(tally: Ids) -> Bars:
    """Describe what happened to the picked tokens over all the rolls."""
    shares: Array = 100 * tally.sum(axis=0) / tally.sum()
    caption = _(
        "The recipe says 80, 10 and 10. These are counted from {throws} throws, "
        "by chance never quite that."
    )
    return Bars(
        "rates",
        _("The same again, {rolls} times").format(rolls=f"{len(tally):,}"),
        tuple(STATES[fate] for fate in FATES),
        shares,
        _("percent of the picked tokens"),
        caption=caption.format(throws=f"{int(tally.sum()):,}"),
    )


CORRUPTION = Lab(
    slug="corruption",
    number=21,
    title=_("What does the damage leave to learn from?"),
    form=CorruptionForm,
    compute=compute,
    template="corruption.html",
    shows=(corrupt, pick, decide, tally_fates, training_signals),
    needs=("masked_lm", "decoder"),
    presets=(
        Preset(_("a forgery"), {"text": EXAMPLE, "seed": "2", "share": "15"}),
        Preset(_("no damage, asked all the same"), {"text": EXAMPLE, "seed": "10", "share": "15"}),
        Preset(_("40%, all three fates"), {"text": EXAMPLE, "seed": "2", "share": "40"}),
        Preset(_("said three times"), {"text": " ".join([EXAMPLE] * 3), "share": "15"}),
        Preset(_("one word"), {"text": "Tired", "seed": "1", "share": "15"}),
    ),
)
