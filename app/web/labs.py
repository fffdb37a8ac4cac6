"""The addresses of a lab: the lesson with it filled in, its panel alone, its data, its figures."""

import orjson
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from app.figures import Figure
from app.figures.data import csv_text, data
from app.figures.plotly import plotly
from app.figures.standalone import standalone
from app.models import ModelCard
from app.web.pages import lesson_page
from app.web.panel import Panel
from app.web.site import Site, is_fragment


def status_of(panel: Panel) -> int:
    """Say 422 when something in the form has to be changed."""
    return 422 if panel.reading.messages else 200


def describe(card: ModelCard) -> dict[str, object]:
    """Write a model's card as data."""
    fields = ("name", "title", "kind", "parameters", "trained_on", "language", "licence", "sha256")
    return {name: getattr(card, name) for name in fields}


def as_data(panel: Panel) -> dict[str, object]:
    """Write a panel's result as data, its numbers unrounded."""
    if panel.result is None or panel.reading.form is None:
        return {"lab": panel.lab.slug, "inputs": panel.reading.typed, "errors": panel.reading.messages}
    models = [describe(card) for card in panel.result.models]
    return {
        "lab": panel.lab.slug,
        "inputs": {**panel.reading.form.model_dump(), **panel.result.chosen},
        "model": models[0] if models else None,
        "models": models,
        "figures": [data(figure) for figure in panel.result.figures],
        "finding": panel.result.finding,
        "engine_ms": panel.result.engine_ms,
    }


def figure_of(panel: Panel, name: str) -> Figure:
    """Find a figure of a panel by its name.

    Raises: HTTPException 404, or 422 when the form has to be changed first.
    """
    if panel.result is None:
        raise HTTPException(422, "; ".join(panel.reading.messages.values()))
    for figure in panel.result.figures:
        if figure.name == name:
            return figure
    raise HTTPException(404)


def model_line(panel: Panel) -> str:
    """Say which models answered, in one line."""
    return "; ".join(card.badge for card in panel.result.models) if panel.result else ""


def make_router(site: Site) -> APIRouter:
    """Set up the routes of all labs."""
    router = APIRouter(default_response_class=HTMLResponse)

    def panel_for(lesson: str, lab: str, request: Request) -> Panel:
        return site.bench.panel(*site.find(lesson, lab), dict(request.query_params))

    @router.get("/lessons/{lesson}/labs/{lab}")
    def filled_in(lesson: str, lab: str, request: Request) -> HTMLResponse:
        panel = panel_for(lesson, lab, request)
        if is_fragment(request):
            answer = site.page("parts/lab.html", request, status=status_of(panel), panel=panel)
            answer.headers["HX-Replace-Url"] = panel.address()
            return answer
        return lesson_page(site, request, panel.lesson, panel.lab, panel)

    @router.get("/embed/{lesson}/{lab}")
    def embedded(lesson: str, lab: str, request: Request) -> HTMLResponse:
        panel = panel_for(lesson, lab, request)
        return site.page("embed.html", request, status=status_of(panel), panel=panel)

    @router.get("/lessons/{lesson}/labs/{lab}/data.json")
    def data_json(lesson: str, lab: str, request: Request) -> Response:
        panel = panel_for(lesson, lab, request)
        body = orjson.dumps(as_data(panel), option=orjson.OPT_SERIALIZE_NUMPY)
        return Response(body, status_of(panel), media_type="application/json")

    @router.get("/lessons/{lesson}/labs/{lab}/data.csv")
    def data_csv(lesson: str, lab: str, request: Request) -> Response:
        panel = panel_for(lesson, lab, request)
        figures = panel.result.figures if panel.result else ()
        name = {"Content-Disposition": f'attachment; filename="{panel.lab.slug}.csv"'}
        return Response(csv_text(figures), status_of(panel), name, "text/csv; charset=utf-8")

    @router.get("/lessons/{lesson}/labs/{lab}/data")
    def data_page(lesson: str, lab: str, request: Request) -> HTMLResponse:
        panel = panel_for(lesson, lab, request)
        return site.page("data.html", request, status=status_of(panel), panel=panel)

    @router.get("/lessons/{lesson}/labs/{lab}/figures/{name}.svg")
    def figure_svg(lesson: str, lab: str, name: str, request: Request) -> Response:
        panel = panel_for(lesson, lab, request)
        figure = figure_of(panel, name)
        drawing = standalone(figure, panel.result.finding if panel.result else "", model_line(panel))
        return Response(drawing, media_type="image/svg+xml")

    @router.get("/lessons/{lesson}/labs/{lab}/figures/{name}.json")
    def figure_json(lesson: str, lab: str, name: str, request: Request) -> Response:
        figure = figure_of(panel_for(lesson, lab, request), name)
        body = orjson.dumps(plotly(figure), option=orjson.OPT_SERIALIZE_NUMPY)
        return Response(body, media_type="application/json")

    return router
