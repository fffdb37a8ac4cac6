"""Whole answers of two labs, engine, figures and template together; each beside its engine alone.

Every call asks something new and the workbench forgets what it knew, so that nothing is answered
from memory, except the keys and values of a prompt that only grew.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle

from fastapi import FastAPI
from starlette.requests import Request

from app.catalogue import find_lessons
from app.engine.bert_fast import encode_fast
from app.main import create_app
from app.models import Models
from app.settings import ROOT, Settings
from app.web.memory import Memory
from app.web.site import Site, make_site
from benchmarks.models import folder_of
from benchmarks.timing import Fact, Row, compare

# 13 words and a number, which the encoder cuts into 14 pieces; with its two own tokens that is 16.
ENCODED = "the quick brown fox jumps over a lazy dog while it rains here"
# With a word of the first list before it and one of the second behind, these are 12 tokens.
PROMPT = " the old man went down to the river with his"
FIRST = ("And", "But", "When", "After", "Before", "While", "Where", "So", "Then", "Today")
LAST = ("dog", "son", "wife", "boat", "friend", "horse", "brother", "father", "mother", "sister")
Ask = Callable[[str], object]


def request(app: FastAPI) -> Request:
    """Make the request of a script that asks for the panel."""
    headers = [(b"host", b"localhost"), (b"hx-request", b"true")]
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "http", "query_string": b""}
    inside = {"app": app, "router": app.router, "server": ("localhost", 80)}
    return Request({**scope, **inside, "headers": headers})


def measure() -> list[Row | Fact]:
    """Answer a new sentence each time."""
    for name in ("minilm", "smollm2"):
        folder_of(name)
    settings = Settings()
    lessons, models = find_lessons(ROOT / "lessons"), Models.from_settings(settings)
    site, asking = make_site(settings, lessons, models), request(create_app())
    return [
        *attention_map(models, asker(site, asking, "attention-map")),
        *next_token(models, asker(site, asking, "next-token")),
    ]


def asker(site: Site, asking: Request, slug: str) -> Ask:
    """Give the function that has a lab answer one text, up to the finished panel."""
    places = ((lesson, lesson.lab(slug)) for lesson in site.lessons)
    lesson, lab = next((lesson, lab) for lesson, lab in places if lab)

    def ask(text: str) -> object:
        site.bench.memory = Memory()
        panel = site.bench.panel(lesson, lab, {"text": text})
        if panel.result is None:
            raise AssertionError(panel.reading.messages)
        return site.page("parts/lab.html", asking, panel=panel)

    return ask


def attention_map(models: Models, ask: Ask) -> list[Row]:
    """Answer 16 tokens with the attention map."""
    encoder = models.encoder()
    ids = encoder.tokenizer.encode(f"{ENCODED} 10").ids
    assert len(ids) == 16
    texts = cycle(f"{ENCODED} {number}" for number in range(10, 100))
    engine = partial(encode_fast, ids, encoder.weights, encoder.config)
    name = "lab attention-map, whole answer, T=16"
    return compare(name, partial(ask_next, ask, texts), {"its engine alone": engine})


def next_token(models: Models, ask: Ask) -> list[Row]:
    """Answer a prompt of 12 tokens, from nothing and when only its last token is new."""
    decoder = models.decoder()
    anew = [f"{word}{PROMPT} {LAST[0]}" for word in FIRST]
    grown = [f"{FIRST[0]}{PROMPT} {word}" for word in LAST]
    cut = [decoder.tokenizer.encode(text, add_special=False).ids for text in anew + grown]
    assert all(len(ids) == 12 for ids in cut)
    ids, (_, cache) = cut[0], decoder.read(cut[0][:-1])
    name = "lab next-token, whole answer, 12 tokens"
    runs = (
        (f"{name} anew", cycle(anew), lambda: decoder.read(ids)),
        (f"{name}, 1 new", cycle(grown), lambda: decoder.read(ids[-1:], cache)),
    )
    return [
        row
        for name, texts, engine in runs
        for row in compare(
            name, partial(ask_next, ask, texts), {"its engine alone": engine}, rounds=11
        )
    ]


def ask_next(ask: Ask, texts: Iterator[str]) -> object:
    """Ask a lab the next of some texts."""
    return ask(next(texts))
