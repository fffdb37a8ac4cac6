"""The encoder's reference cases: small models that are always here, and MiniLM where installed."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from app.engine.bert import BertConfig, Weights, check_weights, plain_names
from app.models.tensors import open_tensors

HERE = Path(__file__).parent
MINILM = HERE.parents[2] / "models" / "downloaded" / "minilm"
TEXTS = json.loads((HERE / "bert_texts.json").read_text(encoding="utf-8"))
TINY = np.load(HERE / "bert_tiny.npz")
TINY_LENGTHS = ("tokens-1", "tokens-2", "tokens-7", "tokens-23", "tokens-48")


class Checkpoint(NamedTuple):
    """A model as the engine takes it."""

    weights: Weights
    config: BertConfig


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint folder, checked."""
    config = BertConfig.from_dict(json.loads((folder / "config.json").read_text()))
    weights = open_tensors(folder / "model.safetensors")
    check_weights(weights, config)
    return Checkpoint(plain_names(weights), config)


@cache
def tiny(name: str = "bert_tiny") -> Checkpoint:
    """Load one of the two small random models."""
    return load(HERE / name)


@cache
def minilm() -> Checkpoint:
    """Load all-MiniLM-L6-v2, or skip the test where it is not installed."""
    if (MINILM / "model.safetensors").exists():
        return load(MINILM)
    return pytest.skip("all-MiniLM-L6-v2 is not installed: `make fetch` fetches it")


def worst_difference_from_minilm(name: str, last: np.ndarray, weights: np.ndarray) -> float:
    """Compare hidden states and all 72 attention maps of one text with the reference."""
    with np.load(HERE / "bert_minilm.npz") as golden:
        difference = np.abs(last - golden[f"{name}/last"]).max()
        if f"{name}/weights" in golden:  # stored in steps of 1/65535
            maps = golden[f"{name}/weights"] / 65535
            return float(max(difference, np.abs(weights - maps).max() - 0.5 / 65535))
        tokens = len(last)
        signs = np.random.default_rng(tokens).choice(np.float32([-1, 1]), (tokens, 4))
        sums = np.abs(weights @ signs - golden[f"{name}/signed"]).max()
        return float(max(difference, sums))
