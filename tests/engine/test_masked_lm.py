import numpy as np
import pytest

from app.engine import EngineError, WeightMismatch
from app.engine.bert import encode
from app.engine.masked_lm import candidates, merge_adapters, score_words, unmask
from tests.engine.golden.bert_cases import HERE, tiny

GOLDEN = np.load(HERE / "masked_lm.npz")
ADAPTERS = {
    name.removeprefix("adapters."): GOLDEN[name]
    for name in GOLDEN.files
    if name.startswith("adapters.")
}
MASK = 95


def weights_and_config():
    return tiny("bert_tiny_masked")


def logits(ids, weights, config):
    hidden = encode(ids, weights, config).last
    scored = score_words(hidden, weights, epsilon=config.epsilon, activation=config.activation)
    return scored.logits


def test_scores_equal_those_of_transformers():
    ours = logits(GOLDEN["ids"], *weights_and_config())
    np.testing.assert_allclose(ours, GOLDEN["logits"], atol=1e-4)
    assert ours.dtype == np.float32


def test_merged_adapters_compute_what_detours_beside_the_matrices_compute():
    weights, config = weights_and_config()
    merged = merge_adapters(weights, ADAPTERS, scale=1.5)
    np.testing.assert_allclose(logits(GOLDEN["ids"], merged, config), GOLDEN["adapted"], atol=1e-4)
    assert abs(GOLDEN["adapted"] - GOLDEN["logits"]).max() > 0.1
    assert set(merged) == set(weights)


def test_merging_leaves_the_encoder_itself_as_it_was():
    weights, config = weights_and_config()
    merge_adapters(weights, ADAPTERS, scale=1.5)
    np.testing.assert_allclose(logits(GOLDEN["ids"], weights, config), GOLDEN["logits"], atol=1e-4)


def test_a_full_tensor_replaces_the_encoders():
    weights, _ = weights_and_config()
    bias = np.full(32, 7, np.float32)
    merged = merge_adapters(weights, {"encoder.layer.0.output.dense.bias": bias}, scale=1)
    np.testing.assert_array_equal(merged["encoder.layer.0.output.dense.bias"], bias)


@pytest.mark.parametrize("left_out", ["lora_A", "lora_B"])
def test_half_an_adapter_is_refused_by_name(left_out):
    name = "encoder.layer.1.intermediate.dense"
    weights, _ = weights_and_config()
    other = {"lora_A": "lora_B", "lora_B": "lora_A"}[left_out]
    half = {f"{name}.{other}": ADAPTERS[f"{name}.{other}"]}
    with pytest.raises(WeightMismatch, match=name):
        merge_adapters(weights, half, scale=1)


def test_candidates_are_shares_of_all_words_best_first():
    # Scores ln 1, ln 2, ln 5: shares 1/8, 2/8, 5/8. Without the last word: 1/3 and 2/3.
    scores = np.log([[1.0, 2.0, 5.0], [5.0, 2.0, 1.0]])
    first, second = candidates(scores, [0, 1], count=3)
    assert (first.tokens, second.tokens) == ((2, 1, 0), (0, 1, 2))
    np.testing.assert_allclose(first.probabilities, [5 / 8, 2 / 8, 1 / 8])
    [without] = candidates(scores, [0], count=2, banned=[2])
    np.testing.assert_allclose(without.probabilities, [2 / 3, 1 / 3])


def certain_of(order):
    """An encoder that is surest of the places in this order, and always guesses word = place."""

    def score(ids):
        scores = np.zeros((len(ids), 10))
        for rank, place in enumerate(order):
            scores[place, place] = 9 - rank
        return scores

    return score


def test_the_surest_blank_is_filled_first():
    ids = np.array([9, 9, 9, 4])
    passes = list(unmask(certain_of([1, 2, 0]), ids, 9))
    assert [[blank.place for blank in each.filled] for each in passes] == [[1], [2], [0]]
    assert [len(each.blanks) for each in passes] == [3, 2, 1]
    assert passes[-1].ids.tolist() == [0, 1, 2, 4]
    assert ids.tolist() == [9, 9, 9, 4]


def test_several_blanks_a_pass_need_fewer_passes():
    passes = list(unmask(certain_of([3, 0, 1, 2, 4]), np.full(5, 9), 9, at_once=2))
    assert [len(each.filled) for each in passes] == [2, 2, 1]
    with pytest.raises(EngineError, match="at_once is 0"):
        next(unmask(certain_of([0]), np.full(1, 9), 9, at_once=0))


def test_a_text_without_blanks_takes_no_pass():
    assert not list(unmask(certain_of([0]), np.array([1, 2]), 9))


def test_a_blank_is_never_filled_by_another_blank():
    always_the_mask = lambda ids: np.eye(10)[np.full(len(ids), 9)] * 50  # noqa: E731
    [only] = unmask(always_the_mask, np.array([3, 9]), 9)
    assert only.ids[1] != 9


def test_a_real_encoder_reads_its_own_words_again():
    weights, config = weights_and_config()
    ids = GOLDEN["ids"].copy()
    ids[[1, 4, 6]] = MASK
    last = ids
    for each in unmask(lambda text: logits(text, weights, config), ids, MASK, banned=[0]):
        expected = candidates(
            logits(last, weights, config), [each.filled[0].place], banned=[0, MASK]
        )
        assert each.filled == expected
        last = each.ids
    assert MASK not in last
