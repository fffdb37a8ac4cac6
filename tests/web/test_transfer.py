"""Answers travel well: HEAD, compression as asked, "unchanged", one after the other."""

import asyncio
import time

import pytest
from starlette.requests import Request
from starlette.responses import Response

from app.web.turns import LEFT, Turns

MAP = "/lessons/attention/labs/attention-map"
PAGES = ["/", "/sources", "/lessons/attention", MAP, f"{MAP}/data.json", "/healthz"]


@pytest.mark.parametrize("page", PAGES)
def test_head_gives_the_headers_of_get_and_no_body(page, client):
    whole, bare = client.get(page), client.head(page)
    assert bare.status_code == whole.status_code == 200
    assert bare.content == b""
    for name in ("content-type", "etag", "content-security-policy"):
        assert bare.headers.get(name) in {whole.headers.get(name), None}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_page_can_only_be_read_and_says_so(method, client):
    answer = client.request(method, "/lessons/attention")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert "can only be read" in answer.text


@pytest.mark.parametrize("page", PAGES)
def test_what_a_browser_has_already_is_not_sent_again(page, client):
    first = client.get(page)
    again = client.get(page, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == "no-cache"
    assert again.headers["content-security-policy"]
    assert client.get(page, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_page_and_its_fragment_are_not_taken_for_each_other(client):
    tag = client.get(MAP).headers["etag"]
    fragment = client.get(MAP, headers={"HX-Request": "true", "If-None-Match": tag})
    assert fragment.status_code == 200
    assert "HX-Request" in fragment.headers["vary"]


@pytest.mark.parametrize(
    "accepted, used",
    [
        ("gzip", "gzip"),
        ("GZIP;q=1.0", "gzip"),
        ("gzip;q=0", None),
        ("gzip; q=0.000, identity", None),
        ("xgzip", None),
        ("", None),
    ],
)
def test_a_page_is_compressed_as_the_browser_asks(accepted, used, client):
    answer = client.get("/lessons/attention", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("content-encoding") == used
    assert "Accept-Encoding" in answer.headers["vary"]


def asked(*, gone=False):
    async def receive():
        if gone:
            return {"type": "http.disconnect"}
        return await asyncio.sleep(10)

    return Request({"type": "http", "headers": []}, receive)


@pytest.mark.parametrize("places", [1, 2])
def test_only_a_few_answers_are_computed_at_once_in_the_order_they_came(places, finish):
    turns, now, most, order = Turns(places), [], [], []

    def answer(request, number):
        now.append(number)
        most.append(len(now))
        order.append(number)
        time.sleep(0.001)
        now.remove(number)
        return Response()

    async def everyone():
        taking = turns.taking(answer)
        await asyncio.gather(*(taking(request=asked(), number=n) for n in range(10)))

    finish(everyone())
    assert max(most) <= places
    assert sorted(order) == list(range(10))
    assert order == sorted(order) or places > 1


def test_nothing_is_computed_for_a_reader_who_has_left(finish):
    computed = []
    taking = Turns().taking(lambda request: computed.append(request) or Response())
    assert finish(taking(request=asked(gone=True))).status_code == LEFT
    assert computed == []
