"""Time things side by side: all that is compared runs in turns, so that all meet the same noise.

A row says how many milliseconds ours and another implementation took (medians), and their ratio:
below 1, ours is faster. Times depend on the machine; ratios travel.
"""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

LATEST = Path(__file__).with_name("latest.json")


class Row(NamedTuple):
    """One comparison."""

    name: str
    ours_ms: float
    other: str
    other_ms: float
    ratio: float


def milliseconds(run: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def compare(
    name: str,
    ours: Callable[[], object],
    others: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 31,
) -> list[Row]:
    """Run ours and all others in turns and compare their median times.

    In every round each is called twice and the second call is timed, so that none is charged for
    the caches that the one before it has emptied.
    """
    runs = {"": ours, **others}
    times: dict[str, list[float]] = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            run()
            times[key].append(milliseconds(run))
    medians = {key: statistics.median(found) for key, found in times.items()}
    mine = medians.pop("")
    return [Row(name, mine, other, theirs, mine / theirs) for other, theirs in medians.items()]


def machine() -> str:
    """Describe the machine in a line."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text().splitlines() if names.exists() else []
    model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "any number of")
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{os.cpu_count()} × {model or platform.machine()}, {threads} thread, {versions}"


def record(rows: list[Row]) -> None:
    """Print the rows and put them into latest.json in place of older ones of the same name."""
    known = json.loads(LATEST.read_text()) if LATEST.exists() else {"rows": []}
    new = {(row.name, row.other) for row in rows}
    kept = [row for row in known["rows"] if (row["name"], row["other"]) not in new]
    added = [{**row._asdict(), **rounded(row)} for row in rows]
    content = {"machine": machine(), "rows": kept + added}
    LATEST.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, ours_ms, other, other_ms, ratio in rows:
        print(f"{name:32} {ours_ms:9.2f} ms   {other:22} {other_ms:9.2f} ms   × {ratio:.2f}")


def rounded(row: Row) -> dict[str, float]:
    """Keep as many digits as a measurement is worth."""
    return {key: round(getattr(row, key), 3) for key in ("ours_ms", "other_ms", "ratio")}
