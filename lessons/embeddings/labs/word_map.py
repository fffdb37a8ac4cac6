"""A map of words: the reader's words and their neighbours among all words, laid flat."""

from typing import Any, Literal, NamedTuple

import numpy as np

from app.engine.projection import neighbour_preservation, pca
from app.engine.vectors import Neighbours, cosine_matrix, directions, largest, nearest_to_each
from app.figures import Bars, Scatter, Scatter3D
from app.figures.describe import Array
from app.i18n import _
from app.lab import (
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
    sentence,
)
from app.models import Models, WordVectors
from app.reading import quote
from lessons.embeddings.labs.arithmetic import cosine_snippet, cosine_steps
from lessons.embeddings.labs.choosing import MOST, choose_words
from lessons.embeddings.labs.flattening import Flat, project
from lessons.embeddings.labs.vocabulary import LookedUp, joined, thousands

CROWD = 160  # points in all
LISTED = 10  # neighbours of the chosen word


class WordMapForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    words: str = control(
        "lines", "", _("Words"), _("Up to 40. Leave it empty for the words of your sentence.")
    )
    projection: Literal["pca2", "pca3", "tsne"] = control(
        "choice",
        "pca2",
        _("Projection"),
        labels={
            "pca2": _("PCA, two dimensions"),
            "pca3": _("PCA, three dimensions"),
            "tsne": _("t-SNE"),
        },
    )
    neighbours: int = control("slider", 3, _("Neighbors for each"), ge=0, le=10)
    look: int = control("drawn", 0, _("Whose neighbors"), ge=0, le=MOST)
    model: str = model_choice()


class Gathered(NamedTuple):
    """Everything that is drawn: the reader's words first, then their neighbours."""

    words: tuple[str, ...]
    rows: tuple[int, ...]
    own: int  # how many of them are the reader's
    nearest: tuple[Neighbours, ...]  # of each of the reader's words


