"""Answers that grow: a lab's stream as server-sent events."""

import logging
from collections.abc import Iterator, Mapping
from threading import BoundedSemaphore

import orjson
from fastapi import HTTPException
from starlette.responses import JSONResponse, Response, StreamingResponse

from app.i18n import _
from app.lab import BadInput, Lab, LabForm
from app.models import ModelError, Models
from app.web.forms import read_form

log = logging.getLogger("course")
# More at once on one core would be slower for each than waiting for a turn.
AT_ONCE = BoundedSemaphore(2)
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


def stream_events(lab: Lab, query: Mapping[str, str], models: Models) -> Response:
    """Check the form, and send what the lab yields as it comes.

    Raises: HTTPException 404, for a lab whose answer does not grow.
    """
    if lab.stream is None:
        raise HTTPException(404)
    reading = read_form(lab, query)
    if reading.form is None:
        return JSONResponse({"errors": reading.messages}, 422)
    return StreamingResponse(
        events(lab, reading.form, models), media_type="text/event-stream", headers=HEADERS
    )


def events(lab: Lab, form: LabForm, models: Models) -> Iterator[bytes]:
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
