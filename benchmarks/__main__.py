"""Measure everything, or the benchmarks named: `python -m benchmarks [--rounds N] [encoder …]`.

Each benchmark is a module with `measure()`, which gives rows and facts. It runs in a process of its
own with one thread, in an environment that holds what it compares with, made on first use.
"""

import argparse
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
BENCHMARKS = (
    *("encoder", "decoder", "llama_cpp", "word_vectors"),
    *("lab_response", "first_answer", "second_worker"),
)
RUN = "import sys; from benchmarks.record import run; run(sys.argv[1])"
BUSY = 0.5  # waiting processes, on average over the last minute
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


def environment() -> Path:
    """Make the environment with the other implementations once, and return its Python."""
    folder = HERE / ".venv"
    python = folder / "bin" / "python"
    needed = [ROOT / "requirements-fetch.lock", HERE / "requirements.txt"]
    wanted = HERE / "requirements-llama.txt"
    stamp = folder / "ready"
    newest = max(file.stat().st_mtime for file in (*needed, wanted))
    if not stamp.exists() or stamp.stat().st_mtime < newest:
        print("Installing what is compared with …", flush=True)
        venv.create(folder, clear=True, symlinks=True, with_pip=True)
        for file in needed:
            subprocess.run([python, *PIP, "-r", file], check=True)
        only_built = ("--only-binary", ":all:", "-r", wanted)
        if subprocess.run([python, *PIP, *only_built], check=False).returncode:
            print("llama.cpp has no finished build for this machine; its rows will be left out.")
        stamp.touch()
    return python


def surroundings(rounds: int | None, load: float) -> dict[str, str]:
    """Give the environment variables: one thread, no chatter, nothing that slows a current NumPy.

    Some machines set OPENBLAS_CORETYPE for the sake of older builds.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_")}
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    told = {"BENCH_LOAD": str(load), **({"BENCH_ROUNDS": str(rounds)} if rounds else {})}
    quiet = {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    return {**kept, **dict.fromkeys(names, "1"), **quiet, **told}


def say_if_busy(load: float) -> None:
    """Warn when other work would be measured along with ours."""
    if load > BUSY:
        print(f"This machine is busy (load {load:.1f}): quote no time from this run, and ratios")
        print("with care.", flush=True)


def main() -> int:
    """Run the benchmarks one after another; report failure if any failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("--rounds", type=int, help="so many rounds at most: a quick look")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(BENCHMARKS):
        parser.error(f"no benchmark is called {' or '.join(sorted(unknown))}")
    load = os.getloadavg()[0]  # before pip adds to it
    python, settings = environment(), surroundings(chosen.rounds, load)
    say_if_busy(load)
    if not chosen.names:  # all is measured anew: nothing older is kept
        (HERE / "latest.json").unlink(missing_ok=True)
    start, failed = time.monotonic(), []
    for name in chosen.names or BENCHMARKS:
        command = [python, "-c", RUN, name]
        if subprocess.run(command, cwd=ROOT, env=settings, check=False).returncode:
            failed.append(name)
    print(f"Measured in {(time.monotonic() - start) / 60:.1f} minutes.")
    if failed:
        print(f"Failed: {', '.join(failed)}.")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
