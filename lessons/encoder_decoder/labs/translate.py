"""Translate and align: an encoder–decoder writes German, and each look back is laid open."""

from typing import Any, Literal

import numpy as np

from app.engine.beam import beam_search
from app.engine.seq2seq import decode, encode, next_word, remember
from app.engine.seq2seq_config import Seq2SeqConfig
from app.i18n import _
from app.lab import (
    EXAMPLE,
    Lab,
    LabForm,
    Preset,
    Result,
    Stopwatch,
    control,
    read_sentence,
    sentence,
    within,
)
from app.models import Models
from lessons.encoder_decoder.labs.translate_pictures import draw
from lessons.encoder_decoder.labs.translate_words import (
    Look,
    find,
    formulas,
    predict,
    remarks,
    snippet,
)
from lessons.encoder_decoder.labs.translating import Written, translate

Search = Literal["beam", "greedy"]
SEARCHES = {"beam": _("several drafts (beam)"), "greedy": _("the likeliest each time (greedy)")}


class TranslateForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    search: Search = control("choice", "beam", _("Search"), labels=SEARCHES)
    beams: int = control("slider", 4, _("Drafts side by side"), ge=2, le=6)
    layer: int = control("slider", 3, _("Layer"), ge=1, le=48)
    head: int = control("slider", 3, _("Head"), ge=1, le=64)
    step: int = control("drawn", 0, _("The token being chosen"), ge=0, le=200)


def compute(form: TranslateForm, models: Models) -> Result:
    """Translate the sentence, and show one step of the writing and one head's look back."""
    translator, watch = models.translator(), Stopwatch()
    tokens = read_sentence(form.text, translator.tokenizer)
    scores = models.record(translator.card.name, "scores.json") or {}
    layer, head = choose_head(form, scores, translator.config)
    beams = form.beams if form.search == "beam" else 1
    with watch.running():
        written, sizes = translate(translator, tokens, beams=beams)
    look = look_of(form, written, layer, head)
    finding = find(written, look, tokens.text, beams)
    figures = draw(written, look, scores, translator.tokenizer)
    maths, lines = formulas(written, look, translator.config), snippet(written, look)
    return Result(
        finding=finding,
        figures=figures,
        maths=maths,
        snippet=lines,
        models=(translator.card,),
        engine_ms=watch.ms,
        predict=predict(written, look, finding),
        limits={"layer": translator.config.n_decoder_layers, "head": translator.config.n_heads},
        chosen={"layer": layer + 1, "head": head + 1, "step": look.step + 1},
        notes=remarks(written, tokens, scores, sizes),
        context={
            "best": best_head(scores),
            "names": [figure.name for figure in figures],
            **chips(written, look),
        },
    )


def chips(written: Written, look: Look) -> dict[str, object]:
    """List the tokens written, of which the reader chooses one."""
    return {
        "target": written.target_labels,
        "translation": written.text,
        "step": look.step,
    }


def best_head(scores: dict[str, Any]) -> tuple[int, int] | None:
    """Say which head aligned known words best when that was measured, counted from 1."""
    measured = scores.get("alignment", {})
    return (measured["layer"], measured["head"]) if "layer" in measured else None


def choose_head(
    form: TranslateForm, scores: dict[str, Any], config: Seq2SeqConfig
) -> tuple[int, int]:
    """Take the reader's head, or the one that aligned best when that was measured.

    Raises: BadInput, for a layer or a head that is not there.
    """
    best = best_head(scores)
    if best and not {"layer", "head"} & form.model_fields_set:
        return best[0] - 1, best[1] - 1
    layer = within(form, "layer", config.n_decoder_layers, _("layer"))
    return layer, within(form, "head", config.n_heads, _("head"))


def look_of(form: TranslateForm, written: Written, layer: int, head: int) -> Look:
    """Take the reader's token, or the longest one, and what the head looks at for it."""
    count = len(written.ids)
    step = min(form.step, count) - 1
    if step < 0:
        step = int(np.argmax([len(label) for label in written.target_labels]))
    row = written.looks[layer, head, step]
    return Look(step, layer, head, row, int(row.argmax()))


TRANSLATE = Lab(
    slug="translate",
    number=17,
    title=_("Which word does the translator look back at?"),
    form=TranslateForm,
    compute=compute,
    template="translate.html",
    shows=(encode, remember, next_word, beam_search, decode),
    needs=("translator",),
    presets=(
        Preset(_("the verb goes to the end"), {"text": "I want to drink a glass of water."}),
        Preset(_("word for word"), {"text": "My father is a good teacher."}),
        Preset(_("a verb in two parts"), {"text": "He got up early this morning."}),
        Preset(_("greedy loses its way"), {"text": EXAMPLE, "search": "greedy"}),
        Preset(
            _("beyond what it learned"),
            {"text": "Quantum computers threaten public-key cryptography."},
        ),
    ),
)
