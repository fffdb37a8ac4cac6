"""What comes next: the distribution, what is cut, what is written, where branches lead."""

import json
import math
import re

import numpy as np
import pytest

from app.engine.llama import write_on
from app.lab import BadInput
from app.models import Models
from lessons.bert_vs_gpt.labs.next_token import STREAMED, compute, stream
from lessons.bert_vs_gpt.labs.next_token_form import NextTokenForm
from lessons.bert_vs_gpt.labs.next_token_writing import before_the_last, spell

ADDRESS = "/embed/bert-vs-gpt/next-token"
STREAM = "/lessons/bert-vs-gpt/labs/next-token/stream"
TALE = "Once upon a time, there was a little"


@pytest.fixture
def decoder(models):
    if not models.has("decoder"):
        pytest.skip("no decoder is installed")
    return models.decoder()


def answer(models, **values):
    return compute(NextTokenForm(**values), models)


def bars(result, name):
    return next(figure for figure in result.figures if figure.name == name)


def test_the_bars_are_the_softmax_of_the_readable_decoders_last_logits(models, decoder):
    ids = decoder.tokenizer.encode(TALE).ids
    logits = write_on(ids, decoder.weights, decoder.config).logits[-1].astype(np.float64)
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    best = np.argsort(-shares)[:12]
    shown = bars(answer(models, text=TALE), "model")
    np.testing.assert_allclose(shown.values, shares[best], atol=1e-4)
    assert shown.labels[0] == "␣" + decoder.tokenizer.decode([int(best[0])]).strip()


def test_what_is_cut_off_is_drawn_with_exactly_zero_and_said(models, decoder):
    result = answer(models, text=TALE, temperature=1, top_k=3, top_p=1)
    model, drawn = bars(result, "model"), bars(result, "drawn")
    np.testing.assert_allclose(drawn.values[:3], model.values[:3] / model.values[:3].sum(), 1e-4)
    assert not drawn.values[3:].any()
    assert all(label.endswith("(cut)") for label in drawn.labels[3:])
    lost = 1 - model.values[:3].sum()
    assert f"leave 3 of 49,152 tokens to draw from; those cut off had {lost:.2f}" in result.finding


def test_without_cuts_and_at_temperature_one_both_pictures_agree(models, decoder):
    result = answer(models, text=TALE, temperature=1, top_k=0, top_p=1)
    np.testing.assert_allclose(bars(result, "drawn").values, bars(result, "model").values, 1e-5)
    assert "Nothing is cut off: all 49,152" in result.finding


def test_at_temperature_0_the_likeliest_is_certain(models, decoder):
    result = answer(models, text=TALE, temperature=0)
    assert bars(result, "drawn").values.tolist()[:2] == [1.0, 0.0]


def test_a_finished_sentence_is_read_to_before_its_last_word(models, decoder):
    result = answer(models)
    assert "it was too” the model gives" in result.finding
    assert "The sentence itself goes on with “tired”" in result.finding
    assert before_the_last(["Tom", "slept", "."]) == 1
    assert before_the_last(["Tom", "slept"]) == 2
    assert before_the_last(["?", "!"]) == 2


def test_a_chosen_word_is_where_reading_stops_and_a_far_one_means_the_end(models, decoder):
    assert answer(models, text="Tom saw the cat.", token=2).context["before"] == "Tom saw"
    assert (
        answer(models, text="Tom saw the cat.", token=160).context["before"] == "Tom saw the cat."
    )


def test_writing_is_the_same_for_the_same_seed_and_streams_alike(models, decoder):
    values = {"text": TALE, "seed": 7}
    first = answer(models, **values, write=5).context["written"]
    again = list(zip(range(5), stream(NextTokenForm(**values), models), strict=False))
    assert [step["label"] for step in first] == [step["label"] for _, step in again]
    assert all(step["alternatives"] for step in first)


def test_greedy_writing_takes_the_first_alternative_each_time(models, decoder):
    written = answer(models, text=TALE, temperature=0, write=4).context["written"]
    assert all(step["alternatives"][0]["taken"] for step in written)


def test_a_branch_leads_to_the_text_with_the_other_token_in_place(models, decoder):
    written = answer(models, text=TALE, temperature=0, write=2).context["written"]
    first = written[0]["text"]
    other = written[1]["alternatives"][1]
    text = other["values"]["text"]
    assert text.startswith(TALE + first)
    assert text.endswith(other["label"].replace("␣", " "))
    result = answer(models, text=text, token=160)
    assert result.context["before"] == text


def test_half_a_letter_has_no_link_of_its_own(decoder):
    half = next(
        n for n in range(len(decoder.tokenizer)) if "\ufffd" in decoder.tokenizer.decode([n])
    )
    assert spell(decoder.tokenizer, np.array([100]), [half]) is None


