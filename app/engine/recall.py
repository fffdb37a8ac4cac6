"""Small networks that were shown pairs and are asked for one: all of it through the last state.

The row of ids reads key, value, key, value, …, key; the answer is scored at the last place.
A recurrent network's state is one vector for everything; attention keeps all of them.
Names: embedding.weight (V, E); rnn.weight_ih_lN and so on as in PyTorch, or the encoder's blocks
of seq2seq_config; output.weight (V, D) and output.bias (V).
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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
