"""How answers travel: HEAD for every page, compressed as asked, not sent twice when unchanged."""

from hashlib import blake2b

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.assets import accepted_encodings


class Heads:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def bare(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, bare)


class Compressed(GZipMiddleware):
    """Compresses with gzip where that is really accepted: "gzip;q=0" is a no."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            accepted = ", ".join(accepted_encodings(Headers(scope=scope).get("accept-encoding")))
            others = [each for each in scope["headers"] if each[0] != b"accept-encoding"]
            scope = {**scope, "headers": [*others, (b"accept-encoding", accepted.encode())]}
        await super().__call__(scope, receive, send)


class Unchanged:
    """Names the state of every whole answer, and says only "unchanged" to who has it already."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope).get("if-none-match", "")
        held: list[Message] = []  # the start of the answer, until its body is known

        async def compare(message: Message) -> None:
            if message["type"] == "http.response.start":
                held.append(message)
                return
            if held:
                start = held.pop()
                whole = not message.get("more_body", False)
                if whole and named(start, message.get("body", b""), asked):
                    message = {**message, "body": b""}
                await send(start)
            await send(message)

        await self.app(scope, receive, compare)


def named(start: Message, body: bytes, asked: str) -> bool:
    """Name the state of an answer in its headers; say whether the reader has it already."""
    headers = MutableHeaders(scope=start)
    if start["status"] != 200 or "immutable" in headers.get("cache-control", ""):
        return False
    headers.setdefault("Cache-Control", "no-cache")
    headers["ETag"] = f'W/"{blake2b(body, digest_size=12).hexdigest()}"'
    if not holds(asked, headers["ETag"]):
        return False
    start["status"] = 304
    for name in ("content-length", "content-type"):
        del headers[name]
    return True


def holds(asked: str, tag: str) -> bool:
    """Say whether a list of names has this one; weak and strong names compare alike here.

    Example:
        >>> holds('"a", W/"b"', 'W/"b"'), holds("*", 'W/"b"'), holds("", 'W/"b"')
        (True, True, False)

    Source: RFC 9110, sections 8.8.3.2 and 13.1.2.
    """
    names = {name.strip().removeprefix("W/") for name in asked.split(",")}
    return "*" in names or tag.removeprefix("W/") in names
