"""Every figure in Plotly's own words, for readers who want to zoom and turn it.

Colours are names such as "--heat-16", which the page's script resolves for the theme in use.
Axes of words are numeric with the words as tick text, since Plotly merges equal categories.
"""

from typing import Any, assert_never

import numpy as np

from app.figures.describe import (
    Arcs,
    Array,
    Bars,
    Figure,
    Graph,
    HeadGrid,
    Heatmap,
    Labels,
    Lines,
    Role,
    Scale,
    Scatter,
    Scatter3D,
    Tokens,
)
from app.figures.numbers import check
from app.figures.svg.shades import shading
from app.i18n import _

Json = dict[str, Any]
MOST_TICKS = 44  # words along an axis before they touch
DIGITS = 5  # significant ones: a picture needs no more; data.json is unrounded
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "cross", "circle-open")
SYMBOLS_3D = ("circle", "square", "diamond", "cross", "x", "circle-open")
COLOURS = ("accent", "key", "value", "query", "encoder", "decoder")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def plotly(figure: Figure) -> Json:  # noqa: PLR0911 (a line for each kind)
    """Give a figure's traces and layout in Plotly's schema.

    Raises: NotANumber, when the figure holds NaN.
    """
    check(figure)
    match figure:
        case Heatmap():
            return _heatmap(figure)
        case Arcs():
            return _matrix(figure.values, figure.rows, figure.columns, "weights")
        case HeadGrid():
            layer, head = figure.chosen
            return _matrix(figure.values[layer, head], figure.rows, figure.rows, "weights")
        case Bars():
            return _bars(figure.labels, figure.values, figure.value_title, figure.role)
        case Lines():
            return _lines(figure)
        case Scatter():
            return _scatter(figure)
        case Scatter3D():
            return _scatter3d(figure)
        case Graph():
            return _graph(figure)
        case Tokens():
            held = np.zeros(len(figure.labels)) if figure.values is None else figure.values
            return _bars(figure.labels, held, figure.value_title, "accent")
        case _ as never:
            assert_never(never)


def harmless(text: str) -> str:
    """Escape what Plotly would read as its own small HTML.

    Example:
        >>> harmless("<b>&")
        '&lt;b&gt;&amp;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rounded(values: Array) -> Any:
    """Give nested lists of numbers with few digits; −∞ as None, which Plotly leaves open."""
    if values.ndim > 1:
        return [rounded(row) for row in values]
    return [None if v == -np.inf else float(f"{v:.{DIGITS}g}") for v in values.tolist()]


def _words(labels: Labels, title: str = "") -> Json:
    """Describe a numeric axis whose ticks are words; of many, every so-manyth is written."""
    every = -(-len(labels) // MOST_TICKS)
    return {
        "tickmode": "array",
        "tickvals": list(range(0, len(labels), max(every, 1))),
        "ticktext": [harmless(name) for name in labels[:: max(every, 1)]],
        "title": {"text": harmless(title)},
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
    }


def _heatmap(figure: Heatmap) -> Json:
    column = figure.column_title or (_("column: the word looked at") if figure.tokens else "")
    row = figure.row_title or (_("row: the word that looks") if figure.tokens else "")
    made = _matrix(figure.values, figure.rows, figure.columns, figure.scale)
    made["layout"]["xaxis"]["title"]["text"] = harmless(column)
    made["layout"]["yaxis"]["title"]["text"] = harmless(row)
    return made


def _matrix(values: Array, rows: Labels, columns: Labels, scale: Scale) -> Json:
    """Draw a matrix with row 0 at the top; its range comes from the quantity."""
    ends = shading(values, scale)
    names = [f"--diverge-{i - 8}" if ends.signed else f"--heat-{i}" for i in range(17)]
    trace = {
        "type": "heatmap",
        "z": rounded(values),
        "zmin": ends.low,
        "zmax": ends.high if ends.high > ends.low else ends.low + 1,
        "colorscale": [[i / 16, name] for i, name in enumerate(names)],
        "xgap": 1,
        "ygap": 1,
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": "%{y} → %{x}: %{z}<extra></extra>",
    }
    if max(len(rows), len(columns)) > MOST_TICKS:  # a tick left out would be said as a number
        trace["hovertemplate"] = "%{text}: %{z}<extra></extra>"
        trace["text"] = [[f"{harmless(r)} → {harmless(c)}" for c in columns] for r in rows]
    square = {"scaleanchor": "x"} if len(rows) == len(columns) else {}
    layout = {
        "xaxis": {**_words(columns), "side": "top", "constrain": "domain"},
        "yaxis": {**_words(rows), "autorange": "reversed", "constrain": "domain", **square},
        "height": min(160 + 28 * len(rows), 860),
        "meta": {"rows": list(rows), "columns": list(columns)},  # as typed, for the read-out
    }
    return {"data": [trace], "layout": layout}


def _bars(labels: Labels, values: Array, title: str, role: Role) -> Json:
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": rounded(values),
        "y": list(range(len(labels))),
        "marker": {"color": _colour(role)},
        "hovertext": [harmless(name) for name in labels],
        "hovertemplate": "%{hovertext}: %{x}<extra></extra>",
    }
    layout = {
        "xaxis": {"title": {"text": harmless(title)}},
        "yaxis": {**_words(labels), "autorange": "reversed"},
        "showlegend": False,
    }
    return {"data": [trace], "layout": layout}


def _colour(role: Role, index: int = 0) -> str:
    return f"--{COLOURS[index % 6] if role in ('plain', 'accent') else role}"


def _lines(figure: Lines) -> Json:
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(line.x) < 40 else "lines",
            "name": harmless(line.label),
            "x": rounded(line.x),
            "y": rounded(line.y),
            "line": {"color": _colour(line.role, i), "dash": DASHES[i % 6], "width": 2},
        }
        for i, line in enumerate(figure.lines)
    ]
    layout = {
        "xaxis": _axis(figure.x_title, log=figure.log_x),
        "yaxis": _axis(figure.y_title, log=figure.log_y),
        "hovermode": "x unified",
        "showlegend": len(traces) > 1,
    }
    return {"data": traces, "layout": layout}


def _axis(title: str, *, log: bool = False) -> Json:
    named: Json = {"title": {"text": harmless(title)}}
    # "10k", not a raised "10⁴": Plotly raises figures by inline styles, which the page forbids.
    return {**named, "type": "log", "exponentformat": "SI"} if log else named


def _by_group(groups: Labels, count: int) -> list[tuple[str, list[int]]]:
    """List each group's points; without groups all points are one."""
    names = groups or ("",) * count
    return [
        (name, [i for i, other in enumerate(names) if other == name])
        for name in dict.fromkeys(names)
    ]


