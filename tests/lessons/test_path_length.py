"""Chain or web: hops counted by hand, the drawing of short and long texts, and odd sentences."""

import contextlib
import io
import json

import pytest

from app.lab import EXAMPLE, BadInput
from lessons.rnn_vs_attention.labs.path_length import PathLengthForm, compute
from lessons.rnn_vs_attention.labs.path_pictures import DRAWN, stretch

ADDRESS = "/lessons/rnn-vs-attention/labs/path-length"
TWELVE = "one two three four five six seven eight nine ten eleven twelve"


def answer(models, **values):
    return compute(PathLengthForm(**values), models)


def figure(result, name):
    return next(f for f in result.figures if f.name == name)


def counted(result):
    bars = figure(result, "hops")
    return dict(zip(bars.labels, bars.values.tolist(), strict=True))


def lit(result, name):
    drawn = figure(result, name)
    return [
        (drawn.nodes[e.source].label, drawn.nodes[e.target].label) for e in drawn.edges if e.lit
    ]


def test_from_animal_to_it_the_chain_hands_over_six_times_and_attention_once(small_models):
    """The lesson's own example: "animal" is the second word, "it" the eighth."""
    result = answer(small_models, text=EXAMPLE, source=2, target=8)
    assert counted(result) == {"along the chain": 6, "through attention": 1}
    assert result.finding.startswith("From “animal” to “it”: 6 hops along the chain, 1 hop")
    assert lit(result, "web") == [("animal", "it")]
    assert lit(result, "chain")[0] == ("animal", "didn't")
    assert lit(result, "chain")[-1] == ("because", "it")


def test_a_word_that_stands_there_twice_is_named_with_its_number(small_models):
    result = answer(small_models, text="the cat saw the dog", source=1, target=4)
    assert result.finding.startswith("From “the” (1) to “the” (4): 3 hops along the chain")
    assert "from “the” (1) to “the” (4)" in result.predict.question


@pytest.mark.parametrize(
    ("values", "chain", "web"),
    [
        ({"source": 1, "target": 12}, 11, 1),  # T − 1
        ({"source": 5, "target": 6}, 1, 1),
        ({"source": 4, "target": 4}, 0, 0),
        ({"source": 12, "target": 1}, None, 1),  # a chain does not run backwards
        ({"source": 12, "target": 1, "both": True}, 11, 1),
        ({"source": 1, "target": 12, "causal": True}, 11, 1),
        ({"source": 12, "target": 1, "causal": True, "both": True}, 11, None),
    ],
)
def test_hops_in_a_text_of_twelve_words(small_models, values, chain, web):
    found = counted(answer(small_models, text=TWELVE, **values))
    assert found.get("along the chain") == chain
    assert found.get("through attention") == web


def test_where_no_way_leads_nothing_is_drawn_as_zero(small_models):
    one = answer(small_models, text=TWELVE, source=12, target=1)
    assert "no way along the chain" in figure(one, "hops").caption
    assert lit(one, "chain") == []
    none = answer(small_models, text=TWELVE, source=12, target=1, causal=True)
    assert "hops" not in [f.name for f in none.figures]
    assert none.finding.count("no way at all") == 2


@pytest.mark.parametrize("words", [1, 2, 3, 24, 25, 26, 60, 128])
def test_the_longest_way_is_all_hand_overs_of_the_text(small_models, words):
    result = answer(small_models, text="go " * words)
    if words > 1:
        assert counted(result) == {"along the chain": words - 1, "through attention": 1}
    chain, web = figure(result, "growth").lines
    assert chain.y[chain.x == max(words, 2)] == [max(words, 2) - 1]
    assert set(web.y.tolist()) == {1}
    assert len(figure(result, "chain").nodes) == min(words, DRAWN)


@pytest.mark.parametrize("count", [1, 2, 24, 25, 26, 40, 128])
def test_the_drawing_holds_its_two_words_and_never_more_places_than_it_has(count):
    for low in range(0, count, max(1, count // 7)):
        for high in {low, min(low + 1, count - 1), min(low + 24, count - 1), count - 1}:
            for pair in ((low, high), (high, low)):
                shown = stretch(count, pair)
                words = [n for n in shown if n is not None]
                assert len(shown) == min(count, DRAWN)
                assert set(pair) <= set(words)
                assert words == sorted(set(words))
                assert words[0] >= 0
                assert words[-1] < count
                # A gap stands for two words at least: for one it would save no room.
                if None in shown:
                    gap = shown.index(None)
                    assert shown[gap + 1] - shown[gap - 1] > 2


def test_a_long_path_is_cut_once_and_says_how_many_words_the_cut_holds(small_models):
    """Words 51 to 101 are 51; twelve of either end are drawn, so 27 are not."""
    result = answer(small_models, text="go " * 128, source=51, target=101)
    chain = figure(result, "chain")
    assert [node.label for node in chain.nodes].count("… 27 more …") == 1
    path = [(e.source, e.target) for e in chain.edges if e.lit]
    assert sorted(path) == [(n, n + 1) for n in range(24)]
    assert any("24 of the 128 words" in note for note in result.notes)


def test_a_short_path_in_a_long_text_is_drawn_whole_with_its_neighbours(small_models):
    result = answer(small_models, text="go " * 128, source=60, target=70)
    nodes = figure(result, "chain").nodes
    assert len(nodes) == DRAWN
    assert nodes[0].token <= 59 <= 69 <= nodes[-1].token
    assert any("25 of the 128 words" in note for note in result.notes)


@pytest.mark.parametrize(
    "values",
    [
        {"source": 2, "target": 9},
        {"source": 9, "target": 2},
        {"source": 9, "target": 2, "both": True},
        {"source": 3, "target": 3},
    ],
)
def test_the_lines_of_numpy_count_the_same_hops(small_models, values):
    snippet = answer(small_models, text=TWELVE, **values).snippet
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet.code, "<snippet>", "exec"), {})
    assert printed.getvalue().strip() == snippet.prints


@pytest.mark.parametrize("field", ["source", "target"])
def test_a_word_that_is_not_there_is_answered_at_its_field(small_models, field):
    with pytest.raises(BadInput, match="12 words") as error:
        answer(small_models, text=TWELVE, **{field: 13})
    assert error.value.field == field


@pytest.mark.parametrize(
    "text", ["Hi", "?!", "I 🧡 my 👩‍🚀 cat", "שלום עולם, how are you?", "<b>&</td>", "[SEP] x"]
)
def test_odd_sentences_are_counted_like_any_other(small_client, text):
    page = small_client.get(f"{ADDRESS}/data.json", params={"text": text})
    assert page.status_code == 200
    nodes = json.loads(page.text)["figures"][0]["nodes"]
    page = small_client.get("/embed/rnn-vs-attention/path-length", params={"text": text})
    assert "<b>&<" not in page.text
    assert len(nodes) >= 1
