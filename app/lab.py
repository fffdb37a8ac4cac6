"""The contract between the host and a lesson: what a lab asks for and what it gives back.

A lab is a value. Its form says what a reader may set, its compute is a plain function of that form
and the models, its result holds everything the page, the data files and the maths are made from.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from app.figures import Figure
from app.i18n import _
from app.models import ModelCard, Models, Tokenized, Tokenizer

EXAMPLE = "The animal didn't cross the street because it was too tired."
MAX_TOKENS = 128


class BadInput(ValueError):
    """What a reader typed cannot be used; says at which field, and what to change."""

    def __init__(self, field: str, message: str) -> None:
        """Keep the field's name, so that the message can stand beside it."""
        super().__init__(message)
        self.field = field
        self.message = message


class LabForm(BaseModel):
    """What a reader may set in a lab; every field's name is a query parameter."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def control(
    kind: str, default: object, title: str, hint: str = "", *, shown: str = "", **limits: Any
) -> Any:
    """Describe one field of a form: its control, its label, its limits.

    kind: sentence, line, lines, slider, number, choice, switch, model, or drawn (the lab's own
    template draws it inside the result). shown: a property that the label explains, such as "T".
    """
    extra = {"control": kind, "shown": shown, "labels": limits.pop("labels", {})}
    extra["step"] = limits.pop("step", "")  # of a number with decimals, for the control alone
    return Field(default, title=title, description=hint, json_schema_extra=extra, **limits)


def sentence(default: str = EXAMPLE) -> Any:
    """The one sentence that follows the reader through the course."""
    return control("sentence", default, _("Your sentence"))


def model_choice() -> Any:
    """Which installed model answers; empty means the best one."""
    return control("model", "", _("Model"))


@dataclass(frozen=True)
class Formula:
    """A formula in three steps: in general, with this input's shapes, with this cell's numbers."""

    title: str
    general: str  # LaTeX
    shapes: str = ""  # LaTeX
    numbers: str = ""  # LaTeX


@dataclass(frozen=True)
class Snippet:
    """A few lines of NumPy with the reader's own values, and what they print."""

    code: str
    prints: str


@dataclass(frozen=True)
class Prediction:
    """A guess to make before looking: one click, never scored."""

    question: str
    options: tuple[str, ...]
    measured: str  # which option the numbers say; may be none of them
    answer: str  # the sentence that tells it


@dataclass(frozen=True)
class Result:
    """What a lab found: everything on its panel and in its data files comes from here."""

    finding: str
    figures: tuple[Figure, ...]
    maths: tuple[Formula, ...] = ()
    snippet: Snippet | None = None
    models: tuple[ModelCard, ...] = ()
    engine_ms: float = 0.0
    predict: Prediction | None = None
    limits: Mapping[str, int] = field(default_factory=dict)  # largest value of a slider, here
    beyond: Mapping[str, str] = field(default_factory=dict)  # a choice this model cannot take
    chosen: Mapping[str, object] = field(default_factory=dict)  # values the lab settled on
    notes: tuple[str, ...] = ()  # what a careful reader should also know of this result
    context: Mapping[str, Any] = field(default_factory=dict)  # more for the lab's own template


Form = Any  # the lab's own subclass of LabForm


@dataclass(frozen=True)
class Preset:
    """An input that shows something, with a few words on what."""

    label: str
    values: Mapping[str, str]  # form fields


@dataclass(frozen=True)
class Lab:
    """One interactive diagram of a lesson."""

    slug: str
    number: int  # as in the course's list of labs
    title: str  # the question it answers
    form: type[LabForm]
    compute: Callable[[Form, Models], Result]
    template: str  # file in the lesson's folder
    shows: tuple[Callable[..., Any], ...]  # engine functions whose source a reader may open
    needs: tuple[str, ...] = ()  # model roles
    presets: tuple[Preset, ...] = ()
    fresh: bool = False  # measured anew each time: its result is never kept
    # Where the answer grows: yields one mapping of JSON values at a time, sent as it comes.
    stream: Callable[[Form, Models], Iterator[Mapping[str, Any]]] | None = None


class Stopwatch:
    """Adds up the time that the engine took, in milliseconds."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.ms = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time inside this block."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.ms += (time.perf_counter() - start) * 1000


def visible(text: str) -> bool:
    r"""Say whether a text has any character that can be seen.

    Example:
        >>> visible("a"), visible(" \n\x07\u200b")
        (True, False)
    """
    return any(c.isprintable() and not c.isspace() for c in text)


def read_sentence(
    text: str, tokenizer: Tokenizer, *, field: str = "text", most: int = MAX_TOKENS
) -> Tokenized:
    """Cut a reader's sentence into tokens, or say what to change.

    Raises: BadInput, when nothing can be seen in it or it is too long.
    """
    if not visible(text):
        raise BadInput(field, _("There is nothing to read yet. Type a word or a sentence."))
    tokens = tokenizer.encode(text)
    count = len(tokens) - sum(tokens.special)
    if count > most:
        raise BadInput(
            field,
            _(
                "This is {count} tokens long; the diagrams hold {most}. Cut it by about {cut}."
            ).format(count=count, most=most, cut=count - most),
        )
    if count == 0:
        raise BadInput(field, _("The model's tokenizer drops all of this. Add a word or a sign."))
    return tokens


def within(form: LabForm, field: str, count: int, what: str) -> int:
    """Give the index (from 0) of what a reader chose (from 1); a default is cut to what there is.

    Raises: BadInput, when the reader's own choice is more than there is.
    """
    value = int(getattr(form, field))
    if value <= count:
        return value - 1
    if field not in form.model_fields_set:
        return count - 1
    message = _("There are {count} of them here: choose a {what} from 1 to {count}.")
    raise BadInput(field, message.format(count=count, what=what))
