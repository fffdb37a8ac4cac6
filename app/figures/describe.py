"""The kinds of picture, each a frozen description with its numbers unrounded."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]
Labels = tuple[str, ...]
# weights: 0…1, paper to ink. signed: symmetric about zero. range: from the least to the greatest.
Scale = Literal["weights", "signed", "range"]
# A colour that means something in this course; plain is ink.
Role = Literal["plain", "accent", "query", "key", "value", "encoder", "decoder"]


@dataclass(frozen=True)
class Heatmap:
    """A matrix as shades: row = the one that looks, column = the one looked at."""

    name: str  # for addresses and ids: letters, digits, hyphens
    title: str
    rows: Labels
    columns: Labels
    values: Array  # (rows, columns); −inf is drawn as "nothing may pass"
    row_title: str = ""
    column_title: str = ""
    scale: Scale = "weights"
    chosen: tuple[int | None, int | None] = (None, None)
    tokens: bool = False  # rows and columns are the sentence's tokens: they light up together
    numbers: bool = False  # print the number into each cell, where it fits
    compact: bool = False  # drawn smaller where there is room to save: two stand side by side
    blocked_title: str = ""  # what −∞ means here; empty: the row may not look there
    caption: str = ""
    kind: Literal["heatmap"] = "heatmap"


@dataclass(frozen=True)
class Arcs:
    """Tokens on both sides, the one that looks left, and a line as strong as the weight."""

    name: str
    title: str
    rows: Labels
    columns: Labels
    values: Array  # (rows, columns), 0…1
    chosen: int | None = None  # only this row's lines in full strength
    layout: Literal["columns", "row"] = "columns"  # row: arcs above one line of words
    row_title: str = ""
    column_title: str = ""
    caption: str = ""
    kind: Literal["arcs"] = "arcs"


@dataclass(frozen=True)
class HeadGrid:
    """All heads of a model as small maps."""

    name: str
    title: str
    values: Array  # (layers, heads, T, T), 0…1
    patterns: tuple[tuple[str, ...], ...]  # what each head does on this sentence
    rows: Labels
    chosen: tuple[int, int] = (0, 0)
    caption: str = ""
    kind: Literal["head-grid"] = "head-grid"


@dataclass(frozen=True)
class Bars:
    """Amounts side by side, drawn lying so that their labels can be read."""

    name: str
    title: str
    labels: Labels
    values: Array  # (bars,)
    value_title: str = ""
    chosen: int | None = None
    role: Role = "accent"
    scale: Scale = "range"
    caption: str = ""
    kind: Literal["bars"] = "bars"


@dataclass(frozen=True)
class Line:
    """One curve of a Lines figure."""

    label: str
    x: Array
    y: Array
    role: Role = "plain"


@dataclass(frozen=True)
class Lines:
    """Curves over a common axis."""

    name: str
    title: str
    lines: tuple[Line, ...]
    x_title: str
    y_title: str
    log_x: bool = False
    log_y: bool = False
    caption: str = ""
    kind: Literal["lines"] = "lines"


@dataclass(frozen=True)
class Scatter:
    """Points with names in a plane; groups share a mark, arrows join two points by index."""

    name: str
    title: str
    points: Array  # (n, 2)
    labels: Labels
    groups: Labels = ()  # one a point; a group is drawn in its own mark
    roles: tuple[Role, ...] = ()  # one a point
    arrows: tuple[tuple[int, int], ...] = ()
    details: Labels = ()  # one a point, shown on hover
    x_title: str = ""
    y_title: str = ""
    equal: bool = True  # one unit is as long on both axes
    caption: str = ""
    kind: Literal["scatter"] = "scatter"


@dataclass(frozen=True)
class Scatter3D:
    """Points with names in space; needs the 3-D script, which is loaded when asked for."""

    name: str
    title: str
    points: Array  # (n, 3)
    labels: Labels
    groups: Labels = ()
    details: Labels = ()
    axis_titles: tuple[str, str, str] = ("", "", "")
    caption: str = ""
    kind: Literal["scatter3d"] = "scatter3d"


@dataclass(frozen=True)
class Node:
    """A node of a graph, in units of the drawing's own grid."""

    label: str
    x: float
    y: float
    role: Role = "plain"
    lit: bool = False
    token: int | None = None  # lights up with this token of the sentence


@dataclass(frozen=True)
class Edge:
    """A line from one node to another, by index."""

    source: int
    target: int
    weight: float = 1.0  # 0…1, its strength
    lit: bool = False
    label: str = ""


@dataclass(frozen=True)
class Graph:
    """Nodes and the lines between them."""

    name: str
    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    curved: bool = False
    ring: bool = False  # the nodes stand on a ring in their order, whatever their x and y
    sideways: bool = False  # a tree that grows from left to right
    caption: str = ""
    kind: Literal["graph"] = "graph"


@dataclass(frozen=True)
class Tokens:
    """A sentence's tokens with something said of each."""

    name: str
    title: str
    labels: Labels
    values: Array | None = None  # one a token: shades its ground
    states: Labels = ()  # one a token: a word under it, such as "masked"
    value_title: str = ""
    scale: Scale = "weights"
    caption: str = ""
    marked: tuple[int, ...] = ()  # these stand out
    words: tuple[int | None, ...] = ()  # with which word each lights up; empty: its own number
    narrow: bool = False  # lines as short as a phone's: two figures stand side by side
    kind: Literal["tokens"] = "tokens"


Figure = Heatmap | Arcs | HeadGrid | Bars | Lines | Scatter | Scatter3D | Graph | Tokens
