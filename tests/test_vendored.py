"""Scripts by others are the files that vendor.toml names, with their licences beside them."""

import hashlib
import tomllib

import pytest

from app.settings import ROOT

VENDOR = ROOT / "static" / "vendor"
SCRIPTS = tomllib.loads((VENDOR / "vendor.toml").read_text())["scripts"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script["name"])
def test_a_vendored_script_is_the_pinned_one(script):
    content = (VENDOR / script["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == script["sha256"]
    assert script["version"] in script["file"]
    assert (VENDOR / script["licence_file"]).stat().st_size > 200


def test_no_script_is_there_that_nobody_named():
    found = {path.name for path in VENDOR.glob("*.js")}
    assert found == {script["file"] for script in SCRIPTS}


def test_every_font_has_its_licence_beside_it():
    families = {"sans": "inter", "serif": "source-serif-4", "mono": "jetbrains-mono"}
    families["maths"] = "stix-two-math"
    for font in (ROOT / "static" / "fonts").glob("*.woff2"):
        family = families[font.stem.split("-")[0]]
        assert (font.parent / f"LICENSE-{family}.txt").exists()
