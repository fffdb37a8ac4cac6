"""Measure everything, or the benchmarks named: `python -m benchmarks [encoder …]`.

Each benchmark is a module with `measure() -> list[Row]`, run in a process of its own with one
thread, in an environment that holds what it compares with (requirements.txt), made on first use.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
NO_BENCHMARKS = {"__init__", "__main__", "timing"}
RUN = "import sys, importlib; from benchmarks.timing import record; {}".format(
    "record(importlib.import_module('benchmarks.' + sys.argv[1]).measure())"
)


def environment() -> Path:
    """Make the environment with the other implementations once, and return its Python."""
    folder = HERE / ".venv"
    python = folder / "bin" / "python"
    needed = [ROOT / "requirements.lock", HERE / "requirements.txt"]
    stamp = folder / "ready"
    if not stamp.exists() or stamp.stat().st_mtime < max(f.stat().st_mtime for f in needed):
        print("Installing what is compared with …", flush=True)
        venv.create(folder, with_pip=True)
        for file in needed:
            subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", file], check=True)
        stamp.touch()
    return python


def main(names: list[str]) -> int:
    """Run the benchmarks one after another; report failure if any failed."""
    names = names or sorted({file.stem for file in HERE.glob("*.py")} - NO_BENCHMARKS)
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    settings = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    python = environment()
    codes = [
        subprocess.run(
            [python, "-c", RUN, name], cwd=ROOT, env={**settings, **threads}, check=False
        ).returncode
        for name in names
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
