"""One query's way, told in six steps."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.figures.describe import Array
from app.i18n import _
from lessons.attention.labs.steps_words import Asked


@dataclass(frozen=True)
class Step:
    """One step: what happens, to which shapes, and its vectors in full."""

    title: str
    shape: str
    said: str
    figures: tuple[str, ...]
    vectors: tuple[tuple[str, str, str], ...]  # name, role, all its numbers
    terms: tuple[tuple[str, str, str], ...] = ()  # name, role, what it means


def full(values: Array) -> str:
    """Write all numbers of a vector."""
    return "  ".join(f"{value:.3f}".replace("-", "−") for value in values.tolist())


def rows(labels: Iterable[str], vectors: Array, role: str = "") -> tuple[tuple[str, str, str], ...]:
    """Name several vectors of one role, and write all their numbers."""
    return tuple((label, role, full(v)) for label, v in zip(labels, vectors, strict=True))


def steps(asked: Asked) -> tuple[Step, ...]:
    """Tell the way in six steps."""
    return (
        vector(asked),
        projections(asked),
        products(asked),
        division(asked),
        shares(asked),
        mixture(asked),
    )


def vector(asked: Asked) -> Step:
    """Tell where the token's vector comes from."""
    passed = asked.place[0] - 1
    said = _(
        "{name} is looked up in three tables; the rows are added and normalized. That is its "
        "embedding, {width} numbers."
    ).format(name=asked.name, width=len(asked.x))
    if passed:
        said += _(" By layer {n} the layers before have made this of it.").format(n=passed + 1)
    everything = ((_("x, what this layer reads"), "", full(asked.x)),)
    return Step(_("The token’s vector"), f"x ({len(asked.x)})", said, ("embedding",), everything)


def projections(asked: Asked) -> Step:
    """Tell how query, key and value are made."""
    D, K = len(asked.x), len(asked.query)
    return Step(
        _("Three projections"),
        f"x ({D}) · W ({D} × {K}) → q, k, v ({K})",
        _("Three learned matrices turn x into three short vectors."),
        ("query-key-value",),
        (
            (_("query"), "query", full(asked.query)),
            (_("key"), "key", full(asked.keys[asked.token])),
            (_("value"), "value", full(asked.values[asked.token])),
        ),
        (
            (_("query"), "query", _("what {name} asks").format(name=asked.name)),
            (_("key"), "key", _("what it offers to be found by")),
            (_("value"), "value", _("what it says when it is heard")),
        ),
    )


def products(asked: Asked) -> Step:
    """Tell how each key is compared with the query."""
    K, T = len(asked.query), len(asked.labels)
    return Step(
        _("Each key against the query"),
        f"q ({K}) · Kᵀ ({K} × {T}) → ({T})",
        _(
            "Multiply query and key number by number and add up. The better a key fits, the "
            "larger q·k."
        ),
        ("keys", "products"),
        rows(asked.labels, asked.keys, "key"),
    )


def division(asked: Asked) -> Step:
    """Tell what the scale does."""
    K, T = len(asked.query), len(asked.labels)
    said = _("√{size} is {root:.2f}. The order stays the same; the differences shrink.")
    return Step(
        _("Divide by √d_k"),
        f"({T}) ÷ √{K} → ({T})",
        said.format(size=K, root=K**0.5),
        ("scores",),
        ((_("scores of all tokens"), "", full(asked.scores)),),
    )


def shares(asked: Asked) -> Step:
    """Tell what softmax does."""
    T = len(asked.labels)
    return Step(
        _("Softmax"),
        f"({T}) → ({T})",
        _("e to the power of each score, divided by the sum of them all: shares that sum to 1."),
        ("weights",),
        ((_("weights of all tokens"), "", full(asked.weights)),),
    )


def mixture(asked: Asked) -> Step:
    """Tell how the values are added up."""
    said = _("Each value, as loud as its weight, and all added up: what this head tells {name}.")
    K, T = len(asked.query), len(asked.labels)
    return Step(
        _("The weighted sum"),
        f"({T}) · V ({T} × {K}) → ({K})",
        said.format(name=asked.name),
        ("mix",),
        ((_("the mix"), "value", full(asked.mixed)), *rows(asked.labels, asked.values, "value")),
    )
