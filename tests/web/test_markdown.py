"""Lesson prose becomes the HTML that it says."""

import re

import pytest

from app.catalogue import Source
from app.web.markdown import maths, render_lesson

SOURCE = Source(id="a2017", authors="Ada, Bob", year=2017, title="T", where="W", url="https://x.y")


def html(text, labs=()):
    _, blocks = render_lesson(text, [SOURCE], list(labs))
    return "".join(block.html or f"[{block.lab or 'quiz'}]" for block in blocks)


def test_a_heading_takes_its_id_from_its_end():
    sections, _ = render_lesson("## The short answer {#short-answer}\n", [], [])
    assert [(s.id, s.title) for s in sections] == [("short-answer", "The short answer")]
    assert '<h2 id="short-answer">The short answer</h2>' in html(
        "## The short answer {#short-answer}"
    )


def test_a_formula_becomes_mathml():
    assert "<msub><mi>d</mi><mi>k</mi></msub>" in str(maths("d_k"))
    assert html("$d_k$").count("<math") == 1
    assert 'display="block"' in html("$$d_k$$")


def test_a_citation_links_to_its_reference():
    assert '<a class="cite" href="#source-a2017">Ada et al. 2017</a>' in html("So [@a2017].")


def test_a_citation_of_nothing_is_an_error():
    with pytest.raises(KeyError):
        html("So [@nobody1999].")


def test_a_lab_that_exists_has_its_place_and_another_leaves_no_trace():
    text = "Before.\n\n::: lab here\n:::\n\n::: lab there\n:::\n\nAfter."
    assert html(text, ["here"]).count("[here]") == 1
    assert "there" not in html(text, ["here"])


def test_an_experiment_links_to_its_lab_only_where_that_exists():
    text = "::: experiment here\nA claim.\n:::"
    assert 'href="#lab-here"' in html(text, ["here"])
    assert "href" not in html(text)
    assert "A claim." in html(text)


def test_raw_html_in_prose_is_text():
    assert "<script>" not in html("<script>alert(1)</script>")


def test_the_colours_of_query_key_and_value_are_classes():
    assert '<span class="query">queries</span>' in html("The [queries]{.query} ask.")


def test_a_full_stop_behind_a_formula_stays_on_its_line():
    assert re.search(r'<span class="unbroken">.*</math></span>\.</span>', html("So $T$."))
    assert "unbroken" not in html("So $T$ is.")
