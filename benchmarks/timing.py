"""Time things side by side: all that is compared runs in turns, so that all meet the same noise.

A row says how many milliseconds ours and another implementation took (medians), and their ratio:
below 1, ours is faster. Times depend on the machine; ratios travel.
"""

import os
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

Run = Callable[[], object]


class Row(NamedTuple):
    """One comparison."""

    name: str
    ours_ms: float
    other: str
    other_ms: float
    ratio: float


class Fact(NamedTuple):
    """One figure with nothing beside it; its name ends in its unit."""

    name: str
    value: float | str


class Told(NamedTuple):
    """What a run returns that has timed its own work: its word is taken, not the clock's."""

    ms: float


class LeftOut(Exception):
    """A comparison cannot be made here; the message says what is missing."""


def milliseconds(run: Run) -> float:
    """Time one call."""
    start = time.perf_counter()
    answer = run()
    return answer.ms if isinstance(answer, Told) else 1000 * (time.perf_counter() - start)


def compare(
    name: str, ours: Run, others: Mapping[str, Run], *, rounds: int = 31, warm: bool = True
) -> list[Row]:
    """Run ours and all others in turns and compare their median times.

    In every round each is called twice and the second call is timed, so that none is charged for
    the caches that the one before it has emptied; unless it is to be timed as it comes.
    """
    runs = {"": ours, **others}
    times: dict[str, list[float]] = {key: [] for key in runs}
    for _ in range(min(rounds, int(os.environ.get("BENCH_ROUNDS") or rounds))):
        for key, run in runs.items():
            if warm:
                run()
            times[key].append(milliseconds(run))
    medians = {key: statistics.median(found) for key, found in times.items()}
    mine = medians.pop("")
    return [Row(name, mine, other, theirs, mine / theirs) for other, theirs in medians.items()]
