"""Roles of the models trained here: who fills blanks, writes on, translates, remembers pairs."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.engine import bert, bert_causal, masked_lm, masks, seq2seq
from app.engine.cache import cached_tokens
from app.models import Decoder, Encoder, Models, RecallNetworks, Translator
from app.models.kinds import open_decoder
from app.models.rehash import rehash
from app.models.trained import HEAD, open_blank_filler, open_recall
from app.settings import ROOT
from tests.models.test_gguf import CARD

SHIPPED = ROOT / "models"
MASKED = SHIPPED / "matched-masked"


def names(models, role):
    return [card.name for card in models.choices(role)]


@pytest.fixture
def causal(tmp_path):
    """The masked one's weights, declared to be a decoder: what a checkpoint must say."""
    shutil.copytree(MASKED, tmp_path / "own-decoder")
    config = tmp_path / "own-decoder" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"is_decoder": True}))
    return tmp_path


def test_what_ships_includes_an_encoder_that_fills_blanks_and_is_the_first_choice():
    models = Models(None)
    assert names(models, "encoder") == ["matched-masked", "random-encoder"]
    assert names(models, "masked_lm")[-1] == "matched-masked"
    encoder = models.masked_lm("matched-masked")
    assert encoder is models.encoder()
    assert HEAD in encoder.weights
    assert encoder.card.kind == "toy"


def test_the_shipped_encoder_reads_what_the_diagrams_hold():
    encoder = Models(None).encoder()
    trace = bert.encode(np.arange(5, 135), encoder.weights, encoder.config)
    assert np.isfinite(trace.last).all()
    table = encoder.weights["embeddings.position_embeddings.weight"]
    assert (table[128:] == table[127]).all()


def test_a_translator_ships_and_cuts_its_source_with_an_end():
    translator = Models(None).translator()
    assert isinstance(translator, Translator)
    source = translator.source("I am tired.")
    assert source[-1] == translator.end
    read = seq2seq.encode(source, translator.weights, translator.config)
    assert read.hidden.shape == (len(source), translator.config.d_model)
    assert (translator.card.layers, translator.card.heads) == (3, 4)


def test_bert_with_a_causal_mask_is_a_decoder_and_not_an_encoder(causal):
    models = Models(causal)
    assert "own-decoder" in names(models, "decoder")
    assert "own-decoder" in names(models, "causal_lm")
    assert "own-decoder" not in names(models, "encoder")
    decoder = models.causal_lm("own-decoder")
    assert isinstance(decoder, Decoder)
    assert decoder.tokenizer.piece(decoder.start[0]) == "[CLS]"
    assert decoder is models.decoder("own-decoder")


def test_its_numbers_are_those_of_the_encoder_under_a_causal_mask(causal):
    decoder = open_decoder(causal / "own-decoder", CARD)
    encoder, ids = Models(None).encoder("matched-masked"), np.arange(40, 60)
    mask = masks.causal(20)
    expected = bert.encode(ids, encoder.weights, encoder.config, mask=mask)
    trace = decoder.trace(ids)
    np.testing.assert_allclose(trace.hidden, expected.hidden, atol=1e-5)
    np.testing.assert_allclose(trace.weights, expected.weights, atol=1e-6)
    scored = masked_lm.score_words(expected.last, encoder.weights, epsilon=1e-12)
    np.testing.assert_allclose(trace.logits, scored.logits, atol=1e-4)


def test_reading_on_with_a_cache_gives_what_reading_at_once_gives(causal):
    decoder = open_decoder(causal / "own-decoder", CARD)
    whole, _ = decoder.read(np.arange(40, 50))
    _, cache = decoder.read(np.arange(40, 46))
    logits, grown = decoder.read(np.arange(46, 50), cache)
    np.testing.assert_allclose(logits, whole, atol=1e-4)
    assert cached_tokens(grown) == 10


def test_a_silenced_head_and_no_positions_change_the_outcome(causal):
    decoder = open_decoder(causal / "own-decoder", CARD)
    ids, keep = np.arange(40, 50), np.ones((4, 4), bool)
    keep[1, 2] = False
    plain = decoder.trace(ids).logits
    assert not np.allclose(decoder.trace(ids, keep_heads=keep).logits, plain)
    assert not np.allclose(decoder.trace(ids, use_positions=False).logits, plain)


