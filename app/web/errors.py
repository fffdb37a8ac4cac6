"""What a reader sees when a page is not there or something broke: words, never a stack trace."""

import logging

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response

from app.web.security import headers_for
from app.web.site import Site

log = logging.getLogger("course")


def add_handlers(app: FastAPI, site: Site) -> None:
    """Let every error end in a page worth reading."""

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return answer(site, request, status)

    @app.exception_handler(Exception)
    async def broke(request: Request, error: Exception) -> Response:
        log.error("%s failed", request.url.path, exc_info=error)
        page = answer(site, request, 500)
        page.headers.update(headers_for(request.url.path))  # this answer passes no middleware
        return page


def answer(site: Site, request: Request, status: int) -> Response:
    """Draw the page of an error, or say it in JSON where data was asked for."""
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": status}, status)
    page: HTMLResponse = site.page("error.html", request, status=status, code=status)
    return page
