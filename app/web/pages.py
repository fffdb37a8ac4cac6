"""The pages: home, lessons, one function's source, sources and licences, health."""

import tomllib
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, JSONResponse

from app.catalogue import Lesson
from app.lab import EXAMPLE, Lab
from app.settings import ROOT
from app.web.panel import Panel
from app.web.site import Site, neighbours
from app.web.source import listing, shown_functions


def lesson_page(
    site: Site, request: Request, lesson: Lesson, chosen: Lab | None = None, panel: Panel | None = None
) -> HTMLResponse:
    """Draw a lesson with all its labs; the sentence goes to each, the rest to the chosen one."""
    query = dict(request.query_params)
    sentence = {"text": query["text"]} if "text" in query else {}
    panels = {
        lab.slug: panel if lab is chosen and panel else site.bench.panel(lesson, lab, sentence)
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
    """Give the first lab of the course, which the home page shows in small."""
    for lesson in site.lessons[:1]:
        for lab in lesson.labs[:1]:
            kept = {name: query[name] for name in ("text",) if name in query}
            return site.bench.panel(lesson, lab, kept)
    return None


def credits() -> dict[str, Any]:
    """Read what is vendored, with its licences."""
    with (ROOT / "static" / "vendor" / "vendor.toml").open("rb") as file:
        return tomllib.load(file)


def make_router(site: Site) -> APIRouter:
    """Set up the routes of all pages."""
    router = APIRouter(default_response_class=HTMLResponse)
    functions = shown_functions(site.lessons)

    @router.get("/")
    def home(request: Request) -> HTMLResponse:
        panel = home_panel(site, request.query_params)
        refused = bool(panel and panel.reading.messages)
        return site.page("home.html", request, status=422 if refused else 200, panel=panel)

    @router.get("/lessons/{slug}")
    def lesson(slug: str, request: Request) -> HTMLResponse:
        return lesson_page(site, request, site.lesson(slug))

    @router.get("/source/{name}")
    def source(name: str, request: Request) -> HTMLResponse:
        if name not in functions:
            raise HTTPException(404)
        return site.page("source.html", request, listing=listing(functions[name]))

    @router.get("/sources")
    def sources(request: Request) -> HTMLResponse:
        cards, missing = site.models.cards(), site.models.missing()
        return site.page(
            "sources.html", request, cards=cards, missing=missing, credits=credits()
        )

    @router.get("/healthz", response_class=JSONResponse)
    def healthz() -> dict[str, object]:
        return {"status": "ok", "models": [card.name for card in site.models.cards()]}

    return router
