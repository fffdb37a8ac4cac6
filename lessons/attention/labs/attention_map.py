"""Who listens to whom: every head of the encoder on the reader's sentence."""

import numpy as np

from app.engine.attention import attend
from app.engine.bert import listen
from app.engine.bert_fast import FastTrace, encode_fast
from app.engine.functions import softmax
from app.engine.head_patterns import measure_patterns, name_pattern
from app.engine.merging import merge_pieces
from app.figures import Arcs, HeadGrid, Heatmap
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
    within,
)
from app.models import Encoder, Models, Tokenized
from app.reading import Rows, read, rows_of, tell_apart

PATTERNS = {
    "previous": _("previous word"),
    "next": _("next word"),
    "self": _("itself"),
    "first": _("rests on the first"),
    "separator": _("rests on the last"),
    "broad": _("broad"),
    "mixed": _("mixed"),
}


class AttentionMapForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    layer: int = control("slider", 4, _("Layer"), ge=1, le=48)
    head: int = control("slider", 2, _("Head"), ge=1, le=64)
    merge: bool = control("switch", True, _("Pieces joined to words"))
    special: bool = control("switch", False, _("Special tokens shown"))
    token: int = control("drawn", 0, _("The word that looks"), ge=0, le=160)
    model: str = model_choice()


def compute(form: AttentionMapForm, models: Models) -> Result:
    """Read the sentence, and show one head closely and all heads in small."""
    encoder, tokens = read(form, models)
    config, watch = encoder.config, Stopwatch()
    layer = within(form, "layer", config.layers, _("layer"))
    head = within(form, "head", config.heads, _("head"))
    rows = rows_of(tokens, merge=form.merge, special=form.special)
    with watch.running():
        trace = encode_fast(tokens.ids, encoder.weights, config)
        patterns = habits(trace, tokens)
        shown = rows.gather(trace.weights)
    looker = choose_row(form, rows, shown[layer, head])
    row = shown[layer, head, looker]
    spared = float(rows.hidden_share(trace.weights[layer, head])[looker])
    finding = find(rows, looker, row, layer, head, patterns[layer][head])
    pair = (looker, int(row.argmax()))
    maths, snippet = numbers(encoder, trace, rows, pair, layer, head)
    return Result(
        finding=finding,
        figures=draw(rows, shown, pair, layer, head, patterns),
        maths=maths,
        snippet=snippet,
        models=(encoder.card,),
        engine_ms=watch.ms,
        predict=predict(rows, row, looker, finding),
        limits={"layer": config.layers, "head": config.heads},
        chosen={"layer": layer + 1, "head": head + 1, "token": looker + 1},
        notes=remarks(rows, looker, spared, special=form.special),
        context={"rows": rows.labels, "looker": looker},
    )


def habits(trace: FastTrace, tokens: Tokenized) -> tuple[tuple[str, ...], ...]:
    """Name what each head does on this sentence."""
    separators = np.array([own and n > 0 for n, own in enumerate(tokens.special)])
    measured = [measure_patterns(weights, separators) for weights in trace.weights]
    heads = range(trace.weights.shape[1])
    return tuple(tuple(name_pattern(layer, head) for head in heads) for layer in measured)


def choose_row(form: AttentionMapForm, rows: Rows, weights: Array) -> int:
    """Take the reader's word, or else the one that looks most firmly at another one."""
    if 0 < form.token <= len(rows.labels):
        return form.token - 1
    away = weights - 2 * np.eye(len(weights))
    away[rows.special] = -2
    return int(np.argmax(away.max(axis=1)))


def find(rows: Rows, looker: int, row: Array, layer: int, head: int, pattern: str) -> str:
    """Say in a sentence what the chosen row shows."""
    seen = int(row.argmax())
    target = _("itself") if seen == looker else tell_apart(rows.labels, seen)
    sentence = _("{word} looks most at {target}: {share:.2f} in layer {layer}, head {head}.")
    if 1 - float(row.sum()) > float(row[seen]):  # what is hidden outweighs every word
        sentence = _(
            "{word} looks most at the special tokens, which are hidden; of the words, most at "
            "{target}: {share:.2f} in layer {layer}, head {head}."
        )
    habit = _("On this sentence the head’s habit is: {habit}.").format(habit=PATTERNS[pattern])
    if pattern == "mixed":
        habit = _("On this sentence the head has no single habit.")
    words = sentence.format(
        word=tell_apart(rows.labels, looker),
        target=target,
        share=float(row[seen]),
        layer=layer + 1,
        head=head + 1,
    )
    return f"{words} {habit}"


