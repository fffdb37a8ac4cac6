"""Arithmetic with words: a − b + c, ranked against every word of the table."""

import numpy as np

from app.engine import ZeroVector
from app.engine.projection import plane, share_in
from app.engine.vectors import all_cosines, analogy, cosine, largest, place_of
from app.i18n import _
from app.lab import (
    BadInput,
    Formula,
    Lab,
    LabForm,
    Prediction,
    Preset,
    Result,
    Snippet,
    Stopwatch,
    control,
    model_choice,
)
from app.models import Models, WordVectors
from app.reading import quote
from lessons.embeddings.labs.arithmetic import listed, word_in_maths
from lessons.embeddings.labs.bias import asks_for_the_other_gender, explain_bias
from lessons.embeddings.labs.parallelogram import Answered, draw_bars, draw_plane
from lessons.embeddings.labs.vocabulary import (
    look_up,
    say_lowered,
    say_unknown,
    thousands,
    words_typed,
)

TOP = 10


class AnalogyForm(LabForm):
    """What a reader may set."""

    a: str = control("line", "king", _("Start from"))
    b: str = control("line", "man", _("− take away"))
    c: str = control("line", "woman", _("+ add"))
    guess: str = control("line", "", _("= your guess"), _("If you have one: you get its place."))
    model: str = model_choice()


def compute(form: AnalogyForm, models: Models) -> Result:
    """Walk from a as one walks from b to c, and see who lives there."""
    vectors, watch = models.word_vectors(form.model), Stopwatch()
    lowered: list[tuple[str, str]] = []
    a, b, c = (read_word(name, getattr(form, name), vectors, lowered) for name in "abc")
    guess = read_word("guess", form.guess, vectors, lowered) if form.guess.strip() else None
    with watch.running():
        try:
            found = analogy(vectors.vectors, b, a, c, TOP, lengths=vectors.lengths)
        except ZeroVector as error:
            message = _("These three cancel each other: what is left points nowhere.")
            raise BadInput("a", message) from error
    words = vectors.words
    best = int(found.without_inputs.rows[0])
    asked = Answered((words[a], words[b], words[c]), (a, b, c), best, found, vectors)
    finding = find(asked, guess)
    figure, notes = draw_plane(asked)
    return Result(
        finding=finding,
        figures=(*draw_bars(asked), figure),
        maths=numbers(asked),
        snippet=snippet(asked),
        models=(vectors.card,),
        engine_ms=watch.ms,
        predict=predict(asked, finding),
        notes=(*notes, *remarks(asked, lowered)),
        context={"question": asked.question},
    )


def read_word(field: str, typed: str, vectors: WordVectors, lowered: list[tuple[str, str]]) -> int:
    """Find the row of one word.

    Raises: BadInput, at its field, for none, for several, and for one that the table lacks.
    """
    words = words_typed(typed)
    if not words:
        raise BadInput(field, _("Type a word."))
    found = look_up(words, vectors)
    if found.unknown:
        raise BadInput(field, say_unknown(found.unknown, vectors))
    if len(words) > 1 or len(found.words) > 1:
        several = ", ".join(quote(word) for word in found.words[:4])
        message = _("One word at a time: the table holds {words} each by itself.")
        raise BadInput(field, message.format(words=several))
    lowered += found.lowered
    return found.rows[0]


def find(asked: Answered, guess: int | None) -> str:
    """Say who is nearest, with and without the three words that went in."""
    found, words = asked.found, asked.vectors.words
    first = int(found.among_all.rows[0])
    parts = {
        "sum": asked.question,
        "answer": quote(asked.answer),
        "cosine": float(found.without_inputs.cosines[0]),
        "first": quote(words[first]),
        "higher": float(found.among_all.cosines[0]),
        "count": thousands(len(words)),
    }
    if first == asked.best:
        text = _(
            "Of {count} words, {answer} lies nearest to {sum}: cosine {cosine:.2f}, "
            "with or without the three words that went in."
        )
    else:
        text = _(
            "Of {count} words, {answer} lies nearest to {sum}, cosine {cosine:.2f}, but only "
            "because the three words that went in are not allowed: {first} itself is nearer, "
            "{higher:.2f}."
        )
    return text.format(**parts) + say_guess(asked, guess)


def say_guess(asked: Answered, guess: int | None) -> str:
    """Say at which place the reader's guess came."""
    if guess is None:
        return ""
    cosines = asked.found.cosines
    if guess in asked.rows:
        text = _(" Your guess, {word}, is one of the three: place {place} among all words.")
        place = place_of(cosines, guess)
    else:
        text = _(" Your guess, {word}, comes at place {place}, cosine {cosine:.2f}.")
        place = place_of(cosines, guess, exclude=asked.rows)
    word = quote(asked.vectors.words[guess])
    return text.format(word=word, place=thousands(place), cosine=float(cosines[guess]))


