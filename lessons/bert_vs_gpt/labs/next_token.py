"""The novelist: what a decoder expects next, how it is drawn, and the text that comes of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.engine.functions import Array
from app.engine.llama_fast import write_on_fast
from app.engine.sampling import (
    likeliest,
    nucleus,
    shape_distribution,
)
from app.i18n import _
from app.lab import EXAMPLE, BadInput, Lab, Preset, Result, Stopwatch
from app.models import Decoder, Models
from lessons.bert_vs_gpt.labs.next_token_form import NextTokenForm
from lessons.bert_vs_gpt.labs.next_token_missing import without_decoder
from lessons.bert_vs_gpt.labs.next_token_words import (
    draw,
    find,
    numbers,
    picture_tree,
    predict,
    remarks,
)
from lessons.bert_vs_gpt.labs.next_token_writing import (
    Prompt,
    branch,
    make_prompt,
    named,
    tree,
    write,
)

STREAMED = 60  # tokens written at most, one by one
WIDE, DEEP = 3, 3  # the tree's branches at every token, and its length


def compute(form: NextTokenForm, models: Models) -> Result:
    """Read the prompt, shape the distribution of what comes next, and write on if asked."""
    if not models.has("decoder"):
        return without_decoder(form)
    decoder = models.decoder(form.model)
    prompt, watch = fitting(form, decoder), Stopwatch()
    with watch.running():
        logits, _cache = decoder.read_remembering(prompt.ids)
        spread = shape_distribution(
            logits, temperature=form.temperature, top_k=form.top_k, top_p=form.top_p
        )
        written = list(write(form, decoder, prompt, form.write)) if form.write else []
        grown = tree(decoder, prompt, wide=WIDE, deep=DEEP) if form.tree else ()
    names = [named(decoder.tokenizer, n) for n in likeliest(logits, 8).tolist()]
    maths, snippet = numbers(logits, spread, form)
    figures = draw(decoder, spread, prompt, written)
    finding = find(names, spread, prompt, form)
    return Result(
        finding=finding,
        figures=(*figures, picture_tree(decoder, prompt, grown)) if grown else figures,
        maths=maths,
        snippet=snippet,
        models=(decoder.card,),
        engine_ms=watch.ms,
        predict=None if written else predict(names, prompt, finding),
        beyond={} if decoder.chat_template else {"kind": "instruct"},
        chosen={"token": prompt.read} if prompt.words else {},
        notes=remarks(prompt, written),
        context=shown(form, decoder, prompt, written, logits),
    )


def fitting(form: NextTokenForm, decoder: Decoder) -> Prompt:
    """Lay out the prompt, and make sure that the model can read it.

    Raises: BadInput.
    """
    prompt = make_prompt(form, decoder)
    longest = decoder.config.longest
    if len(prompt.ids) >= longest:
        message = _("This is {count} tokens long; {name} reads {most}.")
        said = message.format(count=len(prompt.ids), name=decoder.card.title, most=longest - 1)
        raise BadInput("text", said)
    return prompt


def shown(
    form: NextTokenForm,
    decoder: Decoder,
    prompt: Prompt,
    written: list[dict[str, Any]],
    logits: Array,
) -> dict[str, Any]:
    """Gather what the template shows: the words, the links of the next tokens, the text."""
    best = likeliest(logits, 10).tolist()
    links = [(named(decoder.tokenizer, n), branch(decoder, prompt, [n])) for n in best]
    text = next((step["text"] for step in reversed(written) if step["text"]), "")
    return {
        "installed": True,
        "words": prompt.words,
        "read": prompt.read,
        "asked": form.token,
        "answer": form.answer,
        "links": [(name, values) for name, values in links if values],
        "written": written,
        "text": text,
        "before": prompt.text,
        "kind": form.kind,
    }


def stream(form: NextTokenForm, models: Models) -> Iterator[Mapping[str, Any]]:
    """Write up to 60 tokens, each sent as soon as it is drawn.

    Raises: BadInput, ModelError.
    """
    decoder = models.decoder(form.model)
    yield from write(form, decoder, fitting(form, decoder), STREAMED)


NEXT_TOKEN = Lab(
    slug="next-token",
    number=20,
    title=_("What comes next?"),
    form=NextTokenForm,
    compute=compute,
    template="next-token.html",
    shows=(write_on_fast, shape_distribution, nucleus, likeliest),
    needs=("decoder",),
    presets=(
        Preset(_("what “it” was too…"), {"text": EXAMPLE, "token": "10"}),
        Preset(
            _("a fairy tale"),
            {"text": "Once upon a time, there was a little", "token": "0"},
        ),
        Preset(
            _("the safest choice each time"),
            {"text": "Once upon a time, there was a little", "temperature": "0"},
        ),
        Preset(
            _("wild"),
            {
                "text": "Once upon a time, there was a little",
                "temperature": "1.8",
                "top_k": "0",
                "top_p": "1",
            },
        ),
        Preset(
            _("an instruction"),
            {"text": "What is the capital of France?", "kind": "instruct", "temperature": "0.3"},
        ),
        Preset(_("code"), {"text": "def add(a, b):\n    return", "token": "0"}),
    ),
    stream=stream,
)
