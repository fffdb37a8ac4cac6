"""SmolLM2 in the engine: equal to transformers loading the same file, on twenty texts."""

import functools
import json
import time
from pathlib import Path

import numpy as np
import pytest

from app.engine.cache import reusable
from app.engine.llama import write_on
from app.engine.llama_fast import write_on_fast
from app.engine.sampling import generate
from app.models.card import ModelCard
from app.models.kinds import open_decoder
from app.settings import Settings

GOLDEN = Path(__file__).parent / "golden"
SMOLLM2 = Settings().models_dir / "smollm2"
WORDS = json.loads((GOLDEN / "llama_texts.json").read_text(encoding="utf-8"))
pytestmark = pytest.mark.skipif(
    not (SMOLLM2 / "model.safetensors").exists(), reason="SmolLM2 is not installed: make fetch"
)


@functools.cache
def model():
    return open_decoder(SMOLLM2, ModelCard("s", "S", "decoder", "trained", 1, *[""] * 4, ""))


@functools.cache
def reference():
    with np.load(GOLDEN / "llama_smollm2.npz") as file:
        return dict(file)


@pytest.mark.parametrize("number", range(20))
def test_states_maps_logits_and_the_order_of_the_ten_best_are_those_of_transformers(number):
    wanted = {key: reference()[f"text-{number}/{key}"] for key in ("ids", "hidden", "weights")}
    ids = wanted["ids"]
    assert model().tokenizer.encode(WORDS["texts"][number]).ids[:128].tolist() == ids.tolist()
    trace = write_on(ids, model().weights, model().config)
    # Some features of the first token stand in the thousands: hence relative to their size.
    hidden = np.concatenate([trace.hidden[:-1:10], trace.normed[None]])[..., ::48]
    np.testing.assert_allclose(hidden, wanted["hidden"], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(trace.weights[[0, 14, 29], :, -1], wanted["weights"], atol=1e-5)
    check_logits(trace.logits, number)


@pytest.mark.parametrize("number", range(20))
def test_the_fast_form_gives_the_same_in_one_go_and_with_a_cache(number):
    ids = reference()[f"text-{number}/ids"]
    whole = write_on_fast(ids, model().weights, model().config)
    check_logits(whole.logits, number)
    half = reusable(whole.cache, ids, ids[: len(ids) // 2 + 1])
    rest = ids[len(ids) // 2 :]
    part = write_on_fast(rest, model().weights, model().config, cache=half)
    np.testing.assert_allclose(part.logits, whole.logits[-len(rest) :], atol=1e-3)


def check_logits(logits, number):
    wanted = {
        key: reference()[f"text-{number}/{key}"] for key in ("logits", "top_ids", "top_logits")
    }
    np.testing.assert_allclose(logits[:, ::512], wanted["logits"], atol=1e-3)
    best = np.argsort(-logits, axis=-1, kind="stable")[:, :10]
    assert (best == wanted["top_ids"]).all()
    np.testing.assert_allclose(
        np.take_along_axis(logits, best, axis=-1), wanted["top_logits"], atol=1e-3
    )


@pytest.mark.parametrize("number", range(10))
def test_64_tokens_written_greedily_are_those_of_transformers(number):
    ids = reference()[f"prompt-{number}/ids"]
    assert model().tokenizer.encode(WORDS["prompts"][number]).ids.tolist() == ids.tolist()
    written = [token.id for token in generate(model().read, ids, limit=64, temperature=0)]
    assert written == reference()[f"prompt-{number}/written"].tolist()


def test_it_opens_in_less_than_a_second_and_its_weights_are_the_pages_of_the_file():
    start = time.process_time()
    fresh = open_decoder(SMOLLM2, model().card)
    assert time.process_time() - start < 1
    assert all(not tensor.flags.owndata for tensor in fresh.weights.values())
