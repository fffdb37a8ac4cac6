"""Chain or web: the way from one word to another, through a recurrence and through attention."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.engine.paths import (
    attention_links,
    hops,
    longest_paths,
    recurrent_links,
    shortest_path,
)
from app.figures import Bars, Edge, Graph, Line, Lines, Node
from app.i18n import _
from app.lab import (
    EXAMPLE,
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
    sentence,
)
from app.models import Models
from app.reading import quote, read, rows_of

Links = NDArray[np.bool_]
# The drawing holds this many words; of a longer text it shows the stretch around the path, and of
# a longer path both its ends with one place between them for all the rest.
DRAWN = 25
LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class PathLengthForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    source: int = control("drawn", 0, _("From this word"), ge=0, le=160)
    target: int = control("drawn", 0, _("to this word"), ge=0, le=160)
    both: bool = control("switch", False, _("A chain in both directions"))
    causal: bool = control("switch", False, _("Attention to the past only"))
    model: str = model_choice()


def compute(form: PathLengthForm, models: Models) -> Result:
    """Find the way between two words in both networks, and count its hops."""
    encoder, tokens = read(form, models)
    words = rows_of(tokens, merge=True, special=False).labels
    source, target = ends(form, len(words))
    watch = Stopwatch()
    with watch.running():
        chain = recurrent_links(len(words), bidirectional=form.both)
        web = attention_links(len(words), causal=form.causal)
        paths = [shortest_path(links, source, target) for links in (chain, web)]
        counts = [int(hops(links)[target, source]) for links in (chain, web)]
        longest = longest_paths(len(words))
    finding = find(words, (source, target), counts, longest.chain)
    return Result(
        finding=finding,
        figures=(
            picture("chain", _("The recurrent chain"), words, chain, paths[0], (source, target)),
            picture("web", _("The attention web"), words, web, paths[1], (source, target)),
            *([compare(counts)] if max(counts) >= 0 else []),
            growth(len(words)),
        ),
        maths=formulas(len(words), source, target, counts[0]),
        snippet=reproduce(len(words), source, target, counts[0], both=form.both),
        models=(encoder.card,),
        engine_ms=watch.ms,
        predict=predict(words, source, target, counts[0], finding),
        chosen={"source": source + 1, "target": target + 1},
        notes=remarks(len(words), (source, target)),
        context={
            "words": words,
            "source": source,
            "target": target,
            "reached": max(counts) >= 0,
        },
    )


def ends(form: PathLengthForm, count: int) -> tuple[int, int]:
    """Take the reader's two words, or the first and the last.

    Raises: BadInput, for a word that is not there.
    """
    for name in ("source", "target"):
        if getattr(form, name) > count:
            message = _("The sentence has {count} words: choose one of them.")
            raise BadInput(name, message.format(count=count))
    return (form.source or 1) - 1, (form.target or count) - 1


def say(count: int) -> str:
    """Put a number of hops into words; −1 says that no way leads there."""
    if count < 0:
        return _("no way at all")
    return _("1 hop") if count == 1 else _("{count} hops").format(count=count)


def find(words: Sequence[str], pair: tuple[int, int], counts: list[int], longest: int) -> str:
    """Say in a sentence how far apart the two words are."""
    if pair[0] == pair[1]:
        text = _("{word} is where it starts: nothing has to be passed on. Choose two words.")
        return text.format(word=quote(words[pair[0]]))
    text = _(
        "From {source} to {target}: {chain} along the chain, {web} through attention. "
        "The longest way in this chain is {longest}."
    )
    return text.format(
        source=quote(words[pair[0]]),
        target=quote(words[pair[1]]),
        chain=say(counts[0]),
        web=say(counts[1]),
        longest=say(longest),
    )


def stretch(count: int, pair: tuple[int, int]) -> list[int | None]:
    """Choose the words to draw: all of a short text; of a long one its path, cut in the middle.

    Example: of 128 words and a path from word 50 to word 100, twelve words of either end.
        >>> shown = stretch(128, (50, 100))
        >>> shown[:2], shown[11:14], shown[-1]
        ([50, 51], [61, None, 89], 100)
    """
    if count <= DRAWN:
        return list(range(count))
    low, high = min(pair), max(pair)
    if high - low < DRAWN:
        first = min(max(0, low - (DRAWN - 1 - (high - low)) // 2), count - DRAWN)
        return list(range(first, first + DRAWN))
    half = DRAWN // 2
    return [*range(low, low + half), None, *range(high - half + 1, high + 1)]


def picture(
    name: str,
    title: str,
    words: Sequence[str],
    links: Links,
    path: list[int],
    pair: tuple[int, int],
) -> Graph:
    """Describe one network with the way between the two words lit."""
    shown = stretch(len(words), pair)
    between = abs(pair[1] - pair[0]) + 2 - len(shown)  # words of the path that are not drawn
    place = {n: where for where, n in enumerate(shown) if n is not None}
    nodes = tuple(
        Node(_("… {n} more …").format(n=between), 0, 0)
        if n is None
        else Node(words[n], 0, 0, "accent" if n in pair else "plain", n in (*path, *pair), n)
        for n in shown
    )
    lit = set(pairwise(path))
    edges = [
        Edge(place[source], place[target], 0.25, (source, target) in lit)
        for target, source in np.argwhere(links).tolist()
        if source in place and target in place
    ]
    caption = _("Each line is one hop; the lit ones are the way of the message.")
    return Graph(name, title, nodes, (*edges, *bridge(shown, lit)), ring=True, caption=caption)


def bridge(shown: list[int | None], lit: set[tuple[int, int]]) -> tuple[Edge, ...]:
    """Carry a chain's path over the words that are left out of the drawing."""
    if None not in shown:
        return ()
    gap = shown.index(None)
    before = shown[gap - 1]
    forth, back = (before, (before or 0) + 1), ((before or 0) + 1, before)
    if forth in lit:
        return (Edge(gap - 1, gap, lit=True), Edge(gap, gap + 1, lit=True))
    if back in lit:
        return (Edge(gap + 1, gap, lit=True), Edge(gap, gap - 1, lit=True))
    return ()


