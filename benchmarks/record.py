"""Print what was measured, and keep it in latest.json."""

import importlib
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Fact, LeftOut, Row

LATEST = Path(__file__).with_name("latest.json")


def machine() -> str:
    """Describe the machine in a line."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text().splitlines() if names.exists() else []
    model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "any number of")
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{os.cpu_count()} × {model or platform.machine()}, {threads} thread, {versions}"


def run(name: str) -> None:
    """Run one benchmark; what it cannot compare here is said and left out."""
    module = importlib.import_module(f"benchmarks.{name}")
    try:
        keep(module.measure())
    except LeftOut as reason:
        print(f"{name}: left out, {reason}", flush=True)


def keep(found: list[Row | Fact]) -> None:
    """Print rows and facts, and put them into latest.json in place of those of the same name."""
    known = json.loads(LATEST.read_text(encoding="utf-8")) if LATEST.exists() else {}
    load = Fact("load of the machine before the run", float(os.environ["BENCH_LOAD"]))
    rows = {(row["name"], row["other"]): row for row in known.get("rows", [])}
    facts = {**known.get("facts", {}), load.name: rounded(load.value)}
    for one in found:
        print(line(one), flush=True)
        if isinstance(one, Row):
            rows[one.name, one.other] = {key: rounded(part) for key, part in one._asdict().items()}
        else:
            facts[one.name] = rounded(one.value)
    content = {"machine": machine(), "rows": list(rows.values()), "facts": facts}
    LATEST.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def line(one: Row | Fact) -> str:
    """Lay out a row or a fact for the terminal."""
    if isinstance(one, Fact):
        return f"{one.name:62} {rounded(one.value)}"
    name, ours_ms, other, other_ms, ratio = one
    return f"{name:44} {ours_ms:9.2f} ms   {other:24} {other_ms:9.2f} ms   × {ratio:.2f}"


def rounded(value: Any) -> Any:
    """Keep as many digits as a measurement is worth."""
    return round(value, 3) if isinstance(value, float) else value
