"""What a reader typed, looked up in a table of word vectors; and what they may have meant."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from string import ascii_lowercase
from typing import NamedTuple

from app.i18n import _
from app.models import WordVectors
from app.models.labels import clean
from app.reading import quote

SEPARATORS = re.compile(r"[\s,;]+")
# Letters and digits, joined by a hyphen, an apostrophe or a point: "well-known", "didn't", "u.s".
IN_A_SENTENCE = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
LONGEST = 24  # letters; what is longer gets no suggestion
COMMONEST = 20_000  # words among which a spelling two letters away is sought
MOST_HELPED = 5  # unknown words that get suggestions: each costs some milliseconds


class LookedUp(NamedTuple):
    """The words that a table knows, each once and in the order given; and what became of others."""

    words: tuple[str, ...]
    rows: tuple[int, ...]
    unknown: tuple[str, ...]
    repeated: tuple[str, ...]
    lowered: tuple[tuple[str, str], ...]  # as typed, as looked up


def words_typed(text: str) -> tuple[str, ...]:
    """Cut a list of words at spaces, commas and semicolons.

    Example:
        >>> words_typed("cat, dog;New  York")
        ('cat', 'dog', 'New', 'York')
    """
    return tuple(word for word in (clean(w) for w in SEPARATORS.split(text)) if word)


def words_of(sentence: str) -> tuple[str, ...]:
    """Take the words out of a sentence, leaving its marks behind.

    Example:
        >>> words_of("The animal didn't cross (it was tired).")
        ('The', 'animal', "didn't", 'cross', 'it', 'was', 'tired')
    """
    return tuple(IN_A_SENTENCE.findall(clean(sentence)))


def spellings(word: str) -> tuple[tuple[str, ...], ...]:
    """List the ways to look one word up, best first: GloVe cuts "didn't" into "did" and "n't".

    Example:
        >>> spellings("Didn’t"), spellings("“cat”")
        ((("didn't",), ('did', "n't")), (('“cat”',), ('cat',)))
    """
    plain = word.lower().replace("’", "'")
    bare = plain.strip(".,;:!?\"'“”‘’()[]{}<>*")
    ways: list[tuple[str, ...]] = [(plain,), (bare,)]
    if bare.endswith("n't"):
        ways.append((bare[:-3], "n't"))
    elif "'" in bare:
        head, _mark, tail = bare.partition("'")
        ways.append((head, f"'{tail}"))
    return tuple(dict.fromkeys(way for way in ways if all(way)))


def look_up(typed: Sequence[str], vectors: WordVectors) -> LookedUp:
    """Find each word's row; a word that is not there is kept as unknown."""
    words: dict[str, int] = {}
    unknown: dict[str, None] = {}
    repeated: dict[str, None] = {}
    lowered: dict[str, str] = {}
    for word in typed:
        ways = (way for way in spellings(word) if all(part in vectors.index for part in way))
        found = next(ways, ())
        if not found:
            unknown[word] = None
        if word != word.lower() and len(found) == 1:
            lowered[word] = found[0]
        for part in found:
            if part in words:
                repeated[part] = None
            words[part] = vectors.index[part]
    return LookedUp(
        tuple(words), tuple(words.values()), tuple(unknown), tuple(repeated), tuple(lowered.items())
    )


def one_edit(word: str) -> set[str]:
    """List every string one slip away: a letter lost, doubled, wrong, or two changed places.

    Example:
        >>> {"the", "tea", "eh", "teeh"} <= one_edit("teh")
        True

    Source: Norvig 2007, How to Write a Spelling Corrector.
    """
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    lost = (a + b[1:] for a, b in cuts if b)
    swapped = (a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1)
    wrong = (a + c + b[1:] for a, b in cuts if b for c in ascii_lowercase)
    added = (a + c + b for a, b in cuts for c in ascii_lowercase)
    return {*lost, *swapped, *wrong, *added} - {word, ""}


def distance(a: str, b: str) -> int:
    """Count the letters to add, drop or change to turn one word into another.

    Example:
        >>> distance("kitten", "sitting")
        3

    Source: Levenshtein 1966.
    """
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def near_spellings(word: str, vectors: WordVectors, count: int = 3) -> tuple[str, ...]:
    """Offer known words spelt almost so, the commonest first; none for what is no word at all.

    First every slip of one letter is tried, some hundred look-ups. Only when none is a word, the
    commonest words with the same first letter and about the same length are measured.
    """
    word = word.lower()
    if not 2 <= len(word) <= LONGEST or not any(c.isalpha() for c in word):
        return ()
    near = sorted((w for w in one_edit(word) if w in vectors.index), key=vectors.index.__getitem__)
    if near or len(word) < 4:
        return tuple(near[:count])
    alike = (
        (distance(word, other), n, other)
        for n, other in enumerate(vectors.words[:COMMONEST])
        if other[0] == word[0] and abs(len(other) - len(word)) <= 2
    )
    close = sorted(found for found in alike if found[0] <= max(2, len(word) // 4))
    return tuple(other for _far, _n, other in close[:count])


def offers(unknown: Sequence[str], vectors: WordVectors) -> Mapping[str, tuple[str, ...]]:
    """Suggest spellings for the first few unknown words."""
    return {word: near_spellings(word, vectors) for word in unknown[:MOST_HELPED]}


def say_unknown(unknown: Sequence[str], vectors: WordVectors) -> str:
    """Name what is not in the table, and what may have been meant."""
    helped = offers(unknown, vectors)
    parts = []
    for word in unknown[:MOST_HELPED]:
        near = _(" or ").join(quote(other) for other in helped[word])
        parts.append(
            _("{word} (did you mean {near}?)").format(word=quote(word), near=near)
            if near
            else quote(word)
        )
    rest = len(unknown) - len(parts)
    more = _(" and {n} more").format(n=rest) if rest else ""
    return _("Not among the {count} words of this table: {words}{more}.").format(
        count=thousands(len(vectors.words)), words=", ".join(parts), more=more
    )


def say_lowered(lowered: Sequence[tuple[str, str]]) -> str:
    """Say that these vectors know no capital letters."""
    typed, found = lowered[0]
    text = _("These vectors know lower case only: {typed} is looked up as {found}.")
    return text.format(typed=quote(typed), found=quote(found))


def thousands(number: int) -> str:
    """Write a whole number with a comma between thousands.

    Example:
        >>> thousands(400000)
        '400,000'
    """
    return f"{number:,}"


def joined(*groups: Sequence[str]) -> str:
    """Write words as the field holds them, each once.

    Example:
        >>> joined(("cat", "dog"), ("cat", "cow"))
        'cat dog cow'
    """
    return " ".join(dict.fromkeys(chain.from_iterable(groups)))
