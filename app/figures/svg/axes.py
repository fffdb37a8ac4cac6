"""Axes: round numbers for ticks, and where a value lies in the picture."""

import math
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from app.figures.describe import Array
from app.figures.numbers import power_of_ten, short
from app.figures.svg.parts import NUMBER, element, text


def tick(value: float) -> str:
    """Say a tick's value; very large and very small ones as powers of ten.

    Example:
        >>> tick(0.5), tick(1e-5), tick(2e7)
        ('0.5', '10⁻⁵', '2·10⁷')
    """
    if value == 0 or 0.001 <= abs(value) < 100_000:
        return short(value)
    mantissa, exponent = f"{value:.2e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = power_of_ten(int(exponent))
    said = {"1": power, "-1": f"−{power}"}.get(mantissa, f"{mantissa}·{power}")
    return said.replace("-", "−")


@dataclass(frozen=True)
class Axis:
    """A stretch of values laid over a stretch of pixels."""

    low: float
    high: float
    start: float  # pixels of low
    end: float  # pixels of high
    log: bool = False

    def at(self, value: float) -> float:
        """Give the pixel of a value."""
        low, high, here = self.low, self.high, float(value)
        if self.log:
            low, high, here = math.log10(low), math.log10(high), math.log10(max(here, 1e-300))
        return self.start + (here - low) / (high - low) * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Give about so many round values on the axis."""
        if self.log:
            return decades(self.low, self.high, most)
        return round_values(self.low, self.high, most)


def round_values(low: float, high: float, most: int = 6) -> list[float]:
    """Give multiples of 1, 2 or 5 times a power of ten between two values.

    Example:
        >>> round_values(0, 1, 6)
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def decades(low: float, high: float, most: int = 6) -> list[float]:
    """Give powers of ten between two values, with 2 and 5 between them where there is room.

    Example:
        >>> decades(1, 100), decades(1e-6, 1e6, 5)
        ([1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0], [1e-06, 0.001, 1.0, 1000.0, 1000000.0])
    """
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    span = last - first
    if span <= 2:
        steps = [m * 10.0**e for e in range(first, last + 1) for m in (1, 2, 5)]
    else:
        steps = [10.0**e for e in range(first, last + 1, max(1, math.ceil(span / most)))]
    return [float(f"{s:.12g}") for s in steps if low * 0.999 <= s <= high * 1.001]


def around(values: Array, *, log: bool = False, zero: bool = False) -> tuple[float, float]:
    """Give ends of an axis that hold all values, also when there are none or all are equal."""
    usable = values[values > 0] if log else values
    if not usable.size:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = float(usable.min()), float(usable.max())
    if log:
        return (low / 2, high * 2) if low == high else (low, high)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        room = abs(low) / 2 or 0.5
        return low - room, high + room
    return low, high


def widened(low: float, high: float) -> tuple[float, float]:
    """Move both ends of an axis outward to its next tick.

    Example:
        >>> widened(0.1, 0.93)
        (0.0, 1.0)
    """
    ticks = round_values(low, high)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else high - low
    first = ticks[0] if ticks and ticks[0] <= low else low - (low % step)
    last = ticks[-1] if ticks and ticks[-1] >= high else high + (-high % step)
    return float(f"{first:.12g}"), float(f"{last:.12g}")


def across(axis: Axis, y: float, top: float) -> list[Markup]:
    """Draw the ticks of a lying axis at y, with thin lines up to top."""
    drawn = []
    last = -np.inf
    for value in axis.ticks():
        x, said = axis.at(value), tick(value)
        drawn.append(element("path", class_="fig-grid", d=f"M{x:.1f} {y:.1f}V{top:.1f}"))
        if x - len(said) * NUMBER / 2 > last:
            drawn.append(text(x, y + 17, said, "fig-tick fig-middle"))
            last = x + len(said) * NUMBER / 2 + 6
    return drawn


def upward(axis: Axis, x: float, right: float) -> list[Markup]:
    """Draw the ticks of a standing axis at x, with thin lines to the right."""
    drawn = []
    for value in axis.ticks():
        y = axis.at(value)
        drawn.append(element("path", class_="fig-grid", d=f"M{x:.1f} {y:.1f}H{right:.1f}"))
        drawn.append(text(x - 6, y + 4, tick(value), "fig-tick fig-end"))
    return drawn


def room_for(axis: Axis) -> float:
    """Say how wide the numbers of an axis are, in pixels."""
    return max((len(tick(v)) for v in axis.ticks()), default=1) * NUMBER + 10
