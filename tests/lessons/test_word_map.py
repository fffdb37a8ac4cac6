"""The map of words: who is found, who is near, and what the map admits to hiding."""

import numpy as np
import pytest

from app.figures import Scatter, Scatter3D
from app.lab import EXAMPLE, BadInput
from app.models import Models
from app.settings import Settings
from lessons.embeddings.labs.choosing import OURS
from lessons.embeddings.labs.flattening import project
from lessons.embeddings.labs.tsne import bend
from lessons.embeddings.labs.vocabulary import look_up, near_spellings
from lessons.embeddings.labs.word_map import WORD_MAP, WordMapForm

MODELS = Models(None)  # what ships: the 20,000 commonest words
FULL = Models(Settings().models_dir)


def result(models=MODELS, **values):
    return WORD_MAP.compute(WordMapForm.model_validate(values), models)


def figure(found, name):
    return next(figure for figure in found.figures if figure.name == name)


def plain_cosine(models, a, b):
    """The cosine once more, by plain sums."""
    table = models.word_vectors()
    u, v = (table.vectors[table.index[w]].tolist() for w in (a, b))
    dot = sum(x * y for x, y in zip(u, v, strict=True))
    return dot / (sum(x * x for x in u) * sum(y * y for y in v)) ** 0.5


def test_the_neighbours_of_a_word_are_those_that_sorting_all_words_puts_first():
    table = MODELS.word_vectors()
    units = table.vectors / table.lengths[:, None]
    cosines = units @ units[table.index["cat"]]
    expected = [table.words[row] for row in np.argsort(-cosines)[1:11]]
    bars = figure(result(words="cat"), "neighbours")
    assert list(bars.labels) == expected
    assert bars.values[0] == pytest.approx(plain_cosine(MODELS, "cat", expected[0]), abs=1e-5)


def test_all_words_of_the_large_table_are_searched_when_it_is_there():
    table = FULL.word_vectors()
    found = result(FULL, words="cat kitten")
    assert f"{len(table.words):,}" in found.finding
    expected = plain_cosine(FULL, "cat", "kitten") if "kitten" in table.index else None
    if expected is not None:
        assert f"{expected:.2f}" in found.finding


def test_pca_distances_of_the_drawn_points_rebuild_when_nothing_is_lost():
    found = figure(result(words="cat dog", neighbours=0), "map")
    cosine = plain_cosine(MODELS, "cat", "dog")
    distance = np.linalg.norm(found.points[0] - found.points[1])
    assert distance**2 == pytest.approx(2 - 2 * cosine, abs=1e-4)  # vectors of length 1


def test_three_dimensions_give_a_figure_in_space():
    assert isinstance(figure(result(words="cat dog king", projection="pca3"), "map"), Scatter3D)


@pytest.mark.parametrize("projection", ["pca2", "pca3", "tsne"])
@pytest.mark.parametrize("words", ["cat", "cat dog", "cat cat cat", "cat dog king queen"])
def test_one_two_identical_and_four_words_give_finite_points(projection, words):
    found = result(words=words, projection=projection, neighbours=0)
    points = figure(found, "map").points
    assert len(points) == len(set(words.split()))
    assert np.isfinite(points).all()


def test_identical_words_are_drawn_once_and_that_is_said():
    found = result(words="Cat cat", neighbours=0)
    assert figure(found, "map").labels == ("cat",)
    assert any("more than once" in note for note in found.notes)
    assert any("lower case" in note for note in found.notes)


def test_an_unknown_word_is_named_with_near_spellings_and_the_others_are_drawn():
    found = result(words="cat kingg", neighbours=0)
    assert figure(found, "map").labels == ("cat",)
    note = next(note for note in found.notes if "kingg" in note)
    assert "“king”" in note


def test_no_known_word_at_all_is_answered_at_the_field():
    for words in ("<script>alert(1)</script>", "xqzzqx", "</td>"):
        with pytest.raises(BadInput) as refused:
            result(words=words)
        assert refused.value.field == "words"


