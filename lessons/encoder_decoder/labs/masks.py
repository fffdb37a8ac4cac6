"""Mask workshop: who may look at whom, drawn, measured on a real head, its leaks named."""

from typing import Literal

import numpy as np

from app.engine.attention import attend
from app.engine.bert import listen
from app.engine.bert_fast import encode_fast
from app.engine.functions import softmax
from app.engine.masks import (
    causal,
    custom,
    first_layer,
    full,
    leaks,
    mask_after_softmax,
    padding,
    prefix,
    reach,
    refuse_empty_rows,
    sliding_window,
)
from app.figures.describe import Array
from app.i18n import _
from app.lab import (
    BadInput,
    Lab,
    LabForm,
    Preset,
    Result,
    Stopwatch,
    control,
    model_choice,
    sentence,
    within,
)
from app.models import Encoder, Models, Tokenized
from app.reading import quote, read
from lessons.encoder_decoder.labs.mask_pictures import draw
from lessons.encoder_decoder.labs.mask_text import parse, write
from lessons.encoder_decoder.labs.mask_words import Masked, find, numbers, predict, remarks

Kind = Literal["full", "causal", "padding", "window", "prefix", "custom"]
KINDS = {
    "full": _("full: everything is seen"),
    "causal": _("causal: the past only"),
    "padding": _("padding: filler is hidden"),
    "window": _("sliding window"),
    "prefix": _("prefix, then causal"),
    "custom": _("drawn by you"),
}
DRAWABLE = 24  # tokens: more cells than 24 × 24 are no fun to click


class MasksForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    kind: Kind = control("choice", "causal", _("Mask"), labels=KINDS)
    filler: int = control("slider", 3, _("Last tokens that are padding"), ge=1, le=128)
    before: int = control("slider", 2, _("Tokens seen before"), ge=0, le=128)
    after: int = control("slider", 0, _("Tokens seen after"), ge=0, le=128)
    length: int = control("slider", 5, _("Length of the prefix"), ge=0, le=130)
    layer: int = control("slider", 4, _("Layer"), ge=1, le=48)
    head: int = control("slider", 2, _("Head"), ge=1, le=64)
    row: int = control("drawn", 0, _("The token that looks"), ge=0, le=160)
    column: int = control("drawn", 0, _("The token looked at"), ge=0, le=160)
    mask: str = control("drawn", "", _("Mask, a row of 0 and 1 for each token"))
    model: str = model_choice()


def compute(form: MasksForm, models: Models) -> Result:
    """Let one head look through a mask, and say what the mask hides and what it lets through."""
    encoder, tokens = read(form, models)
    config, watch = encoder.config, Stopwatch()
    layer = within(form, "layer", config.layers, _("layer"))
    head = within(form, "head", config.heads, _("head"))
    mask, fitted = make_mask(form, tokens)
    with watch.running():
        seen = look(encoder, tokens, mask, (layer, head), form.kind)
    cell = choose_cell(form, tokens, seen)
    maths, snippet = numbers(seen, cell)
    return Result(
        finding=find(seen, cell[0]),
        figures=draw(seen, cell),
        maths=maths,
        snippet=snippet,
        models=(encoder.card,),
        engine_ms=watch.ms,
        predict=predict(seen, cell[0]),
        limits=limits(len(tokens)) | {"layer": config.layers, "head": config.heads},
        chosen=settled(form, seen, cell),
        notes=remarks(seen, encoder.card, fitted=fitted),
        context={
            "kind": form.kind,
            "tokens": tokens,
            "cell": cell,
            "drawn": write(mask) if len(tokens) <= DRAWABLE else "",
        },
    )


def look(
    encoder: Encoder, tokens: Tokenized, mask: Array, place: tuple[int, int], kind: str
) -> Masked:
    """Run the encoder under the mask in every layer, and gather what one head did."""
    layer, head = place
    config, weights = encoder.config, encoder.weights
    hidden = encode_fast(tokens.ids, weights, config, mask=mask).hidden[layer]
    name = f"encoder.layer.{layer}"
    heard = listen(hidden, weights, name, config, mask=mask, keep=None, scale=True)[3]
    return Masked(
        kind=kind,
        labels=tokens.labels,
        mask=mask,
        scores=heard.scores[head],
        masked=heard.masked[head],
        weights=heard.weights[head],
        sums=mask_after_softmax(heard.scores[head], mask).sum(axis=-1),
        first=first_layer(mask, config.layers),
        ahead=leaks(mask),
        place=(layer + 1, head + 1),
        layers=config.layers,
        width=config.width // config.heads,
    )


