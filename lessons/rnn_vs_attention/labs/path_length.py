"""Chain or web: the way from one word to another, through a recurrence and through attention."""

from collections.abc import Sequence

from app.engine.paths import (
    attention_links,
    hops,
    longest_paths,
    recurrent_links,
    shortest_path,
)
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
from app.reading import read, rows_of, tell_apart
from lessons.rnn_vs_attention.labs.path_pictures import draw, stretch


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
        figures=draw(words, (chain, web), paths, counts, (source, target)),
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
        return text.format(word=tell_apart(words, pair[0]))
    text = _(
        "From {source} to {target}: {chain} along the chain, {web} through attention. "
        "The longest way in this chain is {longest}."
    )
    return text.format(
        source=tell_apart(words, pair[0]),
        target=tell_apart(words, pair[1]),
        chain=say(counts[0]),
        web=say(counts[1]),
        longest=say(longest),
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
    asked = question.format(source=tell_apart(words, source), target=tell_apart(words, target))
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