def test_more_tokens_than_position_vectors_are_refused(causal):
    decoder = open_decoder(causal / "own-decoder", CARD)
    with pytest.raises(bert_causal.EngineError, match="can be read"):
        decoder.read(np.zeros(257, np.int64))


def test_adapters_and_a_head_make_a_blank_filler_of_an_encoder(tmp_path):
    """Rank one by hand: B·A adds 2 · 3 · 1 at one place of one matrix, and nothing elsewhere."""
    base = Models(None).encoder("matched-masked")
    weights = {name: value for name, value in base.weights.items() if name.startswith("cls.")}
    place = "encoder.layer.0.attention.self.query"
    down, up = np.zeros((1, 128), np.float32), np.zeros((128, 1), np.float32)
    down[0, 5], up[7, 0] = 3, 1
    save_file({**weights, f"{place}.lora_A": down, f"{place}.lora_B": up}, tmp_path / "m")
    (tmp_path / "m").rename(tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"lora_scale": 2.0}))
    filler = open_blank_filler(tmp_path, CARD, trunk=MASKED)
    assert isinstance(filler, Encoder)
    change = filler.weights[f"{place}.weight"] - base.weights[f"{place}.weight"]
    assert change[7, 5] == pytest.approx(6)
    assert np.count_nonzero(change) == 1


def test_a_blank_filler_without_its_encoder_is_left_out(tmp_path):
    shutil.copytree(SHIPPED / "matched-masked", tmp_path / "blank-filler")
    (tmp_path / "blank-filler" / "config.json").write_text(
        json.dumps({"model_type": "bert-masked-lm-adapter", "base": "nobody", "lora_scale": 1})
    )
    assert "blank-filler" not in names(Models(tmp_path), "masked_lm")


def test_recall_networks_are_opened_by_kind_and_size(tmp_path):
    config = {"model_type": "recall", "cell": "rnn", "vocab_size": 4, "d_embedding": 3,
              "d_model": 2, "n_layers": 1, "keys": 2, "most_pairs": 2}  # fmt: skip
    shapes = {"embedding.weight": (4, 3), "rnn.weight_ih_l0": (2, 3), "rnn.weight_hh_l0": (2, 2),
              "rnn.bias_ih_l0": (2,), "rnn.bias_hh_l0": (2,), "output.weight": (4, 2),
              "output.bias": (4,)}  # fmt: skip
    (tmp_path / "rnn-3").mkdir()
    (tmp_path / "rnn-3" / "config.json").write_text(json.dumps(config))
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    save_file(tensors, tmp_path / "rnn-3" / "model.safetensors")
    found = open_recall(tmp_path, CARD)
    assert isinstance(found, RecallNetworks)
    [network] = found.networks
    assert (network.cell, network.size, network.width, network.parameters) == ("rnn", 3, 2, 38)
    assert (found.keys, found.values, found.most_pairs) == (2, 2, 2)


def test_what_was_kept_of_a_training_can_be_read():
    models = Models(None)
    curve = models.record("matched-masked", "curve.json")
    assert {"step", "tokens", "held_out"} <= set(curve[0])
    assert models.record("nobody", "curve.json") is None
    assert models.record("matched-masked", "nothing.json") is None


def test_a_hash_is_put_at_its_own_file_of_its_own_model(tmp_path):
    text = "".join(
        f'[[models]]\nname = "{name}"\n\n[[models.files]]\npath = "a"\nsha256 = "0"\n'
        for name in ("x", "y")
    )
    (tmp_path / "a").write_text("abc")
    changed = rehash(text, tmp_path, "y", "a")
    assert changed.count('sha256 = "0"') == 1
    assert changed.index('sha256 = "0"') < changed.index("ba7816bf8f01cfea")


def test_weights_are_rounded_to_half_precision_in_the_file():
    assert {v.dtype for v in load_file(MASKED / "model.safetensors").values()} == {
        np.dtype("float16")
    }
