"""What the lab on the next token says and draws."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.engine.bert import Ids
from app.engine.functions import Array, log_softmax
from app.engine.sampling import COLDEST, Branch, Distribution, likeliest
from app.figures import Bars, Edge, Figure, Graph, Node, Tokens
from app.figures.numbers import short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import Decoder
from app.reading import quote
from lessons.bert_vs_gpt.labs.next_token_form import NextTokenForm
from lessons.bert_vs_gpt.labs.next_token_writing import Prompt, named

BARS = 12
LISTED = 10  # logits in the lines to reproduce
TAIL = 5  # words of the prompt that are quoted


def plainly(label: str) -> str:
    """Quote a token without the sign of its space."""
    return quote(label.removeprefix("␣") or label)


def quoted(prompt: Prompt) -> str:
    """Quote the last words of what was read."""
    words = prompt.text.split(" ")
    tail = " ".join(words[-TAIL:])
    return quote(("… " if len(words) > TAIL else "") + tail, 60)


def find(
    names: Sequence[str], spread: Distribution, prompt: Prompt, settings: NextTokenForm
) -> str:
    """Say what the model expects, what the sentence says, and what may be drawn."""
    best = likeliest(spread.log_probabilities, 3).tolist()
    share = np.exp(spread.log_probabilities)
    each = [f"{plainly(name)} {float(share[n]):.2f}" for name, n in zip(names, best, strict=False)]
    where = _("After {words}") if prompt.text else _("As the first word of its answer")
    first = _("{where} the model gives {each}.").format(
        where=where.format(words=quoted(prompt)), each=", ".join(each)
    )
    return " ".join(filter(None, (first, goes_on(spread, prompt), cut_off(spread, settings))))


def goes_on(spread: Distribution, prompt: Prompt) -> str:
    """Say how likely the sentence's own next token was."""
    if prompt.real is None or prompt.read >= len(prompt.words):
        return ""
    logs = spread.log_probabilities
    place = int((logs > logs[prompt.real]).sum()) + 1
    text = _("The sentence itself goes on with {word}: {share}, place {place:,}.")
    share = short(float(np.exp(logs[prompt.real])))
    return text.format(word=quote(prompt.words[prompt.read]), share=share, place=place)


def cut_off(spread: Distribution, settings: NextTokenForm) -> str:
    """Say what is left to draw from, and how much was cut."""
    kept, total = int(spread.kept.sum()), len(spread.kept)
    if settings.temperature < COLDEST:
        return _("At temperature 0 the likeliest is certain; nothing else can be drawn.")
    if kept == total:
        return _("Nothing is cut off: all {total:,} tokens may be drawn.").format(total=total)
    lost = 1 - float(np.exp(spread.log_probabilities[spread.kept]).sum())
    text = _(
        "Top-k and top-p leave {kept:,} of {total:,} tokens to draw from; "
        "those cut off had {lost:.2f} together."
    )
    return text.format(kept=kept, total=total, lost=max(lost, 0.0))


def draw(
    decoder: Decoder, spread: Distribution, prompt: Prompt, written: Sequence[Mapping[str, Any]]
) -> tuple[Figure, ...]:
    """Describe the distribution before and after it is shaped, and what was written."""
    best = likeliest(spread.log_probabilities, BARS)
    names = tuple(named(decoder.tokenizer, n) for n in best.tolist())
    at = np.flatnonzero(best == (-1 if prompt.real is None else prompt.real))
    chosen = int(at[0]) if len(at) else None
    figures: list[Figure] = [*two_bars(names, best, spread, chosen)]
    if prompt.field == "answer":
        labels = tuple(named(decoder.tokenizer, n) for n in prompt.ids.tolist())
        caption = _("The signs between ‹|…|› are single tokens that nobody can type.")
        title = _("What the model reads: your text in its chat template")
        figures.append(Tokens("layout", title, labels, caption=caption.replace("‹|…|›", "<|…|>")))
    if written:
        figures.append(
            Tokens(
                "written",
                _("What it wrote"),
                tuple(step["label"] for step in written),
                np.array([step["probability"] for step in written]),
                value_title=_("probability the model gave it"),
                caption=_("The stronger a token’s shade, the surer the model was of it."),
            )
        )
    return tuple(figures)


def two_bars(
    names: tuple[str, ...], best: Ids, spread: Distribution, chosen: int | None
) -> tuple[Bars, Bars]:
    """Describe the likeliest tokens as the model gave them, and as they are drawn."""
    cut = tuple(
        name if kept else _("{name} (cut)").format(name=name)
        for name, kept in zip(names, spread.kept[best], strict=True)
    )
    model = Bars(
        "model",
        _("What the model expects"),
        names,
        np.exp(spread.log_probabilities[best]),
        value_title=_("probability of the next token"),
        chosen=chosen,
        role="decoder",
        caption=_("The {n} likeliest tokens; ␣ is the space before a word.").format(n=len(names)),
    )
    drawn = Bars(
        "drawn",
        _("What is drawn from"),
        cut,
        spread.probabilities[best],
        value_title=_("probability after temperature and cuts"),
        chosen=chosen,
        caption=_("The same tokens; what top-k and top-p cut off has exactly 0."),
    )
    return model, drawn


