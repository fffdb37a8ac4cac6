"""A role resolves to the best installed model; each is opened once; a broken one is only named."""

import json
import logging
import threading

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.engine import bert
from app.models import Encoder, Models, NotInstalled, UnknownModel, WordVectors
from app.settings import ROOT, Settings

SHIPPED = ROOT / "models"
SHIPS = ["matched-masked", "random-encoder"]  # the encoders, best first


def edit_config(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def change_weights(folder, change):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


def names(models, role):
    return [card.name for card in models.choices(role)]


def test_small_means_only_what_ships():
    models = Models.from_settings(Settings(models="small"))
    assert {card.name for card in models.cards()} >= {"glove-20k", "random-encoder"}
    assert isinstance(models.encoder(), Encoder)
    assert isinstance(models.word_vectors(), WordVectors)


def test_the_random_encoder_says_so_in_so_many_words():
    card = Models(None).encoder("random-encoder").card
    assert card.kind == "random"
    assert "RANDOM weights, trained on nothing" in card.badge
    assert "RANDOM" in card.trained_on


def test_the_random_encoder_reads_a_long_sentence():
    encoder = Models(None).encoder("random-encoder")
    assert (encoder.card.layers, encoder.card.heads, encoder.card.width) == (2, 4, 64)
    assert encoder.config.longest >= 160
    trace = bert.encode(np.arange(160), encoder.weights, encoder.config)
    assert np.allclose(trace.weights.sum(-1), 1, atol=1e-5)


def test_the_shipped_words_are_the_commonest():
    vectors = Models(None).word_vectors("glove-20k")
    assert vectors.words[:5] == ["the", ",", ".", "of", "to"]
    assert vectors.vectors.shape == (20_000, 50)
    assert vectors.vectors.dtype == np.float32
    assert vectors.words[vectors.index["queen"]] == "queen"
    first = vectors.vectors[0]
    assert vectors.lengths[0] == pytest.approx(np.sqrt(first @ first), rel=1e-6)


def test_parameters_are_counted_from_the_file():
    # tables (4000 + 512 + 2) × 64, their norm 2 × 64, and in each of two layers 4 × 64² + 4 × 64
    # for attention, 2 × 64 × 256 + 256 + 64 for the feed-forward part, 4 × 64 for two norms.
    layer = 4 * 64**2 + 4 * 64 + 2 * 64 * 256 + 256 + 64 + 4 * 64
    card = Models(None).encoder("random-encoder").card
    assert card.parameters == (4000 + 512 + 2) * 64 + 2 * 64 + 2 * layer


def test_a_model_is_opened_once_however_many_ask_at_once(folder, own_bert):
    models = Models(folder)
    seen, start = [], threading.Barrier(8)

    def ask():
        start.wait()
        seen.append(models.encoder("tiny-bert"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len({id(model) for model in seen}) == 1


def test_a_readers_own_checkpoint_becomes_a_choice_before_those_that_ship(folder, own_bert):
    models = Models(folder)
    assert names(models, "encoder") == ["tiny-bert", *SHIPS]
    card = models.encoder().card
    assert (card.name, card.licence, card.language) == ("tiny-bert", "unknown", "unknown")
    assert card.sha256 == Models(None).encoder("random-encoder").card.sha256


def test_a_checkpoint_with_prefixed_names_and_other_heads_is_read(folder, own_bert):
    def prefix(tensors):
        for name in list(tensors):
            new = "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma")
            tensors[new.replace("LayerNorm.bias", "LayerNorm.beta")] = tensors.pop(name)
        tensors["cls.predictions.bias"] = np.zeros(4000, np.float32)

    change_weights(own_bert, prefix)
    encoder = Models(folder).encoder("tiny-bert")
    assert "embeddings.LayerNorm.weight" in encoder.weights


BREAKS = {
    "no config": lambda f: (f / "config.json").unlink(),
    "no weights": lambda f: (f / "model.safetensors").unlink(),
    "no tokenizer": lambda f: (f / "tokenizer.json").unlink(),
    "config is a list": lambda f: (f / "config.json").write_text("[]"),
    "unknown architecture": lambda f: edit_config(f, model_type="mamba"),
    "unknown activation": lambda f: edit_config(f, hidden_act="swish"),
    "layers are words": lambda f: edit_config(f, num_hidden_layers="two"),
    "a layer too many": lambda f: edit_config(f, num_hidden_layers=3),
    "a layer too few": lambda f: edit_config(f, num_hidden_layers=1),
    "another width": lambda f: edit_config(f, hidden_size=32),
    "heads do not divide": lambda f: edit_config(f, num_attention_heads=7),
    "no longest length": lambda f: edit_config(f, max_position_embeddings=None),
    "cut short": lambda f: (f / "model.safetensors").write_bytes(b"\1\0\0\0\0\0\0\0{"),
    "small vocabulary": lambda f: change_weights(
        f,
        lambda t: t.update({"embeddings.word_embeddings.weight": np.zeros((99, 64), np.float32)}),
    ),
    "a matrix of another shape": lambda f: change_weights(
        f,
        lambda t: t.update({"encoder.layer.1.output.dense.weight": np.zeros((64, 99), np.float32)}),
    ),
    "a tensor missing": lambda f: change_weights(
        f, lambda t: t.pop("encoder.layer.0.attention.self.query.bias")
    ),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_folder_is_named_in_the_log_and_left_out(folder, own_bert, caplog, broken):
    BREAKS[broken](own_bert)
    with caplog.at_level(logging.WARNING):
        models = Models(folder)
    assert names(models, "encoder") == SHIPS
    [record] = caplog.records
    assert record.getMessage().startswith("model tiny-bert is broken and left out: ")


def test_a_broken_model_of_the_catalogue_is_named_too(folder, caplog):
    (folder / "minilm").mkdir()
    (folder / "glove").mkdir()
    models = Models(folder)
    assert [record.getMessage().split()[1] for record in caplog.records] == ["minilm", "glove"]
    assert names(models, "encoder") == SHIPS


def test_another_model_under_a_name_of_the_catalogue_does_not_pass_for_it(folder, own_bert, caplog):
    own_bert.rename(folder / "minilm")
    assert names(Models(folder), "encoder") == SHIPS
    assert "make fetch" in caplog.text


def test_a_model_under_a_name_that_ships_is_said_to_be_left_out(folder, own_bert, caplog):
    own_bert.rename(folder / "random-encoder")
    assert names(Models(folder), "encoder") == SHIPS
    assert "a model that ships has this name" in caplog.text


def test_a_models_folder_that_is_not_there_is_no_error(tmp_path):
    assert names(Models(tmp_path / "nowhere"), "encoder") == SHIPS


def test_files_and_half_made_folders_are_passed_over(folder, own_bert, caplog):
    own_bert.rename(folder / ".fetching-x")
    (folder / "notes.txt").write_text("mine")
    assert names(Models(folder), "encoder") == SHIPS
    assert not caplog.records


def test_asking_for_a_name_that_is_not_there_says_what_is():
    with pytest.raises(UnknownModel, match="random-encoder"):
        Models(None).encoder("../../etc/passwd")


def test_asking_for_a_role_that_nothing_plays_says_what_to_do():
    with pytest.raises(NotInstalled, match="make fetch"):
        Models(None).get("juggler")


def test_what_is_missing_is_known_by_name(folder):
    missing = [entry.name for entry in Models(folder).missing()]
    assert missing[:3] == ["minilm", "glove", "smollm2"]


def test_a_model_in_a_role_it_cannot_play_is_an_error_of_ours():
    models = Models(None)
    models._opened["random-encoder"] = models.word_vectors()
    with pytest.raises(TypeError, match="Encoder was wanted"):
        models.encoder("random-encoder")
