"""How many bytes both ways of attending really take on this machine, for long texts."""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import numpy as np

from app.engine.attention import attend
from app.engine.flash import attend_in_tiles
from app.engine.functions import Array

LENGTHS = (256, 512, 1024, 2048, 4096, 8192)
PLAIN_UP_TO = 2048  # tokens: 8,192 would take several times 256 MiB, for each reader who asks
BLOCK = 256  # tiles of 4 × 4 would be four million steps of NumPy at 8,192 tokens
SECONDS = 2.0  # what would end later is not begun
ONE_AT_A_TIME = Lock()  # memory is traced for the whole process


@dataclass(frozen=True)
class Measured:
    """Peak bytes beside queries, keys and values, by the number of tokens."""

    plain: tuple[tuple[int, int], ...]  # tokens, bytes
    tiled: tuple[tuple[int, int], ...]
    seconds: float


KNOWN: dict[int, Measured] = {}


def measure(width: int) -> Measured:
    """Measure once for each head width; later readers get the same numbers."""
    with ONE_AT_A_TIME:
        found = KNOWN.get(width) or run(width)
        if found.tiled[-1][0] == LENGTHS[-1]:  # else the server was busy: try again next time
            KNOWN[width] = found
        return found


def run(width: int) -> Measured:
    """Attend over random vectors of growing length, as far as the time goes."""
    start, tiled, last = time.perf_counter(), list[tuple[int, int]](), 0.0
    plain = [(T, plainly(T, width)) for T in LENGTHS if T <= PLAIN_UP_TO]
    for tokens in LENGTHS:
        begun = time.perf_counter()
        if tiled and begun - start + 4 * last > SECONDS:  # twice as long takes four times the time
            break
        tiled.append((tokens, in_tiles(tokens, width)))
        last = time.perf_counter() - begun
    return Measured(tuple(plain), tuple(tiled), time.perf_counter() - start)


def vectors(tokens: int, width: int) -> Array:
    """Make up queries, keys and values."""
    return np.random.default_rng(0).standard_normal((3, tokens, width), np.float32)


def plainly(tokens: int, width: int) -> int:
    """Measure plain attention."""
    queries, keys, values = vectors(tokens, width)
    return peak(lambda: attend(queries, keys, values))


def in_tiles(tokens: int, width: int) -> int:
    """Measure attention in tiles."""
    queries, keys, values = vectors(tokens, width)
    return peak(lambda: attend_in_tiles(queries, keys, values, block=BLOCK))


def peak(work: Callable[[], object]) -> int:
    """Count the most bytes that some work held at once, its result included."""
    ours = not tracemalloc.is_tracing()
    if ours:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if ours:
            tracemalloc.stop()
