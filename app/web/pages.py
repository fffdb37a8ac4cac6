"""The pages: home, lessons, one function's source, sources and licences, health."""

import tomllib
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, JSONResponse

from app.catalogue import Lesson
from app.lab import EXAMPLE
from app.settings import ROOT
from app.web.panel import Panel
from app.web.site import Site, neighbours
from app.web.source import listing, shown_functions


def lesson_page(
    site: Site, request: Request, lesson: Lesson, chosen: Panel | None = None
) -> HTMLResponse:
    """Draw a lesson with all its labs; the sentence goes to each, the rest to the chosen one."""
    query = dict(request.query_params)
    sentence = {"text": query["text"]} if "text" in query else {}
    panels = {
        lab.slug: chosen
        if chosen and lab is chosen.lab
        else site.bench.panel(lesson, lab, sentence)
        for lab in lesson.labs
    }
    before, after = neighbours(site.lessons, lesson)
    sections, blocks = site.prose[lesson.slug]
    refused = any(p.reading.messages for p in panels.values())
    return site.page(
        "lesson.html",
        request,
        status=422 if refused else 200,
        lesson=lesson,
        sections=sections,
        blocks=blocks,
        panels=panels,
        before=before,
        after=after,
        sentence=sentence.get("text", EXAMPLE),
    )


def home_panel(site: Site, query: Mapping[str, str]) -> Panel | None:
    """Give the first lab of the course by its number, which the home page shows in small."""
    for lesson in site.lessons[:1]:
        for lab in sorted(lesson.labs, key=lambda lab: lab.number)[:1]:
            kept = {name: query[name] for name in ("text", "token") if name in query}
            return site.bench.panel(lesson, lab, kept)
    return None


def vendored() -> dict[str, Any]:
    """Read what is vendored, with its licences."""
    with (ROOT / "static" / "vendor" / "vendor.toml").open("rb") as file:
        return tomllib.load(file)


class PageRoutes:
    """Answers for the pages: each method is one address."""

    def __init__(self, site: Site) -> None:
        """Keep the site that answers, and the functions whose source may be opened."""
        self.site = site
        self.functions = shown_functions(site.lessons)

    def home(self, request: Request) -> HTMLResponse:
        """Give the first page, with the first lab in small."""
        panel = home_panel(self.site, request.query_params)
        refused = bool(panel and panel.reading.messages)
        return self.site.page("home.html", request, status=422 if refused else 200, panel=panel)

    def tokens(self, request: Request) -> HTMLResponse:
        """Give the words of a sentence, as the row under it shows them."""
        sentence = request.query_params.get("text", "")[: self.site.settings.max_characters]
        return self.site.page("parts/chips.html", request, sentence=sentence)

    def lesson(self, slug: str, request: Request) -> HTMLResponse:
        """Give a lesson with all its labs."""
        return lesson_page(self.site, request, self.site.lesson(slug))

    def source(self, name: str, request: Request) -> HTMLResponse:
        """Give the source of one of the engine's functions."""
        if name not in self.functions:
            raise HTTPException(404)
        return self.site.page("source.html", request, listing=listing(self.functions[name]))

    def sources(self, request: Request) -> HTMLResponse:
        """Say where everything comes from, and under which licence."""
        cards, missing = self.site.models.cards(), self.site.models.missing()
        return self.site.page(
            "sources.html", request, cards=cards, missing=missing, vendored=vendored()
        )

    def health(self) -> JSONResponse:
        """Say that the server answers, and with which models."""
        models = [card.name for card in self.site.models.cards()]
        return JSONResponse({"status": "ok", "models": models})


def make_router(site: Site) -> APIRouter:
    """Set up the routes of all pages."""
    router, routes = APIRouter(), PageRoutes(site)
    router.get("/", name="home")(site.turns.taking(routes.home))
    router.get("/tokens")(routes.tokens)
    router.get("/lessons/{slug}")(site.turns.taking(routes.lesson))
    router.get("/source/{name}")(routes.source)
    router.get("/sources")(routes.sources)
    router.get("/healthz")(routes.health)
    return router
