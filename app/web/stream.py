"""Answers that grow: a lab's stream as server-sent events."""

import logging
from collections.abc import Generator, Mapping
from threading import BoundedSemaphore

import orjson
from anyio import move_on_after
from fastapi import HTTPException
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from app.i18n import _
from app.lab import BadInput, Lab, LabForm
from app.models import ModelError, Models
from app.web.forms import Reading

log = logging.getLogger("course")
# More at once on one core would be slower for each than waiting for a turn.
AT_ONCE = BoundedSemaphore(2)
# Seconds after which a stream ends whatever happens: a reader who stops reading blocks a place.
LONGEST = 180
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event(name: str, data: Mapping[str, object]) -> bytes:
    r"""Write one server-sent event.

    Example:
        >>> event("done", {"n": 1})
        b'event: done\ndata: {"n":1}\n\n'

    Source: HTML Living Standard, section 9.2.
    """
    body = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)
    return b"event: %s\ndata: %s\n\n" % (name.encode(), body)


def stream_events(lab: Lab, reading: Reading, models: Models) -> Response:
    """Refuse a form that is wrong, or send what the lab yields as it comes.

    Raises: HTTPException 404, for a lab whose answer does not grow.
    """
    if lab.stream is None:
        raise HTTPException(404)
    if reading.form is None:
        return JSONResponse({"errors": reading.messages}, 422)
    return Events(events(lab, reading.form, models))


class Events(StreamingResponse):
    """Sends events until there are no more, the reader leaves, or the time is over."""

    def __init__(self, steps: Generator[bytes, None, None]) -> None:
        """Keep the steps, so that they can be ended."""
        super().__init__(steps, media_type="text/event-stream", headers=HEADERS)
        self.steps = steps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; in the end the steps give their place free, at once."""
        try:
            with move_on_after(LONGEST):
                await super().__call__(scope, receive, send)
        finally:
            self.steps.close()


def events(lab: Lab, form: LabForm, models: Models) -> Generator[bytes, None, None]:
    """Send each step of a lab, then "done"; what goes wrong is said in an event."""
    assert lab.stream is not None  # noqa: S101 (checked by the caller)
    if not AT_ONCE.acquire(blocking=False):
        message = _("The server is writing for others right now. Try again in a few seconds.")
        yield event("refused", {"field": "", "message": message})
        return
    try:
        for step in lab.stream(form, models):
            yield event("step", step)
        yield event("done", {})
    except BadInput as error:
        yield event("refused", {"field": error.field, "message": error.message})
    except ModelError as error:
        yield event("refused", {"field": "", "message": str(error)})
    except Exception:
        log.exception("%s stopped streaming", lab.slug)
        yield event("refused", {"field": "", "message": _("Something broke. Try again.")})
    finally:
        AT_ONCE.release()
