"""Which words a map shows: those of its field, or those of the reader's sentence, or ours."""

from app.i18n import _
from app.lab import EXAMPLE, MAX_TOKENS, BadInput, visible
from app.models import WordVectors
from app.reading import quote
from lessons.embeddings.labs.vocabulary import (
    LookedUp,
    look_up,
    say_lowered,
    say_unknown,
    words_of,
    words_typed,
)

OURS = "cat dog horse kitten paris rome london berlin walked jumped swam ran"
MOST = 40  # words


def choose_words(
    words: str, text: str, vectors: WordVectors, *, given: bool
) -> tuple[LookedUp, tuple[str, ...], str]:
    """Take the words of the field, or else of the sentence, or else ours.

    Our own words in the field, left as they were, give way to a sentence of the reader's.
    Gives what was found, remarks on the rest, and what the field shows. given: whether
    a sentence, or a field left empty, came with the address.

    Raises: BadInput, when none of the words is in the table.
    """
    untouched = words == OURS and text != EXAMPLE
    typed = words_typed(words)
    if typed and not untouched:
        found = look_up(typed, vectors)
        if not found.words:
            raise BadInput("words", say_unknown(found.unknown, vectors) + _(" Add one that is."))
        if len(found.words) > MOST:
            message = _("The map holds {most} words; these are {count}.")
            raise BadInput("words", message.format(most=MOST, count=len(found.words)))
        return found, remark(found, vectors), words
    if untouched or given:
        return (*sentence_words(text, vectors), "")
    ours = look_up(OURS.split(), vectors)
    return ours, remark(ours, vectors), OURS


def sentence_words(text: str, vectors: WordVectors) -> tuple[LookedUp, tuple[str, ...]]:
    """Look up a sentence's words; for a sentence without a known one, ours.

    Raises: BadInput, as read_words.
    """
    found = look_up(read_words(text), vectors)
    if not found.words:
        none = _("No word of your sentence is in this English table, so these are words of ours.")
        return look_up(OURS.split(), vectors), (none,)
    first = found._replace(words=found.words[:MOST], rows=found.rows[:MOST])
    left = len(found.words) - MOST
    if left <= 0:
        return first, remark(first, vectors)
    cut = _("The last {n} words of your sentence had no room.").format(n=left)
    return first, (*remark(first, vectors), cut)


def read_words(text: str) -> tuple[str, ...]:
    """Cut a sentence into words.

    Raises: BadInput, for nothing to see or too much.
    """
    if not visible(text):
        raise BadInput("text", _("There is nothing to read yet. Type a word or a sentence."))
    words = words_of(text)
    if len(words) > MAX_TOKENS:
        message = _("These are {count} words; at most {most} are read. Cut the sentence.")
        raise BadInput("text", message.format(count=len(words), most=MAX_TOKENS))
    return words


def remark(found: LookedUp, vectors: WordVectors) -> tuple[str, ...]:
    """Say what became of words that are unknown, written large, or given twice."""
    said = []
    if found.unknown:
        said.append(say_unknown(found.unknown, vectors) + _(" The others are drawn."))
    if found.repeated:
        twice = _("{word} was given more than once: one word, one vector, one dot.")
        said.append(twice.format(word=quote(found.repeated[0])))
    if found.lowered:
        said.append(say_lowered(found.lowered))
    return tuple(said)
