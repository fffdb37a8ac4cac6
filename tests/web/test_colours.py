"""The colours of tokens.css: readable by day and by night, even where they stand for numbers."""

import math
import re
from itertools import pairwise
from pathlib import Path

import pytest

TOKENS = Path(__file__).parents[2] / "static" / "css" / "tokens.css"
DEFINED = re.compile(r"--([\w-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)")
COLOURS = {name: (day, night) for name, day, night in DEFINED.findall(TOKENS.read_text("utf-8"))}
MEANING = ("query", "key", "value", "encoder", "decoder")
TEXT = ("ink", "soft", "faint", "accent", "wrong", "right", *MEANING)


def channels(colour: str) -> list[float]:
    """Give red, green and blue as linear light, 0…1."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    return [p / 12.92 if p <= 0.04045 else float(((p + 0.055) / 1.055) ** 2.4) for p in parts]


def luminance(colour: str) -> float:
    """Weigh the channels as WCAG 2 does."""
    red, green, blue = channels(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Compare two colours as WCAG 2 does: 1 is the same, 21 is black on white."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lightness(colour: str) -> float:
    """Give OKLab's lightness, 0…1."""
    red, green, blue = channels(colour)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short


def test_contrast_of_black_on_white_is_21() -> None:
    """The measure itself, against WCAG's own extreme."""
    assert contrast("000000", "ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [0, 1], ids=["day", "night"])
@pytest.mark.parametrize("ground", ["paper", "raised"])
@pytest.mark.parametrize("name", TEXT)
def test_text_stands_out_from_its_ground_by_4_5(name: str, ground: str, theme: int) -> None:
    """WCAG AA for text."""
    assert contrast(COLOURS[name][theme], COLOURS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["day", "night"])
def test_outlines_of_controls_stand_out_by_3(theme: int) -> None:
    """WCAG AA for the parts of an interface."""
    assert contrast(COLOURS["edge"][theme], COLOURS["paper"][theme]) >= 3


@pytest.mark.parametrize("theme", [0, 1], ids=["day", "night"])
def test_query_key_and_value_differ_in_grey(theme: int) -> None:
    """By lightness alone, for print and for eyes that see no colour."""
    steps = sorted(lightness(COLOURS[name][theme]) for name in ("query", "key", "value"))
    assert all(after - before >= 0.055 for before, after in pairwise(steps))


@pytest.mark.parametrize("theme", [0, 1], ids=["day", "night"])
def test_heat_goes_from_paper_to_ink_in_even_steps(theme: int) -> None:
    """Equal differences of weight look equally different."""
    shades = [lightness(COLOURS[f"heat-{n}"][theme]) for n in range(17)]
    steps = [abs(after - before) for before, after in pairwise(shades)]
    assert COLOURS["heat-0"][theme] == COLOURS["paper"][theme]
    assert max(steps) <= 1.35 * min(steps)
    assert shades in (sorted(shades), sorted(shades, reverse=True))


@pytest.mark.parametrize("theme", [0, 1], ids=["day", "night"])
def test_the_signed_scale_has_paper_at_zero_and_equal_arms(theme: int) -> None:
    """A negative and a positive amount of the same size are equally far from paper."""
    assert COLOURS["diverge-0"][theme] == COLOURS["paper"][theme]
    for n in range(1, 9):
        minus, plus = (lightness(COLOURS[f"diverge-{sign}{n}"][theme]) for sign in ("-", ""))
        assert minus == pytest.approx(plus, abs=0.08)
