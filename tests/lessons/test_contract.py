"""What every lesson and every lab must keep, found by being there."""

import contextlib
import functools
import importlib
import io
import json
import math
import re
import sys
import warnings

import numpy as np
import pytest

from app.catalogue import find_lessons
from app.settings import ROOT
from app.web.markdown import PARSER, render_lesson
from app.web.panel import Workbench

LESSONS = find_lessons(ROOT / "lessons")
PAIRS = [(lesson, lab) for lesson in LESSONS for lab in lesson.labs]
LABS = pytest.mark.parametrize("lesson, lab", PAIRS, ids=[lab.slug for _, lab in PAIRS])
EACH_LESSON = pytest.mark.parametrize("lesson", LESSONS, ids=[each.slug for each in LESSONS])
# Sentences nobody prepared: one word, code, accents, emoji, right to left, two scripts, markup,
# a typed special token, the same words again, a very long word, marks only, combining signs.
SENTENCES = (
    "Hi",
    "for x in range(3): print(x ** 2)",
    "Café crème, naïve façade: déjà vu?",
    "I 🧡 my 👩‍🚀 sister's 🐈‍⬛ cat",
    "שלום עולם, how are you?",
    "北京 is 大きい and Москва тоже",
    "<script>alert('x')</script> </td> & \"quotes\"",
    "[SEP] means nothing [MASK] here [CLS]",
    "the cat sat on the mat the cat sat on the mat",
    "a" * 300,
    "?!... --- ***",
    "Z̴a̸l̷g̵o̴ text é",
    "one " * 120,
)
NOTHING = ("", " ", "\n\t", "\x00\x07", "\u200b")


@EACH_LESSON
def test_a_lesson_has_every_part_in_order(lesson):
    sections, _ = render_lesson(lesson.prose, lesson.facts.sources, [])
    ids = [section.id for section in sections]
    parts = [
        "short-answer",
        "analogy",
        "goal",
        "foundations",
        "story",
        "mechanics",
        "trap",
        "today",
    ]
    parts += ["history", "remember", "quiz", "next"]
    assert [each for each in ids if each in parts] == parts


@EACH_LESSON
def test_every_formula_of_a_lesson_becomes_mathml(lesson):
    _, blocks = render_lesson(lesson.prose, lesson.facts.sources, [])
    html = "".join(block.html or "" for block in blocks)
    count = len(re.findall("<math ", html))
    formulas = sum(
        child.type.startswith("math_")
        for token in PARSER.parse(lesson.prose)
        for child in (token, *(token.children or ()))
    )
    assert count == formulas > 0
    assert "<merror" not in html
    assert "\\" not in re.sub(r"<(code|pre).*?</\1>", "", html, flags=re.DOTALL)


@EACH_LESSON
def test_every_quiz_question_points_to_a_section_that_exists(lesson):
    sections, _ = render_lesson(lesson.prose, lesson.facts.sources, [])
    assert {q.section for q in lesson.quiz} <= {section.id for section in sections}


@EACH_LESSON
def test_every_lab_has_its_place_in_the_prose(lesson):
    places = re.findall(r"^::: lab ([a-z0-9-]+)$", lesson.prose, re.MULTILINE)
    assert [lab.slug for lab in lesson.labs] == [p for p in places if lesson.lab(p)]


@LABS
@pytest.mark.parametrize("size", ["full", "small"])
def test_the_default_form_is_answered_with_everything(lab, lesson, size, request):
    models = request.getfixturevalue("models" if size == "full" else "small_models")
    result = lab.compute(lab.form(), models)
    assert result.finding
    assert result.figures
    assert result.maths
    assert result.maths[0].shapes or result.maths[0].numbers
    assert result.snippet is not None
    assert math.isfinite(result.engine_ms)
    names = [figure.name for figure in result.figures]
    assert len(set(names)) == len(names)


@LABS
@pytest.mark.parametrize("size", ["full", "small"])
def test_the_lines_to_reproduce_a_number_print_it(lab, lesson, size, request):
    models = request.getfixturevalue("models" if size == "full" else "small_models")
    snippet = lab.compute(lab.form(), models).snippet
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet.code, "<snippet>", "exec"), {})
    assert printed.getvalue().strip() == snippet.prints