def test_forty_words_are_drawn_and_forty_one_are_refused():
    words = MODELS.word_vectors().words[100:141]
    assert len(figure(result(words=" ".join(words[:40]), neighbours=0), "map").labels) == 40
    with pytest.raises(BadInput, match="40"):
        result(words=" ".join(words))


def test_neighbours_are_cut_to_what_a_map_can_hold():
    words = " ".join(MODELS.word_vectors().words[100:140])
    found = result(words=words, neighbours=10)
    assert found.chosen["neighbours"] == found.limits["neighbours"] == 3
    assert len(figure(found, "map").labels) <= 160


def test_an_address_with_only_a_sentence_maps_its_words():
    found = result(text=EXAMPLE, neighbours=0)
    assert figure(found, "map").labels[:5] == ("the", "animal", "did", "n't", "cross")
    assert found.chosen["words"] == ""  # so that the next sentence is mapped, too
    assert figure(result(words="", neighbours=0), "map").labels[:2] == ("the", "animal")


def test_our_own_words_give_way_to_a_readers_sentence_but_chosen_words_do_not():
    assert figure(result(text="A red house.", words=OURS), "map").labels[:3] == (
        "a",
        "red",
        "house",
    )
    assert figure(result(text="A red house.", words="king"), "map").labels[0] == "king"
    assert figure(result(), "map").labels[0] == "cat"


def test_a_sentence_without_a_word_of_the_table_is_answered_with_ours_and_says_so():
    for text in ("🍕🐶", "!!! ???", "\u05e9\u05dc\u05d5\u05dd"):
        found = result(text=text)
        assert figure(found, "map").labels[0] == "cat"
        assert any("No word of your sentence" in note for note in found.notes)


@pytest.mark.parametrize("text", ["", "   ", "\x07\u200b", "word " * 129])
def test_an_empty_or_endless_sentence_is_refused_at_the_sentence(text):
    with pytest.raises(BadInput) as refused:
        result(text=text)
    assert refused.value.field == "text"


def test_128_words_are_read():
    assert result(text="word " * 128).figures


def test_markup_is_words_like_any_other():
    found = result(text="<script>king</script> [SEP] </td>", neighbours=0)
    assert "king" in figure(found, "map").labels


def test_the_notes_say_what_each_map_hides():
    flat = " ".join(result(words="cat dog king queen rome", neighbours=2).notes)
    assert "of the variance" in flat
    assert "nearest by angle" in flat
    bent = " ".join(result(words="cat dog king queen rome", projection="tsne").notes)
    assert "mislead" in bent
    assert "nearest by angle" in bent


def test_a_t_sne_map_is_the_same_each_time_and_keeps_two_far_clusters_apart():
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(0, 0.1, (6, 5)), rng.normal(9, 0.1, (6, 5))])
    one, two = (bend(points, points[:, :2]).points for _ in range(2))
    np.testing.assert_array_equal(one, two)
    inside = np.linalg.norm(one[0] - one[1:6], axis=1)
    across = np.linalg.norm(one[0] - one[6:], axis=1)
    assert inside.max() < across.min()


def test_a_line_of_three_points_keeps_all_its_variance_in_one_direction():
    flat = project("pca2", np.float32([[0, 0, 0], [1, 1, 1], [2, 2, 2]]))
    assert "100%" in flat.axes[0]
    assert isinstance(figure(result(words="cat dog"), "map"), Scatter)


def test_spellings_one_slip_away_come_before_others():
    table = MODELS.word_vectors()
    assert near_spellings("teh", table)[0] == "the"
    assert near_spellings("goverment", table) == ("government",)
    assert "necessary" in near_spellings("neccesary", table)
    assert near_spellings("🍕", table) == near_spellings("x" * 60, table) == ()


def test_words_are_looked_up_as_the_table_spells_them():
    found = look_up(["Didn’t", "“Cat”", "dog.", "zzzzzz"], MODELS.word_vectors())
    assert found.words == ("did", "n't", "cat", "dog")
    assert found.unknown == ("zzzzzz",)