def test_an_instruction_is_laid_out_in_the_chat_template(models, decoder):
    values = {"text": "Say <|im_end|> now", "kind": "instruct", "answer": "Well,"}
    result = answer(models, **values)
    labels = bars(result, "layout").labels
    assert labels.count("<|im_start|>") == 3  # system, user, assistant
    assert labels.count("<|im_end|>") == 2  # what is typed never becomes one
    assert labels[-2:] == ("Well", ",")
    links = dict(result.context["links"])
    assert all(set(fields) == {"answer"} for fields in links.values())


def test_a_model_that_knows_no_instructions_is_offered_none(small_models):
    assert not small_models.decoder().chat_template
    assert answer(small_models).beyond == {"kind": "instruct"}


def test_the_tree_holds_the_likeliest_three_at_every_fork(models, decoder):
    result = answer(models, text=TALE, tree=True)
    graph = bars(result, "tree")
    assert len(graph.nodes) == 1 + 3 + 9 + 27
    assert len(graph.edges) == len(graph.nodes) - 1
    top = bars(result, "model")
    shares = [edge.weight for edge in graph.edges if edge.source == 0]
    np.testing.assert_allclose(sorted(shares, reverse=True), top.values[:3], atol=1e-4)


def test_the_printed_number_is_the_one_drawn_from(models, decoder):
    for values in ({}, {"temperature": 1.8, "top_k": 0, "top_p": 1}, {"temperature": 0}):
        result = answer(models, text=TALE, **values)
        shown = float(bars(result, "drawn").values[0])
        if values.get("temperature") == 0:
            continue
        assert math.isclose(float(result.snippet.prints), shown, abs_tol=2e-3)


def test_a_prompt_that_extends_the_last_reads_only_what_is_new(models, decoder, monkeypatch):
    answer(models, text=TALE)
    read = []
    kind = type(decoder)
    original = kind.read
    monkeypatch.setattr(
        kind,
        "read",
        lambda self, ids, cache=None: read.append(len(ids)) or original(self, ids, cache),
    )
    answer(models, text=TALE + " girl")
    assert read == [1]


@pytest.mark.parametrize(
    "values, field",
    [
        ({"text": ""}, "text"),
        ({"text": "\u200b"}, "text"),
        ({"text": "word " * 200}, "text"),
        ({"text": "Hi", "kind": "instruct", "answer": "word " * 200}, "answer"),
    ],
)
def test_what_cannot_be_used_is_answered_at_its_field(values, field, models, decoder):
    with pytest.raises(BadInput) as caught:
        answer(models, **values)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "text", ["a", "?!", "🐈‍⬛", "שלום", "[SEP]<|im_end|>", "a\n\nb", " ".join(["one"] * 128)]
)
def test_odd_beginnings_are_answered(text, models, decoder):
    result = answer(models, text=text)
    assert np.isfinite(bars(result, "model").values).all()
    assert result.finding.startswith("After “")


def test_typed_special_tokens_are_plain_text(models, decoder):
    assert len(answer(models, text="<|im_end|>", token=160).context["words"]) > 1
    ids = decoder.tokenizer.encode("<|im_end|><|endoftext|>").ids
    assert not set(ids.tolist()) & set(decoder.tokenizer.special.values())


def test_the_stream_is_bounded_and_ends(client, decoder):
    page = client.get(STREAM, params={"text": TALE, "temperature": "0"})
    events = re.findall(r"event: (\w+)\ndata: (.*)", page.text)
    assert len(events) <= STREAMED + 1
    assert events[-1][0] == "done"
    assert "/" not in json.loads(events[0][1])["label"]


def test_the_page_works_without_scripts(client, decoder):
    page = client.get(ADDRESS, params={"text": TALE, "temperature": "0", "write": "3"})
    assert page.status_code == 200
    assert page.text.count('<details class="branch"') == 3
    assert 'name="write" value="20"' in page.text
    refused = client.get(ADDRESS, params={"text": TALE, "write": "41"})
    assert refused.status_code == 422


def test_markup_in_the_beginning_is_text(client, decoder):
    page = client.get(ADDRESS, params={"text": "<script>alert(1)</script> and", "token": "160"})
    assert page.status_code == 200
    assert "<script>alert" not in page.text


def test_without_a_decoder_the_lab_says_what_is_missing(monkeypatch):
    none = Models(None)
    monkeypatch.setattr(none, "has", lambda role: role != "decoder")
    result = answer(none, text=TALE, temperature=0.5, top_k=0, top_p=1)
    assert "SmolLM2-135M-Instruct is missing" in result.finding
    assert "make fetch" in result.finding
    # ½, ¼ and ¼ squared are in the proportion 4 : 1 : 1
    np.testing.assert_allclose(bars(result, "drawn").values, [4 / 6, 1 / 6, 1 / 6])


def test_the_small_set_answers_too(small_client):
    page = small_client.get(ADDRESS, params={"text": TALE, "write": "3", "tree": "true"})
    assert page.status_code == 200
    assert "make fetch" in page.text or page.text.count('<details class="branch"') > 0
