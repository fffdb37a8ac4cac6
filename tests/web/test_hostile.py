"""What a stranger may send: answered in words, as text, never as markup, a header or a trace."""

import json
import xml.etree.ElementTree as ET

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings

MAP = "/lessons/attention/labs/attention-map"
FRAGMENT = {"HX-Request": "true"}
# Percent-encoded as they arrive: zero bytes, halves of characters, broken UTF-8, directions,
# joiners, many accents, templates, markup, formulas, a header, what XML cannot hold.
ODD = {
    "zero byte": "a%00b",
    "lone surrogate": "%ED%A0%80x",
    "broken utf-8": "%FF%FEx",
    "right to left": "%E2%80%AEabc%E2%80%AC",
    "joiners": "a%E2%80%8Db%E2%80%8Dc",
    "accents": "e" + "%CC%81" * 600,
    "template": "%7B%7B7*7%7D%7D",
    "script": "%3Cscript%3Ealert(1)%3C/script%3E",
    "cell": "%3C/td%3E%3C/svg%3E%3C/title%3E",
    "attribute": "%22%3E%3Csvg%20onload=alert(1)%3E",
    "formula": "=HYPERLINK(%22http://x%22)",
    "header": "a%0D%0ASet-Cookie:%20x=1",
    "not xml": "a%EF%BF%BEb%EF%BF%BFc%0Bd",
}
EACH = pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())


@EACH
def test_odd_text_is_text_on_the_page_and_breaks_no_header(text, client):
    answer = client.get(f"{MAP}?text={text}", headers=FRAGMENT)
    assert answer.status_code in {200, 422}
    for markup in ("<script>alert", "<svg onload", "</td></svg></title>", "49}}", ">49<"):
        assert markup not in answer.text
    assert "set-cookie" not in answer.headers
    state = answer.headers.get("HX-Replace-Url", "")
    assert state.isascii()
    assert state.isprintable()


def test_no_header_grows_beyond_what_proxies_take(client):
    answer = client.get(MAP, params={"text": "界" * 1900}, headers=FRAGMENT)
    assert answer.status_code == 422
    assert max(len(value) for value in answer.headers.values()) < 4000
    assert "界" * 1900 in answer.text


@EACH
def test_odd_text_stays_text_in_every_file(text, client):
    data = client.get(f"{MAP}/data.json?text={text}")
    assert data.status_code in {200, 422}
    figures = json.loads(data.text, parse_constant=pytest.fail).get("figures", [])
    for figure in figures:
        drawing = client.get(f"{MAP}/figures/{figure['name']}.svg?text={text}")
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(drawing.content).iter()}
        assert tags <= {"svg", "g", "path", "rect", "text", "tspan", "title", "line", "circle",
                        "style", "desc", "image", "pattern", "defs", "use"}  # fmt: skip
    table = client.get(f"{MAP}/data.csv?text={text}").text
    assert not any(cell.lstrip('"').startswith("=") for cell in table.split(","))


@pytest.mark.parametrize("number", ["1e999", "NaN", "-inf", "0x10", "9" * 400, "", "1;2", "%00"])
def test_what_is_no_number_is_refused_at_its_field_with_the_text_kept(number, client):
    answer = client.get(f"{MAP}?layer={number}", headers=FRAGMENT)
    assert answer.status_code == 422
    assert 'role="alert">The' in answer.text or 'role="alert">Type' in answer.text


def test_an_unknown_model_is_named_with_those_there_are(client):
    answer = client.get(f"{MAP}?model=%3Cb%3Egpt", headers=FRAGMENT)
    assert answer.status_code == 422
    assert "choose one of" in answer.text
    assert "<b>gpt" not in answer.text


@pytest.mark.parametrize("name", ["%00.css", "a" * 5000 + ".css", "%FF.css", "..%2f..%2fx.css"])
def test_a_name_that_no_file_can_have_is_not_there(name, client):
    answer = client.get(f"/static/x/{name}")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/plain")


def test_an_error_for_a_script_is_a_line_that_replaces_nothing(client):
    answer = client.get("/lessons/attention/labs/nothing", headers=FRAGMENT)
    assert answer.status_code == 404
    assert answer.headers["HX-Reswap"] == "none"
    assert "<html" not in answer.text


def test_an_error_in_a_frame_has_no_navigation_of_the_course(client):
    answer = client.get("/embed/attention/nothing")
    assert answer.status_code == 404
    assert "<h1" in answer.text
    assert "<nav" not in answer.text


def test_an_error_of_a_file_says_what_to_change(client):
    for file in ("figures/map.svg", "data.csv"):
        answer = client.get(f"{MAP}/{file}?text=")
        assert answer.status_code == 422
        assert answer.text.startswith("There is nothing to read yet.")
    answer = client.get(f"{MAP}/figures/map.json?text=").json()
    assert answer["error"] == 422
    assert answer["message"].startswith("There is nothing to read yet.")


def test_addresses_to_take_along_follow_the_proxy_or_the_setting():
    behind = TestClient(create_app(Settings(models="small")), base_url="https://proxy.example")
    assert f'value="https://proxy.example{MAP}?' in behind.get(f"{MAP}?text=cat").text
    fixed = create_app(Settings(models="small", public_address="https://course.example"))
    page = TestClient(fixed, base_url="http://forged.example").get(f"{MAP}?text=cat").text
    assert f'value="https://course.example{MAP}?' in page
    assert "forged.example" not in page
