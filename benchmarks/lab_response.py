"""One answer of the attention map, T = 16: engine, figures, template; beside the engine alone."""

from itertools import count

from fastapi import FastAPI
from starlette.requests import Request

from app.catalogue import find_lessons
from app.engine.bert_fast import encode_fast
from app.main import create_app
from app.models import Models
from app.settings import ROOT, Settings
from app.web.site import make_site
from benchmarks.timing import Row, compare

# 13 words and a number, which the encoder cuts into 14 pieces; with its two own tokens that is 16.
WORDS = "the quick brown fox jumps over a lazy dog while it rains here"


def request(app: FastAPI) -> Request:
    """Make the request of a script that asks for the panel."""
    headers = [(b"host", b"localhost"), (b"hx-request", b"true")]
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "http", "query_string": b""}
    inside = {"app": app, "router": app.router, "server": ("localhost", 80)}
    return Request({**scope, **inside, "headers": headers})


def measure() -> list[Row]:
    """Answer a new sentence each time, so that nothing is remembered."""
    lessons, models = find_lessons(ROOT / "lessons"), Models.from_settings(Settings())
    site = make_site(Settings(), lessons, models)
    lesson = lessons[0]
    lab, asking = lesson.lab("attention-map"), request(create_app())
    assert lab is not None
    numbers = count(10)
    encoder = models.encoder()
    tokens = encoder.tokenizer.encode(f"{WORDS} 10")
    assert len(tokens) == 16

    def answer() -> None:
        panel = site.bench.panel(lesson, lab, {"text": f"{WORDS} {next(numbers) % 90 + 10}"})
        site.bench._results.clear()  # noqa: SLF001 (a new sentence each time)
        site.page("parts/lab.html", asking, panel=panel)

    def engine() -> None:
        encode_fast(tokens.ids, encoder.weights, encoder.config)

    return compare("attention map, whole answer", answer, {"its engine alone": engine})
