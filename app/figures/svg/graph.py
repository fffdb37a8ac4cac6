"""Nodes as chips on a grid, and the lines between them."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from app.figures.describe import Edge, Graph, Node
from app.figures.svg import parts
from app.figures.svg.arcs import strength
from app.figures.svg.marks import role_class
from app.figures.svg.parts import MONO, element, join, label, rect, text

UP = 76  # pixels from one row of the grid to the next
CHIP = 26  # height of a node
CLOSE = 32  # pixels from one row of a sideways tree to the next
REACH = 40  # pixels that its lines have from one column to the next
LONGEST = 16


@dataclass(frozen=True)
class Place:
    """Where a node stands: its middle, and half its width."""

    x: float
    y: float
    half: float


def graph(figure: Graph) -> Markup:
    """Draw the lines first, then what is lit, then the nodes on top of them."""
    places = _places(figure)
    dim = [edge for edge in figure.edges if not edge.lit]
    lit = [edge for edge in figure.edges if edge.lit]
    drawn = [
        *_quiet(figure, dim, places),
        *(_strong(figure, edge, places) for edge in lit),
        *(node_chip(node, place) for node, place in zip(figure.nodes, places, strict=True)),
        *(_name(figure, edge, places) for edge in figure.edges if edge.label),
    ]
    width = max((p.x + p.half for p in places), default=40.0) + 6
    height = max((p.y for p in places), default=20.0) + CHIP / 2 + 8
    return parts.picture(width, height, figure.title, drawn)


def _places(figure: Graph) -> list[Place]:
    """Turn grid units into pixels: the widest chip decides how far apart columns stand."""
    if not figure.nodes:
        return []
    halves = [min(parts.columns(n.label), LONGEST) * MONO / 2 + 9 for n in figure.nodes]
    apart = 16 + (REACH if figure.sideways else 0)
    across = max(2 * max(halves) + apart, 44.0) / _closest(figure)
    least_x, least_y = min(n.x for n in figure.nodes), min(n.y for n in figure.nodes)
    rise, up = _rise(figure, across), CLOSE if figure.sideways else UP
    return [
        Place(max(halves) + 4 + (n.x - least_x) * across, rise + 18 + (n.y - least_y) * up, half)
        for n, half in zip(figure.nodes, halves, strict=True)
    ]


def _closest(figure: Graph) -> float:
    """Find the least distance between neighbours of one row, in grid units, but at least ¼."""
    rows: dict[float, list[float]] = defaultdict(list)
    for node in figure.nodes:
        rows[node.y].append(node.x)
    gaps = [b - a for row in rows.values() for a, b in pairwise(sorted(row)) if b > a]
    return max(min(gaps, default=1.0), 0.25)


def _rise(figure: Graph, across: float) -> float:
    """Say how much room the curves above the topmost row need."""
    if not figure.curved or not figure.nodes:
        return 0.0
    level = [
        abs(figure.nodes[e.source].x - figure.nodes[e.target].x) * across
        for e in figure.edges
        if figure.nodes[e.source].y == figure.nodes[e.target].y
    ]
    return _height(max(level, default=0.0)) * 0.75


def _height(distance: float) -> float:
    return 0.0 if not distance else min(24 + distance * 0.22, 190.0)


def _line(figure: Graph, edge: Edge, places: list[Place]) -> str:
    """Give the path of an edge: straight from chip to chip, or a curve above its row."""
    a, b = places[edge.source], places[edge.target]
    if figure.sideways:
        x0, x1 = a.x + a.half, b.x - b.half
        middle = (x0 + x1) / 2
        return (
            f"M{x0:.0f} {a.y:.0f}C{middle:.0f} {a.y:.0f} {middle:.0f} {b.y:.0f} {x1:.0f} {b.y:.0f}"
        )
    if a.y == b.y and figure.curved:
        top = a.y - CHIP / 2
        high = top - _height(abs(a.x - b.x))
        return f"M{a.x:.0f} {top:.0f}C{a.x:.0f} {high:.0f} {b.x:.0f} {high:.0f} {b.x:.0f} {top:.0f}"
    if a.y == b.y:
        side = 1 if b.x > a.x else -1
        return f"M{a.x + side * a.half:.0f} {a.y:.0f}L{b.x - side * b.half:.0f} {b.y:.0f}"
    down = 1 if b.y > a.y else -1
    y0, y1 = a.y + down * CHIP / 2, b.y - down * CHIP / 2
    if not figure.curved:
        return f"M{a.x:.0f} {y0:.0f}L{b.x:.0f} {y1:.0f}"
    middle = (y0 + y1) / 2
    return f"M{a.x:.0f} {y0:.0f}C{a.x:.0f} {middle:.0f} {b.x:.0f} {middle:.0f} {b.x:.0f} {y1:.0f}"


def _quiet(figure: Graph, edges: list[Edge], places: list[Place]) -> list[Markup]:
    """Draw unlit edges, those of one strength as one path: there may be thousands."""
    steps: dict[int, list[str]] = defaultdict(list)
    for edge in edges:
        if step := strength(edge.weight):
            steps[step].append(_line(figure, edge, places))
    return [
        element("path", class_=f"fig-edge o{step}", d="".join(lines))
        for step, lines in sorted(steps.items())
    ]


def _strong(figure: Graph, edge: Edge, places: list[Place]) -> Markup:
    """Draw an edge of the lit path, with its direction."""
    line = element("path", class_="fig-path", d=_line(figure, edge, places))
    a, b = places[edge.source], places[edge.target]
    if figure.sideways or (a.y == b.y and not figure.curved):
        side = 1 if b.x > a.x else -1
        x = b.x - side * b.half
        return line + _head(f"M{x:.0f} {b.y:.0f}l{-side * 9} -5v10z")
    down = 1 if b.y > a.y or (a.y == b.y and figure.curved) else -1
    y = b.y - down * CHIP / 2
    return line + _head(f"M{b.x:.0f} {y:.0f}l-5 {-down * 9}h10z")


def _head(d: str) -> Markup:
    return element("path", class_="fig-path-head", d=d)


def node_chip(node: Node, place: Place) -> Markup:
    """Draw a node as a chip with its label."""
    lit = " is-lit" if node.lit else ""
    role = role_class(node.role)
    box = rect(
        place.x - place.half, place.y - CHIP / 2, 2 * place.half, CHIP, f"fig-box{role}{lit}", rx=3
    )
    words = label(place.x, place.y + 4.5, node.label, "fig-middle", most=LONGEST)
    return element("g", join((box, words)), class_="fig-node", data_token=node.token)


def _name(figure: Graph, edge: Edge, places: list[Place]) -> Markup:
    """Write an edge's own words at its middle."""
    a, b = places[edge.source], places[edge.target]
    x, y = (a.x + b.x) / 2, (a.y + b.y) / 2
    if a.y == b.y:
        y = a.y - CHIP / 2 - _height(abs(a.x - b.x)) * 0.75 - 4 if figure.curved else a.y - 7
        return text(x, y, parts.shorten(edge.label, LONGEST), "fig-note fig-middle fig-halo")
    return text(x + 6, y + 4, parts.shorten(edge.label, LONGEST), "fig-note fig-halo")
