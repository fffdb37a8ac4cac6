"""A lab's form: read from a query, checked, and made ready to be drawn with its messages."""

import typing
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import annotated_types
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from app.i18n import _
from app.lab import BadInput, Lab, LabForm, Result
from app.models import Models

Values = Mapping[str, str]


@dataclass(frozen=True)
class Option:
    """One of the values of a choice."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class FieldView:
    """A field as the page draws it."""

    name: str
    control: str
    label: str
    hint: str
    shown: str  # the property that the label explains: a symbol of the formula
    value: str
    least: float | None = None
    most: float | None = None
    step: float | str = 1
    options: tuple[Option, ...] = ()
    message: str = ""


@dataclass(frozen=True)
class Reading:
    """What a query said: the values as typed, and either a valid form or messages."""

    typed: Values
    form: LabForm | None
    messages: Values


def joined(lab: Lab, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Make one value of each name; a text that the lab draws itself may be ticked many times.

    Of any other name that stands twice the last value counts: a switch is "false" and then "true".
    """
    query: dict[str, str] = {}
    for name, value in pairs:
        info = lab.form.model_fields.get(name)
        extra = typing.cast("dict[str, Any]", info.json_schema_extra or {}) if info else {}
        ticked = info is not None and info.annotation is str and extra.get("control") == "drawn"
        query[name] = f"{query[name]},{value}" if ticked and query.get(name) else value
    return query


def read_form(lab: Lab, query: Values) -> Reading:
    """Check a query against a lab's form; nothing that was typed is lost."""
    typed = {name: query[name] for name in lab.form.model_fields if name in query}
    try:
        return Reading(typed, lab.form.model_validate(typed), {})
    except ValidationError as error:
        return Reading(typed, None, {str(e["loc"][0]): explain(e) for e in error.errors()})
    except BadInput as error:
        return Reading(typed, None, {error.field: error.message})


def explain(error: Any) -> str:
    """Put pydantic's finding into a sentence that says what to change."""
    limits: dict[str, Any] = error.get("ctx") or {}
    if isinstance(limits.get("error"), BadInput):
        return str(limits["error"])
    sentences = {
        "greater_than_equal": _("The least is {ge}."),
        "less_than_equal": _("The most is {le}."),
        "int_parsing": _("Type a whole number."),
        "int_from_float": _("Type a whole number."),
        "float_parsing": _("Type a number, such as 0.5."),
        "finite_number": _("Type a number, such as 0.5."),
        "bool_parsing": _("Choose true or false."),
        "literal_error": _("Choose one of: {expected}."),
        "string_too_long": _("At most {max_length} characters, please."),
        "string_too_short": _("Type at least {min_length} characters."),
    }
    sentence = sentences.get(error["type"], _("This cannot be used here."))
    return sentence.format(**limits)


def to_query(
    form: LabForm,
    chosen: Mapping[str, object] | None = None,
    keep: Collection[str] = ("text",),
    drop: Collection[str] = (),
) -> str:
    """Write a form as the query of an address, leaving out what stands at its default.

    keep: names that are written all the same: a script sets only the fields that an address names.
    drop: names that are left out whatever their value.
    """
    values = {**form.model_dump(), **(chosen or {})}
    kept = {
        name: value
        for name, value in values.items()
        if name in type(form).model_fields
        and name not in drop
        and (name in keep or value != type(form).model_fields[name].default)
    }
    return urlencode({name: write(value) for name, value in kept.items()})


def write(value: object) -> str:
    """Write a value as it stands in a query.

    Example:
        >>> write(True), write(0.5), write("a b")
        ('true', '0.5', 'a b')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def field_views(
    lab: Lab, reading: Reading, result: Result | None, models: Models
) -> tuple[FieldView, ...]:
    """Make every field of a form ready to be drawn."""
    settled = dict(result.chosen) if result else {}
    limits = dict(result.limits) if result else {}
    return tuple(
        view(name, info, value_of(name, info, reading, settled), limits, lab, models, reading)
        for name, info in lab.form.model_fields.items()
    )


def value_of(name: str, info: FieldInfo, reading: Reading, settled: Mapping[str, object]) -> str:
    """Give what a field shows: what was typed, what the lab settled on, or the default."""
    if name in settled:
        return write(settled[name])
    return reading.typed.get(name, write(info.default))


def view(
    name: str,
    info: FieldInfo,
    value: str,
    limits: Mapping[str, int],
    lab: Lab,
    models: Models,
    reading: Reading,
) -> FieldView:
    """Make one field ready to be drawn."""
    extra = typing.cast("dict[str, Any]", info.json_schema_extra or {})
    least, most = bounds(info)
    return FieldView(
        name=name,
        control=extra.get("control", "line"),
        label=info.title or name,
        hint=info.description or "",
        shown=extra.get("shown", ""),
        value=value,
        least=least,
        most=limits.get(name, most),
        step=1 if info.annotation is int else extra.get("step") or "any",
        options=options(info, extra, value, lab, models),
        message=reading.messages.get(name, ""),
    )


def bounds(info: FieldInfo) -> tuple[float | None, float | None]:
    """Read the least and the greatest value that a field's limits allow."""
    least = next((m.ge for m in info.metadata if isinstance(m, annotated_types.Ge)), None)
    most = next((m.le for m in info.metadata if isinstance(m, annotated_types.Le)), None)
    return typing.cast("float | None", least), typing.cast("float | None", most)


def options(
    info: FieldInfo, extra: Mapping[str, Any], value: str, lab: Lab, models: Models
) -> tuple[Option, ...]:
    """List the values of a choice; those of a model field are what is installed."""
    if extra.get("control") == "model":
        cards = models.choices(lab.needs[0])
        return tuple(Option(c.name, c.title, c.name == (value or cards[0].name)) for c in cards)
    if typing.get_origin(info.annotation) is not typing.Literal:
        return ()
    labels = extra.get("labels", {})
    names = [write(v) for v in typing.get_args(info.annotation)]
    return tuple(Option(n, labels.get(n, n), n == value) for n in names)
