"""Figures of every kind, ordinary and awkward, that the tests draw."""

import numpy as np

from app.figures import (
    Arcs,
    Bars,
    Edge,
    Graph,
    HeadGrid,
    Heatmap,
    Line,
    Lines,
    Node,
    Scatter,
    Scatter3D,
    Tokens,
)

CAT = ("the", "cat", "sat", "on", "the", "mat")
ODD = ("the", "a" * 200, "😀", "שלום", "<script>alert(1)</script>", "</td>", '"&', "\x00\u202e", "")


def weights(count: int, seed: int = 0) -> np.ndarray:
    """Rows that each sum to 1."""
    return np.random.default_rng(seed).dirichlet(np.ones(count) * 0.3, count)


def of_every_kind(names: tuple[str, ...]) -> list:
    """One figure of each kind (two of some) over these tokens."""
    count = len(names)
    some = np.random.default_rng(1).normal(size=(count, 3))
    nodes = tuple(Node(name, i, 0, lit=i == 0, token=i) for i, name in enumerate(names))
    edges = tuple(Edge(0, i, 0.5, lit=i == count - 1, label=names[i]) for i in range(count))
    curves = tuple(
        Line(name, np.arange(4.0), some[i, 0] * np.arange(4)) for i, name in enumerate(names)
    )
    grid = np.stack([[weights(count, s) for s in range(2)] for _layer in range(2)])
    return [
        Heatmap("map", names[-1], names, names, weights(count), tokens=True, chosen=(0, 0)),
        Heatmap("scores", "Scores", names, names, np.where(np.tri(count) > 0, some[0, 0], -np.inf),
                scale="signed", numbers=True),
        Arcs("arcs", "Arcs", names, names, weights(count), chosen=0),
        Arcs("row", "Row", names, names, weights(count), layout="row"),
        HeadGrid("heads", "Heads", grid, (names[:1] * 2, ("broad", "next")), names),
        Bars("bars", "Bars", names, some[:, 0], "value", chosen=0),
        Lines("lines", "Lines", curves, "x", "y"),
        Lines("logs", "Logs", curves, "x", "y", log_x=True, log_y=True),
        Scatter("plane", "Plane", some[:, :2], names, groups=names, details=names,
                arrows=((0, count - 1),)),
        Scatter3D("space", "Space", some, names, groups=names, details=names),
        Graph("graph", "Graph", nodes, edges, curved=True),
        Graph("chain", "Chain", nodes, edges),
        Tokens("chips", "Chips", names, some[:, 0], names, "value", scale="signed"),
        Tokens("plain", "Plain", names),
    ]  # fmt: skip
