"""What the lab on paths draws: both networks on a ring, their hops, and how these grow."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.engine.paths import longest_paths
from app.figures import Bars, Edge, Graph, Line, Lines, Node
from app.i18n import _

Links = NDArray[np.bool_]
# The drawing holds this many words; of a longer text it shows the stretch around the path, and of
# a longer path both its ends with one place between them for all the rest.
DRAWN = 25
LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def stretch(count: int, pair: tuple[int, int]) -> list[int | None]:
    """Choose the words to draw: all of a short text; of a long one its path, cut in the middle.

    Example: of 128 words and a path from word 50 to word 100, twelve words of either end.
        >>> shown = stretch(128, (50, 100))
        >>> shown[:2], shown[11:14], shown[-1]
        ([50, 51], [61, None, 89], 100)
    """
    if count <= DRAWN:
        return list(range(count))
    low, high = min(pair), max(pair)
    if high - low < DRAWN:
        first = min(max(0, low - (DRAWN - 1 - (high - low)) // 2), count - DRAWN)
        return list(range(first, first + DRAWN))
    half = DRAWN // 2
    return [*range(low, low + half), None, *range(high - half + 1, high + 1)]


def draw(
    words: Sequence[str],
    links: tuple[Links, Links],
    paths: list[list[int]],
    counts: list[int],
    pair: tuple[int, int],
) -> tuple[Graph | Bars | Lines, ...]:
    """Describe both networks with their ways, how long these are, and how that grows."""
    chain = picture("chain", _("The recurrent chain"), words, links[0], paths[0], pair)
    web = picture("web", _("The attention web"), words, links[1], paths[1], pair)
    return (chain, web, *compare(counts), growth(len(words)))


def picture(
    name: str,
    title: str,
    words: Sequence[str],
    links: Links,
    path: list[int],
    pair: tuple[int, int],
) -> Graph:
    """Describe one network with the way between the two words lit."""
    shown = stretch(len(words), pair)
    between = abs(pair[1] - pair[0]) + 2 - len(shown)  # words of the path that are not drawn
    place = {n: where for where, n in enumerate(shown) if n is not None}
    nodes = tuple(
        Node(_("… {n} more …").format(n=between), 0, 0)
        if n is None
        else Node(words[n], 0, 0, "accent" if n in pair else "plain", n in (*path, *pair), n)
        for n in shown
    )
    lit = set(pairwise(path))
    edges = [
        Edge(place[source], place[target], 0.25, (source, target) in lit)
        for target, source in np.argwhere(links).tolist()
        if source in place and target in place
    ]
    caption = _("Each line is one hop; the lit ones are the way of the message.")
    return Graph(name, title, nodes, (*edges, *bridge(shown, lit)), ring=True, caption=caption)


def bridge(shown: list[int | None], lit: set[tuple[int, int]]) -> tuple[Edge, ...]:
    """Carry a chain's path over the words that are left out of the drawing."""
    if None not in shown:
        return ()
    gap = shown.index(None)
    before = shown[gap - 1]
    forth, back = (before, (before or 0) + 1), ((before or 0) + 1, before)
    if forth in lit:
        return (Edge(gap - 1, gap, lit=True), Edge(gap, gap + 1, lit=True))
    if back in lit:
        return (Edge(gap + 1, gap, lit=True), Edge(gap, gap - 1, lit=True))
    return ()


def compare(counts: list[int]) -> tuple[Bars, ...]:
    """Describe the two counts side by side; where no way leads there is none to draw."""
    if max(counts) < 0:
        return ()
    names = (_("along the chain"), _("through attention"))
    shown = [n for n, count in enumerate(counts) if count >= 0]
    caption = " ".join(
        _("There is no way {name}.").format(name=names[n]) for n in (0, 1) if n not in shown
    )
    bars = Bars(
        "hops",
        _("Hops between the two words"),
        tuple(names[n] for n in shown),
        np.array([counts[n] for n in shown], float),
        _("hops"),
        caption=caption,
    )
    return (bars,)


def growth(count: int) -> Lines:
    """Describe how the longest way grows with the length of the text."""
    lengths = sorted({*LENGTHS, max(count, 2)})
    x = np.array(lengths, float)
    found = [longest_paths(n) for n in lengths]
    chain = Line(_("chain"), x, np.array([f.chain for f in found], float), "decoder")
    web = Line(_("attention"), x, np.array([f.web for f in found], float), "encoder")
    title = _("The longest way, as the text grows")
    return Lines(
        "growth",
        title,
        (chain, web),
        _("words in the text"),
        _("hops, at most"),
        log_x=True,
        log_y=True,
        caption=_("Each mark on an axis is ten times the one before it."),
    )
