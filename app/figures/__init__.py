"""Descriptions of pictures: what is shown, never how it is drawn.

A lab fills one of these in. Three drawings are made of it: table.py (what is there for everyone),
svg (the page's own picture) and plotly.py (the picture to explore).
"""

from app.figures.describe import (
    Arcs,
    Bars,
    Edge,
    Figure,
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

__all__ = [
    "Arcs",
    "Bars",
    "Edge",
    "Figure",
    "Graph",
    "HeadGrid",
    "Heatmap",
    "Line",
    "Lines",
    "Node",
    "Scatter",
    "Scatter3D",
    "Tokens",
]
