"""The application: the only place where the parts meet."""

import signal

from fastapi import FastAPI

from app.catalogue import find_lessons
from app.models import Models
from app.settings import ROOT, Settings
from app.web import assets, errors, labs, pages
from app.web.security import SecurityHeaders
from app.web.site import make_site
from app.web.transfer import Compressed, Heads, Unchanged
from app.web.warm import warming


def create_app(settings: Settings | None = None) -> FastAPI:
    """Put the course together: settings, lessons, models, routes."""
    settings = settings or Settings()
    lessons = find_lessons(ROOT / "lessons", settings.course_language)
    site = make_site(settings, lessons, Models.from_settings(settings))
    app = FastAPI(
        title="Basics of Transformers",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=warming(site),
    )
    # The last one is the outermost.
    app.add_middleware(Unchanged)
    app.add_middleware(Compressed, minimum_size=1000, compresslevel=6)
    app.add_middleware(Heads)
    app.add_middleware(SecurityHeaders)
    for router in (assets.make_router(), pages.make_router(site), labs.make_router(site)):
        app.include_router(router)
    errors.add_handlers(app, site)
    return app


def create_worker() -> FastAPI:
    """Make the application of one worker of several: the first process ends it, not Ctrl+C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return create_app()
