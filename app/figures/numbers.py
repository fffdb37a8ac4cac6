"""Numbers of a figure: said in few digits, checked before anything is drawn of them."""

from dataclasses import fields, is_dataclass

import numpy as np

from app.figures.describe import Array, Figure

RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class NotANumber(ValueError):
    """A figure holds NaN or +∞: a mistake before the figure, never something to draw."""


def short(value: float | None) -> str:
    """Say a number with the three digits that count.

    Example:
        >>> [short(v) for v in (0.31415, 2.0, -0.5, 0.00002, 1234567.0, float("-inf"))]
        ['0.314', '2', '−0.5', '2.0·10⁻⁵', '1.2·10⁶', '−∞']
    """
    if value is None:
        return "–"
    if value == -np.inf:
        return "−∞"
    if value == 0:
        return "0"
    if 0.001 <= abs(value) < 1000:
        said = f"{float(f'{value:.3g}'):.6f}".rstrip("0").rstrip(".")
    elif 1000 <= abs(value) < 1_000_000 and float(value).is_integer():
        said = f"{value:,.0f}"
    elif 1000 <= abs(value) < 10_000:
        said = f"{value:.0f}"
    else:
        mantissa, exponent = f"{value:.1e}".split("e")
        said = f"{mantissa}·{power_of_ten(int(exponent))}"
    return said.replace("-", "−")


def power_of_ten(exponent: int) -> str:
    """Write a power of ten with its exponent raised.

    Example:
        >>> power_of_ten(6), power_of_ten(-20)
        ('10⁶', '10⁻²⁰')
    """
    return f"10{str(exponent).translate(RAISED)}"


def alike(values: Array) -> list[str]:
    """Say amounts that stand under each other with the same decimals, three at most.

    One too small for them keeps the digits that count; 0 is only said of what is exactly 0.

    Example:
        >>> alike(np.array([0.849, 0.78, 0.0004, 0.0]))
        ['0.849', '0.780', '4.0·10⁻⁴', '0']
        >>> alike(np.array([3.0, 12.0])), alike(np.array([31.2, 8.05]))
        (['3', '12'], ['31.20', '8.05'])
    """
    each = [float(v) for v in values.flat]
    said = [short(v) for v in each]
    most = max((abs(v) for v in each if np.isfinite(v)), default=0.0)
    if most >= 1000:
        return said
    plain = (len(s.partition(".")[2]) for s in said if "10" not in s.partition("·")[2])
    places = min(max(plain, default=0), 3 if most < 10 else 2 if most < 100 else 1)
    return [
        f"{v:.{places}f}".replace("-", "−") if np.isfinite(v) and round(v, places) else s
        for v, s in zip(each, said, strict=True)
    ]


def evenly(values: Array) -> list[str]:
    """Say the numbers of one map alike: two decimals, fewer for large ones, none for whole ones.

    Example:
        >>> evenly(np.array([0.5, -1.25, 0.001, float("-inf")]))
        ['0.50', '−1.25', '0.00', '−∞']
    """
    finite = np.abs(values[np.isfinite(values)])
    most = float(finite.max(initial=0.0))
    if 0 < most < 0.1 or most >= 10_000:
        return [short(float(v)) for v in values.flat]
    whole = bool((finite == np.round(finite)).all())
    places = 0 if whole or most >= 100 else 2 if most < 10 else 1
    rounded = np.round(values.astype(np.float64), places) + 0.0  # −0.0 becomes 0.0
    return [
        f"{v:.{places}f}".replace("-", "−") if np.isfinite(v) else short(float(v))
        for v in rounded.flat
    ]


def exact(value: float) -> float | None:
    """Give a number as JSON can hold it; −∞ has no number there and becomes None."""
    return None if value == -np.inf else float(value)


def nested(values: Array) -> list[object]:
    """Give an array as nested lists of unrounded numbers, −∞ as None."""
    if values.ndim > 1:
        return [nested(row) for row in values]
    return [exact(v) for v in values.tolist()]


def check(figure: Figure) -> None:
    """Refuse a figure whose arrays hold NaN or +∞.

    Raises: NotANumber, naming the figure, the array and the first place.
    """
    for name, values in _arrays(figure):
        wrong = np.argwhere(np.isnan(values) | np.isposinf(values))
        if len(wrong):
            where = tuple(int(i) for i in wrong[0])
            raise NotANumber(f"{figure.kind} {figure.name!r}: {name}{list(where)} is NaN or +∞")


def _arrays(thing: object, at: str = "") -> list[tuple[str, Array]]:
    """List the arrays of a description and of the descriptions inside it."""
    found: list[tuple[str, Array]] = []
    for field in fields(thing) if is_dataclass(thing) else ():
        held = getattr(thing, field.name)
        if isinstance(held, np.ndarray):
            found.append((at + field.name, held))
        elif isinstance(held, tuple) and held and is_dataclass(held[0]):
            for i, part in enumerate(held):
                found += _arrays(part, f"{at}{field.name}[{i}].")
    return found
