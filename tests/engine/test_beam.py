import itertools
import json
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.beam import beam_search, greedy, length_penalty
from app.engine.cache import LayerCache
from app.engine.functions import log_softmax
from app.engine.seq2seq import encode, next_word, remember
from app.engine.seq2seq_config import Seq2SeqConfig

START, END, WORDS = 0, 1, 4


def chain(table):
    """A decoder whose next word depends on the last word alone; its cache keeps the words read."""

    def step(ids, past):
        seen = ids[:, None, :, None].astype(np.float32)
        cache = LayerCache(seen, seen) if past is None else past[0].extended(seen, seen)
        return table[ids[:, -1]], (cache,)

    return step


def random_table(seed):
    return np.random.default_rng(seed).normal(scale=2, size=(WORDS, WORDS)).astype(np.float32)


def best_by_enumeration(table, limit, strength):
    """Score every text of up to `limit` words that ends with END."""
    logs, found = log_softmax(table), []
    for length in range(1, limit + 1):
        for words in itertools.product([w for w in range(WORDS) if w != END], repeat=length - 1):
            text = (*words, END)
            total = sum(logs[a, b] for a, b in itertools.pairwise((START, *text)))
            found.append((total / length_penalty(length, strength), text))
    return max(found)


@given(seed=st.integers(0, 200), strength=st.sampled_from([0.0, 0.6, 1.0]))
@settings(max_examples=40, deadline=None)
def test_a_beam_wide_enough_finds_the_best_of_all_texts(seed, strength):
    table = random_table(seed)
    score, text = best_by_enumeration(table, 4, strength)
    found = beam_search(chain(table), [START], END, limit=4, beams=WORDS**3, strength=strength).best
    assert found.ids == text
    np.testing.assert_allclose(found.score, score, atol=1e-5)


@given(seed=st.integers(0, 200))
@settings(max_examples=30, deadline=None)
def test_one_beam_without_a_length_penalty_is_greedy(seed):
    step = chain(random_table(seed))
    greedy_ids = tuple(choice.token for choice in greedy(step, [START], END, limit=6))
    beam = beam_search(step, [START], END, limit=6, beams=1, strength=0.0)
    assert beam.best.ids == greedy_ids


def test_two_beams_find_what_greedy_misses():
    # From the start: word 2 with 0.6, word 3 with 0.4. After 2 the end has 0.4 (0.3 for 2 and 3);
    # after 3 the end has 0.9. So 2-END has 0.24 and 3-END has 0.36.
    shares = np.full((WORDS, WORDS), 1e-9, np.float32)
    shares[START, 2:] = 0.6, 0.4
    shares[2, 1:] = 0.4, 0.3, 0.3
    shares[3, 1:] = 0.9, 0.05, 0.05
    step = chain(np.log(shares))
    assert [choice.token for choice in greedy(step, [START], END, limit=5)] == [2, END]
    search = beam_search(step, [START], END, limit=5, beams=2, strength=0.0)
    assert search.best.ids == (3, END)
    np.testing.assert_allclose(np.exp(search.best.log_probability), 0.36, atol=1e-4)


def test_each_greedy_choice_lists_its_alternatives_best_first():
    choice = next(
        greedy(chain(np.log(np.tile([[1, 4, 2, 3]], (4, 1)) / 10.0)), [START], END, limit=1)
    )
    assert [token for token, _ in choice.alternatives] == [1, 3, 2, 0]
    np.testing.assert_allclose(
        np.exp([log for _, log in choice.alternatives]), [0.4, 0.3, 0.2, 0.1]
    )


def test_the_cache_follows_its_draft():
    table = random_table(3)
    seen = []

    def watched(ids, past):
        logits, cache = chain(table)(ids, past)
        seen.append(cache[0].keys[:, 0, :, 0].astype(int))
        return logits, cache

    steps = beam_search(watched, [START], END, limit=4, beams=3, strength=0.6).steps
    for before, texts in zip(steps, seen[1:], strict=False):
        assert [tuple(row) for row in texts] == [(START, *draft.ids) for draft in before.live]


def test_a_search_that_never_ends_returns_the_best_draft_at_the_limit():
    table = np.zeros((WORDS, WORDS), np.float32)
    table[:, END] = -1e9
    assert len(beam_search(chain(table), [START], END, limit=5, beams=2).best.ids) == 5
    assert len(list(greedy(chain(table), [START], END, limit=5))) == 5


def test_a_real_decoder_is_searched_with_its_cache():
    golden = np.load(Path(__file__).parent / "golden" / "seq2seq.npz")
    config = Seq2SeqConfig.from_dict(json.loads(str(golden["pre.config"])))
    start = "pre.weights."
    weights = {n.removeprefix(start): golden[n] for n in golden.files if n.startswith(start)}
    memory = remember(encode(golden["source"], weights, config).hidden, weights, config)
    cached = next_word(memory, weights, config)

    def uncached(ids, past):
        whole = ids
        if past is not None:
            whole = np.concatenate([past[0].keys[:, 0, :, 0].astype(int), ids], axis=1)
        kept = whole[:, None, :, None].astype(np.float32)
        return cached(whole, None)[0], (LayerCache(kept, kept),)

    for strength in (0.0, 0.6):
        fast = beam_search(cached, [1], 2, limit=8, beams=3, strength=strength).best
        slow = beam_search(uncached, [1], 2, limit=8, beams=3, strength=strength).best
        assert fast.ids == slow.ids
        np.testing.assert_allclose(fast.score, slow.score, atol=1e-4)
