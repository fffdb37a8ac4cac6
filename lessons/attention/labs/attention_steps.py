"""One query, step by step: from a token's vector to the mix that its head hands on."""

import numpy as np
from numpy.typing import NDArray

from app.engine.attention import attend, contributions
from app.engine.bert import embed, listen
from app.engine.bert_fast import encode_fast
from app.engine.functions import softmax
from app.figures.describe import Array
from app.i18n import _
from app.lab import (
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
from app.reading import read
from lessons.attention.labs.steps_pictures import draw
from lessons.attention.labs.steps_told import steps
from lessons.attention.labs.steps_words import (
    Asked,
    find,
    formulas,
    predict,
    remarks,
    snippet,
)


class AttentionStepsForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    layer: int = control("slider", 4, _("Layer"), ge=1, le=48)
    head: int = control("slider", 2, _("Head"), ge=1, le=64)
    query: int = control("drawn", 0, _("The token that asks"), ge=0, le=160)
    model: str = model_choice()


def compute(form: AttentionStepsForm, models: Models) -> Result:
    """Follow one token's question through one head."""
    encoder, tokens = read(form, models)
    config, watch = encoder.config, Stopwatch()
    layer = within(form, "layer", config.layers, _("layer"))
    head = within(form, "head", config.heads, _("head"))
    with watch.running():
        asked = ask(encoder, tokens, layer, head, form.query - 1)
    return Result(
        finding=find(asked),
        figures=draw(asked),
        maths=formulas(asked),
        snippet=snippet(asked),
        models=(encoder.card,),
        engine_ms=watch.ms,
        predict=predict(asked),
        limits={"layer": config.layers, "head": config.heads},
        chosen={"layer": layer + 1, "head": head + 1, "query": asked.token + 1},
        notes=remarks(asked, encoder.card),
        context={"tokens": tokens, "asked": asked, "steps": steps(asked)},
    )


def ask(encoder: Encoder, tokens: Tokenized, layer: int, head: int, token: int) -> Asked:
    """Compute every vector on the way of one token's question; without one, of a firm one."""
    config, weights = encoder.config, encoder.weights
    embedded = embed(tokens.ids, weights, config, use_positions=True, segments=None)
    hidden = encode_fast(tokens.ids, weights, config).hidden[layer]
    name = f"encoder.layer.{layer}"
    heard = listen(hidden, weights, name, config, mask=None, keep=None, scale=True)
    queries, keys, values = (part[head] for part in heard[:3])
    attention = heard[3]
    if not 0 <= token < len(tokens):
        token = firmest(attention.weights[head], np.array(tokens.special))
    return Asked(
        labels=tokens.labels,
        special=tokens.special,
        token=token,
        place=(layer + 1, head + 1),
        words=embedded.words[token],
        position=embedded.positions[token],
        segment=embedded.segments[token],
        embedding=embedded.hidden[token],
        x=hidden[token],
        query=queries[token],
        keys=keys,
        values=values,
        products=attend(queries, keys, values, scale=False).scores[token],
        scores=attention.scores[head, token],
        weights=attention.weights[head, token],
        parts=contributions(attention.weights[head, token], values),
        mixed=attention.mixed[head, token],
    )


def firmest(weights: Array, special: NDArray[np.bool_]) -> int:
    """Find the ordinary token that looks most firmly at another ordinary one."""
    away = weights - 2 * np.eye(len(weights))
    away[:, special] -= 1
    away[special] -= 2
    return int(away.max(axis=1).argmax())


ATTENTION_STEPS = Lab(
    slug="attention-steps",
    number=2,
    title=_("How does one token ask all the others?"),
    form=AttentionStepsForm,
    compute=compute,
    template="attention-steps.html",
    shows=(embed, listen, attend, softmax, contributions),
    needs=("encoder",),
    presets=(
        Preset(_("“it” asks"), {"layer": "4", "head": "2", "query": "11"}),
        Preset(_("straight from the embedding"), {"layer": "1", "head": "3"}),
        Preset(_("a question that everybody answers"), {"layer": "1", "head": "1"}),
    ),
)
