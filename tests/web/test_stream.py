"""Answers that grow: sent step by step, refused in words, never more than a few at once."""

import asyncio

import pytest

from app.lab import BadInput, Lab, LabForm, Result, control
from app.web import stream
from app.web.forms import read_form


class CountForm(LabForm):
    """How far to count."""

    most: int = control("slider", 3, "Count to", ge=1, le=5)


def count(form, models):
    for n in range(1, form.most + 1):
        if n == 5:
            raise BadInput("most", "5 is too far")
        yield {"n": n}


def make_lab(steps=count):
    def nothing(_form, _models):
        return Result("", ())

    return Lab("count", 0, "?", CountForm, nothing, "", (), stream=steps)


def body(lab, query):
    return b"".join(stream.events(lab, lab.form.model_validate(query), None)).decode()


def test_each_step_is_an_event_and_the_end_is_said():
    assert body(make_lab(), {"most": "2"}) == (
        'event: step\ndata: {"n":1}\n\nevent: step\ndata: {"n":2}\n\nevent: done\ndata: {}\n\n'
    )


def test_what_goes_wrong_on_the_way_is_said_at_its_field():
    assert '{"field":"most","message":"5 is too far"}' in body(make_lab(), {"most": "5"})


def test_a_breakdown_is_said_without_its_trace(caplog):
    def broken(form, models):
        yield {"n": 1}
        raise RuntimeError("secret")

    said = body(make_lab(broken), {})
    assert "event: refused" in said
    assert "secret" not in said


def test_a_third_stream_at_once_is_asked_to_wait():
    lab, form = make_lab(), CountForm()
    first, second = (stream.events(lab, form, None) for _ in range(2))
    assert b"step" in next(first)
    assert b"step" in next(second)
    assert "event: refused" in body(lab, {})
    first.close()
    second.close()
    assert "event: done" in body(lab, {})


def test_a_form_that_is_wrong_is_refused_before_anything_starts():
    lab = make_lab()
    answer = stream.stream_events(lab, read_form(lab, {"most": "9"}), None)
    assert answer.status_code == 422


def test_a_lab_that_does_not_grow_has_no_stream(client):
    assert client.get("/lessons/attention/labs/attention-map/stream").status_code == 404


@pytest.mark.parametrize("text", ["line\nbreak", "event: x\n\n"])
def test_a_readers_line_breaks_cannot_make_events(text):
    assert stream.event("step", {"text": text}).count(b"\n\n") == 1


def send_to(reader, lab, finish):
    """Send a stream to a reader who may leave or stop reading; say if a place is free after it."""
    answer = stream.Events(stream.events(lab, CountForm(), None))
    left = asyncio.Event()

    async def receive():
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        if message.get("body"):
            await reader(left)

    finish(answer({"type": "http", "asgi": {"spec_version": "2.3"}}, receive, send))
    held = [stream.AT_ONCE.acquire(blocking=False) for _ in range(3)]
    for _ in filter(None, held):
        stream.AT_ONCE.release()
    return held == [True, True, False]


def test_a_reader_who_leaves_frees_the_place_at_once(finish):
    async def leaves(left):
        left.set()
        await asyncio.sleep(10)

    assert send_to(leaves, make_lab(), finish)


def test_a_reader_who_stops_reading_holds_a_place_only_for_a_while(monkeypatch, finish):
    async def stops(_left):
        await asyncio.sleep(10)

    monkeypatch.setattr(stream, "LONGEST", 0.05)
    assert send_to(stops, make_lab(), finish)


def test_a_text_beyond_every_limit_starts_no_stream(client):
    address = "/lessons/bert-vs-gpt/labs/next-token/stream"
    answer = client.get(address, params={"text": "word " * 1000})
    assert answer.status_code == 422
    assert "5000 characters" in answer.json()["errors"]["text"]
