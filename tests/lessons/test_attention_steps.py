"""One query, step by step: every number worked out once more with plain loops."""

import math

import numpy as np
import pytest

from lessons.attention.labs.attention_steps import ATTENTION_STEPS, AttentionStepsForm

PAGE = "/embed/attention/attention-steps"
SENTENCE = "The animal didn't cross the street because it was too tired."


def ask(models, **values):
    return ATTENTION_STEPS.compute(AttentionStepsForm.model_validate(values), models)


@pytest.mark.parametrize("layer", [1, 4, 6])
@pytest.mark.parametrize("query", [1, 11, 16])
def test_every_step_follows_from_the_one_before(layer, query, models):
    asked = ask(models, text=SENTENCE, layer=layer, head=2, query=query).context["asked"]
    q, keys, values = asked.query.tolist(), asked.keys.tolist(), asked.values.tolist()
    products = [sum(a * b for a, b in zip(q, key, strict=True)) for key in keys]
    assert asked.products.tolist() == pytest.approx(products, abs=1e-4)
    scores = [product / math.sqrt(32) for product in products]
    assert asked.scores.tolist() == pytest.approx(scores, abs=1e-4)
    total = sum(map(math.exp, scores))
    weights = [math.exp(score) / total for score in scores]
    assert asked.weights.tolist() == pytest.approx(weights, abs=1e-5)
    for n in range(32):
        mixed = sum(w * value[n] for w, value in zip(weights, values, strict=True))
        assert float(asked.mixed[n]) == pytest.approx(mixed, abs=1e-4)


def test_query_key_and_value_are_rows_of_the_heads_own_matrices(models):
    encoder = models.encoder()
    asked = ask(models, text=SENTENCE, layer=3, head=5, query=4).context["asked"]
    for part, found in (
        ("query", asked.query),
        ("key", asked.keys[3]),
        ("value", asked.values[3]),
    ):
        name = f"encoder.layer.2.attention.self.{part}"
        rows = slice(4 * 32, 5 * 32)  # the fifth head
        weight, bias = (
            encoder.weights[f"{name}.weight"][rows],
            encoder.weights[f"{name}.bias"][rows],
        )
        np.testing.assert_allclose(found, weight @ asked.x + bias, atol=1e-4)


def test_in_the_first_layer_the_vector_is_the_embedding_itself(models):
    result = ask(models, text=SENTENCE, layer=1, query=3)
    asked = result.context["asked"]
    np.testing.assert_allclose(asked.x, asked.embedding, atol=1e-5)
    rows = result.figures[0].rows
    assert len(rows) == 4
    assert len(ask(models, text=SENTENCE, layer=2, query=3).figures[0].rows) == 5


def test_the_shown_contributions_add_up_to_the_mix(models):
    mix = ask(models, text=SENTENCE, query=11).figures[-1]
    np.testing.assert_allclose(mix.values[:-1].sum(axis=0), mix.values[-1], atol=1e-5)
    assert mix.rows[-1] == "sum"
    assert mix.rows[-2] == "11 others"  # of 16 tokens, five one by one


def test_the_token_that_asks_is_the_readers_or_an_ordinary_one(models):
    assert ask(models, text=SENTENCE, query=11).context["asked"].name == "“it”"
    free = ask(models, text=SENTENCE).context["asked"]
    assert not free.special[free.token]
    assert ask(models, text="Hi", query=99).chosen["query"] <= 3


@pytest.mark.parametrize(
    "text", ["Hi", "one " * 128, "?!", "I 🧡 cats", "שלום עולם", "[SEP] </td>"]
)
def test_every_length_and_every_sign_is_answered(text, models, small_models):
    for each in (models, small_models):
        result = ask(each, text=text)
        assert all(np.isfinite(figure.values).all() for figure in result.figures)
        said = []
        exec(compile(result.snippet.code, "<snippet>", "exec"), {"print": said.append})
        assert said == [result.snippet.prints]


def test_the_lines_to_reproduce_print_the_numbers_of_the_finding(models):
    result = ask(models, text=SENTENCE, query=11)
    asked = result.context["asked"]
    weight, first = map(float, result.snippet.prints.split())
    assert weight == pytest.approx(float(asked.weights.max()), abs=2e-3)
    assert first == pytest.approx(float(asked.mixed[0]), abs=2e-3)
    assert f"{float(asked.weights.max()):.2f}" in result.finding


def test_all_steps_are_listed_without_scripts_and_typed_markup_stays_text(client):
    page = client.get(PAGE, params={"text": "<script>alert(1)</script> </td> [SEP]"})
    assert page.status_code == 200
    assert page.text.count('<li class="step">') == 6
    assert "<script>alert" not in page.text
    for role in ("query", "key", "value"):
        assert f'<dt class="{role}">{role}</dt>' in page.text


def test_a_long_sentence_shows_the_best_fitting_tokens_and_says_so(models):
    result = ask(models, text="one two three four " * 20)
    weights = next(figure for figure in result.figures if figure.name == "weights")
    assert len(weights.labels) == 20
    assert "of 82 tokens" in weights.caption
    assert float(weights.values.max()) == float(result.context["asked"].weights.max())
