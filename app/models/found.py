"""Which models stand on this disk: those of the catalogue, and the reader's own.

A reader's own model is a folder with config.json, model.safetensors and tokenizer.json. Whatever is
wrong with one is said in the log, by its name; the others serve on.
"""

import hashlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.models import kinds
from app.models.card import ModelCard
from app.models.catalogue import Entry
from app.models.errors import BrokenModel
from app.models.stamp import is_whole
from app.models.tensors import read_header

log = logging.getLogger(__name__)
Open = Callable[[Path, ModelCard], object]


class Architecture(NamedTuple):
    """How models of one `model_type` are opened, and what their config.json calls the sizes."""

    role: str
    open: Open
    layers: str
    heads: str
    width: str


HUGGING_FACE = ("num_hidden_layers", "num_attention_heads", "hidden_size")
ARCHITECTURES: dict[str, Architecture] = {
    "bert": Architecture("encoder", kinds.open_encoder, *HUGGING_FACE),
    "llama": Architecture("decoder", kinds.open_decoder, *HUGGING_FACE),
    "gpt2": Architecture("decoder", kinds.open_decoder, "n_layer", "n_head", "n_embd"),
}


@dataclass(frozen=True)
class Installed:
    """A model that can be opened: its card, its folder, and how."""

    card: ModelCard
    folder: Path
    opens: Open

    def open(self) -> object:
        """Open it now; what comes back holds the card too."""
        return self.opens(self.folder, self.card)


def blank_card(name: str) -> ModelCard:
    """Write the card of a model about which nothing is known but its name."""
    said = "not stated: a checkpoint put here by whoever runs this course"
    return ModelCard(
        name=name,
        title=name,
        role="",
        kind="trained",
        parameters=0,
        trained_on=said,
        language="unknown",
        licence="unknown",
        source=said,
        sha256="",
    )


def entry_card(entry: Entry) -> ModelCard:
    """Write the card of a model of the catalogue, still without its sizes."""
    known = ("name", "title", "role", "kind", "trained_on", "language", "licence", "source")
    return ModelCard(
        **{field: getattr(entry, field) for field in known}, sha256=entry.sha256, parameters=0
    )


def measure(folder: Path, card: ModelCard) -> Installed:
    """Read a model's sizes from its own files, and from them how it is opened.

    Raises: BrokenModel.
    """
    if card.role == "word_vectors":
        try:
            rows, width = np.load(folder / "vectors.npy", mmap_mode="r").shape
        except (OSError, ValueError) as error:
            raise BrokenModel(str(error)) from error
        card = replace(card, parameters=rows * width, width=width)
        return Installed(card, folder, kinds.open_word_vectors)
    config = kinds.read_json(folder / "config.json")
    kind = ARCHITECTURES.get(str(config.get("model_type")))
    if kind is None:
        known = ", ".join(ARCHITECTURES)
        raise BrokenModel(f"model_type is {config.get('model_type')!r}; known here: {known}")
    placed = read_header(folder / "model.safetensors")
    card = replace(
        card,
        role=card.role or kind.role,
        parameters=sum(tensor.count for tensor in placed),
        layers=_whole(config, kind.layers),
        heads=_whole(config, kind.heads),
        width=_whole(config, kind.width),
    )
    return Installed(card, folder, kind.open)


def _whole(config: dict[str, Any], setting: str) -> int:
    value = config.get(setting)
    if not isinstance(value, int) or value < 1:
        raise BrokenModel(f"config.json: {setting} is {value!r}, not a number above 0")
    return value


def own(folder: Path) -> Installed:
    """Take a reader's own folder as a model, after opening it once to see that it works.

    Raises: BrokenModel.
    """
    found = measure(folder, blank_card(folder.name))
    kinds.rehearse(found.open())
    with (folder / "model.safetensors").open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return replace(found, card=replace(found.card, sha256=digest))


def named(entry: Entry, folder: Path) -> Installed:
    """Take a folder as the model of the catalogue that has its name.

    Raises: BrokenModel.
    """
    if entry.wheel and not is_whole(entry, folder):
        raise BrokenModel("it is not, or not whole, what the catalogue names; see `make fetch`")
    return measure(folder, entry_card(entry))


def find_models(
    catalogue: tuple[Entry, ...], shipped: Path, downloaded: Path | None
) -> tuple[Installed, ...]:
    """List what is installed: downloaded models first, then the reader's own, then what ships."""
    fetched = [entry for entry in catalogue if entry.wheel]
    ships = [entry for entry in catalogue if not entry.wheel]
    tries: list[tuple[Path, Callable[[Path], Installed]]] = []
    if downloaded:
        tries += [(downloaded / entry.name, partial(named, entry)) for entry in fetched]
        tries += [(folder, own) for folder in _others(downloaded, fetched, ships)]
    tries += [(shipped / entry.name, partial(named, entry)) for entry in ships]
    return tuple(_whole_ones(tries))


def _others(parent: Path, fetched: list[Entry], ships: list[Entry]) -> Iterator[Path]:
    for folder in sorted(parent.iterdir()) if parent.is_dir() else []:
        if folder.is_dir() and folder.name in {entry.name for entry in ships}:
            log.warning("model %s is left out: a model that ships has this name", folder.name)
        elif not folder.name.startswith(".") and folder.name not in {e.name for e in fetched}:
            yield folder


def _whole_ones(tries: list[tuple[Path, Callable[[Path], Installed]]]) -> Iterator[Installed]:
    for folder, take in tries:
        if folder.is_dir():
            try:
                yield take(folder)
            except BrokenModel as error:
                log.warning("model %s is broken and left out: %s", folder.name, error)
