"""Change the future: one word replaced, and how far every position moves in reader and writer."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.engine.attention import attend
from app.engine.bert import Ids
from app.engine.bert_fast import encode_fast
from app.engine.change import Alignment, align, movement, same_length
from app.engine.functions import softmax
from app.engine.llama_config import LlamaConfig
from app.engine.llama_fast import write_on_fast
from app.engine.masks import causal
from app.figures.describe import Array
from app.i18n import _
from app.lab import (
    EXAMPLE,
    BadInput,
    Formula,
    Lab,
    LabForm,
    Preset,
    Result,
    Snippet,
    Stopwatch,
    control,
    model_choice,
    read_sentence,
    sentence,
    visible,
)
from app.models import Decoder, Encoder, Models, Tokenized, Tokenizer
from app.models.labels import clean
from app.reading import quote, read, rows_of
from lessons.encoder_decoder.labs.no_peeking_words import (
    Change,
    Moved,
    draw,
    find,
    numbers,
    predict,
    remarks,
)

OTHER = "tired"  # instead of the suggested replacement where that already stands there


class NoPeekingForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    replacement: str = control("line", "wide", _("Put there instead"))
    token: int = control("drawn", 0, _("The word to replace"), ge=0, le=160)
    model: str = model_choice()


class Pair(NamedTuple):
    """The sentence before and after, as one model reads it."""

    old: Tokenized
    new: Tokenized


def compute(form: NoPeekingForm, models: Models) -> Result:
    """Read both sentences with every kind of model, and measure what moved."""
    encoder, tokens = read(form, models)
    change = choose(form, tokens)
    pair = cut(change, tokens, encoder.tokenizer)
    decoder = models.decoder() if models.has("decoder") else None
    watch = Stopwatch()
    seen, (maths, snippet) = measure(change, pair, encoder, decoder, watch)
    finding = find(change, seen)
    return Result(
        finding=finding,
        figures=draw(seen),
        maths=maths,
        snippet=snippet,
        models=tuple(dict.fromkeys(model.card for model in (encoder, decoder) if model)),
        engine_ms=watch.ms,
        predict=predict(change, seen, finding),
        chosen={"token": change.place + 1},
        notes=remarks(seen, has_decoder=decoder is not None),
        context={
            "words": rows_of(tokens, merge=True, special=False).labels,
            "place": change.place,
            "figures": tuple(each.name for each in seen),
        },
    )


def measure(
    change: Change, pair: Pair, encoder: Encoder, decoder: Decoder | None, watch: Stopwatch
) -> tuple[list[Moved], tuple[tuple[Formula, ...], Snippet]]:
    """Let every model read both sentences: the encoder, the decoder, the encoder masked."""
    written = None if decoder is None else cut_for(change, decoder)
    with watch.running():
        seen = [in_encoder(encoder, pair, change)]
        if decoder and written:
            seen.append(in_decoder(decoder, written, change))
        seen.append(in_masked_encoder(encoder, pair, change))
        return seen, numbers(seen, encoder, (pair.old.ids, pair.new.ids))


def choose(form: NoPeekingForm, tokens: Tokenized) -> Change:
    """Take the reader's word, or the last real one, and put the replacement in its place.

    Raises: BadInput, when there is nothing to put there or it stands there already.
    """
    words = tokens.word_labels
    place = form.token - 1
    if not 0 <= place < len(words):
        real = [n for n, word in enumerate(words) if any(c.isalnum() for c in word)]
        place = real[-1] if real else len(words) - 1
    start, end = tokens.word_spans[place]
    wanted = form.replacement.strip()
    if "replacement" not in form.model_fields_set and wanted == tokens.text[start:end]:
        wanted = OTHER
    if not visible(wanted):
        raise BadInput("replacement", _("Type the word to put there."))
    text = tokens.text[:start] + wanted + tokens.text[end:]
    if text == tokens.text:
        message = _("{word} stands there already. Put another word there.")
        raise BadInput("replacement", message.format(word=quote(wanted)))
    return Change(place, words[place], clean(wanted), tokens.text, text)


def cut(change: Change, old: Tokenized, tokenizer: Tokenizer) -> Pair:
    """Cut the changed sentence as the first one was cut.

    Raises: BadInput, when the replacement makes it too long.
    """
    return Pair(old, read_sentence(change.text, tokenizer, field="replacement"))


def cut_for(change: Change, decoder: Decoder) -> Pair:
    """Cut both sentences as the decoder reads them.

    Raises: BadInput.
    """
    old = read_sentence(change.before, decoder.tokenizer)
    return cut(change, old, decoder.tokenizer)


def in_encoder(encoder: Encoder, pair: Pair, change: Change) -> Moved:
    """Read both sentences with everything in sight."""
    hidden = [
        encode_fast(each.ids, encoder.weights, encoder.config).hidden
        for each in (pair.old, pair.new)
    ]
    return compare("encoder", _("Encoder: {name}"), encoder, pair, change, hidden)


def in_masked_encoder(encoder: Encoder, pair: Pair, change: Change) -> Moved:
    """Read both with the same weights, but let nobody look ahead: only the mask differs."""

    def run(ids: Ids) -> Array:
        mask = causal(len(ids))
        return encode_fast(ids, encoder.weights, encoder.config, mask=mask).hidden

    hidden = equally_long(pair, run)
    title = _("The same {name} with a causal mask")
    return compare("masked", title, encoder, pair, change, hidden)


def in_decoder(decoder: Decoder, pair: Pair, change: Change) -> Moved:
    """Read both with a model that was trained to see the past only."""

    def run(ids: Ids) -> Array:
        if isinstance(decoder.config, LlamaConfig):
            return write_on_fast(ids, decoder.weights, decoder.config, last_only=True).hidden
        return decoder.trace(ids).hidden

    hidden = equally_long(pair, run)
    return compare("decoder", _("Decoder: {name}"), decoder, pair, change, hidden)


def equally_long(pair: Pair, run: Callable[[Ids], Array]) -> list[Array]:
    """Let a causal model read both at one length, so that equal sums are equal to the last bit."""
    filler = int(pair.old.ids[-1])
    filled = same_length(pair.old.ids, pair.new.ids, filler)
    return [run(ids) for ids in filled]


def compare(
    name: str,
    title: str,
    model: Encoder | Decoder,
    pair: Pair,
    change: Change,
    hidden: list[Array],
) -> Moved:
    """Measure, layer by layer, how far each position went, each beside its counterpart."""
    found = align(pair.old.ids, pair.new.ids)
    first, second = hidden[0][:, found.first], hidden[1][:, found.second]
    moved = movement(first, second)
    return Moved(
        name=name,
        title=title.format(name=model.card.title),
        kind=model.card.kind,
        labels=name_columns(pair, change, found),
        special=tuple(pair.old.special[n] for n in found.first),
        values=moved,
        lengths=np.sqrt(np.sum(first[-1] ** 2, axis=-1)),
        steps=np.sqrt(np.sum((second[-1] - first[-1]) ** 2, axis=-1)),
        before=found.before,
        after=found.after,
        still=bool(np.array_equal(first[:, : found.before], second[:, : found.before])),
        tokens=(len(pair.old), len(pair.new)),
        width=first.shape[-1],
    )


def name_columns(pair: Pair, change: Change, found: Alignment) -> tuple[str, ...]:
    """Name each position by its token, and what was replaced by both."""
    labels = [pair.old.labels[n] for n in found.first]
    inside = range(found.before, len(found.first) - found.after)
    for n in inside:
        old, new = pair.old.labels[found.first[n]], pair.new.labels[found.second[n]]
        labels[n] = f"{old}→{new}" if len(inside) > 1 else f"{change.old}→{change.new}"
    return tuple(labels)


NO_PEEKING = Lab(
    slug="no-peeking",
    number=15,
    title=_("What moves when a later word changes?"),
    form=NoPeekingForm,
    compute=compute,
    template="no-peeking.html",
    shows=(align, same_length, movement, encode_fast, write_on_fast, attend, softmax, causal),
    needs=("encoder", "decoder"),
    presets=(
        Preset(
            _("“wide” for “tired”"),
            {"text": EXAMPLE, "token": "11", "replacement": "wide"},
        ),
        Preset(
            _("an early word"),
            {"text": EXAMPLE, "token": "2", "replacement": "car"},
        ),
        Preset(
            _("the first word: nothing stands before it"),
            {"text": EXAMPLE, "token": "1", "replacement": "No"},
        ),
        Preset(
            _("a word of more tokens"),
            {"text": EXAMPLE, "token": "6", "replacement": "Champs-Élysées"},
        ),
        Preset(
            _("only a capital letter"),
            {"text": EXAMPLE, "token": "11", "replacement": "Tired"},
        ),
    ),
)
