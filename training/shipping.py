"""From a finished run to a folder that ships: rounded weights, settings, curve and scores."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn


def round_weights(model: nn.Module) -> None:
    """Round the weights to float16, in place: scores are measured on what ships."""
    for value in model.parameters():
        value.data = value.data.half().float()


def ship(folder: Path, tensors: dict[str, Tensor], config: dict[str, Any]) -> None:
    """Write the weights as float16 and the settings beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    halves = {name: value.detach().half().contiguous() for name, value in tensors.items()}
    save_file(halves, folder / "model.safetensors")
    (folder / "model.safetensors").chmod(0o644)
    write_json(folder / "config.json", config)


def apart(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Part the projections that were trained as one: `key_value` to `key` and `value`."""
    parted = {}
    for name, value in tensors.items():
        if ".key_value." in name:
            for part, half in zip(("key", "value"), value.chunk(2), strict=True):
                parted[name.replace("key_value", part)] = half
        else:
            parted[name] = value
    return parted


def write_json(file: Path, content: Any) -> None:
    """Write JSON that is pleasant to read and to compare."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def ship_history(run: Path, folder: Path, scores: dict[str, Any]) -> None:
    """Copy the tokenizer and the loss curve of a run, and write its scores."""
    for name in ("tokenizer.json", "curve.json"):
        if (run / name).exists():
            shutil.copyfile(run / name, folder / name)
    write_json(folder / "scores.json", scores)


def load_run(model: nn.Module, run: Path) -> dict[str, Any]:
    """Load a run's weights into a model, ready to be asked; return what else it says."""
    state = torch.load(run / "checkpoint.pt", weights_only=False)
    model.load_state_dict(state.pop("model"))
    del state["optimizer"]
    model.eval()
    round_weights(model)
    return state


def save_golden(file: Path, arrays: dict[str, Any]) -> None:
    """Keep a few inputs and outputs, for tests that need no PyTorch."""
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(file, **{name: np.asarray(value) for name, value in arrays.items()})
