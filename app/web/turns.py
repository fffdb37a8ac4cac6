"""Who computes when: a few at a time, in the order in which they came."""

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import Request
from starlette.responses import Response

# A second one computes while NumPy lets the first one's thread go; more only slow each other down.
AT_ONCE = 2
LEFT = 499  # as nginx logs it: the reader has gone, nobody gets this answer

Answer = Callable[..., Response]


class Turns:
    """Lets a few answers be computed at once; the others wait in line, holding no thread."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        """Open that many places."""
        self.places = CapacityLimiter(at_once)
        self.busy = 0  # readers who wait or are being answered

    def taking(self, answer: Answer) -> Callable[..., Awaitable[Response]]:
        """Make an answer wait for its turn; for a reader who has left nothing is computed."""

        @wraps(answer)
        async def in_turn(request: Request, **names: Any) -> Response:
            self.busy += 1
            try:
                async with self.places:
                    if await request.is_disconnected():
                        return Response(status_code=LEFT)
                    return await to_thread.run_sync(partial(answer, request=request, **names))
            finally:
                self.busy -= 1

        return in_turn