def _said(figure: Scatter | Scatter3D, index: int) -> str:
    name = harmless(figure.labels[index])
    return f"{name}<br>{harmless(figure.details[index])}" if figure.details else name


def _scatter(figure: Scatter) -> Json:
    traces = []
    for g, (name, members) in enumerate(_by_group(figure.groups, len(figure.points))):
        roles = [figure.roles[i] if figure.roles else "accent" for i in members]
        trace = _cloud(figure, members, name)
        trace["type"] = "scatter"
        trace["textposition"] = "middle right"
        trace["marker"] = {
            "symbol": SYMBOLS[g % 6],
            "size": 9,
            "color": [_colour(role, g) for role in roles],
        }
        traces.append(trace)
    layout: Json = {
        "xaxis": _axis(figure.x_title),
        "yaxis": _axis(figure.y_title),
        "showlegend": len(traces) > 1,
        "annotations": [_arrow(figure.points[a], figure.points[b]) for a, b in figure.arrows],
    }
    if figure.equal:
        layout["yaxis"]["scaleanchor"] = "x"
    return {"data": traces, "layout": layout}


def _cloud(figure: Scatter | Scatter3D, members: list[int], name: str) -> Json:
    """Describe the points of one group, in as many dimensions as they have."""
    coordinates = figure.points[members].T if members else figure.points.T
    return {
        "mode": "markers+text" if len(figure.points) <= 80 else "markers",
        "name": harmless(name),
        **{axis: rounded(c) for axis, c in zip("xyz", coordinates, strict=False)},
        "text": [harmless(figure.labels[i]) for i in members],
        "hovertext": [_said(figure, i) for i in members],
        "hoverinfo": "text",
    }


def _arrow(start: Array, end: Array) -> Json:
    (ax, ay), (x, y) = rounded(start), rounded(end)
    return {
        "x": x, "y": y, "ax": ax, "ay": ay, "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
        "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 1.5, "arrowcolor": "--edge",
    }  # fmt: skip


def _scatter3d(figure: Scatter3D) -> Json:
    traces = []
    for g, (name, members) in enumerate(_by_group(figure.groups, len(figure.points))):
        trace = _cloud(figure, members, name)
        trace["type"] = "scatter3d"
        trace["marker"] = {"symbol": SYMBOLS_3D[g % 6], "size": 5, "color": f"--{COLOURS[g % 6]}"}
        traces.append(trace)
    axes = zip(("xaxis", "yaxis", "zaxis"), figure.axis_titles, strict=True)
    camera = {"eye": {"x": 1.7, "y": 1.7, "z": 0.9}, "center": {"x": 0, "y": 0, "z": -0.1}}
    scene = {**{a: _axis(t) for a, t in axes}, "aspectmode": "cube", "camera": camera}
    return {
        "data": traces,
        "layout": {"scene": scene, "showlegend": len(traces) > 1, "legend": {"x": 0, "y": 1}},
    }


def _graph(figure: Graph) -> Json:
    bare = {"showgrid": False, "zeroline": False, "showticklabels": False}
    layout = {"xaxis": bare, "yaxis": {**bare, "autorange": "reversed"}, "showlegend": False}
    return {"data": [_edges(figure, lit=False), _edges(figure, lit=True), _nodes(figure)],
            "layout": layout}  # fmt: skip


def _edges(figure: Graph, *, lit: bool) -> Json:
    """Draw all edges as one broken line."""
    x: list[float | None] = []
    y: list[float | None] = []
    for edge in figure.edges:
        if edge.lit == lit:
            source, target = figure.nodes[edge.source], figure.nodes[edge.target]
            x += [source.x, target.x, None]
            y += [source.y, target.y, None]
    line = {"color": "--accent" if lit else "--rule", "width": 3 if lit else 1}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}


def _nodes(figure: Graph) -> Json:
    names = [harmless(node.label) for node in figure.nodes]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [node.x for node in figure.nodes],
        "y": [node.y for node in figure.nodes],
        "text": names,
        "textposition": "top center",
        "hovertext": names,
        "hoverinfo": "text",
        "marker": {"size": 10, "color": [_colour(node.role) for node in figure.nodes]},
    }
