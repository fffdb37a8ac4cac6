"""What every page needs: the lessons, the workbench, the templates, the addresses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fastapi import HTTPException, Request
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from starlette.responses import HTMLResponse

from app.catalogue import Lesson
from app.figures.svg import thumbnails
from app.i18n import translations
from app.lab import EXAMPLE, BadInput, Lab, read_sentence
from app.models import ModelError, Models
from app.reading import rows_of
from app.settings import ROOT, Settings
from app.web import assets
from app.web.markdown import Block, Section, letter, maths, render_lesson
from app.web.panel import Workbench
from app.web.turns import Turns


@dataclass(frozen=True)
class Site:
    """The parts that answer a request, put together once."""

    settings: Settings
    lessons: tuple[Lesson, ...]
    models: Models
    bench: Workbench
    turns: Turns
    templates: Environment = field(repr=False)
    prose: Mapping[str, tuple[tuple[Section, ...], list[Block]]] = field(repr=False)

    def lesson(self, slug: str) -> Lesson:
        """Find a lesson.

        Raises: HTTPException 404.
        """
        for lesson in self.lessons:
            if lesson.slug == slug:
                return lesson
        raise HTTPException(404)

    def find(self, lesson_slug: str, lab_slug: str) -> tuple[Lesson, Lab]:
        """Find a lesson and one of its labs.

        Raises: HTTPException 404.
        """
        lesson = self.lesson(lesson_slug)
        lab = lesson.lab(lab_slug)
        if lab is None:
            raise HTTPException(404)
        return lesson, lab

    def page(
        self, template: str, request: Request, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """Draw a page, or a fragment of one."""
        text = request.query_params.get("text", "")[: self.settings.max_characters]
        theme = request.query_params.get("theme", "")
        html = self.templates.get_template(template).render(
            request=request,
            text=text,
            base=self.settings.public_address or str(request.base_url).rstrip("/"),
            theme=theme if theme in {"light", "dark"} else "",
            carry=carrier(text, theme),
            **values,
        )
        headers = {"Vary": "HX-Request", "Cache-Control": "no-cache"}
        return HTMLResponse(html, status_code=status, headers=headers)


def carrier(text: str, theme: str) -> Callable[[str], str]:
    """Make the function that lets an address carry the reader's sentence and theme along."""
    kept = {k: v for k, v in (("text", text), ("theme", theme)) if v and v != EXAMPLE}

    def carry(address: str) -> str:
        path, mark, anchor = address.partition("#")
        return f"{path}?{urlencode(kept)}{mark}{anchor}" if kept else address

    return carry


def make_templates(lessons: tuple[Lesson, ...], settings: Settings, models: Models) -> Environment:
    """Set up the templates: a name that nobody gave is an error, everything is escaped."""
    folders = {lesson.slug: FileSystemLoader(lesson.folder) for lesson in lessons}
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(ROOT / "templates"), PrefixLoader(folders)]),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a file changed under a running server would meet older code
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.globals.update(
        static=make_static(),
        lessons=lessons,
        language=settings.course_language,
        EXAMPLE=EXAMPLE,
        maths=maths,
        letter=letter,
        thumbnails=thumbnails,
    )
    environment.globals["words"] = make_words(models)
    environment.install_gettext_translations(translations(), newstyle=True)  # type: ignore[attr-defined]
    return environment


def make_words(models: Models) -> Callable[[str], tuple[str, ...]]:
    """Make the function that cuts a sentence into the words that labs show; none if none can."""

    def words(text: str) -> tuple[str, ...]:
        try:
            tokens = read_sentence(text, models.encoder("").tokenizer)
        except (BadInput, ModelError):
            return ()
        return rows_of(tokens, merge=True, special=False).labels

    return words


def make_static() -> Callable[[str], str]:
    """Make the function that gives a static file's address."""
    state = assets.version()
    return lambda name: f"/static/{state}/{name}"


def make_site(settings: Settings, lessons: tuple[Lesson, ...], models: Models) -> Site:
    """Put the parts together."""
    return Site(
        settings=settings,
        lessons=lessons,
        models=models,
        bench=Workbench(models, settings.max_characters),
        turns=Turns(),
        templates=make_templates(lessons, settings, models),
        prose={
            lesson.slug: render_lesson(
                lesson.prose, lesson.facts.sources, [lab.slug for lab in lesson.labs]
            )
            for lesson in lessons
        },
    )


def neighbours(lessons: tuple[Lesson, ...], lesson: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """Give the lessons before and after one."""
    place = lessons.index(lesson)
    before = lessons[place - 1] if place else None
    after = lessons[place + 1] if place + 1 < len(lessons) else None
    return before, after


def is_fragment(request: Request) -> bool:
    """Say whether a script asks for a part of the page only."""
    headers = request.headers
    restoring = headers.get("HX-History-Restore-Request") == "true"
    return headers.get("HX-Request") == "true" and not restoring