def draw(
    rows: Rows,
    shown: Array,
    pair: tuple[int, int],
    layer: int,
    head: int,
    patterns: tuple[tuple[str, ...], ...],
) -> tuple[Heatmap, Arcs, HeadGrid]:
    """Describe the map, the arcs of the same head, and all heads in small."""
    names, weights = rows.labels, shown[layer, head]
    place = _("Layer {layer}, head {head}").format(layer=layer + 1, head=head + 1)
    named = tuple(tuple(PATTERNS[name] for name in line) for line in patterns)
    heatmap = Heatmap(
        name="weights",
        title=place,
        rows=names,
        columns=names,
        values=weights,
        row_title=_("row: the word that looks"),
        column_title=_("column: the word looked at"),
        chosen=pair,
        tokens=True,
        caption=_("The stronger the shade, the more of its weight the row gives to the column."),
    )
    arcs = Arcs("arcs", _("{place}, as lines").format(place=place), names, names, weights, pair[0])
    heads = HeadGrid("heads", _("All heads"), shown, named, names, (layer, head))
    return heatmap, arcs, heads


def numbers(
    encoder: Encoder,
    trace: FastTrace,
    rows: Rows,
    pair: tuple[int, int],
    layer: int,
    head: int,
) -> tuple[tuple[Formula, ...], Snippet]:
    """Write the chosen weight as a formula with its numbers, and as lines of NumPy."""
    name, config = f"encoder.layer.{layer}", encoder.config
    heard = listen(
        trace.hidden[layer], encoder.weights, name, config, mask=None, keep=None, scale=True
    )
    pieces = [np.flatnonzero(rows.groups == rows.shown[n]) for n in pair]
    query, key = (int(each[0]) for each in pieces)
    scores = heard[3].scores[head, query]
    weight = float(softmax(scores)[key])
    whole = all(len(each) == 1 for each in pieces)
    size = config.width // config.heads
    formula = write_formula(scores, query, key, size, weight, whole=whole)
    return (formula,), write_code(scores, query, key)


def write_formula(
    scores: Array, query: int, key: int, size: int, weight: float, *, whole: bool
) -> Formula:
    """Write softmax for one cell; where a cell joins several pieces, for the first of each."""
    total, product = float(np.exp(scores).sum()), float(scores[key]) * np.sqrt(size)
    title = _("The weight of this cell") if whole else _("The weight between the first pieces")
    return Formula(
        title,
        r"\alpha_{ij}=\frac{\exp(q_i\cdot k_j/\sqrt{d_k})}{\sum_{m}\exp(q_i\cdot k_m/\sqrt{d_k})}",
        rf"Q,K\in\mathbb{{R}}^{{{len(scores)}\times {size}}}\quad "
        rf"QK^{{\top}}\in\mathbb{{R}}^{{{len(scores)}\times {len(scores)}}}",
        rf"\alpha_{{{query + 1},{key + 1}}}="
        rf"\frac{{\exp({product:.3f}/\sqrt{{{size}}})}}{{{total:.3f}}}={weight:.3f}",
    )


def write_code(scores: Array, query: int, key: int) -> Snippet:
    """Write the lines of NumPy that print the same weight."""
    written = [f"{score:.6f}" for score in scores]
    printed = float(softmax(np.array(written, float))[key])
    code = (
        "import numpy as np\n\n"
        f"# q·k/√d_k of token {query + 1} with all {len(scores)} tokens, special ones counted\n"
        f"scores = np.array([{', '.join(written)}])\n"
        "weights = np.exp(scores - scores.max())\nweights /= weights.sum()\n"
        f'print(f"{{weights[{key}]:.3f}}")'
    )
    return Snippet(code, f"{printed:.3f}")


def predict(rows: Rows, row: Array, looker: int, finding: str) -> Prediction | None:
    """Ask for a guess where there are enough words to choose from."""
    order = [int(n) for n in np.argsort(-row) if not rows.special[n]]
    options = sorted(order[:1] + order[1 :: max(1, len(order) // 3)][:3])
    names = tuple(dict.fromkeys(rows.labels[n] for n in options))
    if len(names) < 3:
        return None
    question = _("Before you look: which of these will {word} look at most in this head?")
    best = rows.labels[order[0]]
    asked = question.format(word=tell_apart(rows.labels, looker))
    return Prediction(asked, names, best, finding)


def remarks(rows: Rows, looker: int, spared: float, *, special: bool) -> tuple[str, ...]:
    """Say what is not in the picture: the weight on hidden special tokens."""
    if special:
        return ()
    text = _(
        "{word} gives {share:.2f} of its weight to the special tokens, which are hidden; "
        "a row shown here sums to {rest:.2f}, not to 1."
    )
    word = tell_apart(rows.labels, looker)
    return (text.format(word=word, share=spared, rest=1 - spared),)


ATTENTION_MAP = Lab(
    slug="attention-map",
    number=1,
    title=_("Who listens to whom?"),
    form=AttentionMapForm,
    compute=compute,
    template="attention-map.html",
    shows=(attend, encode_fast, measure_patterns, merge_pieces, softmax),
    needs=("encoder",),
    presets=(
        Preset(_("a head that links “it”"), {"layer": "4", "head": "2"}),
        Preset(_("the word before"), {"layer": "1", "head": "3"}),
        Preset(_("an even, broad look"), {"layer": "1", "head": "1"}),
        Preset(_("a resting place"), {"layer": "3", "head": "7", "special": "true"}),
    ),
)
