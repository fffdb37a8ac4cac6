"""Attention tile by tile on a real head: the same output, two numbers a row instead of a map."""

import math

import numpy as np

from app.engine.attention import attend
from app.engine.bert import listen
from app.engine.bert_fast import encode_fast
from app.engine.flash import Tile, attend_in_tiles, plain_bytes, tiled_bytes, tiles
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
from lessons.attention.labs.flash_measured import measure
from lessons.attention.labs.flash_pictures import draw
from lessons.attention.labs.flash_words import (
    Tiled,
    find,
    formulas,
    predict,
    remarks,
    snippet,
    steps,
)

MOST_SIDE = 32  # tiles along each side: more than 32 × 32 steps show nothing new


class FlashAttentionForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    block: int = control("slider", 4, _("Tokens along a tile’s side"), ge=1, le=130)
    layer: int = control("slider", 4, _("Layer"), ge=1, le=48)
    head: int = control("slider", 2, _("Head"), ge=1, le=64)
    query: int = control("drawn", 0, _("The token that asks"), ge=0, le=160)
    measure: bool = control(
        "switch",
        False,
        _("Measure memory on this machine, up to 8,192 tokens"),
    )
    model: str = model_choice()


def compute(form: FlashAttentionForm, models: Models) -> Result:
    """Compute one head plainly and in tiles, and compare outputs and bytes."""
    encoder, tokens = read(form, models)
    config, watch = encoder.config, Stopwatch()
    layer = within(form, "layer", config.layers, _("layer"))
    head = within(form, "head", config.heads, _("head"))
    block = min(max(form.block, math.ceil(len(tokens) / MOST_SIDE)), len(tokens))
    with watch.running():
        seen = compare(encoder, tokens, (layer, head), block, form.query - 1)
    measured = measure(config.width // config.heads) if form.measure else None
    return Result(
        finding=find(seen, measured),
        figures=draw(seen, measured),
        maths=formulas(seen),
        snippet=snippet(seen),
        models=(encoder.card,),
        engine_ms=watch.ms,
        predict=predict(seen),
        limits={"layer": config.layers, "head": config.heads, "block": len(tokens)},
        chosen={"layer": layer + 1, "head": head + 1, "block": block, "query": seen.token + 1},
        notes=remarks(seen, encoder.card, measured, asked=form.block),
        context={"tokens": tokens, "seen": seen, "steps": steps(seen)},
    )


def compare(
    encoder: Encoder, tokens: Tokenized, place: tuple[int, int], block: int, token: int
) -> Tiled:
    """Take one head's queries, keys and values, and attend both ways."""
    layer, head = place
    config, weights = encoder.config, encoder.weights
    hidden = encode_fast(tokens.ids, weights, config).hidden[layer]
    name = f"encoder.layer.{layer}"
    heard = listen(hidden, weights, name, config, mask=None, keep=None, scale=True)
    queries, keys, values = (part[head] for part in heard[:3])
    tiled = attend_in_tiles(queries, keys, values, block=block, keep_tiles=True)
    T, K = queries.shape
    asked = token if 0 <= token < T else busiest(tiled.tiles, tokens)
    return Tiled(
        labels=tokens.labels,
        token=asked,
        place=(layer + 1, head + 1),
        block=block,
        plain=attend(queries, keys, values),
        tiled=tiled,
        width=K,
        held=(plain_bytes(T, K), tiled_bytes(T, K, block=block)),
    )


def busiest(made: tuple[Tile, ...], tokens: Tokenized) -> int:
    """Find the ordinary token whose maximum was corrected most often."""
    corrected = np.zeros(len(tokens))
    for tile in made:
        corrected[tile.queries] += tile.shrink < 1
    corrected[np.array(tokens.special)] = -1
    return int(corrected.argmax())


FLASH_ATTENTION = Lab(
    slug="flash-attention",
    number=5,
    title=_("Can it be done without the big map?"),
    form=FlashAttentionForm,
    compute=compute,
    template="flash-attention.html",
    shows=(tiles, attend_in_tiles, attend, plain_bytes, tiled_bytes),
    needs=("encoder",),
    presets=(
        Preset(_("one token at a time"), {"block": "1"}),
        Preset(_("tiles of four"), {"block": "4"}),
        Preset(_("half the sentence at once"), {"block": "8"}),
        Preset(_("measured memory"), {"measure": "true"}),
    ),
)
