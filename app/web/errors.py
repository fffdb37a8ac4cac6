"""What a reader sees when a page is not there or something broke: words, never a stack trace."""

import logging
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response

from app.i18n import _
from app.web.security import headers_for
from app.web.site import Site, is_fragment

log = logging.getLogger("course")
# Addresses of files: who asks for one is a program, or saves it.
FILES = (".svg", ".csv", ".js", ".css", ".woff2", ".png", "/stream")


def add_handlers(app: FastAPI, site: Site) -> None:
    """Let every error end in a page worth reading."""

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 (registered for it)
        page = answer(site, request, error.status_code, words(error))
        page.headers.update(error.headers or {})
        if page.headers.get("Allow") == "GET":
            page.headers["Allow"] = "GET, HEAD"
        return page

    @app.exception_handler(Exception)
    async def broke(request: Request, error: Exception) -> Response:
        log.error("%s failed", request.url.path, exc_info=error)
        page = answer(site, request, 500, _("Something broke on our side. Try again."))
        page.headers.update(headers_for(request.url.path))  # this answer passes no middleware
        return page


def words(error: HTTPException) -> str:
    """Say in a sentence why a request is refused: its own words, or what its number means."""
    own = error.detail
    if own and own != HTTPStatus(error.status_code).phrase:
        return own
    sentences: Mapping[int, str] = {
        404: _("There is nothing at this address."),
        405: _("This address can only be read."),
    }
    return sentences.get(error.status_code, _("This request cannot be answered."))


def answer(site: Site, request: Request, status: int, said: str) -> Response:
    """Say an error as what was asked for: as data, as a line of text, as a fragment, as a page."""
    path = request.url.path
    if path.endswith(".json"):
        return JSONResponse({"error": status, "message": said}, status)
    if path.endswith(FILES):
        return PlainTextResponse(f"{said}\n", status)
    if is_fragment(request):
        fragment: Response = site.page("parts/refused.html", request, status=status, said=said)
        fragment.headers["HX-Reswap"] = "none"  # the old picture stays
        return fragment
    bare = path.startswith("/embed/")
    page: Response = site.page(
        "error.html", request, status=status, code=status, said=said, bare=bare
    )
    return page
