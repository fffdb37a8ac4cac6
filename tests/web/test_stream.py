"""Answers that grow: sent step by step, refused in words, never more than a few at once."""

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
