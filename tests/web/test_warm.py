"""What the first reader would wait for is done ahead, and never in a reader's way."""

import threading
import time

from starlette.testclient import TestClient

from app.main import create_app
from app.models import Models
from app.settings import Settings
from app.web import warm
from app.web.site import make_site


def test_every_lab_is_computed_ahead_except_those_measured_anew(lessons):
    site = make_site(Settings(models="small"), lessons[:1], Models(None))
    warm.warm(site)
    kept = [lab for lab in lessons[0].labs if not lab.fresh]
    assert len(site.bench.memory) == len(kept) > 0


def test_a_lab_that_breaks_ahead_stops_nothing(lessons, monkeypatch, caplog):
    site = make_site(Settings(models="small"), lessons, Models(None))
    monkeypatch.setattr(site.bench, "panel", lambda *_: 1 / 0)
    warm.warm(site)
    assert "could not be computed ahead" in caplog.text


def test_nothing_is_computed_ahead_while_a_reader_is_answered(lessons):
    site = make_site(Settings(models="small"), lessons[:1], Models(None))
    site.turns.busy = 1
    ahead = threading.Thread(target=warm.warm, args=(site,), daemon=True)
    ahead.start()
    time.sleep(0.05)
    assert len(site.bench.memory) == 0
    site.turns.busy = 0
    ahead.join(60)
    assert len(site.bench.memory) > 0


def test_a_server_answers_while_it_still_gets_ready():
    with TestClient(create_app(Settings(models="small"))) as client:
        assert client.get("/healthz").status_code == 200
