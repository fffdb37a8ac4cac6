"""What the translator's lab says: its finding, its formulas, its lines of NumPy, its remarks."""

from typing import Any, NamedTuple

import numpy as np

from app.engine.seq2seq_config import Seq2SeqConfig
from app.figures.describe import Array
from app.figures.numbers import short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import Tokenized
from app.reading import quote
from lessons.encoder_decoder.labs.translating import MOST, Written

USUAL = 30  # tokens: few sentences of its training were longer


class Look(NamedTuple):
    """One target token, one head, and what this head looks at while the token is chosen."""

    step: int  # from 0
    layer: int
    head: int
    row: Array  # (S)
    seen: int


def find(written: Written, look: Look, text: str, beams: int) -> str:
    """Say the translation, how sure the chosen token was, and what the head looked at."""
    how = _("several drafts kept side by side") if beams > 1 else _("the likeliest token each time")
    said = _("{source} becomes {target}, with {how}.").format(
        source=quote(text, 60), target=quote(written.text, 90), how=how
    )
    token, share = written.target_labels[look.step], float(written.chosen[look.step])
    chosen = _("{token} was chosen with probability {share}.").format(
        token=quote(token), share=short(share)
    )
    looked = _("Meanwhile layer {layer}, head {head} looks most at {seen}: {weight:.2f}.").format(
        layer=look.layer + 1,
        head=look.head + 1,
        seen=quote(written.source_labels[look.seen]),
        weight=float(look.row[look.seen]),
    )
    return f"{said} {chosen} {looked}"


def formulas(written: Written, look: Look, config: Seq2SeqConfig) -> tuple[Formula, Formula]:
    """Write the weight of the chosen cell, and the probability of the whole translation."""
    cross = written.decoded.stack.layers[look.layer].cross
    assert cross is not None  # noqa: S101 (every decoder layer has one)
    scores = cross.attention.scores[look.head, look.step].astype(np.float64)
    size, total = config.d_model // config.n_heads, float(np.exp(scores).sum())
    product = float(scores[look.seen]) * size**0.5
    target, source = len(written.ids), len(written.source_labels)
    weight = Formula(
        _("The weight of this cell"),
        r"\alpha_{ij}=\frac{\exp(q_i\cdot k_j/\sqrt{d_k})}{\sum_m\exp(q_i\cdot k_m/\sqrt{d_k})}"
        r"\qquad Q=H_{\mathrm{dec}}W_Q\quad K=H_{\mathrm{enc}}W_K\quad V=H_{\mathrm{enc}}W_V",
        rf"Q\in\mathbb{{R}}^{{{target}\times {size}}}\quad "
        rf"K,V\in\mathbb{{R}}^{{{source}\times {size}}}\quad "
        rf"\alpha\in\mathbb{{R}}^{{{target}\times {source}}}",
        rf"\alpha_{{{look.step + 1},{look.seen + 1}}}="
        rf"\frac{{\exp({product:.3f}/\sqrt{{{size}}})}}{{{total:.3f}}}"
        rf"={float(look.row[look.seen]):.3f}",
    )
    logs = np.log(np.maximum(written.chosen.astype(np.float64), 1e-30))
    parts = "".join(f"{log:+.2f}" for log in logs[:6]).lstrip("+")
    more = r"+\dots" if len(logs) > 6 else ""
    whole = Formula(
        _("The translation’s probability"),
        r"\ln P(y\mid x)=\sum_{t=1}^{T}\ln P(y_t\mid y_{<t},\,x)",
        rf"T={target}\quad |V|={config.vocab_size}",
        rf"{parts}{more}={float(logs.sum()):.2f}",
    )
    return weight, whole


def snippet(written: Written, look: Look) -> Snippet:
    """Write the softmax of the chosen row as lines of NumPy."""
    cross = written.decoded.stack.layers[look.layer].cross
    assert cross is not None  # noqa: S101 (every decoder layer has one)
    scores = [round(float(s), 4) for s in cross.attention.scores[look.head, look.step]]
    weights = np.exp(np.array(scores) - max(scores))
    share = float((weights / weights.sum())[look.seen])
    code = (
        "import numpy as np\n\n"
        f"# q·k/√d_k of target token {look.step + 1} with all {len(scores)} source tokens\n"
        f"scores = np.array({scores})\n"
        "weights = np.exp(scores - scores.max())\nweights /= weights.sum()\n"
        f'print(f"{{weights[{look.seen}]:.3f}}")'
    )
    return Snippet(code, f"{share:.3f}")


def predict(written: Written, look: Look, finding: str) -> Prediction | None:
    """Ask which source token the head looks at."""
    order = np.argsort(-look.row)
    picked = sorted({int(n) for n in (*order[:2], *order[2 :: max(1, len(order) // 2)][:2])})
    names = tuple(dict.fromkeys(written.source_labels[n] for n in picked))
    if len(names) < 3:
        return None
    question = _("Before you look: while {token} is chosen, which of these does the head look at?")
    token = quote(written.target_labels[look.step])
    return Prediction(
        question.format(token=token), names, written.source_labels[look.seen], finding
    )


def remarks(
    written: Written, tokens: Tokenized, scores: dict[str, Any], sizes: tuple[int, int]
) -> tuple[str, ...]:
    """Say what it was trained on and how good it is by measurement, and where this is beyond it."""
    notes = [*measured(scores)]
    if any("<unk>" in piece for piece in tokens.pieces):
        notes.append(
            _("Some letters here are in none of its pieces: it reads “unknown” and guesses freely.")
        )
    if sizes[0] > USUAL:
        line = _(
            "{n} tokens are more than nearly all sentences it learned from; it loses its thread, "
            "repeats itself, or stops early."
        )
        notes.append(line.format(n=sizes[0]))
    if not written.finished:
        notes.append(
            _("It came to no end within {n} tokens (at most {most} are written here).").format(
                n=sizes[1], most=MOST
            )
        )
    notes.append(
        _(
            "Row t shows the look with which token t was chosen, before it was written. A strong "
            "cell says where the head read, not why the word was chosen."
        )
    )
    return tuple(notes)


def measured(scores: dict[str, Any]) -> list[str]:
    """Say the scores of the card, as far as they are there."""
    if "greedy" not in scores:
        return []
    text = _(
        "A toy: it learned from short everyday sentences of Tatoeba (tatoeba.org, CC BY 2.0 FR). "
        "On {n} that it never saw it scores BLEU {beam:.1f} with a beam of 4 and {greedy:.1f} "
        "greedily. Rare words it misspells, invents or leaves out, without a sign of doubt."
    )
    notes = [
        text.format(
            n=f"{scores['held_out']:,}",
            beam=scores["beam_4"]["bleu"],
            greedy=scores["greedy"]["bleu"],
        )
    ]
    aligned = scores.get("alignment")
    return [*notes, alignment(aligned)] if aligned else notes


def alignment(aligned: dict[str, Any]) -> str:
    """Say which head looks at the right word most often, and how often that is."""
    line = _(
        "Alignment, measured: of {pairs} known word pairs in {sentences} sentences, layer "
        "{layer}, head {head} looks at the right word for {share:.0f}%, the best of all heads."
    )
    return line.format(
        pairs=aligned["word_pairs"],
        sentences=aligned["sentences"],
        layer=aligned["layer"],
        head=aligned["head"],
        share=100 * aligned["best_head"],
    )
