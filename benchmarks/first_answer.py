"""From nothing to the first answer: a process that starts, opens a model and answers once.

What comes before the model is opened is Python with its libraries: the facts tell that apart.
"""

import subprocess
import sys
from statistics import median

from benchmarks.models import folder_of
from benchmarks.timing import Fact, Row, compare

OURS = """
import time
from app.models import Models
from app.settings import Settings
start = time.perf_counter()
models = Models.from_settings(Settings())
{answer}
print(1000 * (time.perf_counter() - start))
"""
THEIRS = """
import torch
from transformers import {kind}, PreTrainedTokenizerFast
torch.set_num_threads(1)
torch.set_grad_enabled(False)
tokenizer = PreTrainedTokenizerFast(tokenizer_file="{folder}/tokenizer.json")
model = {kind}.from_pretrained("{folder}", dtype=torch.float32, attn_implementation="eager")
model(torch.tensor([tokenizer.encode({text!r})]), output_attentions=True)
"""
TEXT = "The animal didn't cross the street because it was too tired."
ENCODER = f"""
from app.engine.bert_fast import encode_fast
encoder = models.encoder("minilm")
encode_fast(encoder.tokenizer.encode({TEXT!r}).ids, encoder.weights, encoder.config)
"""
DECODER = f"""
decoder = models.decoder("smollm2")
decoder.read(decoder.tokenizer.encode({TEXT!r}).ids)
"""
ROUNDS = 5


def measure() -> list[Row | Fact]:
    """Start the encoder and the decoder, ours and PyTorch's, each time in a fresh process."""
    return [
        *first("encoder", "minilm", "BertModel", ENCODER),
        *first("decoder", "smollm2", "LlamaForCausalLM", DECODER),
    ]


def first(role: str, name: str, kind: str, answer: str) -> list[Row | Fact]:
    """Compare whole processes; all files have been read before, so that no disk is measured."""
    ours = OURS.format(answer=answer)
    theirs = THEIRS.format(kind=kind, folder=folder_of(name), text=TEXT)
    start(ours), start(theirs)
    opening: list[float] = []
    rows = compare(
        f"{role}, start to first answer",
        lambda: opening.append(float(start(ours))),
        {"PyTorch eager": lambda: start(theirs)},
        rounds=ROUNDS,
        warm=False,
    )
    return [*rows, Fact(f"{role}, opened and first answer given, ms", median(opening))]


def start(program: str) -> str:
    """Run a program in a Python of its own and give what it prints."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
