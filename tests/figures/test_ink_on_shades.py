"""Numbers printed on shades can be read, by day and by night."""

import re
from pathlib import Path

from app.figures.svg.shades import Shading

TOKENS = (Path(__file__).parents[2] / "static/css/tokens.css").read_text(encoding="utf-8")


def colour(name: str, night: int) -> str:
    value = re.search(rf"--{name}:\s*([^;]+);", TOKENS)[1]
    return re.findall(r"#[0-9a-f]{6}", value)[night if "light-dark" in value else 0]


def luminance(hexed: str) -> float:
    # WCAG 2.2, relative luminance
    parts = [int(hexed[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_number_stands_out_from_its_shade_by_four_and_a_half():
    ink = {"fig-on-light": "strong", "fig-on-middle": "black", "fig-on-dark": "paper"}
    for night in (0, 1):
        for signed, name, levels in ((False, "heat", range(17)), (True, "diverge", range(-8, 9))):
            shades = Shading(-1.0 if signed else 0.0, 1.0, signed=signed)
            for level in levels:
                letters = colour(ink[shades.ink_on(level)], night)
                assert contrast(letters, colour(f"{name}-{level}", night)) >= 4.5, (name, level)
