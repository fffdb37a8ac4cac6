"""The addresses of a lab: the lesson with it filled in, its panel alone, its data, its figures."""

from dataclasses import replace

import orjson
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from app.figures import Figure
from app.figures.data import csv_text, data
from app.figures.plotly import plotly
from app.figures.standalone import standalone
from app.lab import Result
from app.models import ModelCard
from app.web.forms import joined
from app.web.pages import lesson_page
from app.web.panel import Panel
from app.web.site import Site, is_fragment
from app.web.stream import stream_events

# A proxy refuses an answer with headers of more than 4 or 8 kB; only of refused texts are addresses
# so long.
LONGEST_HEADER = 3500


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
        return {
            "lab": panel.lab.slug,
            "inputs": panel.reading.typed,
            "errors": panel.reading.messages,
        }
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


def result_of(panel: Panel) -> Result:
    """Give what a lab found.

    Raises: HTTPException 422, with its messages, when the form has to be changed first.
    """
    if panel.result is None:
        raise HTTPException(422, " ".join(panel.reading.messages.values()))
    return panel.result


def figure_of(panel: Panel, name: str) -> Figure:
    """Find a figure of a panel by its name.

    Raises: HTTPException 404, or 422 when the form has to be changed first.
    """
    for figure in result_of(panel).figures:
        if figure.name == name:
            return figure
    raise HTTPException(404)


def model_line(panel: Panel) -> str:
    """Say which models answered, in one line."""
    return "; ".join(card.badge for card in panel.result.models) if panel.result else ""


def themed(address: str, request: Request) -> str:
    """Keep the theme that a link has fixed, in a new address of the same page."""
    theme = request.query_params.get("theme")
    if theme not in {"light", "dark"}:
        return address
    return f"{address}{'&' if '?' in address else '?'}theme={theme}"


class LabRoutes:
    """Answers for one lab: each method is one address."""

    def __init__(self, site: Site) -> None:
        """Keep the site that answers."""
        self.site = site

    def panel(self, lesson: str, lab: str, request: Request) -> Panel:
        """Read an address and compute the lab that it names."""
        found = self.site.find(lesson, lab)
        query = joined(found[1], request.query_params.multi_items())
        return self.site.bench.panel(*found, query)

    def filled_in(self, lesson: str, lab: str, request: Request) -> HTMLResponse:
        """Give the lesson with this lab filled in, or to a script the panel alone."""
        panel = self.panel(lesson, lab, request)
        if is_fragment(request):
            return self.fragment(panel, panel.address(), request)
        return lesson_page(self.site, request, panel.lesson, panel)

    def embedded(self, lesson: str, lab: str, request: Request) -> HTMLResponse:
        """Give the panel on a page of its own, to be framed elsewhere."""
        panel = replace(self.panel(lesson, lab, request), embedded=True)
        if is_fragment(request):
            return self.fragment(panel, panel.embed, request)
        return self.site.page("embed.html", request, status=status_of(panel), panel=panel)

    def fragment(self, panel: Panel, address: str, request: Request) -> HTMLResponse:
        """Give the panel alone, and the address of this state without its defaults."""
        answer = self.site.page("parts/lab.html", request, status=status_of(panel), panel=panel)
        if len(address) <= LONGEST_HEADER:
            answer.headers["HX-Replace-Url"] = themed(address, request)
        return answer

    def data_json(self, lesson: str, lab: str, request: Request) -> Response:
        """Give the result as data, unrounded."""
        panel = self.panel(lesson, lab, request)
        body = orjson.dumps(as_data(panel), option=orjson.OPT_SERIALIZE_NUMPY)
        return Response(body, status_of(panel), media_type="application/json")

    def data_csv(self, lesson: str, lab: str, request: Request) -> Response:
        """Give the result's figures as tables for a spreadsheet."""
        panel = self.panel(lesson, lab, request)
        text = csv_text(result_of(panel).figures)
        name = {"Content-Disposition": f'attachment; filename="{panel.lab.slug}.csv"'}
        return Response(text, 200, name, "text/csv; charset=utf-8")

    def data_page(self, lesson: str, lab: str, request: Request) -> HTMLResponse:
        """Give the result's figures as tables on a page."""
        panel = self.panel(lesson, lab, request)
        return self.site.page("data.html", request, status=status_of(panel), panel=panel)

    def figure_svg(self, lesson: str, lab: str, name: str, request: Request) -> Response:
        """Give one figure as a file that stands alone."""
        panel = self.panel(lesson, lab, request)
        finding = panel.result.finding if panel.result else ""
        drawing = standalone(figure_of(panel, name), finding, model_line(panel))
        return Response(drawing, media_type="image/svg+xml")

    def figure_json(self, lesson: str, lab: str, name: str, request: Request) -> Response:
        """Give one figure as Plotly draws it."""
        figure = figure_of(self.panel(lesson, lab, request), name)
        body = orjson.dumps(plotly(figure), option=orjson.OPT_SERIALIZE_NUMPY)
        return Response(body, media_type="application/json")

    def stream(self, lesson: str, lab: str, request: Request) -> Response:
        """Give an answer that grows, one event at a time, until it ends or the reader leaves."""
        found = self.site.find(lesson, lab)[1]
        query = joined(found, request.query_params.multi_items())
        return stream_events(found, self.site.bench.read(found, query), self.site.models)


def make_router(site: Site) -> APIRouter:
    """Set up the routes of all labs."""
    router, routes, lab = APIRouter(), LabRoutes(site), "/lessons/{lesson}/labs/{lab}"
    taking = site.turns.taking
    router.get(lab)(taking(routes.filled_in))
    router.get("/embed/{lesson}/{lab}")(taking(routes.embedded))
    router.get(lab + "/data.json")(taking(routes.data_json))
    router.get(lab + "/data.csv")(taking(routes.data_csv))
    router.get(lab + "/data")(taking(routes.data_page))
    router.get(lab + "/figures/{name}.svg")(taking(routes.figure_svg))
    router.get(lab + "/figures/{name}.json")(taking(routes.figure_json))
    router.get(lab + "/stream")(routes.stream)
    return router
