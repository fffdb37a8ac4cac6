"""A graph on a ring: nodes in order around it, so that a chain runs along and a web across."""

import math
from collections import defaultdict

from markupsafe import Markup

from app.figures.describe import Edge, Graph
from app.figures.svg import parts
from app.figures.svg.arcs import strength
from app.figures.svg.graph import CHIP, LONGEST, Place, node_chip
from app.figures.svg.parts import MONO, element

APART = 34  # pixels between neighbours on the ring, at least
SMALLEST = 120  # radius
# The ring stays open at the top: a gap of this many places between the last node and the first.
GAP = 1.6
# On a narrow ring every other node stands further in, so that chips pass each other; of few only.
INWARD, FEW = 0.24, 14


def ring(figure: Graph, room: float = 0) -> Markup:
    """Draw the lines first, then what is lit, then the nodes on top of them."""
    places = around(figure, room)
    dim: dict[int, list[str]] = defaultdict(list)
    for edge in figure.edges:
        if not edge.lit and (step := strength(edge.weight)):
            dim[step].append(chord(edge, places))
    quiet = [
        element("path", class_=f"fig-edge o{step}", d="".join(lines))
        for step, lines in sorted(dim.items())
    ]
    lit = [lit_chord(edge, places) for edge in figure.edges if edge.lit]
    nodes = map(node_chip, figure.nodes, places)
    width = max((p.x + p.half for p in places), default=40.0) + 6
    height = max((p.y for p in places), default=20.0) + CHIP / 2 + 8
    return parts.picture(width, height, figure.title, [*quiet, *lit, *nodes])


def around(figure: Graph, room: float = 0) -> list[Place]:
    """Give each node its place, clockwise from the top, within the room where one is given."""
    halves = [min(parts.columns(n.label), LONGEST) * MONO / 2 + 9 for n in figure.nodes]
    count = len(halves)
    radius = max(SMALLEST, (count + GAP - 1) * APART / (2 * math.pi))
    step = 2 * math.pi / max(count - 1 + GAP, 1)
    widest = max(halves, default=20.0)
    # Chips are wider than high: the ring is stretched so that those at its foot stand apart.
    typical = (sum(halves) / max(count, 1) + widest) / 2
    across = (room - 14) / 2 - widest if room else max(radius, 2 * (typical + 11) / step)
    inward = [1 - INWARD * (n % 2) if room else 1.0 for n in range(count)]
    # Of few nodes none may stand near the top or at the left: the picture is cut to what there is.
    angles = [step * (n + GAP / 2) for n in range(count)]
    highest = max(map(math.cos, angles), default=1.0)
    leftmost = min(map(math.sin, angles), default=-1.0)
    return [
        Place(
            widest + 6 + across * (math.sin(angle) * near - leftmost),
            CHIP / 2 + 8 + radius * (highest - math.cos(angle) * near),
            half,
        )
        for angle, half, near in zip(angles, halves, inward, strict=True)
    ]


def chord(edge: Edge, places: list[Place]) -> str:
    """Give the straight line between two nodes' middles; the chips cover its ends."""
    a, b = places[edge.source], places[edge.target]
    return f"M{a.x:.0f} {a.y:.0f}L{b.x:.0f} {b.y:.0f}"


def lit_chord(edge: Edge, places: list[Place]) -> Markup:
    """Draw a line of the lit path, with its direction marked halfway."""
    a, b = places[edge.source], places[edge.target]
    turn = math.degrees(math.atan2(b.y - a.y, b.x - a.x))
    middle = f"translate({(a.x + b.x) / 2:.1f} {(a.y + b.y) / 2:.1f}) rotate({turn:.1f})"
    head = element("path", class_="fig-path-head", d="M5 0l-9 -5v10z", transform=middle)
    return element("path", class_="fig-path", d=chord(edge, places)) + head
