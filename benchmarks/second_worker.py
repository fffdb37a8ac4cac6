"""What a second worker costs in memory: two processes open the same model and both answer.

The pages of the weights' file are the same memory for both. What is private to the second is
Python with its libraries, and what the answer leaves behind.
"""

import subprocess
import sys
from pathlib import Path

from benchmarks.first_answer import DECODER, ENCODER
from benchmarks.models import folder_of
from benchmarks.timing import Fact, LeftOut

WORKER = """
import sys
from app.models import Models
from app.settings import Settings
import app.engine.bert_fast
models = Models.from_settings(Settings())
print("started", flush=True)
sys.stdin.readline()
{answer}
print("answered", flush=True)
sys.stdin.readline()
"""
Sizes = dict[str, float]


def measure() -> list[Fact]:
    """Look at the second of two workers, with the encoder and with the decoder."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise LeftOut("only Linux tells how much memory processes share")
    facts: list[Fact] = []
    for role, name, answer in (("encoder", "minilm", ENCODER), ("decoder", "smollm2", DECODER)):
        folder_of(name)
        before, after = second(WORKER.format(answer=answer))
        weights = (folder_of(name) / "model.safetensors").stat().st_size / 2**20
        facts += [
            Fact(f"second worker, {role}, private MiB", after["Private"]),
            Fact(f"second worker, {role}, of these before the model, MiB", before["Private"]),
            Fact(f"second worker, {role}, resident MiB", after["Rss"]),
            Fact(f"second worker, {role}, proportional MiB", after["Pss"]),
            Fact(f"second worker, {role}, size of the weights, MiB", weights),
        ]
    return facts


def second(program: str) -> tuple[Sizes, Sizes]:
    """Run two workers, and give the sizes of the second before and after both have answered."""
    command = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    workers = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(2)]
    try:
        for worker in workers:
            said(worker, "started")
        before = sizes(workers[1].pid)
        for worker in workers:
            assert worker.stdin
            worker.stdin.write("\n")
            worker.stdin.flush()
            said(worker, "answered")
        return before, sizes(workers[1].pid)
    finally:
        for worker in workers:
            worker.communicate("\n")


def said(worker: "subprocess.Popen[str]", word: str) -> None:
    """Wait until a worker has said a word."""
    assert worker.stdout
    line = worker.stdout.readline().strip()
    if line != word:
        raise AssertionError(f"a worker ended early: {line!r}")


def sizes(process: int) -> Sizes:
    """Read a process's memory in MiB: resident, proportional (shared pages halved), private."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    read = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
    private = read["Private_Clean"] + read["Private_Dirty"]
    return {"Rss": read["Rss"], "Pss": read["Pss"], "Private": private}
