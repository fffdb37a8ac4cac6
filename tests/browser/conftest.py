"""A real browser on a real server: Debian's Chromium, and the course on a free port."""

import shutil
import socket
import threading
import time

import pytest
import uvicorn
from playwright.sync_api import sync_playwright

from app.main import create_app
from app.settings import Settings

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) =>
  violations.push(event.violatedDirective + " " + event.blockedURI));
"""


@pytest.fixture(scope="session")
def address():
    """The course, served by a thread of this process."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    config = uvicorn.Config(create_app(Settings()), port=port, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=10)


@pytest.fixture(scope="session")
def browser():
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    if chromium is None:
        pytest.fail("no Chromium is installed; `make test` says how to get it")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


class Watched:
    """A page, and everything that went wrong on it."""

    def __init__(self, page, address):
        self.page, self.address, self.faults = page, address, []
        page.add_init_script(WATCH)
        page.on("console", self.note_console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", self.note_request)

    def note_console(self, message):
        # A refused form is answered with 422, which the browser logs as an error of its own.
        if message.type in {"error", "warning"} and "422" not in message.text:
            self.faults.append(f"console: {message.text}")

    def note_request(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.faults.append(f"outside: {request.url}")

    def open(self, path):
        self.page.goto(self.address + path, wait_until="networkidle")
        return self.page

    def all_faults(self):
        return self.faults + self.page.evaluate("window.violations ?? []")


@pytest.fixture
def watched(browser, address, request):
    """A fresh page; @pytest.mark.context(...) sets width, theme or scripts."""
    mark = request.node.get_closest_marker("context")
    context = browser.new_context(**(mark.kwargs if mark else {}))
    context.set_default_timeout(15_000)
    yield Watched(context.new_page(), address)
    context.close()
