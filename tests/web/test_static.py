"""What the browser is sent: pinned scripts, small fonts, styles without raw colours."""

import hashlib
import re
import tomllib
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "static"
VENDORED = tomllib.loads((STATIC / "vendor" / "vendor.toml").read_text("utf-8"))["scripts"]
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
STYLES = sorted(p for p in (STATIC / "css").glob("*.css") if p.name != "tokens.css")


@pytest.mark.parametrize("script", VENDORED, ids=lambda script: script["name"])
def test_a_vendored_script_is_the_pinned_one(script: dict[str, str]) -> None:
    """Its hash, its version and its licence are what vendor.toml says."""
    data = (STATIC / "vendor" / script["file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == script["sha256"]
    assert script["version"].encode() in data
    assert (STATIC / "vendor" / script["licence_file"]).is_file()


def test_every_vendored_script_is_listed() -> None:
    """Nothing by others ships without its name and licence."""
    assert {p.name for p in (STATIC / "vendor").glob("*.js")} == {s["file"] for s in VENDORED}


def test_all_fonts_together_stay_under_150_kb() -> None:
    """A first visit must not wait for type."""
    assert sum(p.stat().st_size for p in (STATIC / "fonts").glob("*.woff2")) <= 150_000


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_short_and_checked(script: Path) -> None:
    """At most 100 lines; all but the list of imports are type-checked."""
    lines = script.read_text("utf-8").splitlines()
    assert len(lines) <= 100
    assert lines[0] == "// @ts-check" or script.name == "main.js"


def test_main_imports_every_custom_element() -> None:
    """A new element is not forgotten."""
    main = (STATIC / "js" / "main.js").read_text("utf-8")
    elements = [p.name for p in SCRIPTS if "customElements.define" in p.read_text("utf-8")]
    assert set(re.findall(r'"\./([\w-]+\.js)"', main)) == set(elements)


@pytest.mark.parametrize("style", STYLES, ids=lambda path: path.name)
def test_a_style_sheet_takes_its_colours_from_the_tokens(style: Path) -> None:
    """No raw colour outside tokens.css, and every name that is used is defined there."""
    text = style.read_text("utf-8")
    defined = set(re.findall(r"(--[\w-]+):", (STATIC / "css" / "tokens.css").read_text("utf-8")))
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(", text)
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= defined


@pytest.mark.parametrize("style", STYLES, ids=lambda path: path.name)
def test_a_style_sheet_has_no_gradient_and_no_shadow_as_decoration(style: Path) -> None:
    """Paper and ink; the only shadow allowed is a line drawn with one."""
    text = style.read_text("utf-8")
    assert "gradient(" not in text
    assert not re.findall(r"(?<!box-)text-shadow|drop-shadow|backdrop-filter", text)
