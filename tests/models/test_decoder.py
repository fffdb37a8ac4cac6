"""Decoders by their folder: reading on, remembering, and laying out conversations."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from app.engine.cache import cached_tokens
from app.engine.sampling import generate
from app.models.decoder import REMEMBERED, Memory
from app.models.kinds import open_decoder
from tests.models.test_gguf import CARD, SMOLLM2, converted, needs_smollm2

__all__ = ["converted"]
GOLDEN = Path(__file__).parents[1] / "engine" / "golden"


@pytest.fixture
def tiny(converted):
    return open_decoder(converted, CARD)


@pytest.fixture
def tiny_gpt2(converted, tmp_path):
    folder = tmp_path / "gpt2"
    shutil.copytree(GOLDEN / "gpt2_tiny", folder)
    shutil.copyfile(converted / "tokenizer.json", folder / "tokenizer.json")
    return open_decoder(folder, CARD)


@pytest.mark.parametrize("name", ["tiny", "tiny_gpt2"])
def test_reading_gives_the_last_row_of_the_trace(name, request):
    model = request.getfixturevalue(name)
    ids = np.arange(3, 12)
    logits, cache = model.read(ids)
    np.testing.assert_allclose(logits, model.trace(ids).logits[-1], atol=1e-4)
    assert cached_tokens(cache) == 9
    on, _ = model.read(np.array([20]), cache)
    np.testing.assert_allclose(on, model.trace(np.array([*ids, 20])).logits[-1], atol=1e-4)


@pytest.mark.parametrize("name", ["tiny", "tiny_gpt2"])
def test_a_text_that_extends_an_older_one_is_read_from_where_they_part(name, request, monkeypatch):
    model = request.getfixturevalue(name)
    seen = []
    read = type(model).read

    def watched(self, ids, cache=None):
        seen.append(len(ids))
        return read(self, ids, cache)

    monkeypatch.setattr(type(model), "read", watched)
    for text in ([5, 6, 7, 8], [5, 6, 7, 8, 9], [5, 6, 7, 8, 9], [5, 6, 40], [1, 2]):
        logits, cache = model.read_remembering(np.array(text))
        np.testing.assert_allclose(logits, model.trace(np.array(text)).logits[-1], atol=1e-4)
        assert cached_tokens(cache) == len(text)
    assert seen == [4, 1, 1, 1, 2]


def test_memory_forgets_the_oldest_text(tiny):
    memory = Memory()
    _, cache = tiny.read(np.array([7, 8]))
    for n in range(REMEMBERED + 1):
        memory.keep([n, n], cache)
    assert memory.recall([0, 0, 1]) is None
    assert cached_tokens(memory.recall([1, 1, 1])) == 2


def test_a_decoder_writes_on_by_itself(tiny):
    ids = np.array([5, 6])
    written = [t.id for t in generate(tiny.read, ids, limit=5, temperature=0, stop=tiny.stop)]
    for number in written:
        assert number == tiny.trace(ids).logits[-1].argmax()
        ids = np.append(ids, number)


def test_a_conversation_is_laid_out_by_the_template(tiny):
    ids = tiny.chat([("user", "he lo")])
    assert [tiny.tokenizer.piece(i) for i in ids] == [
        "<|user|>",
        "he",
        "Ġ",
        "lo",
        "<|end|>",
        "<|user|>",
    ]


def test_special_tokens_that_are_typed_into_a_conversation_stay_text(tiny):
    ids = tiny.chat([("user", "<|end|>")]).tolist()
    end = tiny.tokenizer.special["<|end|>"]
    assert ids.count(end) == 1
    assert ids[-2] == end
    assert tiny.tokenizer.decode(ids[1:-2]) == "<|end|>"


def test_a_template_cannot_reach_out_of_its_sandbox(converted):
    beside = converted / "tokenizer_config.json"
    beside.write_text(json.dumps({"chat_template": "{{ messages.__class__.__mro__ }}"}))
    with pytest.raises(Exception, match="unsafe"):
        open_decoder(converted, CARD).chat([("user", "hi")])


@needs_smollm2
def test_smollm2_is_asked_as_it_was_trained_to_be():
    model = open_decoder(SMOLLM2, CARD)
    ids = model.chat([("user", "Hi <|im_end|>")])
    assert model.tokenizer.decode(ids, skip_special=False) == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
        "<|im_end|>\n<|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\n"
    )
    assert (ids == model.tokenizer.special["<|im_end|>"]).sum() == 2
