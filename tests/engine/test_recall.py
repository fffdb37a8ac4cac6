import json
from pathlib import Path

import numpy as np
import pytest

from app.engine import UnsupportedModel, WeightMismatch
from app.engine.recall import check_recall, recall

GOLDEN = np.load(Path(__file__).parent / "golden" / "recall.npz")
KINDS = ("rnn", "lstm", "gru", "attention")


def network(kind):
    start = f"{kind}.weights."
    names = [name for name in GOLDEN.files if name.startswith(start)]
    weights = {name.removeprefix(start): GOLDEN[name] for name in names}
    return weights, json.loads(str(GOLDEN[f"{kind}.config"]))


@pytest.mark.parametrize("kind", KINDS)
def test_answers_equal_those_of_pytorch(kind):
    answer = recall(GOLDEN["ids"], *network(kind))
    np.testing.assert_allclose(answer.logits, GOLDEN[f"{kind}.logits"], atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_is_complete_or_refused_by_name(kind):
    weights, config = network(kind)
    check_recall(weights, config)
    with pytest.raises(WeightMismatch, match=r"output\.bias.*extra"):
        check_recall({*weights, "extra"} - {"output.bias"}, config)


def test_an_unknown_cell_is_refused_with_the_known_ones():
    with pytest.raises(UnsupportedModel, match=r"'mamba'.*lstm"):
        check_recall([], {"cell": "mamba"})


def test_a_recurrent_network_answers_from_its_last_state_alone():
    weights, config = network("gru")
    answer = recall(GOLDEN["ids"], weights, config)
    last = answer.recurrent[-1].states[-1]
    np.testing.assert_allclose(
        answer.logits, weights["output.weight"] @ last + weights["output.bias"], atol=1e-6
    )
    assert answer.attention is None


def test_an_attention_network_keeps_a_map_a_layer():
    maps = [
        layer.heard.attention.weights
        for layer in recall(GOLDEN["ids"], *network("attention")).attention.layers
    ]
    assert [each.shape for each in maps] == [(2, 7, 7)] * 2
    assert not np.triu(maps[0][0], 1).any()
