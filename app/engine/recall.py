"""Small networks that were shown pairs and are asked for one: all of it through the last state.

The row of ids reads key, value, key, value, …, key; the answer is scored at the last place.
A recurrent network's state is one vector for everything; attention keeps all of them.
Names: embedding.weight (V, E); rnn.weight_ih_lN and so on as in PyTorch, or the encoder's blocks
of seq2seq_config; output.weight (V, D) and output.bias (V).
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from app.engine import UnsupportedModel
from app.engine.bert import Ids, Weights, part
from app.engine.functions import Array, linear
from app.engine.masks import causal
from app.engine.recurrent import CELLS, RecurrentTrace, RecurrentWeights, recur
from app.engine.seq2seq import Stack, encode
from app.engine.seq2seq_config import Seq2SeqConfig, refuse_mismatch


class Recall(NamedTuple):
    """What a network has computed, and its score for every answer."""

    recurrent: tuple[RecurrentTrace, ...]  # one a layer; empty for attention
    attention: Stack | None
    logits: Array  # (V) at the last place


def attention_config(config: Mapping[str, Any]) -> Seq2SeqConfig:
    """Describe the attention network as an encoder without a decoder."""
    layers = {"n_encoder_layers": config["n_layers"], "n_decoder_layers": 0}
    return Seq2SeqConfig.from_dict({**config, **layers})


def check_recall(names: Iterable[str], config: Mapping[str, Any]) -> None:
    """Make sure a checkpoint holds each tensor that is read, and none that nothing reads.

    Raises: UnsupportedModel, for an unknown cell; WeightMismatch, listing the names.
    """
    if config["cell"] in CELLS:
        fields = RecurrentWeights._fields
        need = {f"rnn.{field}_l{n}" for n in range(config["n_layers"]) for field in fields}
    elif config["cell"] == "attention":
        need = attention_config(config).stack_names("encoder", config["n_layers"])
    else:
        raise UnsupportedModel(f"cell {config['cell']!r}; known are {[*CELLS, 'attention']}")
    refuse_mismatch(names, need | {"embedding.weight", "output.weight", "output.bias"})


def recall(ids: Ids, weights: Weights, config: Mapping[str, Any]) -> Recall:
    """Read the pairs and the question, and score every possible answer.

    Shapes: ids (T) -> logits (V).

    Raises: EngineError, for more tokens than an attention network was made for.
    """
    traces, stack, layers = list[RecurrentTrace](), None, config["n_layers"]
    if config["cell"] == "attention":
        mask = causal(len(ids)) if config.get("causal") else None
        stack = encode(ids, weights, attention_config(config), mask=mask)
        last = stack.hidden[-1]
    else:
        x = weights["embedding.weight"][ids]
        for n in range(layers):
            names = (f"rnn.{field}_l{n}" for field in RecurrentWeights._fields)
            traces.append(recur(config["cell"], x, RecurrentWeights(*(weights[k] for k in names))))
            x = traces[-1].states
        last = x[-1]
    return Recall(tuple(traces), stack, linear(last, *part(weights, "output")))


class Drills(NamedTuple):
    """Rows of pairs and a question each, all of one length, made by chance."""

    ids: Ids  # (B, 2 · pairs + 1) key, value, key, value, …, the key asked for
    right: Ids  # (B) the value that was told with it


def make_drills(
    pairs: int, count: int, *, keys: int, values: int, generator: np.random.Generator
) -> Drills:
    """Draw lists of pairs, all keys of a list different, and ask for one of its keys.

    Shapes: -> ids (count, 2 · pairs + 1), right (count). Keys are 0 … keys − 1, values follow.

    Example: with one pair the question is its key, and the answer stands between.
        >>> drills = make_drills(1, 1, keys=3, values=2, generator=np.random.default_rng(0))
        >>> bool(drills.ids[0, 0] == drills.ids[0, 2]), bool(drills.ids[0, 1] == drills.right[0])
        (True, True)
    """
    told = generator.random((count, keys)).argsort(axis=1)[:, :pairs]
    answers = generator.integers(keys, keys + values, (count, pairs))
    asked = generator.integers(0, pairs, count)
    rows = np.arange(count)
    listed = np.stack([told, answers], axis=2).reshape(count, 2 * pairs)
    ids = np.concatenate([listed, told[rows, asked][:, None]], axis=1)
    return Drills(ids.astype(np.int64), answers[rows, asked])


def recall_many(ids: Ids, weights: Weights, config: Mapping[str, Any]) -> Array:
    """Compute what `recall` computes, for many rows of one length at once.

    A cell works number by number, so the states of all rows are handed to it as one long one.

    Shapes: ids (B, T) -> logits (B, V).
    """
    if config["cell"] == "attention":
        mask = causal(ids.shape[1]) if config.get("causal") else None
        hidden = encode(ids, weights, attention_config(config), mask=mask).hidden
        return linear(hidden[:, -1], *part(weights, "output"))
    states = weights["embedding.weight"][ids.T]  # (T, B, E)
    for n in range(config["n_layers"]):
        names = (f"rnn.{field}_l{n}" for field in RecurrentWeights._fields)
        states = _run_many(config["cell"], states, RecurrentWeights(*(weights[k] for k in names)))
    return linear(states[-1], *part(weights, "output"))


def _run_many(cell: str, inputs: Array, own: RecurrentWeights) -> Array:
    projected = inputs @ own.weight_ih.T + own.bias_ih
    wide = (own.weight_hh.shape[1], inputs.shape[1])  # (D, B)
    state = kept = np.zeros(wide[0] * wide[1], inputs.dtype)
    states = []
    for row in projected:
        recurrent = own.weight_hh @ state.reshape(wide) + own.bias_hh[:, None]
        step = CELLS[cell].step(row.T.ravel(), recurrent.ravel(), state, kept)
        state, kept = step.state, step.cell
        states.append(state.reshape(wide).T)
    return np.stack(states)


def right_share(drills: Drills, weights: Weights, config: Mapping[str, Any]) -> float:
    """Measure how often a network answers right.

    Shapes: drills of B rows -> a share, 0 to 1.
    """
    return float((recall_many(drills.ids, weights, config).argmax(-1) == drills.right).mean())
