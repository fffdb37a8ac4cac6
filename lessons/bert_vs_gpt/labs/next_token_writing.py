"""What the decoder is given to read, and what it writes: prompts, steps, trees."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.bert import Ids
from app.engine.cache import cached_tokens
from app.engine.sampling import Branch, Written, generate, grow
from app.i18n import _
from app.lab import MAX_TOKENS, BadInput, read_sentence
from app.models import Decoder, Tokenizer
from app.reading import rows_of
from lessons.bert_vs_gpt.labs.next_token_form import NextTokenForm

END = 160  # a word number beyond any sentence: read to the end
SHOWN = 8  # alternatives of a written token
WINDOW = 8  # tokens before a new one that may change how it is spelled
ENDS = ".!?…"


@dataclass(frozen=True)
class Prompt:
    """What the decoder reads before it is asked."""

    ids: Ids
    text: str  # what a continuation is put behind; of an instruction the answer so far
    field: str  # the form's field that holds it
    words: tuple[str, ...] = ()  # of the whole sentence
    read: int = 0  # how many of them it reads
    real: int | None = None  # the token with which the sentence really goes on
    trimmed: bool = False  # a space at the end was left out


def make_prompt(form: NextTokenForm, decoder: Decoder) -> Prompt:
    """Lay out what the reader typed, as a beginning or as an instruction.

    Raises: BadInput.
    """
    tokens = read_sentence(form.text, decoder.tokenizer)
    if form.kind == "instruct":
        return instruction(form, decoder)
    words = rows_of(tokens, merge=True, special=False).labels
    read = form.token or before_the_last(words)
    if read >= len(words):
        text = form.text.rstrip(" ")
        ids = plain_ids(text, decoder.tokenizer)
        return Prompt(ids, text, "text", words, len(words), trimmed=text != form.text)
    text = form.text[: tokens.word_spans[read - 1][1]]
    ids = plain_ids(text, decoder.tokenizer)
    same = np.array_equal(tokens.ids[: len(ids)], ids) and len(ids) < len(tokens)
    return Prompt(ids, text, "text", words, read, int(tokens.ids[len(ids)]) if same else None)


def before_the_last(words: Sequence[str]) -> int:
    """Stop before the last word of a finished sentence; read an unfinished one to its end.

    Example:
        >>> before_the_last(["Tom", "slept", "."]), before_the_last(["Tom", "slept"])
        (1, 2)
    """
    real = [n for n, word in enumerate(words) if any(c.isalnum() for c in word)]
    finished = words[-1].strip("\"'”’)")[-1:] in ENDS and words[-1].strip("\"'”’)")
    return real[-1] if finished and real and real[-1] > 0 else len(words)


def plain_ids(text: str, tokenizer: Tokenizer) -> Ids:
    """Cut a beginning, without the sign that would end it."""
    tokens = tokenizer.encode(text)
    own = [n for n, special in enumerate(tokens.special) if not special]
    return tokens.ids[: own[-1] + 1 if own else len(tokens)]


def instruction(form: NextTokenForm, decoder: Decoder) -> Prompt:
    """Lay out an instruction as the model was trained to read one, and the answer so far.

    Raises: BadInput, when the model knows no instructions or the answer is too long.
    """
    if not decoder.chat_template:
        message = _("{name} was never taught to follow instructions; choose plain continuation.")
        raise BadInput("kind", message.format(name=decoder.card.title))
    said = decoder.tokenizer.encode(form.answer, add_special=False).ids
    if len(said) > MAX_TOKENS:
        message = _("The answer is {count} tokens long; at most {most} are read.")
        raise BadInput("answer", message.format(count=len(said), most=MAX_TOKENS))
    asked = decoder.chat([("user", form.text)])
    return Prompt(np.concatenate([asked, said.astype(np.int64)]), form.answer, "answer")


def spell(tokenizer: Tokenizer, before: Ids, new: Sequence[int]) -> str | None:
    """Write out new tokens as text behind what stands before them; None for half a letter."""
    base = before[-WINDOW:].tolist()
    start, whole = tokenizer.decode(base), tokenizer.decode([*base, *new])
    if not whole.startswith(start) or "\ufffd" in whole[len(start) :]:
        return None
    return whole[len(start) :]


def named(tokenizer: Tokenizer, number: int) -> str:
    """Name a token as the page shows it."""
    return tokenizer.label(tokenizer.piece(number))


def start(decoder: Decoder, ids: Ids) -> tuple[Ids, Any]:
    """Give what of a text is still to be read, and the cache of the rest."""
    known = decoder.memory.recall(ids.tolist())
    return ids[cached_tokens(known) if known else 0 :], known


def write(
    form: NextTokenForm, decoder: Decoder, prompt: Prompt, limit: int
) -> Iterator[dict[str, Any]]:
    """Write on, one token at a time, each with its alternatives and where they lead."""
    room = min(limit, decoder.config.longest - len(prompt.ids))
    numbers: list[int] = []
    for step in generate(
        decoder.read,
        prompt.ids,
        cache=start(decoder, prompt.ids)[1],
        limit=room,
        stop=decoder.stop,
        temperature=form.temperature,
        top_k=form.top_k,
        top_p=form.top_p,
        seed=form.seed,
        alternatives=SHOWN,
    ):
        yield describe(decoder, prompt, numbers, step)
        numbers.append(step.id)


def describe(
    decoder: Decoder, prompt: Prompt, numbers: Sequence[int], step: Written
) -> dict[str, Any]:
    """Describe one written token for the page; each alternative with the fields of its branch."""
    tokenizer, ends = decoder.tokenizer, step.id in decoder.stop
    return {
        "label": _("end") if ends else named(tokenizer, step.id),
        "text": "" if ends else spell(tokenizer, prompt.ids, [*numbers, step.id]),
        "probability": float(np.exp(step.log_probability)),
        "ends": ends,
        "alternatives": [
            {
                "label": named(tokenizer, other.id),
                "probability": float(np.exp(other.log_probability)),
                "drawn": other.probability,
                "taken": other.id == step.id,
                "values": branch(decoder, prompt, [*numbers, other.id]),
            }
            for other in step.alternatives
        ],
    }


def branch(decoder: Decoder, prompt: Prompt, numbers: Sequence[int]) -> Mapping[str, object] | None:
    """Give the form's fields from which a text with these tokens goes on; none for a half one."""
    if numbers[-1] in decoder.stop:
        return None
    more = spell(decoder.tokenizer, prompt.ids, numbers)
    if more is None:
        return None
    fields: dict[str, object] = {prompt.field: prompt.text + more}
    return {**fields, "token": END} if prompt.field == "text" else fields


def tree(decoder: Decoder, prompt: Prompt, *, wide: int, deep: int) -> tuple[Branch, ...]:
    """Grow the tree of the likeliest continuations."""
    new, known = start(decoder, prompt.ids)
    return grow(decoder.read, new, cache=known, wide=wide, deep=deep)
