"""Every word of the pages can be translated: none stands in a template outside of _()."""

import re

import pytest

from app.settings import ROOT

TEMPLATES = sorted([*ROOT.glob("templates/**/*.html"), *ROOT.glob("lessons/*/*.html")])
CODE = re.compile(r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
# Names that are the same in every language.
NAMES = {"SVG", "PNG", "CSV", "JSON", "SHA", "ms"}
SPOKEN = re.compile(
    r'\b(?:title|alt|placeholder|aria-label|data-(?:done|explore|back|failed|label))="([^"]*)"'
)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_word_of_a_template_stands_outside_of_the_catalogue(template):
    text = CODE.sub("", template.read_text(encoding="utf-8"))
    escaped = re.compile(r"&lt;.*?&gt;", re.DOTALL)  # markup that is shown: the frame to copy
    shown = re.sub(r"<[^>]*>|&[a-z]+;", " ", escaped.sub(" ", text))
    spoken = " ".join(SPOKEN.findall(text))
    assert set(re.findall(r"[^\W\d_]{2,}", f"{shown} {spoken}")) <= NAMES
