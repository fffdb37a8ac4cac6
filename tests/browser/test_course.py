"""What a reader meets in a browser: nothing broken, nothing from outside, everything reachable."""

import contextlib
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error

from app.catalogue import find_lessons
from app.settings import ROOT

LESSONS = find_lessons(ROOT / "lessons")
LABS = [(lesson.slug, lab.slug) for lesson in LESSONS for lab in lesson.labs]
PAGES = ["/", "/sources", "/nowhere", *(f"/lessons/{lesson.slug}" for lesson in LESSONS)]
SENTENCE = "My grandmother <b>never</b> trusted the bank by the river."
PHONE = {"width": 360, "height": 740}


def serious(results):
    return [
        (fault["id"], node["html"][:200], node.get("failureSummary", "")[:300])
        for fault in results.response["violations"]
        for node in fault["nodes"][:3]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(path, scheme, watched):
    watched.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page = watched.open(path)
    for folded in page.locator("details[data-part]").all()[:6]:
        folded.evaluate("each => each.open = true")
    assert serious(Axe().run(page)) == []


@pytest.mark.parametrize("path", PAGES)
def test_nothing_fails_is_blocked_or_comes_from_outside(path, watched):
    watched.open(path)
    faults = watched.all_faults()
    assert [f for f in faults if not (path == "/nowhere" and "404" in f)] == []


@pytest.mark.parametrize(("lesson", "lab"), LABS)
def test_a_lab_answers_typing_without_a_fault(lesson, lab, watched):
    page = watched.open(f"/embed/{lesson}/{lab}")
    panel = page.locator(f"#lab-{lab}")
    before = panel.locator(".finding").inner_text()
    field = page.locator("#sentence-text")
    if field.count():
        with page.expect_response(lambda answer: f"/{lab}?" in answer.url):
            field.fill(SENTENCE)
        page.wait_for_function(
            "([finding, before]) => location.search.includes('text=') || "
            "document.querySelector(finding).innerText !== before",
            arg=[f"#lab-{lab} .finding", before],
        )
        page.wait_for_load_state("networkidle")
    assert panel.locator(".finding").inner_text()
    assert watched.all_faults() == []


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.context(viewport=PHONE)
def test_a_phone_shows_a_page_without_scrolling_sideways(path, watched):
    page = watched.open(path)
    width = page.evaluate("document.scrollingElement.scrollWidth")
    assert width <= PHONE["width"]


@pytest.mark.parametrize(("lesson", "lab"), LABS)
@pytest.mark.context(java_script_enabled=False)
def test_a_lab_is_complete_without_scripts(lesson, lab, watched):
    page = watched.page
    page.goto(f"{watched.address}/lessons/{lesson}")
    panel = page.locator(f"#lab-{lab}")
    assert panel.locator(".finding").inner_text()
    assert panel.locator("svg").count() > 0
    assert panel.locator("details[data-part=data]").count() == 1
    panel.locator(".lab-form button").last.click()
    assert f"/labs/{lab}" in page.url
    assert page.locator(f"#lab-{lab} .finding").inner_text()


@pytest.mark.context(java_script_enabled=False)
def test_the_sentence_is_changed_without_scripts(watched):
    page = watched.page
    page.goto(f"{watched.address}/lessons/attention")
    page.fill("#sentence-text", "Dogs chase cats")
    page.locator("form.sentence button").click()
    assert "Dogs" in page.locator("#lab-attention-map .tokens").first.inner_text()


def test_typing_changes_the_picture_and_keeps_the_caret(watched):
    page = watched.open("/embed/attention/attention-map")
    field = page.locator("#sentence-text")
    field.fill("Dogs chase cats")
    page.locator("#lab-attention-map svg", has_text="Dogs").first.wait_for()
    field.focus()
    page.keyboard.press("End")
    page.keyboard.type(" fast")
    page.locator("#lab-attention-map svg", has_text="fast").first.wait_for()
    assert field.input_value() == "Dogs chase cats fast"
    assert page.evaluate("document.activeElement.id") == "sentence-text"


def test_a_late_answer_never_overwrites_a_newer_picture(watched):
    page = watched.open("/embed/attention/attention-map")
    held = []

    def hold_first(route):
        if "Slow" in route.request.url and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/attention-map?**", hold_first)
    field = page.locator("#sentence-text")
    field.fill("Slow answer first")
    page.wait_for_function("() => true")
    page.wait_for_timeout(600)
    field.fill("Newer words win")
    page.locator("#lab-attention-map svg", has_text="Newer").first.wait_for()
    for route in held:
        with contextlib.suppress(Error):  # the page gave the request up, as it should
            route.continue_()
    page.wait_for_timeout(600)
    assert "Newer" in page.locator("#lab-attention-map svg").first.inner_html()


def test_a_bad_sentence_keeps_the_text_and_says_what_to_change(watched):
    page = watched.open("/embed/attention/attention-map")
    field = page.locator("#sentence-text")
    long = "word " * 140
    field.fill(long)
    page.get_by_text(re.compile("tokens long")).first.wait_for()
    assert field.input_value() == long
    assert page.locator("#lab-attention-map svg").count() > 0


def test_a_head_is_chosen_with_the_keyboard_alone(watched):
    page = watched.open("/embed/attention/attention-map")
    page.locator("#lab-attention-map-head-1-3").focus()
    page.keyboard.press("Enter")
    page.locator(".finding", has_text="in layer 1, head 3").wait_for()
    assert page.locator("#lab-attention-map-layer").input_value() == "1"


def test_the_sentence_follows_to_the_next_lesson(watched):
    page = watched.open("/lessons/attention")
    page.locator("#sentence-text").fill("Birds fly south")
    page.locator("header.site a", has_text="Encoders").click()
    page.wait_for_load_state("networkidle")
    assert page.locator("#sentence-text").input_value() == "Birds fly south"


def test_a_figure_can_be_explored_with_plotly(watched):
    page = watched.open("/embed/attention/attention-map")
    page.locator("#lab-attention-map .explore").first.click()
    page.locator("#lab-attention-map .js-plotly-plot").first.wait_for()
    assert watched.all_faults() == []


@pytest.mark.context(viewport=PHONE)
def test_every_control_can_be_reached_by_tab(watched):
    page = watched.open("/embed/attention/attention-map")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.name || document.activeElement.tagName"))
    assert {"text", "layer", "head", "merge", "special", "token"} <= reached
