"""Paths: through how many hands a message passes, in a chain and in a web.

A network is drawn as links between tokens: row hears column in one hop. In a recurrent chain each
token hears its neighbour; in an attention layer each hears all. A mask is such a drawing too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Links = NDArray[np.bool_]


class LongestPaths(NamedTuple):
    """The most hops any two of T tokens are apart."""

    chain: int
    web: int


def recurrent_links(tokens: int, *, bidirectional: bool = False) -> Links:
    """Link each token to the one before it, whose state it is handed; or to both neighbours.

    Shapes: -> (T, T), row hears column.

    Example:
        >>> recurrent_links(3).astype(int).tolist()
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]]

    Source: Elman 1990; both ways, Schuster and Paliwal 1997.
    """
    behind = np.eye(tokens, k=-1, dtype=bool)
    return behind | behind.T if bidirectional else behind


def attention_links(tokens: int, *, causal: bool = False) -> Links:
    """Link each token to all others, or to all before it.

    Shapes: -> (T, T), row hears column.

    Example:
        >>> attention_links(3, causal=True).astype(int).tolist()
        [[0, 0, 0], [1, 0, 0], [1, 1, 0]]

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    others = ~np.eye(tokens, dtype=bool)
    return np.tril(others) if causal else others


def hops(links: Links) -> NDArray[np.int64]:
    """Count the hops from every token to every other, by the shortest way.

    Shapes: links (T, T) -> (T, T), row from column; 0 to itself, −1 where no way leads.

    Example:
        >>> hops(recurrent_links(3)).tolist()
        [[0, -1, -1], [1, 0, -1], [2, 1, 0]]
    """
    tokens = len(links)
    step = links.astype(np.float32)
    reached = np.eye(tokens, dtype=bool)
    counted = np.where(reached, 0, -1)
    newly = reached
    for hop in range(1, tokens):
        newly = (step @ newly.astype(np.float32) > 0) & ~reached
        if not newly.any():
            break
        counted[newly] = hop
        reached = reached | newly
    return counted


def shortest_path(links: Links, source: int, target: int) -> list[int]:
    """Follow a message from one token to another, by the fewest hands.

    Shapes: links (T, T) -> the tokens passed, source first; empty where no way leads.

    Example:
        >>> shortest_path(recurrent_links(9), 2, 5), shortest_path(attention_links(9), 2, 5)
        ([2, 3, 4, 5], [2, 5])

    Source: breadth-first search, Moore 1959.
    """
    came_from = {source: source}
    wave = [source]
    while wave and target not in came_from:
        ahead: list[int] = []
        for token in wave:
            hearers = [n for n in np.flatnonzero(links[:, token]).tolist() if n not in came_from]
            came_from.update(dict.fromkeys(hearers, token))
            ahead += hearers
        wave = ahead
    if target not in came_from:
        return []
    path = [target]
    while path[-1] != source:
        path.append(came_from[path[-1]])
    return path[::-1]


def longest_paths(tokens: int) -> LongestPaths:
    """Tell how far apart the two ends of a text are: T − 1 hand-overs in a chain, one in a web.

    Example:
        >>> longest_paths(1000)
        LongestPaths(chain=999, web=1)

    Source: Vaswani et al. 2017, table 1, maximum path length.
    """
    return LongestPaths(chain=max(tokens - 1, 0), web=min(max(tokens - 1, 0), 1))