def picture_tree(decoder: Decoder, prompt: Prompt, branches: tuple[Branch, ...]) -> Graph:
    """Describe the tree: the likeliest branch on top, thick lines for likely tokens."""
    root = prompt.text.split(" ")[-1] if prompt.text else _("answer")
    nodes, edges = [Node(root[-12:] or "…", 0, 0, "decoder")], list[Edge]()
    leaves = 0

    def hang(parent: int, hung: tuple[Branch, ...], depth: int, *, best: bool) -> float:
        nonlocal leaves
        heights = []
        for n, each in enumerate(hung):
            share, lit = float(np.exp(each.log_probability)), best and n == 0
            place = len(nodes)
            label = f"{named(decoder.tokenizer, each.id)[:10]} {share:.2f}"
            nodes.append(Node(label, depth, leaves, lit=lit))
            edges.append(Edge(parent, place, share, lit))
            if each.branches:
                y = hang(place, each.branches, depth + 1, best=lit)
                nodes[place] = Node(label, depth, y, lit=lit)
            else:
                leaves += 1
            heights.append(nodes[place].y)
        return sum(heights) / len(heights)

    nodes[0] = Node(nodes[0].label, 0, hang(0, branches, 1, best=True), "decoder", lit=True)
    caption = _("Each number is the probability of that token after all to its left.")
    title = _("The tree of likeliest continuations")
    return Graph("tree", title, tuple(nodes), tuple(edges), sideways=True, caption=caption)


def numbers(
    logits: Array, spread: Distribution, settings: NextTokenForm
) -> tuple[tuple[Formula, ...], Snippet]:
    """Write the likeliest token's probability as a softmax with temperature, and as NumPy."""
    certain = settings.temperature < COLDEST
    heat = 1.0 if certain else settings.temperature
    best, scaled = likeliest(logits, LISTED), logits / heat
    log_sum = round(float(scaled[best[0]] - log_softmax(scaled)[best[0]]), 4)
    top = [round(float(z), 4) for z in logits[best]]
    kept = 1.0 if certain else round(float(np.exp(log_softmax(scaled)[spread.kept]).sum()), 4)
    share = float(np.exp(top[0] / heat - log_sum) / kept)
    formula = Formula(
        _("Softmax with temperature τ, then the cut"),
        r"p_i=\frac{\exp(z_i/\tau)}{\sum_{j=1}^{V}\exp(z_j/\tau)}"
        r"\qquad q_i=\frac{p_i}{\sum_{j\in\text{kept}}p_j}",
        rf"z\in\mathbb{{R}}^{{V}}\quad V={len(logits)}\quad "
        rf"\text{{kept: }}{int(spread.kept.sum())}",
        rf"q_1=\exp({top[0]:.3f}/{heat:g}-{log_sum:.3f})\,/\,{kept:.3f}={share:.3f}",
    )
    code = (
        "import numpy as np\n\n"
        f"# the {len(top)} highest of {len(logits)} logits\n"
        f"logits = np.array({top})\n"
        f"temperature = {heat:g}\n"
        f"log_sum = {log_sum}  # log of the sum of exp(z / temperature) over all {len(logits)}\n"
        f"kept = {kept}  # the share of it that top-k and top-p leave\n"
        "probabilities = np.exp(logits / temperature - log_sum) / kept\n"
        "print(round(float(probabilities[0]), 3))"
    )
    return (formula,), Snippet(code, str(round(share, 3)))


def predict(names: Sequence[str], prompt: Prompt, finding: str) -> Prediction | None:
    """Ask which token the model holds likeliest."""
    options = sorted({plainly(name) for name in (*names[:3], *names[4:5])})
    if len(options) < 3 or not prompt.text:
        return None
    question = _("Before you look: what does the model expect after {words}?")
    asked = question.format(words=quoted(prompt))
    return Prediction(asked, tuple(options), plainly(names[0]), finding)


def remarks(prompt: Prompt, written: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Say what a careful reader should also know."""
    notes = []
    if prompt.trimmed:
        notes.append(
            _("The space at the end is not read: to this model a space belongs to the next word.")
        )
    if written and not written[-1]["ends"] and written[-1]["text"] is None:
        notes.append(_("The text stops in the middle of a letter that takes several tokens."))
    return tuple(notes)