def compute(form: WordMapForm, models: Models) -> Result:
    """Look the words up, gather their neighbours, and lay all of them flat."""
    vectors, watch = models.word_vectors(form.model), Stopwatch()
    found, remarks, kept = choose_words(
        form.words, form.text, vectors, given=bool({"text", "words"} & form.model_fields_set)
    )
    room = min(10, (CROWD - len(found.words)) // len(found.words))
    count = min(form.neighbours, room)
    with watch.running():
        gathered = gather(found, vectors, count)
        units = directions(vectors.vectors[list(gathered.rows)])
        flat = project(form.projection, units)
        cosines = cosine_matrix(units[: gathered.own])
    look = form.look - 1 if 0 < form.look <= gathered.own else first_look(found, kept)
    steps, snippet = worked(gathered, look, vectors)
    finding = find(gathered, cosines, look, vectors)
    return Result(
        finding=finding,
        figures=draw(gathered, flat, look, vectors),
        maths=(steps, flat.formula) if flat.formula else (steps,),
        snippet=snippet,
        models=(vectors.card,),
        engine_ms=watch.ms,
        predict=predict(gathered, cosines, look, finding),
        limits={"neighbours": room},
        chosen={"look": look + 1, "neighbours": count, "words": kept},
        notes=(*flat.said, *remarks),
        context=links(gathered, look, vectors),
    )


def worked(gathered: Gathered, look: int, vectors: WordVectors) -> tuple[Formula, Snippet]:
    """Work out one cosine with its numbers: of the chosen word and its nearest."""
    rows = (gathered.rows[look], int(gathered.nearest[look].rows[0]))
    names = [vectors.words[row] for row in rows]
    u, v = (vectors.vectors[row] for row in rows)
    steps = cosine_steps(names[0], names[1], u, v, len(vectors.words))
    return steps, Snippet(*cosine_snippet(names[0], names[1], u, v))


def first_look(found: LookedUp, kept: str) -> int:
    """Choose whose neighbours to list: the first word's, or of a sentence the rarest word's."""
    return 0 if kept else int(np.argmax(found.rows))


def gather(found: LookedUp, vectors: WordVectors, count: int) -> Gathered:
    """Find each word's neighbours among all words of the table, and put each on the map once."""
    nearest = nearest_to_each(
        vectors.vectors, found.rows, max(LISTED, count), lengths=vectors.lengths
    )
    more = [int(row) for near in nearest for row in near.rows[:count]]
    rows = tuple(dict.fromkeys((*found.rows, *more)))
    return Gathered(tuple(vectors.words[r] for r in rows), rows, len(found.rows), nearest)


def find(gathered: Gathered, cosines: Array, look: int, vectors: WordVectors) -> str:
    """Say in words how near the chosen word's neighbours are, and which of the reader's words."""
    words, near = gathered.words, gathered.nearest[look]
    text = _("Of all {count} words, the nearest to {word} is {other}: cosine {cosine:.2f}.")
    first = text.format(
        count=thousands(len(vectors.words)),
        word=quote(words[look]),
        other=quote(vectors.words[near.rows[0]]),
        cosine=float(near.cosines[0]),
    )
    if gathered.own < 2:
        return first
    above = np.triu_indices(gathered.own, 1)
    pairs = cosines[above]
    best, worst = int(pairs.argmax()), int(pairs.argmin())
    names = [(quote(words[above[0][n]]), quote(words[above[1][n]])) for n in (best, worst)]
    if gathered.own == 2:
        two = _("{a} and {b} measure {cosine:.2f}.")
        return f"{first} {two.format(a=names[0][0], b=names[0][1], cosine=float(pairs[0]))}"
    text = _("Among yours, {a} and {b} are closest, {high:.2f}; {c} and {d} farthest, {low:.2f}.")
    (a, b), (c, d) = names
    high, low = float(pairs[best]), float(pairs[worst])
    return f"{first} {text.format(a=a, b=b, c=c, d=d, high=high, low=low)}".replace("-0.", "−0.")


def draw(
    gathered: Gathered, flat: Flat, look: int, vectors: WordVectors
) -> tuple[Scatter | Scatter3D, Bars]:
    """Describe the map, and the neighbours of the chosen word as bars."""
    near = gathered.nearest[look]
    word = quote(gathered.words[look])
    bars = Bars(
        name="neighbours",
        title=_("The words nearest to {word}").format(word=word),
        labels=tuple(vectors.words[row] for row in near.rows[:LISTED]),
        values=near.cosines[:LISTED],
        value_title=_("cosine with {word}").format(word=word),
        caption=_("Measured in all {width} dimensions, over all {count} words.").format(
            width=vectors.vectors.shape[1], count=thousands(len(vectors.words))
        ),
    )
    return draw_map(gathered, flat, vectors), bars


def draw_map(gathered: Gathered, flat: Flat, vectors: WordVectors) -> Scatter | Scatter3D:
    """Describe the map: the reader's words in one mark, the neighbours in another."""
    ours, theirs = _("your words"), _("neighbors")
    count = len(gathered.words)
    groups = (ours,) * gathered.own + (theirs,) * (count - gathered.own)
    caption = _("Point at a word for its neighbors. The map flattens; trust the cosines over it.")
    title, details = _("Your words, laid flat"), detail(gathered, vectors)
    if flat.points.shape[1] == 3:
        first, second, third = flat.axes
        return Scatter3D(
            name="map",
            title=title,
            points=flat.points,
            labels=gathered.words,
            groups=groups,
            details=details,
            axis_titles=(first, second, third),
            caption=caption,
        )
    return Scatter(
        name="map",
        title=title,
        points=flat.points,
        labels=gathered.words,
        groups=groups,
        details=details,
        x_title=flat.axes[0],
        y_title=flat.axes[1],
        caption=caption,
    )


def detail(gathered: Gathered, vectors: WordVectors) -> tuple[str, ...]:
    """Say of each of the reader's words who is nearest, of each neighbour whose it is."""
    said = {}
    for word, near in zip(gathered.words, gathered.nearest, strict=False):
        listed = [
            f"{vectors.words[row]} {cosine:.2f}"
            for row, cosine in zip(near.rows[:5], near.cosines[:5], strict=True)
        ]
        said[word] = _("nearest: {words}").format(words=", ".join(listed))
        for row, cosine in zip(near.rows, near.cosines, strict=True):
            whose = _("{cosine:.2f} to {word}").format(cosine=float(cosine), word=quote(word))
            said.setdefault(vectors.words[row], whose)
    return tuple(said[word] for word in gathered.words)


def predict(gathered: Gathered, cosines: Array, look: int, finding: str) -> Prediction | None:
    """Ask which of the reader's other words is nearest to the chosen one."""
    if gathered.own < 4:
        return None
    order = [int(n) for n in np.argsort(-cosines[look], kind="stable") if n != look]
    options = sorted((order[0], order[1], order[len(order) // 2], order[-1]))
    question = _("Before you look: which of these is nearest to {word}, by its vector?")
    answer = _("{other}: cosine {cosine:.2f}.").format(
        other=quote(gathered.words[order[0]]), cosine=float(cosines[look, order[0]])
    )
    return Prediction(
        question.format(word=quote(gathered.words[look])),
        tuple(dict.fromkeys(gathered.words[n] for n in options)),
        gathered.words[order[0]],
        f"{answer} {finding}",
    )


def links(gathered: Gathered, look: int, vectors: WordVectors) -> dict[str, Any]:
    """Prepare what the template needs to add a neighbour or to take a word away."""
    own = gathered.words[: gathered.own]
    near = [vectors.words[row] for row in gathered.nearest[look].rows[:LISTED]]
    new = [word for word in near if word not in own] if len(own) < MOST else []
    return {
        "words": own,
        "look": look,
        "add": [(word, joined(own, (word,))) for word in new],
        "remove": [(word, joined([w for w in own if w != word])) for word in own if len(own) > 1],
    }


WORD_MAP = Lab(
    slug="word-map",
    number=8,
    title=_("Who lives near whom?"),
    form=WordMapForm,
    compute=compute,
    template="word-map.html",
    shows=(pca, nearest_to_each, largest, cosine_matrix, neighbour_preservation),
    needs=("word_vectors",),
    presets=(
        Preset(
            _("animals, cities, verbs"),
            {
                "words": "lion, tiger, wolf, sheep, tokyo, madrid, cairo, oslo, sing, dance, eat",
                "neighbours": "3",
            },
        ),
        Preset(
            _("opposites live close"),
            {
                "words": "hot, cold, big, small, good, bad, north, south, love, hate",
                "neighbours": "0",
            },
        ),
        Preset(
            _("one word, two trades"),
            {"words": "bank, river, shore, money, loan, spring, summer, metal", "neighbours": "2"},
        ),
        Preset(
            _("grammar as a place"),
            {
                "words": "go, went, gone, see, saw, seen, take, took, taken, give, gave, given",
                "neighbours": "0",
            },
        ),
        Preset(_("the words of your sentence"), {"words": ""}),
    ),
)
