"""Text to pieces, with the way back to words and letters; typed special tokens are plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.models import BrokenModel, Tokenizer
from app.settings import ROOT

SHIPPED = Tokenizer.open(ROOT / "models" / "random-encoder" / "tokenizer.json")

AWKWARD = [
    "The animal didn't cross the street because it was too tired.",
    "café naïve résumé",
    "cafe\u0301 e\u0301cole",
    "🤖👩‍👩‍👧 and 🎉",
    "我们 在学习",
    "שלום עולם",
    "\u202eabc\u202c def",
    "</td><script>alert(1)</script>",
    "a\x00b\x07c",
    "x\n\ty\r\nz",
    "'''", "l’été d'Artagnan's",
    "a" * 150,
    "3.14 1,000 C++ foo_bar --help",
    "ﬁne Ａ İstanbul ǅ ß",
]  # fmt: skip


def test_each_piece_leads_back_to_its_letters():
    cut = SHIPPED.encode("Cats don't sing.")
    letters = ["" if span is None else cut.text[slice(*span)] for span in cut.spans]
    assert "".join(letters) == "Catsdon'tsing."
    assert [cut.special[0], cut.special[-1], any(cut.special[1:-1])] == [True, True, False]


def test_a_contraction_is_one_word_and_a_full_stop_another():
    cut = SHIPPED.encode("She didn't go.")
    assert cut.word_labels == ("She", "didn't", "go", ".")


def test_words_keep_their_accents_where_pieces_lose_them():
    cut = SHIPPED.encode("Un café")
    assert cut.word_labels == ("Un", "café")
    assert "é" not in "".join(cut.labels)


def test_special_tokens_belong_to_no_word():
    cut = SHIPPED.encode("hello")
    assert (cut.pieces[0], cut.words[0], cut.spans[0]) == ("[CLS]", None, None)
    assert (cut.pieces[-1], cut.words[-1], cut.spans[-1]) == ("[SEP]", None, None)


@pytest.mark.parametrize("typed", ["[SEP]", "[CLS]", "[MASK]", "[PAD]", "[UNK]"])
def test_a_typed_special_token_is_plain_text(typed):
    cut = SHIPPED.encode(f"a {typed} b")
    inside = cut.ids[1:-1].tolist()
    assert SHIPPED.number(typed) not in inside
    assert "".join(cut.word_labels[1:4]) == typed


def test_an_unknown_sign_shows_what_was_typed_and_what_the_model_reads():
    cut = SHIPPED.encode("hi 🤖")
    assert cut.pieces[-2] == "[UNK]"
    assert cut.labels[-2] == "🤖 [UNK]"
    assert cut.word_labels[-1] == "🤖"


def test_a_continuing_piece_is_marked_by_a_dot():
    cut = SHIPPED.encode("unbelievably")
    assert len(cut.word_labels) == 1
    assert all(label.startswith("·") for label in cut.labels[2:-1])
    assert "".join(label.removeprefix("·") for label in cut.labels[1:-1]) == "unbelievably"


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200d", "\x00"])
def test_nothing_typed_gives_only_special_tokens(text):
    assert all(SHIPPED.encode(text).special)


def check(tokenizer: Tokenizer, text: str) -> None:
    cut = tokenizer.encode(text)
    fields = (cut.ids, cut.pieces, cut.labels, cut.words, cut.spans, cut.special)
    assert {len(field) for field in fields} == {len(cut)}
    words = [word for word in cut.words if word is not None]
    assert sorted(set(words)) == list(range(len(cut.word_labels)))
    assert words == sorted(words)
    for span, own, label in zip(cut.spans, cut.special, cut.labels, strict=True):
        assert (span is None) == own
        assert label.strip()
        assert span is None or 0 <= span[0] <= span[1] <= len(text)
    assert all(label.strip() for label in cut.word_labels)


@pytest.mark.parametrize("text", AWKWARD)
def test_every_field_speaks_of_the_same_tokens(text):
    check(SHIPPED, text)


@given(st.text(max_size=60))
def test_any_text_at_all_can_be_cut(text):
    check(SHIPPED, text)


@given(st.text("abcdefgh ,.", max_size=40))
def test_writing_the_pieces_again_gives_the_text_but_for_spaces(text):
    cut = SHIPPED.encode(text)
    assert SHIPPED.decode(cut.ids).replace(" ", "") == text.replace(" ", "")


def test_bytes_and_spaces_are_visible_in_a_byte_pair_tokenizer(full):
    if not full.has("decoder"):
        pytest.skip("no decoder is installed")
    tokenizer = full.decoder().tokenizer
    cut = tokenizer.encode("Hello  world\n🤖 <|im_start|>")
    assert cut.labels[0] == "Hello"
    assert "␣world" in cut.labels
    assert "↵" in "".join(cut.labels)
    assert any(label.startswith("‹F0") for label in cut.labels)
    assert tokenizer.number("<|im_start|>") not in cut.ids
    assert tokenizer.decode(cut.ids) == cut.text
    for text in AWKWARD:
        check(tokenizer, text)
        assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_minilm_cuts_text_as_bert_does(full):
    if "minilm" not in [card.name for card in full.choices("encoder")]:
        pytest.skip("MiniLM is not installed")
    tokenizer = full.encoder("minilm").tokenizer
    cut = tokenizer.encode("Playing [SEP] unbelievably")
    # BERT's published vocabulary: playing 2652, [ 1031, sep 19802 …
    assert cut.pieces[:5] == ("[CLS]", "playing", "[", "sep", "]")
    assert cut.ids[:3].tolist() == [101, 2652, 1031]
    for text in AWKWARD:
        check(tokenizer, text)


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"model": {"type": "Magic"}}'])
def test_a_broken_tokenizer_file_is_named(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(BrokenModel, match=r"tokenizer\.json"):
        Tokenizer.open(tmp_path / "tokenizer.json")
