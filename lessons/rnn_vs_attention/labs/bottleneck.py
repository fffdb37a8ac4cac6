"""One vector for everything: networks are told pairs and then asked for one of them."""

from typing import Literal

from app.engine.functions import softmax
from app.engine.recall import make_drills, recall, recall_many, right_share
from app.i18n import _
from app.lab import Lab, LabForm, Preset, Result, Stopwatch, control
from app.models import Models
from lessons.rnn_vs_attention.labs.bottleneck_pictures import draw
from lessons.rnn_vs_attention.labs.bottleneck_words import find, formulas, predict, remarks, snippet
from lessons.rnn_vs_attention.labs.pairs_text import parse
from lessons.rnn_vs_attention.labs.recall_answers import ask, prepare

KINDS = ("attention", "lstm", "gru", "rnn")
DEFAULT = "cat=3, dog=7, sun=1, cup=9, key=4, map=6; dog?"
Size = Literal["16", "32", "64"]


class BottleneckForm(LabForm):
    """What a reader may set."""

    pairs: str = control("line", DEFAULT, _("Pairs, then a question"))
    size: Size = control("choice", "16", _("Width of the attention network"))
    symbols: int = control("number", 1, _("Symbols, draw number"), ge=1, le=1_000_000)
    seed: int = control("number", 1, _("Random lists, draw number"), ge=1, le=1_000_000)


def compute(form: BottleneckForm, models: Models) -> Result:
    """Let four networks of one size answer the reader's question, and many random ones."""
    nets, watch = models.recall(), Stopwatch()
    told = parse(form.pairs, most=nets.most_pairs, values=nets.values)
    size = int(form.size)
    chosen = [n for kind in KINDS for n in nets.networks if (n.cell, n.size) == (kind, size)]
    records = models.record(nets.card.name, "scores.json") or []
    with watch.running():
        asked = prepare(told, nets, symbols=form.symbols, seed=form.seed)
        answers = tuple(ask(network, asked, records) for network in chosen)
    finding = find(asked, answers)
    return Result(
        finding=finding,
        figures=draw(asked, answers, nets.values),
        maths=formulas(asked, answers, nets),
        snippet=snippet(answers),
        models=(nets.card,),
        engine_ms=watch.ms,
        predict=predict(asked, answers, finding),
        notes=remarks(asked, answers, nets),
        context={"symbols": form.symbols, "seed": form.seed},
    )


MANY = "a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16"
BOTTLENECK = Lab(
    slug="bottleneck",
    number=28,
    title=_("Can one vector hold everything?"),
    form=BottleneckForm,
    compute=compute,
    template="bottleneck.html",
    shows=(make_drills, recall, recall_many, right_share, softmax),
    needs=("recall",),
    presets=(
        Preset(_("one pair"), {"pairs": "cat=3; cat?", "size": "16"}),
        Preset(_("six pairs"), {"pairs": DEFAULT, "size": "16"}),
        Preset(_("six pairs, wider networks"), {"pairs": DEFAULT, "size": "64"}),
        Preset(_("sixteen pairs"), {"pairs": f"{MANY}; c?", "size": "64"}),
        Preset(_("one value for all"), {"pairs": "cat=1, dog=1, sun=1, cup=1; sun?", "size": "16"}),
    ),
)
