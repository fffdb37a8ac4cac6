"""The small models that were trained for this course, and how each is opened from its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.engine import EngineError, bert, masked_lm, recall, seq2seq
from app.engine.seq2seq_config import Seq2SeqConfig, check_weights
from app.models.card import ModelCard
from app.models.errors import BrokenModel
from app.models.kinds import Encoder, open_encoder, open_tokenizer, read_json
from app.models.tensors import Array, open_tensors
from app.models.tokenizer import Tokenizer

ADAPTER = "bert-masked-lm-adapter"
HEAD = f"{masked_lm.HEAD}.bias"


@dataclass(frozen=True)
class Translator:
    """An encoder–decoder: one stack reads the source, another writes and looks back at it."""

    card: ModelCard
    config: Seq2SeqConfig
    weights: Mapping[str, Array]
    tokenizer: Tokenizer
    start: int  # the token from which the decoder begins
    end: int  # the token that ends both sides

    def source(self, text: str) -> bert.Ids:
        """Cut a text as the encoder was trained to read it: its pieces, then the end."""
        pieces = self.tokenizer.encode(text, add_special=False).ids
        return np.append(pieces, self.end).astype(np.int64)


@dataclass(frozen=True)
class RecallNetwork:
    """One small network that was trained to remember pairs."""

    name: str  # "lstm-32"
    config: Mapping[str, Any]
    weights: Mapping[str, Array]

    @property
    def cell(self) -> str:
        """What kind of network it is: rnn, gru, lstm or attention."""
        return str(self.config["cell"])

    @property
    def size(self) -> int:
        """The width of the attention network whose parameters it was given."""
        return int(self.name.rpartition("-")[2])

    @property
    def width(self) -> int:
        """How many numbers its state has: D."""
        return int(self.config["d_model"])

    @property
    def parameters(self) -> int:
        """How many numbers were trained."""
        return sum(tensor.size for tensor in self.weights.values())


@dataclass(frozen=True)
class RecallNetworks:
    """All networks of the recall task: same data, same steps, several kinds and sizes."""

    card: ModelCard
    networks: tuple[RecallNetwork, ...]

    @property
    def keys(self) -> int:
        """How many keys there are; the values' numbers come after them."""
        return int(self.networks[0].config["keys"])

    @property
    def values(self) -> int:
        """How many values there are."""
        return int(self.networks[0].config["vocab_size"]) - self.keys

    @property
    def most_pairs(self) -> int:
        """The longest list that any of them was trained on."""
        return int(self.networks[0].config["most_pairs"])


def open_translator(folder: Path, card: ModelCard) -> Translator:
    """Open a folder with an encoder–decoder.

    Raises: BrokenModel, saying what in the folder is wrong.
    """
    stated = read_json(folder / "config.json")
    try:
        config = Seq2SeqConfig.from_dict(stated)
        weights = open_tensors(folder / "model.safetensors")
        check_weights(weights, config)
        start, end = int(stated["bos_token_id"]), int(stated["eos_token_id"])
    except (EngineError, KeyError, TypeError) as error:
        raise BrokenModel(f"{type(error).__name__}: {error}") from error
    tokenizer = open_tokenizer(folder, config.vocab_size)
    return Translator(card, config, weights, tokenizer, start, end)


def recall_folders(folder: Path) -> tuple[Path, ...]:
    """List the networks of a folder."""
    return tuple(sorted(path.parent for path in folder.glob("*/config.json")))


def open_recall(folder: Path, card: ModelCard) -> RecallNetworks:
    """Open a folder that holds one folder a network.

    Raises: BrokenModel, saying which is wrong.
    """
    networks = []
    for inside in recall_folders(folder):
        config = read_json(inside / "config.json")
        weights = open_tensors(inside / "model.safetensors")
        try:
            recall.check_recall(weights, config)
        except (EngineError, KeyError, TypeError) as error:
            raise BrokenModel(f"{inside.name}: {type(error).__name__}: {error}") from error
        networks.append(RecallNetwork(inside.name, config, weights))
    if not networks:
        raise BrokenModel("there is no network in it")
    networks.sort(key=lambda network: (network.cell, network.size))
    return RecallNetworks(card, tuple(networks))


def open_blank_filler(folder: Path, card: ModelCard, *, trunk: Path) -> Encoder:
    """Open a head and adapters on top of the encoder that they were trained on.

    Raises: BrokenModel, saying what in the folder is wrong.
    """
    base, stated = open_encoder(trunk, card), read_json(folder / "config.json")
    try:
        head = open_tensors(folder / "model.safetensors")
        weights = masked_lm.merge_adapters(base.weights, head, scale=stated["lora_scale"])
        bert.check_weights(weights, base.config)
    except (EngineError, KeyError, TypeError, ValueError) as error:
        raise BrokenModel(f"{type(error).__name__}: {error}") from error
    if HEAD not in weights:
        raise BrokenModel("it has no masked-language head")
    return Encoder(card, base.config, weights, base.tokenizer)


def rehearse(model: object) -> None:
    """Let a translator read and write one token, so that wrong sizes show now.

    Raises: BrokenModel.
    """
    if isinstance(model, Translator):
        first = np.zeros(1, np.int64)
        try:
            read = seq2seq.encode(first, model.weights, model.config)
            memory = seq2seq.remember(read.hidden, model.weights, model.config)
            seq2seq.decode(first, memory, model.weights, model.config)
        except (EngineError, ValueError, IndexError) as error:
            raise BrokenModel(f"its weights do not fit together: {error}") from error
