"""`python -m app` serves on the port and with the workers it was given, and says where."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from app.__main__ import address, main, obstacle
from app.settings import ROOT, Settings

PATIENCE = 60  # seconds


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    port = free_port()
    told = {"PORT": str(port), "MODELS": "small", "WORKERS": "2"}
    process = subprocess.Popen(
        [sys.executable, "-m", "app"],
        cwd=ROOT,
        env=os.environ | told,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            fetch(f"http://127.0.0.1:{port}/healthz")
            break
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    yield port, process
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)


def test_the_course_opens_where_the_command_says(server):
    port, process = server
    assert process.stdout is not None
    assert f"http://localhost:{port} " in process.stdout.readline()
    assert "<h1" in fetch(f"http://127.0.0.1:{port}/")


def test_small_serves_only_what_ships(server):
    health = fetch(f"http://127.0.0.1:{server[0]}/healthz")
    assert "random-encoder" in health
    assert "minilm" not in health


def test_a_taken_port_is_said_with_its_remedy(server, monkeypatch, capsys):
    monkeypatch.setenv("PORT", str(server[0]))
    assert main() == 1
    assert "make serve PORT=" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "abc", "PORT=abc: Input should be a valid integer"),
        ("PORT", "70000", "PORT=70000: Input should be less than or equal to 65535"),
        ("MODELS", "huge", "MODELS=huge: Input should be 'full' or 'small'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name, value, said, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=said):
        main()


def test_an_address_of_another_machine_is_not_called_a_taken_port(monkeypatch, capsys):
    monkeypatch.setenv("HOST", "nowhere.invalid")
    assert main() == 1
    assert capsys.readouterr().out.startswith("Nobody can listen on nowhere.invalid")


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("0.0.0.0", "http://localhost:8000"),
        ("127.0.0.1", "http://localhost:8000"),
        ("192.0.2.7", "http://192.0.2.7:8000"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(host, said):
    assert address(Settings(host=host, port=8000)) == said


def test_a_free_port_is_free_in_both_kinds_of_network():
    assert obstacle(Settings(host="127.0.0.1", port=free_port())) == ""
    if socket.has_dualstack_ipv6():
        assert obstacle(Settings(host="::1", port=free_port())) == ""