@LABS
def test_the_functions_whose_source_is_shown_are_the_ones_that_ran(
    lab, lesson, models, monkeypatch
):
    if any(entry.wheel for entry in models.missing()):
        pytest.skip("what ran depends on the model; the full set is not installed")
    called = set()

    def wrap(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            called.add(function)
            return function(*args, **kwargs)

        return wrapper

    for function in lab.shows:
        assert function.__module__.startswith("app.engine.")
        wrapped = wrap(function)
        for module in [m for n, m in sys.modules.items() if n.startswith(("app.", "lessons."))]:
            if vars(module).get(function.__name__) is function:
                monkeypatch.setattr(module, function.__name__, wrapped)
    module = importlib.import_module(lab.compute.__module__)
    getattr(module, lab.compute.__name__)(lab.form(), models)
    assert called == set(lab.shows)


@LABS
@pytest.mark.parametrize("size", ["full", "small"])
def test_every_preset_that_is_offered_is_answered(lab, lesson, size, request):
    models = request.getfixturevalue("models" if size == "full" else "small_models")
    bench = Workbench(models)
    offered = bench.panel(lesson, lab, {}).presets
    assert offered == lab.presets or size == "small"
    for preset in offered:
        answer = bench.panel(lesson, lab, dict(preset.values))
        assert not answer.reading.messages, preset.label


@LABS
@pytest.mark.parametrize("text", SENTENCES, ids=range(len(SENTENCES)))
def test_any_sentence_is_answered_and_escaped(lab, lesson, text, client):
    page = client.get(f"/embed/{lesson.slug}/{lab.slug}", params={"text": text})
    assert page.status_code in {200, 422}
    assert "<script>alert" not in page.text
    assert "</td> &" not in page.text
    visible = re.sub(r"<(code|pre|textarea|script|style).*?</\1>", "", page.text, flags=re.DOTALL)
    assert not re.search(r"[>\s]nan[<\s]", visible)
    if page.status_code == 422:
        assert re.search(r'role="alert">\s*\w', page.text)


@LABS
@pytest.mark.parametrize("text", NOTHING, ids=map(repr, NOTHING))
def test_nothing_typed_is_answered_with_what_to_change(lab, lesson, text, client):
    if "text" not in lab.form.model_fields:
        pytest.skip("this lab reads no sentence")
    page = client.get(f"/lessons/{lesson.slug}/labs/{lab.slug}", params={"text": text})
    if page.status_code == 422:
        assert re.search(r'role="alert">\s*\w', page.text)
    else:  # a lab that reads words of its own may do without a sentence
        assert page.status_code == 200


@LABS
def test_every_number_beyond_its_limits_is_refused_and_kept(lab, lesson, client):
    for name, field in lab.form.model_fields.items():
        if field.annotation not in {int, float}:
            continue
        for value in ("999999999", "-999999999", "x", "nan", "1e400"):
            page = client.get(f"/embed/{lesson.slug}/{lab.slug}", params={name: value})
            assert page.status_code == 422, (name, value)


@LABS
def test_the_fragment_is_a_part_of_the_page(lab, lesson, client):
    address = f"/lessons/{lesson.slug}/labs/{lab.slug}"
    fragment = client.get(address, headers={"HX-Request": "true"})
    page = client.get(address)
    assert fragment.headers["Vary"].startswith("HX-Request")
    assert fragment.text.strip() in page.text


@LABS
def test_the_data_are_unrounded_and_complete(lab, lesson, client, models):
    address = f"/lessons/{lesson.slug}/labs/{lab.slug}/data.json"
    answer = json.loads(client.get(address).text)
    assert set(answer) >= {"lab", "inputs", "model", "figures", "finding"}
    assert answer["lab"] == lab.slug
    result = lab.compute(lab.form(), models)
    assert [figure["kind"] for figure in answer["figures"]] == [f.kind for f in result.figures]
    for shown, figure in zip(answer["figures"], result.figures, strict=True):
        if figure.kind == "heatmap" and not lab.fresh:
            values = np.array(shown["values"], float)
            finite = np.isfinite(np.asarray(figure.values, float))
            assert np.allclose(values[finite], figure.values[finite], atol=1e-6)
            assert len(shown["rows"]) == len(shown["values"])


@LABS
def test_every_figure_can_be_saved_and_explored(lab, lesson, client, models):
    for figure in lab.compute(lab.form(), models).figures:
        start = f"/lessons/{lesson.slug}/labs/{lab.slug}/figures/{figure.name}"
        drawing = client.get(f"{start}.svg")
        assert drawing.status_code == 200
        assert drawing.headers["content-type"].startswith("image/svg+xml")
        assert client.get(f"{start}.json").status_code == 200


@LABS
def test_no_warning_is_raised_by_an_ordinary_sentence(lab, lesson, models):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lab.compute(lab.form(), models)
