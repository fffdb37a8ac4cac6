"""Lesson prose becomes the HTML that it says."""

import re

import pytest

from app.catalogue import Source
from app.web.markdown import letter, maths, render_lesson, short_name

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
    assert '<a class="cite" href="#source-a2017">Ada and Bob 2017</a>' in html("So [@a2017].")


@pytest.mark.parametrize(
    ("authors", "shown"),
    [
        ("Ada", "Ada 2017"),
        ("Ada, Bob", "Ada and Bob 2017"),
        ("Ada, Bob, Cy", "Ada et al. 2017"),
        ("Ada and others, Firm", "Ada et al. 2017"),
        ("Ada, Bob, and 27 others", "Ada et al. 2017"),
        ("Llama Team, Meta", "Llama Team 2017"),
    ],
)
def test_a_citation_names_one_author_two_a_team_or_the_first_of_many(authors, shown):
    assert short_name(SOURCE.model_copy(update={"authors": authors})) == shown


def test_two_works_of_the_same_people_and_year_are_told_apart():
    twin = SOURCE.model_copy(update={"id": "a2017b"})
    assert [letter(each, [SOURCE, twin]) for each in (SOURCE, twin)] == ["a", "b"]
    assert letter(SOURCE, [SOURCE]) == ""


def test_minus_infinity_stays_together_and_bars_keep_the_height_of_the_line():
    assert "<mi>&#x02212;&#x0221E;</mi>" in str(maths(r"{-\infty}"))
    assert str(maths(r"\lVert u\rVert^2")).count('stretchy="false"') == 2


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


def test_a_function_stands_off_its_argument_and_thousands_stay_one_number():
    assert str(maths(r"\log P")).count("<mspace") == str(maths(r"\log\,P")).count("<mspace") == 1
    assert "<mspace" in str(maths(r"\log_2 P"))
    assert "<mspace" not in str(maths(r"\log(x)")) + str(maths(r"\log"))
    assert "<mn>32,768</mn>" in str(maths(r"32{,}768"))


def test_a_sign_stands_close_to_its_number_and_a_difference_keeps_its_space():
    assert 'form="prefix"' in str(maths("(1, -2)"))
    assert 'form="prefix"' not in str(maths("1-2"))
