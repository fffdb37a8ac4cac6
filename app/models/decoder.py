"""A decoder with its tokenizer: reads a text as far as it is new, and lays out conversations."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.engine import bert, bert_causal, gpt2, llama
from app.engine.bert import BertConfig, Ids, Weights
from app.engine.bert_causal import CausalTrace
from app.engine.cache import Cache, cached_tokens, reusable
from app.engine.functions import Array
from app.engine.gpt2 import GPT2Config, GPT2Trace
from app.engine.llama import LlamaTrace
from app.engine.llama_config import LlamaConfig
from app.engine.llama_config import check_weights as check_llama
from app.engine.llama_fast import write_on_fast
from app.models.card import ModelCard
from app.models.tokenizer import Tokenizer

REMEMBERED = 8  # texts; 128 tokens of SmolLM2 take 6 MB
Read = tuple[Array, Cache]
Trace = LlamaTrace | GPT2Trace | CausalTrace
BERT_DECODER = "bert-decoder"


class Architecture(NamedTuple):
    """The engine's functions for one `model_type`."""

    config: Callable[[Mapping[str, Any]], Any]
    names: Callable[[Weights], Weights]  # the checkpoint's tensors under the engine's names
    check: Callable[[Weights, Any], None]
    table: str  # the tensor with one row a token
    trace: Callable[..., Trace]
    read: Callable[..., Read]  # the last token's logits and the longer cache, quickly


def _read_llama(ids: Ids, weights: Weights, config: LlamaConfig, cache: Cache | None) -> Read:
    fast = write_on_fast(ids, weights, config, cache=cache, last_only=True)
    return fast.logits[-1], fast.cache


def _read_gpt2(ids: Ids, weights: Weights, config: GPT2Config, cache: Cache | None) -> Read:
    trace = gpt2.write_on(ids, weights, config, cache=cache)
    return trace.logits[-1], trace.cache


def _read_bert(ids: Ids, weights: Weights, config: BertConfig, cache: Cache | None) -> Read:
    trace = bert_causal.write_on(ids, weights, config, cache=cache)
    return trace.logits[-1], trace.cache


def _bert_config(stated: Mapping[str, Any]) -> BertConfig:
    return BertConfig.from_dict({**stated, "is_decoder": False})  # its mask is bert_causal's


def architecture_of(stated: Mapping[str, Any]) -> str:
    """Say how a folder's model is computed; BERT's block with a causal mask is a decoder.

    Example:
        >>> architecture_of({"model_type": "bert", "is_decoder": True})
        'bert-decoder'
    """
    kind = str(stated.get("model_type"))
    return BERT_DECODER if kind == "bert" and stated.get("is_decoder") else kind


ARCHITECTURES = {
    BERT_DECODER: Architecture(
        *(_bert_config, bert.plain_names, bert.check_weights),
        *("embeddings.word_embeddings.weight", bert_causal.write_on, _read_bert),
    ),
    "llama": Architecture(
        *(LlamaConfig.from_dict, dict, check_llama),
        *("model.embed_tokens.weight", llama.write_on, _read_llama),
    ),
    "gpt2": Architecture(
        *(GPT2Config.from_dict, gpt2.plain_names, gpt2.check_weights),
        *("wte.weight", gpt2.write_on, _read_gpt2),
    ),
}


class Memory:
    """The caches of the texts read last, so that a reader who types on waits for one token only."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._texts: list[tuple[tuple[int, ...], Cache]] = []
        self._lock = Lock()

    def recall(self, ids: Sequence[int]) -> Cache | None:
        """Give the longest cache that is true for this text, if it spares any work."""
        with self._lock:
            texts = tuple(self._texts)
        fitting = (reusable(cache, known, ids) for known, cache in texts)
        best = max(fitting, key=cached_tokens, default=None)
        return best if best and cached_tokens(best) else None

    def keep(self, ids: Sequence[int], cache: Cache) -> None:
        """Remember a text in place of the one that was remembered longest."""
        text = tuple(ids)
        with self._lock:
            others = [(known, old) for known, old in self._texts if known != text]
            self._texts = [(text, cache), *others][:REMEMBERED]


@dataclass(frozen=True)
class Decoder:
    """A model in which every token sees what stands before it."""

    card: ModelCard
    config: LlamaConfig | GPT2Config | BertConfig
    weights: Weights
    tokenizer: Tokenizer
    chat_template: str  # Jinja2 text that lays out a conversation; empty when there is none
    architecture: Architecture
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def read(self, ids: Ids, cache: Cache | None = None) -> Read:
        """Read the new tokens and give the logits after the last, (V), and the longer cache."""
        return self.architecture.read(ids, self.weights, self.config, cache)

    def read_remembering(self, ids: Ids) -> Read:
        """Read a whole text, sparing what an earlier one began with in the same way."""
        text = ids.tolist()
        known = self.memory.recall(text)
        logits, cache = self.read(ids[cached_tokens(known) if known else 0 :], known)
        self.memory.keep(text, cache)
        return logits, cache

    def score(self, ids: Ids) -> Array:
        """Read a text at once and score, after each token, every piece that could come next.

        Shapes: ids (T) -> (T, V).
        """
        if isinstance(self.config, LlamaConfig):
            return write_on_fast(ids, self.weights, self.config).logits
        return self.trace(ids).logits

    def trace(self, ids: Ids, **options: Any) -> Trace:
        """Read a text and keep every intermediate; the options are those of `write_on`."""
        return self.architecture.trace(ids, self.weights, self.config, **options)

    @property
    def start(self) -> tuple[int, ...]:
        """What stood before every text in training; put before a reader's, it is read better."""
        name = "[CLS]" if isinstance(self.config, BertConfig) else "<|endoftext|>"
        first = self.tokenizer.special.get(name)
        return () if first is None else (first,)

    @property
    def stop(self) -> frozenset[int]:
        """The tokens that end a text: special ones, which no text contains."""
        return frozenset(self.tokenizer.special.values())

    def chat(self, turns: Sequence[tuple[str, str]]) -> Ids:
        """Lay out a conversation as the model was trained to read it, up to where it is to answer.

        Shapes: turns (role, content), roles "system", "user", "assistant" -> ids (T). What is
        typed stays plain text, even when it spells one of the layout's own special tokens.
        """
        marks = [f"\ue000{n}\ue001" for n in range(len(turns))]
        messages = [
            {"role": role, "content": mark} for (role, _), mark in zip(turns, marks, strict=True)
        ]
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        template = environment.from_string(self.chat_template)
        layout = template.render(messages=messages, add_generation_prompt=True)
        special = self.tokenizer.special
        names = "|".join(map(re.escape, sorted(special, key=len, reverse=True)))
        ids: list[int] = []
        for part in re.split(f"({names})", layout) if names else [layout]:
            text = re.sub("\ue000(\\d+)\ue001", lambda mark: turns[int(mark[1])][1], part)
            plain = self.tokenizer.encode(text, add_special=False).ids.tolist()
            ids += [special[part]] if part in special else plain
        return np.array(ids, np.int64)
