"""The kinds of model that a lab can ask for, and how each is opened from its folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from app.engine import EngineError, bert
from app.models.card import ModelCard
from app.models.decoder import ARCHITECTURES, Decoder, architecture_of
from app.models.errors import BrokenModel
from app.models.tensors import Array, open_tensors
from app.models.tokenizer import Tokenizer


@dataclass(frozen=True)
class Encoder:
    """A BERT-architecture model: every token sees the whole sentence."""

    card: ModelCard
    config: bert.BertConfig
    weights: Mapping[str, Array]
    tokenizer: Tokenizer


@dataclass(frozen=True)
class WordVectors:
    """One vector a word, whatever stands around it; the commonest words come first."""

    card: ModelCard
    words: Sequence[str]
    index: Mapping[str, int]
    vectors: Array  # (V, D), memory-mapped where the file is float32

    @cached_property
    def lengths(self) -> Array:
        """The length of each vector, (V), for cosines."""
        lengths: Array = np.sqrt(np.einsum("vd,vd->v", self.vectors, self.vectors))
        return lengths


def read_json(path: Path) -> dict[str, Any]:
    """Read a file that must hold one JSON object.

    Raises: BrokenModel.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BrokenModel(f"{path.name} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise BrokenModel(f"{path.name} holds no table of settings")
    return content


def open_tokenizer(folder: Path, vocabulary: int) -> Tokenizer:
    """Read a folder's tokenizer, and make sure that the model has a vector for each piece.

    Raises: BrokenModel.
    """
    tokenizer = Tokenizer.open(folder / "tokenizer.json")
    if len(tokenizer) > vocabulary:
        raise BrokenModel(
            f"tokenizer.json has {len(tokenizer)} pieces, the model only {vocabulary} vectors"
        )
    return tokenizer


def open_encoder(folder: Path, card: ModelCard) -> Encoder:
    """Open a folder with a BERT-architecture checkpoint.

    Raises: BrokenModel, saying what in the folder is wrong.
    """
    try:
        config = bert.BertConfig.from_dict(read_json(folder / "config.json"))
        weights = bert.plain_names(open_tensors(folder / "model.safetensors"))
        bert.check_weights(weights, config)
    except (EngineError, KeyError, TypeError) as error:
        raise BrokenModel(f"{type(error).__name__}: {error}") from error
    check_table(weights["embeddings.word_embeddings.weight"], config.vocabulary, config.width)
    return Encoder(card, config, weights, open_tokenizer(folder, config.vocabulary))


def check_table(table: Array, rows: int, columns: int) -> None:
    """Make sure that the weights have the sizes which config.json states.

    Raises: BrokenModel.
    """
    if table.shape != (rows, columns):
        raise BrokenModel(f"config.json says {rows} × {columns}, the weights are {table.shape}")


def open_decoder(folder: Path, card: ModelCard) -> Decoder:
    """Open a folder with a checkpoint of an architecture that decoder.py lists.

    Raises: BrokenModel, saying what in the folder is wrong.
    """
    stated = read_json(folder / "config.json")
    try:
        architecture = ARCHITECTURES[architecture_of(stated)]
        config = architecture.config(stated)
        weights = architecture.names(open_tensors(folder / "model.safetensors"))
        architecture.check(weights, config)
    except (EngineError, KeyError, TypeError) as error:
        raise BrokenModel(f"{type(error).__name__}: {error}") from error
    beside = folder / "tokenizer_config.json"
    template = read_json(beside).get("chat_template") if beside.exists() else ""
    check_table(weights[architecture.table], config.vocabulary, config.width)
    tokenizer = open_tokenizer(folder, config.vocabulary)
    chat = template if isinstance(template, str) else ""
    return Decoder(card, config, weights, tokenizer, chat, architecture)


def open_word_vectors(folder: Path, card: ModelCard) -> WordVectors:
    """Open a folder with one vector a word.

    Raises: BrokenModel.
    """
    try:
        words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")[:-1]
        table = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise BrokenModel(str(error)) from error
    vectors = np.asarray(table).astype(np.float32, copy=False)
    if vectors.ndim != 2 or len(vectors) != len(words):
        raise BrokenModel(f"{len(words)} words, but vectors of shape {vectors.shape}")
    return WordVectors(card, words, {word: n for n, word in enumerate(words)}, vectors)


def rehearse(model: object) -> None:
    """Let a model read one token, so that wrong sizes show now and not before a reader.

    Raises: BrokenModel.
    """
    first = np.zeros(1, np.int64)
    try:
        if isinstance(model, Encoder):
            bert.encode(first, model.weights, model.config)
        elif isinstance(model, Decoder):
            model.trace(first)
    except (ValueError, IndexError, TypeError) as error:
        raise BrokenModel(f"its weights do not fit together: {error}") from error