def compare(counts: list[int]) -> Bars:
    """Describe the two counts side by side; where no way leads there is none to draw."""
    names = (_("along the chain"), _("through attention"))
    shown = [n for n, count in enumerate(counts) if count >= 0]
    caption = " ".join(
        _("There is no way {name}.").format(name=names[n]) for n in (0, 1) if n not in shown
    )
    return Bars(
        "hops",
        _("Hops between the two words"),
        tuple(names[n] for n in shown),
        np.array([counts[n] for n in shown], float),
        _("hops"),
        caption=caption,
    )


def growth(count: int) -> Lines:
    """Describe how the longest way grows with the length of the text."""
    lengths = sorted({*LENGTHS, max(count, 2)})
    x = np.array(lengths, float)
    found = [longest_paths(n) for n in lengths]
    chain = Line(_("chain"), x, np.array([f.chain for f in found], float), "decoder")
    web = Line(_("attention"), x, np.array([f.web for f in found], float), "encoder")
    title = _("The longest way, as the text grows")
    return Lines(
        "growth",
        title,
        (chain, web),
        _("words in the text"),
        _("hops, at most"),
        log_x=True,
        log_y=True,
        caption=_("Each mark on an axis is ten times the one before it."),
    )


def formulas(count: int, source: int, target: int, hop_count: int) -> tuple[Formula, ...]:
    """Write the path lengths in general, for this text and for these two words."""
    return (
        Formula(
            _("Longest path between two tokens, one layer"),
            r"\text{recurrence: } T-1=O(T)\qquad\text{attention: } 1=O(1)",
            rf"T={count}\quad T-1={max(count - 1, 0)}",
            rf"|j-i|=|{target + 1}-{source + 1}|={abs(target - source)}"
            + ("" if hop_count >= 0 else r"\quad\text{no way backwards}"),
        ),
    )


def reproduce(count: int, source: int, target: int, hop_count: int, *, both: bool) -> Snippet:
    """Write the count of the chain's hops as powers of a matrix of links."""
    backwards = " + np.eye(T, k=1)" if both else ""
    code = (
        "import numpy as np\n\n"
        f"T, source, target = {count}, {source}, {target}\n"
        f"links = np.eye(T, k=-1){backwards}  # row hears column\n"
        "heard = np.eye(T)[:, source]\n"
        "counts = [n for n in range(T) if (np.linalg.matrix_power(links, n) @ heard)[target]]\n"
        "print(counts[0] if counts else -1)"
    )
    return Snippet(code, str(hop_count))


def predict(
    words: Sequence[str], source: int, target: int, count: int, finding: str
) -> Prediction | None:
    """Ask for the number of hand-overs before showing it."""
    if count < 2:
        return None
    options = tuple(str(n) for n in sorted({1, count // 2, count, 2 * count}))
    question = _("How many hand-overs does a chain need from {source} to {target}?")
    asked = question.format(source=quote(words[source]), target=quote(words[target]))
    return Prediction(asked, options, str(count), finding)


def remarks(count: int, pair: tuple[int, int]) -> tuple[str, ...]:
    """Say what the drawing leaves out."""
    note = _(
        "One layer of each is drawn, over whole words. "
        "A stack of L layers adds L hops in depth to both."
    )
    drawn = sum(n is not None for n in stretch(count, pair))
    if drawn == count:
        return (note,)
    cut = _("The drawing shows {drawn} of the {count} words; the counts are of all of them.")
    return (note, cut.format(drawn=drawn, count=count))


PATH_LENGTH = Lab(
    slug="path-length",
    number=25,
    title=_("Chain or web?"),
    form=PathLengthForm,
    compute=compute,
    template="path-length.html",
    shows=(recurrent_links, attention_links, shortest_path, hops, longest_paths),
    needs=("encoder",),
    presets=(
        Preset(_("from “animal” to “it”"), {"text": EXAMPLE, "source": "2", "target": "8"}),
        Preset(_("backwards"), {"text": EXAMPLE, "source": "11", "target": "2"}),
        Preset(
            _("backwards, with a chain both ways"),
            {"text": EXAMPLE, "source": "11", "target": "2", "both": "true"},
        ),
        Preset(
            _("attention to the past only"),
            {"text": EXAMPLE, "source": "11", "target": "2", "causal": "true"},
        ),
    ),
)
