"""Static files: kept for a year, sent compressed, small enough."""

import gzip
import re

import brotli
import pytest

from app.settings import ROOT
from app.web import assets


def test_a_file_is_sent_as_brotli_or_gzip_or_plain(client):
    script = (ROOT / "static/js/main.js").read_bytes()
    address = f"/static/{assets.version()}/js/main.js"
    for accepted, unpack in (("br", brotli.decompress), ("gzip", gzip.decompress)):
        with client.stream("GET", address, headers={"Accept-Encoding": accepted}) as answer:
            raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == accepted
        assert unpack(raw) == script
    with client.stream("GET", address, headers={"Accept-Encoding": "identity"}) as answer:
        assert b"".join(answer.iter_raw()) == script
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "Accept-Encoding"


def test_the_version_follows_the_content(tmp_path):
    (tmp_path / "a.css").write_text("a")
    before = assets.version(tmp_path)
    (tmp_path / "a.css").write_text("b")
    assert assets.version(tmp_path) != before


@pytest.mark.parametrize("page", ["/", "/lessons/attention", "/lessons/embeddings"])
def test_a_first_visit_is_under_700_kb_with_everything(page, client):
    """The page, its sheets, scripts and fonts, each as a browser would receive it."""
    answer = client.get(page, headers={"Accept-Encoding": "gzip"})
    total = int(answer.headers.get("content-length", len(gzip.compress(answer.content))))
    linked = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', answer.text))
    js = set((ROOT / "static/js").glob("*.js"))
    fonts = set((ROOT / "static/fonts").glob("*.woff2"))
    state = f"/static/{assets.version()}"
    linked |= {f"{state}/{p.relative_to(ROOT / 'static').as_posix()}" for p in js | fonts}
    for address in linked:
        with client.stream("GET", address, headers={"Accept-Encoding": "br"}) as file:
            assert file.status_code == 200, address
            total += len(b"".join(file.iter_raw()))
    assert total <= 700_000