def make_mask(form: MasksForm, tokens: Tokenized) -> tuple[Array, bool]:
    """Build the mask that the reader chose; say whether a drawn one was cut to fit.

    Raises: BadInput, at the mask, for a drawing that cannot be read or that leaves a row empty.
    """
    count = len(tokens)
    match form.kind:
        case "full":
            return full(count), False
        case "causal":
            return causal(count), False
        case "padding":
            return padding(np.arange(count) < count - min(form.filler, count - 1)), False
        case "window":
            return sliding_window(count, before=form.before, after=form.after), False
        case "prefix":
            return prefix(count, form.length), False
    if count > DRAWABLE:
        message = _(
            "This sentence is {count} tokens long, [CLS] and [SEP] included; a mask drawn by hand "
            "holds {most}. Cut the sentence, or choose one of the other masks."
        )
        raise BadInput("kind", message.format(count=count, most=DRAWABLE))
    allowed, fitted = parse(form.mask, count)
    mask = custom(allowed)
    refuse_blind(mask, tokens.labels)
    return mask, fitted


def refuse_blind(mask: Array, labels: tuple[str, ...]) -> None:
    """Refuse a drawing in which a token may look at nothing, and say why and what to do.

    Raises: BadInput.
    """
    blind = np.flatnonzero(~np.isfinite(mask).any(axis=1))
    if not len(blind):
        refuse_empty_rows(mask)
        return
    rows = ", ".join(f"{quote(labels[n])} ({_('row')} {n + 1})" for n in blind[:4])
    more = "…" if len(blind) > 4 else ""
    message = _(
        "{rows}{more} may look at nothing. Every weight of such a row would be e^(−∞) divided by "
        "a sum of nothing but e^(−∞): 0 ÷ 0, which is no number. Open one cell in the row."
    )
    raise BadInput("mask", message.format(rows=rows, more=more))


def choose_cell(form: MasksForm, tokens: Tokenized, seen: Masked) -> tuple[int, int]:
    """Take the reader's row and column, or a leak, or a row that the mask takes about half from."""
    count = len(tokens)
    row, column = form.row - 1, form.column - 1
    drawn = [pair for pair in seen.ahead if seen.kind == "custom"]
    if not 0 <= row < count:
        uneven = np.abs(seen.sums - 0.5) + 2 * np.array(tokens.special)
        row = drawn[0][0] if drawn else int(uneven.argmin())
    if not 0 <= column < count:
        own = [j for i, j in drawn if i == row]
        column = own[0] if own else int(seen.weights[row].argmax())
    return row, column


def limits(count: int) -> dict[str, int]:
    """Give the largest value of each of a mask's own sliders for so many tokens."""
    most = {"filler": count - 1, "before": count - 1, "after": count - 1, "length": count}
    return {name: max(1, value) for name, value in most.items()}


def settled(form: MasksForm, seen: Masked, cell: tuple[int, int]) -> dict[str, object]:
    """Say which values the lab settled on, so that the page and its address agree with it."""
    cut = {name: min(getattr(form, name), most) for name, most in limits(len(seen.mask)).items()}
    place = {"layer": seen.place[0], "head": seen.place[1]}
    drawn = write(seen.mask) if form.kind == "custom" else ""
    return {**cut, **place, "row": cell[0] + 1, "column": cell[1] + 1, "mask": drawn}


MASKS = Lab(
    slug="masks",
    number=14,
    title=_("Who may look at whom?"),
    form=MasksForm,
    compute=compute,
    template="masks.html",
    shows=(attend, softmax, causal, leaks, reach, first_layer, mask_after_softmax),
    needs=("encoder",),
    presets=(
        Preset(_("the past only"), {"kind": "causal"}),
        Preset(_("everything"), {"kind": "full"}),
        Preset(_("two tokens back"), {"kind": "window", "before": "2", "after": "0"}),
        Preset(_("a look at both neighbors"), {"kind": "window", "before": "1", "after": "1"}),
        Preset(_("a given beginning"), {"kind": "prefix", "length": "6"}),
        Preset(
            _("one hole in a causal mask"),
            {
                "text": "Tom saw the cat.",
                "kind": "custom",
                "row": "3",
                "column": "5",
                "mask": "1000000/1100000/1110100/1111000/1111100/1111110/1111111",
            },
        ),
    ),
)
