"""Every page is there, whole, safe and readable without scripts."""

import re
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from app.catalogue import find_lessons
from app.main import create_app
from app.settings import ROOT, Settings
from app.web.pages import PageRoutes

LESSONS = find_lessons(ROOT / "lessons")
PAGES = ["/", "/sources", *(f"/lessons/{lesson.slug}" for lesson in LESSONS)]
PAGES += [f"/embed/{lesson.slug}/{lab.slug}" for lesson in LESSONS for lab in lesson.labs]
VOID = {"meta", "link", "input", "br", "img", "hr", "source", "wbr", "col"}


class Wellformed(HTMLParser):
    """Notes tags that close what is not open, ids used twice, and inline code."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.ids = [], [], []
        self.labels, self.svg = set(), 0

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "style" or name.startswith(("on", "hx-on")):
                self.faults.append(f"inline {name} on {tag}")
            if name == "id":
                self.ids.append(value)
            outside = value and re.match(r"(https?:)?//", value)
            if name in {"src", "href"} and outside and tag != "a":
                self.faults.append(f"outside address {value} on {tag}")
        if tag == "script" and not dict(attrs).get("src"):
            self.faults.append("inline script")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"unexpected </{tag}>")


def faults(html):
    parser = Wellformed()
    parser.feed(html)
    twice = {each for each in parser.ids if parser.ids.count(each) > 1}
    return parser.faults + [f"id used twice: {each}" for each in twice] + parser.open


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_wellformed_and_has_nothing_inline_or_from_outside(page, client):
    answer = client.get(page)
    assert answer.status_code == 200
    assert faults(answer.text) == []
    assert len(re.findall(r"<h1[ >]", answer.text)) == 1
    assert '<html lang="en"' in answer.text
    assert re.search(r"<title>[^<]+</title>", answer.text)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_works_with_only_what_ships(page, small_client):
    answer = small_client.get(page)
    assert answer.status_code == 200
    if "attention-map" in page:
        assert "a toy" in answer.text


def test_random_weights_are_called_random_in_capitals(small_client):
    page = "/embed/attention/attention-map?model=random-encoder"
    assert "RANDOM weights, trained on nothing" in small_client.get(page).text


@pytest.mark.parametrize("page", [*PAGES, "/nowhere", "/healthz", "/static/x/js/main.js"])
def test_every_answer_carries_the_security_headers(page, client):
    headers = client.get(page).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy
    framing = "frame-ancestors *" if page.startswith("/embed/") else "frame-ancestors 'none'"
    assert policy.endswith(framing)
    assert headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    "page",
    [
        "/nowhere",
        "/lessons/nothing",
        "/lessons/attention/labs/nothing",
        "/lessons/embeddings/labs/attention-map",
        "/source/os.system",
        "/source/app.settings",
        "/static/x/../../pyproject.toml",
        "/static/x/%2e%2e/%2e%2e/pyproject.toml",
        "/static/x/vendor/vendor.toml",
    ],
)
def test_what_is_not_there_is_said_on_a_page_worth_reading(page, client):
    answer = client.get(page)
    assert answer.status_code == 404
    assert "<h1" in answer.text
    assert "Traceback" not in answer.text
    assert 'href="/"' in answer.text


def test_a_breakdown_shows_a_page_and_no_trace(client, monkeypatch):
    monkeypatch.setattr(PageRoutes, "health", lambda _routes: 1 / 0)
    answer = TestClient(create_app(Settings()), raise_server_exceptions=False).get("/healthz")
    assert answer.status_code == 500
    assert "<h1" in answer.text
    assert "ZeroDivision" not in answer.text
    assert answer.headers["content-security-policy"]


def test_the_sentence_is_carried_to_the_next_lesson(client):
    page = client.get("/lessons/attention", params={"text": "A <b>bold</b> dog"}).text
    assert "/lessons/embeddings?text=A+%3Cb%3Ebold%3C%2Fb%3E+dog" in page
    assert "<b>bold</b>" not in page


def test_a_theme_can_be_asked_for_by_address_and_nothing_else_can(client):
    assert 'data-theme="dark"' in client.get("/?theme=dark").text
    assert "data-theme" not in client.get('/?theme="><script>').text.split("<body")[0]


def test_a_text_beyond_every_limit_is_refused_with_its_length(client):
    address = "/lessons/attention/labs/attention-map"
    answer = client.get(address, params={"text": "word " * 1000})
    assert answer.status_code == 422
    assert "5000 characters" in answer.text


def test_the_health_check_names_the_models(client):
    answer = client.get("/healthz").json()
    assert answer["status"] == "ok"
    assert "glove-20k" in answer["models"]


def test_a_function_that_a_lab_shows_can_be_opened_on_its_own(client):
    page = client.get("/source/attention.attend")
    assert page.status_code == 200
    assert "app/engine/attention.py" in page.text
    assert "softmax" in page.text
