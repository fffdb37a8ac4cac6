"""What to show for a piece of text that a tokenizer cut: every mark visible and explained.

·ing    WordPiece: this piece continues a word ("##ing" in the vocabulary)
␣the    byte pairs: a space stands before the word ("Ġthe", or "▁the")
↵ ⇥     a line break, a tab
‹F0›    a byte that is only a part of a letter or an emoji
🤖 [UNK]  the vocabulary knows no piece for this; the model reads "unknown"
"""

import unicodedata
from collections.abc import Callable

CONTINUES, SPACE = "·", "␣"
VISIBLE = {" ": SPACE, "\n": "↵", "\r": "↵", "\t": "⇥"}
LONGEST = 24  # characters of unknown text shown


def byte_letters() -> dict[str, int]:
    """Give the printable letter that byte-pair vocabularies write for each of the 256 bytes.

    Example:
        >>> byte_letters()["Ġ"], byte_letters()["A"]
        (32, 65)

    Source: openai/gpt-2, src/encoder.py, bytes_to_unicode.
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {chr(b): b for b in plain} | {chr(256 + n): b for n, b in enumerate(rest)}


LETTERS = byte_letters()


def clean(text: str) -> str:
    r"""Leave out what has no picture of its own: control and direction characters.

    Example:
        >>> clean("a\u202eb\tc")
        'ab⇥c'
    """
    shown = (VISIBLE.get(c, c) if c in "\n\r\t" else c for c in text)
    return "".join(c for c in shown if unicodedata.category(c)[0] != "C")


def word_piece(piece: str) -> str:
    """Show a WordPiece piece: its continuation mark as one dot.

    Example:
        >>> word_piece("##ing"), word_piece("sing"), word_piece("##")
        ('·ing', 'sing', '##')
    """
    inside = piece.removeprefix("##")
    return CONTINUES + clean(inside) if inside and inside != piece else clean(piece)


def byte_piece(piece: str) -> str:
    """Show a byte-pair piece: spaces and line breaks as signs, stray bytes as numbers.

    Example:
        >>> byte_piece("Ġthe"), byte_piece("Ċ"), byte_piece("ðŁ")
        ('␣the', '↵', '‹F0 9F›')
    """
    if not all(letter in LETTERS for letter in piece):
        return clean(piece)  # a special token, written as it is
    raw = bytes(LETTERS[letter] for letter in piece)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return f"‹{raw.hex(' ').upper()}›"
    shown = clean("".join(VISIBLE.get(c, c) for c in text))
    return shown or f"‹{raw.hex(' ').upper()}›"


def sentence_piece(piece: str) -> str:
    """Show a SentencePiece piece: its underline as a space.

    Example:
        >>> sentence_piece("▁the")
        '␣the'
    """
    return clean(piece.replace("▁", SPACE))


def unknown(typed: str, sign: str) -> str:
    """Show text that no piece of the vocabulary covers, with the sign the model reads instead."""
    seen = clean(typed)
    short = seen if len(seen) <= LONGEST else seen[: LONGEST - 1] + "…"
    return f"{short} {sign}".strip()


def label_for(kind: str, *, bytes_inside: bool) -> Callable[[str], str]:
    """Choose how to show pieces, by the tokenizer's own description of itself."""
    if kind == "WordPiece":
        return word_piece
    return byte_piece if bytes_inside else sentence_piece