def remarks(asked: Answered, lowered: list[tuple[str, str]]) -> tuple[str, ...]:
    """Say why the start is so near its own result, what bias this shows, and about capitals."""
    a, b, c = (asked.vectors.vectors[row] for row in asked.rows)
    name_a, name_b, name_c = asked.names
    said = []
    if len(set(asked.rows)) == 3:
        text = _(
            "Why the start stays near: the step from {b} to {c} is {step:.1f} long, {a} itself "
            "{long:.1f}. The result lies {step:.1f} from {a} and {far:.1f} from {d}."
        )
        answer = asked.vectors.vectors[asked.best]
        said.append(
            text.format(
                a=quote(name_a),
                b=quote(name_b),
                c=quote(name_c),
                d=quote(asked.answer),
                step=float(np.linalg.norm(c - b)),
                long=float(np.linalg.norm(a)),
                far=float(np.linalg.norm(asked.found.target - answer)),
            )
        )
    if asks_for_the_other_gender(name_a, name_b, name_c):
        said += explain_bias(name_a, name_b, name_c, asked.answer)
    return (*said, *((say_lowered(lowered),) if lowered else ()))


def numbers(asked: Answered) -> tuple[Formula, ...]:
    """Write the search as a formula, with the numbers of the answer."""
    target, answer = asked.found.target, asked.vectors.vectors[asked.best]
    size = f"{len(asked.vectors.words):,}".replace(",", "{,}")
    width = len(target)
    dot = float(target @ answer)
    long_t, long_d = float(np.linalg.norm(target)), float(np.linalg.norm(answer))
    return (
        Formula(
            _("The word nearest to a − b + c"),
            r"t=a-b+c\qquad d=\underset{w\notin\{a,b,c\}}{\mathrm{arg\,max}}\;"
            r"\frac{t\cdot w}{\lVert t\rVert\,\lVert w\rVert}",
            rf"a,b,c,t\in\mathbb{{R}}^{{{width}}}\quad "
            rf"W_E\in\mathbb{{R}}^{{{size}\times {width}}}",
            rf"\cos(t,{word_in_maths(asked.answer)})"
            rf"=\frac{{{dot:.3f}}}{{{long_t:.3f}\cdot {long_d:.3f}}}={cosine(target, answer):.3f}",
        ),
    )


def snippet(asked: Answered) -> Snippet:
    """Write lines that print the cosine of the result with the answer."""
    rows = (*asked.rows, asked.best)
    names = (*asked.names, asked.answer)
    lines = [
        f"{listed(letter, asked.vectors.vectors[row])}  # {name!r}"
        for letter, row, name in zip("abcd", rows, names, strict=True)
    ]
    code = (
        "import numpy as np\n\n" + "\n".join(lines) + "\nt = a - b + c\n"
        "print(f'{t @ d / (np.linalg.norm(t) * np.linalg.norm(d)):.3f}')"
    )
    return Snippet(code, f"{float(asked.found.without_inputs.cosines[0]):.3f}")


def predict(asked: Answered, finding: str) -> Prediction | None:
    """Ask for the nearest word of all, before the rule that leaves the inputs out."""
    first = asked.vectors.words[asked.found.among_all.rows[0]]
    a, b, c = asked.names
    options = tuple(sorted({a, b, c, asked.answer, first}))
    if len(options) < 3:
        return None
    question = _("Before you look: of all {count} words, which lies nearest to {sum}?")
    asking = question.format(count=thousands(len(asked.vectors.words)), sum=asked.question)
    return Prediction(asking, options, first, finding)


def preset(label: str, a: str, b: str, c: str, guess: str = "") -> Preset:
    """Fill in all four words."""
    return Preset(label, {"a": a, "b": b, "c": c, "guess": guess})


ANALOGY = Lab(
    slug="analogy",
    number=10,
    title=_("Can one calculate with words?"),
    form=AnalogyForm,
    compute=compute,
    template="analogy.html",
    shows=(analogy, all_cosines, largest, plane, share_in),
    needs=("word_vectors",),
    presets=(
        preset("king − man + woman", "king", "man", "woman"),
        preset("paris − france + italy", "paris", "france", "italy"),
        preset("walked − walk + swim", "walked", "walk", "swim", "swam"),
        preset(_("a near miss: walked − walk + run"), "walked", "walk", "run", "ran"),
        preset(_("a failure: leaves − leaf + tooth"), "leaves", "leaf", "tooth", "teeth"),
        preset(_("a bias: doctor − man + woman"), "doctor", "man", "woman"),
        preset(_("and back: nurse − woman + man"), "nurse", "woman", "man"),
    ),
)
