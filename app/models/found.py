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

from app.models import kinds, trained
from app.models.card import ModelCard
from app.models.catalogue import Entry
from app.models.decoder import BERT_DECODER, architecture_of
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
    also: tuple[str, ...] = ()  # other roles that it plays


HUGGING_FACE = ("num_hidden_layers", "num_attention_heads", "hidden_size")
ARCHITECTURES: dict[str, Architecture] = {
    "bert": Architecture("encoder", kinds.open_encoder, *HUGGING_FACE),
    BERT_DECODER: Architecture("decoder", kinds.open_decoder, *HUGGING_FACE, ("causal_lm",)),
    "llama": Architecture("decoder", kinds.open_decoder, *HUGGING_FACE),
    "gpt2": Architecture("decoder", kinds.open_decoder, "n_layer", "n_head", "n_embd"),
    "seq2seq": Architecture(
        *("translator", trained.open_translator, "n_decoder_layers", "n_heads", "d_model")
    ),
}


@dataclass(frozen=True)
class Installed:
    """A model that can be opened: its card, its folder, and how."""

    card: ModelCard
    folder: Path
    opens: Open
    also: tuple[str, ...] = ()  # other roles that it plays
    base: str = ""  # the model beneath it, without which it is nothing

    @property
    def roles(self) -> tuple[str, ...]:
        """All that it can be asked for as."""
        return (self.card.role, *self.also)

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
        return _measure_words(folder, card)
    if card.role == "recall":
        return _measure_recall(folder, card)
    config = kinds.read_json(folder / "config.json")
    if config.get("model_type") == trained.ADAPTER:
        return Installed(card, folder, kinds.open_encoder, base=str(config.get("base")))
    kind = ARCHITECTURES.get(architecture_of(config))
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
    fills = card.role == "encoder" and any(t.name.endswith(trained.HEAD) for t in placed)
    return Installed(card, folder, kind.open, (*kind.also, *(("masked_lm",) if fills else ())))


def _measure_words(folder: Path, card: ModelCard) -> Installed:
    try:
        rows, width = np.load(folder / "vectors.npy", mmap_mode="r").shape
    except (OSError, ValueError) as error:
        raise BrokenModel(str(error)) from error
    card = replace(card, parameters=rows * width, width=width)
    return Installed(card, folder, kinds.open_word_vectors)


def _measure_recall(folder: Path, card: ModelCard) -> Installed:
    files = [inside / "model.safetensors" for inside in trained.recall_folders(folder)]
    count = sum(tensor.count for file in files for tensor in read_header(file))
    return Installed(replace(card, parameters=count), folder, trained.open_recall)


def on_trunks(found: tuple[Installed, ...]) -> Iterator[Installed]:
    """Join each adapter with the encoder beneath it; without that one it is left out."""
    trunks = {each.card.name: each for each in found}
    for each in found:
        if not each.base:
            yield each
        elif each.base in trunks:
            own = sum(t.count for t in read_header(each.folder / "model.safetensors"))
            trunk, opens = trunks[each.base], trained.open_blank_filler
            layers, heads, width = trunk.card.layers, trunk.card.heads, trunk.card.width
            card = replace(each.card, layers=layers, heads=heads, width=width)
            card = replace(card, parameters=own + trunk.card.parameters)
            yield replace(each, card=card, opens=partial(opens, trunk=trunk.folder))


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
    opened = found.open()
    kinds.rehearse(opened)
    trained.rehearse(opened)
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
    return tuple(on_trunks(tuple(_whole_ones(tries))))


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
