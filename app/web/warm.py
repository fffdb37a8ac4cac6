"""What the first reader would wait for is done while nobody asks: models opened, labs computed."""

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from threading import Thread

from fastapi import FastAPI

from app.web.site import Site

log = logging.getLogger("course")
PAUSE = 0.1  # seconds


def warm(site: Site) -> None:
    """Compute every lab as it stands on its page at first; what fails here is said when asked."""
    for lesson in site.lessons:
        for lab in lesson.labs:
            while site.turns.busy:  # readers come first
                time.sleep(PAUSE)
            try:
                site.bench.panel(lesson, lab, {})
            except Exception:
                log.exception("%s could not be computed ahead", lab.slug)


def warming(site: Site) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Make the application start this in a thread that nobody waits for."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        Thread(target=warm, args=(site,), name="warm", daemon=True).start()
        yield

    return lifespan
