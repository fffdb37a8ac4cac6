"""Words are blanked by ticking them, any number, with scripts and without."""

from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

DOG = "/embed/bert-vs-gpt/fill-blank?text=The+dog+barked+at+the+mailman.&blanks=2"


def ticked(page):
    return [box.get_attribute("value") for box in page.locator("[name=blanks]:checked").all()]


def settle(page, blanks):
    """Wait until the answer to a change has put its words into the address."""
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query)["blanks"] == [blanks])


def test_a_ticked_word_becomes_a_blank_and_an_unticked_one_comes_back(watched):
    page = watched.open(DOG)
    assert ticked(page) == ["2"]
    page.locator("label.tick", has_text="mailman").click()
    settle(page, "2,6")
    assert ticked(page) == ["2", "6"]
    page.locator("label.tick", has_text="dog").click()
    settle(page, "6")
    assert ticked(page) == ["6"]
    assert watched.all_faults() == []


def test_a_suggestion_ticks_its_own_words(watched):
    page = watched.open(DOG)
    page.locator("a[data-try]", has_text="two blanks").click()
    settle(page, "4,5")
    assert ticked(page) == ["4", "5"]


@pytest.mark.context(java_script_enabled=False)
def test_words_are_ticked_without_scripts(watched):
    page = watched.open(DOG)
    page.locator("label.tick", has_text="mailman").click()
    page.locator("button.draw").click()
    page.wait_for_load_state()
    assert ticked(page) == ["2", "6"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", [DOG, "/embed/encoder-decoder/translate", "/embed/rnn-vs-attention/bottleneck",
             "/embed/bert-vs-gpt/learning-curves"]
)  # fmt: skip
def test_axe_finds_nothing_on_the_labs_of_the_models_trained_here(path, scheme, watched):
    watched.page.emulate_media(color_scheme=scheme)
    page = watched.open(path)
    found = Axe().run(page).response["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
