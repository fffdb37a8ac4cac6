"""The models trained here compute through our engine what PyTorch computed when they shipped."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.engine import beam, bert, masked_lm, masks, seq2seq
from app.engine.recall import check_recall, recall
from app.engine.seq2seq_config import Seq2SeqConfig
from app.models.tensors import open_tensors
from app.settings import ROOT

SHIPPED = ROOT / "models"
GOLDEN = Path(__file__).parent / "golden"
ENCODER = SHIPPED / "downloaded" / "minilm"
RECALL = sorted(path.parent.name for path in (SHIPPED / "recall").glob("*/config.json"))


def settings(name: str) -> dict:
    return json.loads((SHIPPED / name / "config.json").read_text(encoding="utf-8"))


def cards() -> list[Path]:
    trained = ("blank-filler", "translator", "matched-masked", "matched-causal", "recall")
    return [SHIPPED / name / "CARD.md" for name in trained]


def same(ours, reference):
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, reference, rtol=0, atol=1e-4)


@pytest.mark.parametrize("n", range(4))
def test_the_translator_equals_pytorch_in_vectors_scores_and_cross_attention(n):
    golden = np.load(GOLDEN / "translator.npz")
    config = Seq2SeqConfig.from_dict(settings("translator"))
    weights = open_tensors(SHIPPED / "translator" / "model.safetensors")
    read = seq2seq.encode(golden[f"source_{n}"], weights, config)
    memory = seq2seq.remember(read.hidden, weights, config)
    written = seq2seq.decode(golden[f"target_{n}"], memory, weights, config)
    same(read.hidden, golden[f"memory_{n}"])
    same(written.logits[:, ::10], golden[f"logits_{n}"])
    looks = [layer.cross.attention.weights for layer in written.stack.layers]
    same(np.stack(looks), golden[f"cross_{n}"])


@pytest.mark.parametrize("n", range(4))
def test_the_translator_writes_word_for_word_what_pytorch_writes_greedily(n):
    golden = np.load(GOLDEN / "translator.npz")
    config = Seq2SeqConfig.from_dict(settings("translator"))
    weights = open_tensors(SHIPPED / "translator" / "model.safetensors")
    read = seq2seq.encode(golden[f"source_{n}"], weights, config)
    step = seq2seq.next_word(seq2seq.remember(read.hidden, weights, config), weights, config)
    written = [choice.token for choice in beam.greedy(step, [1], 2, limit=60)]
    assert [1, *written] == [*golden[f"target_{n}"].tolist(), 2]


@pytest.mark.parametrize("n", range(3))
@pytest.mark.parametrize("objective", ["masked", "causal"])
def test_the_matched_pair_equals_pytorch_in_vectors_maps_and_scores(objective, n):
    golden = np.load(GOLDEN / f"matched-{objective}.npz")
    stated = {**settings(f"matched-{objective}"), "is_decoder": False}  # the mask is below
    config = bert.BertConfig.from_dict(stated)
    weights = open_tensors(SHIPPED / f"matched-{objective}" / "model.safetensors")
    bert.check_weights(weights, config)
    ids = golden[f"ids_{n}"]
    mask = masks.causal(len(ids)) if objective == "causal" else None
    trace = bert.encode(ids, weights, config, mask=mask)
    same(trace.hidden[-1], golden[f"hidden_{n}"])
    same(trace.weights, golden[f"attentions_{n}"])
    scored = masked_lm.score_words(trace.hidden[-1], weights, epsilon=config.epsilon)
    same(scored.logits[:, ::10], golden[f"logits_{n}"])


def test_the_matched_pair_differs_in_nothing_but_the_mask_and_the_question():
    masked, causal = settings("matched-masked"), settings("matched-causal")
    different = {key for key in masked if masked[key] != causal[key]}
    assert different == {"architectures", "is_decoder"}
    names = ("matched-masked", "matched-causal")
    first, second = (open_tensors(SHIPPED / name / "model.safetensors") for name in names)
    assert {k: v.shape for k, v in first.items()} == {k: v.shape for k, v in second.items()}
    tokenizers = [(SHIPPED / name / "tokenizer.json").read_bytes() for name in names]
    assert tokenizers[0] == tokenizers[1]


def test_both_curves_of_the_matched_pair_stand_at_equal_tokens():
    curves = [
        json.loads((SHIPPED / f"matched-{objective}" / "curve.json").read_text(encoding="utf-8"))
        for objective in ("masked", "causal")
    ]
    seen = [[(point["step"], point["tokens"]) for point in curve] for curve in curves]
    assert seen[0] == seen[1]


@pytest.mark.skipif(not ENCODER.is_dir(), reason="the encoder beneath it is not downloaded")
@pytest.mark.parametrize("n", range(2))
def test_the_blank_filler_equals_pytorch_on_top_of_the_downloaded_encoder(n):
    golden, said = np.load(GOLDEN / "blank-filler.npz"), settings("blank-filler")
    config = bert.BertConfig.from_dict(settings(f"downloaded/{said['base']}"))
    trunk = bert.plain_names(open_tensors(ENCODER / "model.safetensors"))
    head = open_tensors(SHIPPED / "blank-filler" / "model.safetensors")
    weights = masked_lm.merge_adapters(trunk, head, scale=said["lora_scale"])
    trace = bert.encode(golden[f"ids_{n}"], weights, config)
    same(trace.hidden[-1], golden[f"hidden_{n}"])
    scored = masked_lm.score_words(trace.hidden[-1], weights, epsilon=said["layer_norm_eps"])
    same(scored.logits[:, ::100], golden[f"logits_{n}"])


def test_there_is_a_recall_network_of_every_kind_at_three_sizes():
    assert len(RECALL) == 12


@pytest.mark.parametrize("name", RECALL)
def test_a_recall_network_equals_pytorch(name):
    golden, config = np.load(GOLDEN / "recall.npz"), settings(f"recall/{name}")
    weights = open_tensors(SHIPPED / "recall" / name / "model.safetensors")
    check_recall(weights, config)
    same(recall(golden[f"{name}.ids"], weights, config).logits, golden[f"{name}.logits"])


def test_recall_networks_of_one_size_have_about_equally_many_parameters():
    sizes: dict[str, list[int]] = {}
    for name in RECALL:
        weights = open_tensors(SHIPPED / "recall" / name / "model.safetensors")
        sizes.setdefault(name.rpartition("-")[2], []).append(sum(w.size for w in weights.values()))
    for counts in sizes.values():
        assert min(counts) >= 0.95 * max(counts)


@pytest.mark.parametrize("card", cards(), ids=lambda path: path.parent.name)
def test_a_card_names_task_data_licence_steps_scores_failures_and_command(card):
    text = card.read_text(encoding="utf-8")
    for said in ("Task", "Data", "CC BY 2.0", "Size", "Steps", "Scores", "Failures", "python -m"):
        assert said in text, said


def test_all_trained_weights_together_stay_under_forty_megabytes():
    files = [path for card in cards() for path in card.parent.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 40 * 2**20
