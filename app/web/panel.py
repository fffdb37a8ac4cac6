"""A lab's panel: its form read, its result computed or remembered, everything ready to be drawn."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from markupsafe import Markup, escape

from app.catalogue import Lesson
from app.figures import Arcs, Figure
from app.figures.svg import narrow, svg
from app.figures.table import Table, table
from app.i18n import _
from app.lab import BadInput, Lab, LabForm, Preset, Result
from app.models import ModelError, Models
from app.web.forms import FieldView, Reading, field_views, read_form, to_query
from app.web.markdown import maths
from app.web.memory import Memory
from app.web.source import Listing, listing

# A table of more cells than this stands on a page of its own.
LARGEST_TABLE = 1200


@dataclass(frozen=True)
class Panel:
    """One lab as the page shows it."""

    lesson: Lesson
    lab: Lab
    reading: Reading
    fields: tuple[FieldView, ...]
    result: Result | None
    query: str  # the state as an address keeps it
    embedded: bool = False  # alone in a frame elsewhere, where its own form and links stay

    @property
    def id(self) -> str:
        """The panel's id on the page."""
        return f"lab-{self.lab.slug}"

    @property
    def action(self) -> str:
        """Where the form is sent."""
        if self.embedded:
            return f"/embed/{self.lesson.slug}/{self.lab.slug}"
        return f"/lessons/{self.lesson.slug}/labs/{self.lab.slug}"

    def address(self, suffix: str = "") -> str:
        """Give the address of this state, of its data or of one of its figures."""
        place = f"/lessons/{self.lesson.slug}/labs/{self.lab.slug}{suffix}"
        return f"{place}?{self.query}" if self.query else place

    @property
    def embed(self) -> str:
        """The address of this panel alone, to be framed elsewhere."""
        return self.address().replace("/lessons/", "/embed/", 1).replace("/labs/", "/", 1)

    @property
    def presets(self) -> tuple[Preset, ...]:
        """The suggestions that this model can follow: a small one has fewer layers and heads."""
        limits = self.result.limits if self.result else {}
        beyond = self.result.beyond if self.result else {}
        return tuple(
            preset
            for preset in self.lab.presets
            if all(int(preset.values.get(name, 0)) <= most for name, most in limits.items())
            and all(preset.values.get(name) != value for name, value in beyond.items())
        )

    def preset_address(self, values: Mapping[str, str]) -> str:
        """Give the address of a preset."""
        return f"{self.action}?{urlencode(values)}"

    def field(self, name: str) -> FieldView:
        """Give one field by its name."""
        return next(field for field in self.fields if field.name == name)

    def with_values(self, **changes: object) -> str:
        """Give the address of this state with some values changed."""
        assert self.reading.form is not None  # noqa: S101 (a result has a form)
        chosen = {**dict(self.result.chosen if self.result else {}), **changes}
        return f"{self.action}?{to_query(self.reading.form, chosen, {'text', *changes})}"

    def without_values(self, *names: str) -> str:
        """Give the address of this state but for some values, ready for them to be added."""
        assert self.reading.form is not None  # noqa: S101 (a result has a form)
        chosen = dict(self.result.chosen if self.result else {})
        query = to_query(self.reading.form, chosen, drop=names)
        return f"{self.action}?{query}&" if query else f"{self.action}?"

    def figure(self, name: str) -> Figure:
        """Give one of the result's figures by its name."""
        figures = self.result.figures if self.result else ()
        return next(figure for figure in figures if figure.name == name)

    def draw(self, figure: Figure) -> Markup:
        """Draw a figure; where a phone would cut the drawing, a second one for phones."""
        whole = svg(figure)
        small = narrow(figure, whole)
        if small is None:
            return whole
        return _shown("only-wide", whole) + _shown("only-narrow", small)

    @staticmethod
    def said(words: str) -> str:
        """Set quoted words apart where one runs right to left, so that it turns nothing else round.

        Example:
            >>> Panel.said("“שלום”: 0.3")
            Markup('“<bdi>שלום</bdi>”: 0.3')
        """
        if not any(unicodedata.bidirectional(c) in ("R", "AL") for c in words):
            return words
        pieces = re.split(r"“([^”]*)”", words)
        return Markup("").join(
            Markup("“<bdi>{}</bdi>”").format(piece) if i % 2 else escape(piece)
            for i, piece in enumerate(pieces)
        )

    def in_a_row(self, arcs: Arcs) -> Arcs:
        """Lay the words of a picture of arcs out on one line, as they are read."""
        return replace(arcs, layout="row")

    def table(self, figure: Figure) -> Table | None:
        """Give a figure's numbers as a table, unless it is too large for this page."""
        made = table(figure)
        return made if sum(map(len, made.rows)) <= LARGEST_TABLE else None

    def full_table(self, figure: Figure) -> Table:
        """Give a figure's numbers as a table, however large it is."""
        return table(figure)

    @property
    def sources(self) -> tuple[Listing, ...]:
        """The engine's functions behind this panel."""
        return tuple(listing(function) for function in self.lab.shows)

    @property
    def formulas(self) -> tuple[tuple[str, tuple[Markup, ...]], ...]:
        """The maths as MathML: in general, with shapes, with numbers."""
        return tuple(
            (f.title, tuple(maths(x, display=True) for x in (f.general, f.shapes, f.numbers) if x))
            for f in (self.result.maths if self.result else ())
        )


def _shown(where: str, drawing: Markup) -> Markup:
    """Give a drawing the class that shows it on wide or on narrow screens only."""
    return Markup('<svg class="{}" ').format(where) + drawing[len("<svg ") :]


class Workbench:
    """Computes panels, and remembers the newest results."""

    def __init__(self, models: Models, most_characters: int = 2000) -> None:
        """Start with nothing remembered."""
        self.models = models
        self.most_characters = most_characters
        self.memory = Memory()

    def panel(self, lesson: Lesson, lab: Lab, query: Mapping[str, str]) -> Panel:
        """Read a query and answer it; bad input gives a panel with messages and no result."""
        reading = self.read(lab, query)
        result = None
        if reading.form is not None:
            try:
                result = self._result(lab, reading.form)
            except BadInput as error:
                reading = Reading(reading.typed, reading.form, {error.field: error.message})
            except ModelError as error:
                reading = Reading(reading.typed, reading.form, {"": str(error)})
        chosen = result.chosen if result else None
        state = to_query(reading.form, chosen) if reading.form else urlencode(reading.typed)
        fields = field_views(lab, reading, result, self.models)
        return Panel(lesson, lab, reading, fields, result, state)

    def read(self, lab: Lab, query: Mapping[str, str]) -> Reading:
        """Check a query; a text beyond every limit is not looked at at all."""
        most = self.most_characters
        for name, value in query.items():
            if name in lab.form.model_fields and len(value) > most:
                message = _("This is {n} characters long; at most {most} are read. Cut it.")
                typed = {key: query[key] for key in lab.form.model_fields if key in query}
                return Reading(typed, None, {name: message.format(n=len(value), most=most)})
        return read_form(lab, query)

    def _result(self, lab: Lab, form: LabForm) -> Result:
        if lab.fresh:
            return lab.compute(form, self.models)
        key = (lab.slug, form, frozenset(form.model_fields_set))
        return self.memory.get(key, lambda: lab.compute(form, self.models))
