"""Serve the course: `python -m app`. What can be set is in app/settings.py."""

import errno
import socket
import sys

import uvicorn

from app.settings import Settings, read_settings

EVERY_NETWORK = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened on
# Seconds that a worker may be silent before it is replaced: a busy machine takes its time to start.
PATIENCE = 60
# Seconds that an answer may still take when the server is asked to end.
FAREWELL = 5


def address(settings: Settings) -> str:
    """Say what to type into a browser on this machine.

    Example:
        >>> address(Settings(host="0.0.0.0", port=8080))
        'http://localhost:8080'
    """
    here = (*EVERY_NETWORK, "127.0.0.1", "::1")
    host = "localhost" if settings.host in here else settings.host
    return f"http://{host}:{settings.port}"


def obstacle(settings: Settings) -> str:
    """Say why the chosen address cannot be listened on; empty when it can."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((settings.host, settings.port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return f"Port {settings.port} is taken. Choose another: make serve PORT=8080"
            if error.errno == errno.EACCES:
                return f"Port {settings.port} is for administrators: make serve PORT=8080"
            return f"Nobody can listen on {settings.host}: {error.strerror or error}."
    return ""


def main() -> int:
    """Start the workers and say where the course is."""
    settings = read_settings()
    if hindered := obstacle(settings):
        print(hindered)
        return 1
    print(f"The course opens at {address(settings)} (Ctrl+C ends it)", flush=True)
    uvicorn.run(
        "app.main:create_app" if settings.workers == 1 else "app.main:create_worker",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        log_level=settings.log_level,
        access_log=settings.log_level == "debug",
        server_header=False,
        ws="none",
        timeout_worker_healthcheck=PATIENCE,
        timeout_graceful_shutdown=FAREWELL,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
