"""What the lab on changing the future says and draws: sentences, maths and maps."""

from dataclasses import dataclass

import numpy as np

from app.engine.bert import Ids, listen
from app.engine.bert_fast import encode_fast
from app.engine.functions import softmax
from app.engine.masks import causal
from app.figures import Heatmap
from app.figures.describe import Array
from app.figures.numbers import short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import Encoder
from app.models.labels import SPACE
from app.reading import quote, tell_apart


@dataclass(frozen=True)
class Change:
    """One word of a sentence and what is put in its place."""

    place: int  # of the word, from 0
    old: str
    new: str
    before: str  # the whole sentence
    text: str  # the whole sentence afterwards


@dataclass(frozen=True)
class Moved:
    """How far each position went in one model."""

    name: str
    title: str
    kind: str
    labels: tuple[str, ...]  # (P)
    special: tuple[bool, ...]  # (P)
    values: Array  # (L + 1, P) ‖Δ‖ ÷ ‖h‖
    lengths: Array  # (P) ‖h‖ after the last layer
    steps: Array  # (P) ‖Δ‖ after the last layer
    before: int  # positions before the change
    after: int  # positions after it
    still: bool  # those before it are the same to the last bit
    tokens: tuple[int, int]  # in the first and in the second sentence
    width: int

    @property
    def changed(self) -> bool:
        """Whether this model reads anything else at all."""
        return self.before < len(self.labels) or self.tokens[0] != self.tokens[1]

    @property
    def most_before(self) -> float:
        """The farthest that any position before the change went, in any layer."""
        return float(self.values[:, : self.before].max(initial=0.0))

    @property
    def farthest_before(self) -> int | None:
        """The word before the change that goes farthest in the last layer."""
        own = [n for n in range(self.before) if not self.special[n]]
        return max(own, key=lambda n: float(self.values[-1, n]), default=None)


def find(change: Change, seen: list[Moved]) -> str:
    """Say in sentences what moved, and what did not."""
    start = _("{old} becomes {new}.").format(old=quote(change.old), new=quote(change.new))
    if not any(each.changed for each in seen):
        return f"{start} {nothing_moves(seen)}"
    return " ".join([start, in_both_directions(seen[0]), one_way(seen[1])])


def nothing_moves(seen: list[Moved]) -> str:
    """Say that no model here can tell the two words apart, and how far everything moves then."""
    text = _(
        "To this model both words are the same: it cuts both sentences into the same {count} "
        "tokens, so nothing moves, neither after the change nor before it: exactly {most}."
    )
    most = max(float(each.values.max()) for each in seen)
    return text.format(count=seen[0].tokens[0], most=most)


def in_both_directions(seen: Moved) -> str:
    """Say what moved in the encoder."""
    if not seen.changed:
        return _("The encoder cuts both into the same tokens, so nothing moves in it.")
    place = seen.farthest_before
    if place is None:
        text = _("In the encoder everything moves, by up to {most:.2f} of its length.")
        return text.format(most=float(seen.values[-1].max()))
    text = _(
        "In the encoder the tokens before it move too, {word} the farthest: "
        "by {share:.2f} of its length after the last layer."
    )
    word = tell_apart(seen.labels, place)
    return text.format(word=word, share=float(seen.values[-1, place]))


def one_way(seen: Moved) -> str:
    """Say what moved in the decoder, or in the encoder that must not look ahead."""
    who = _("In the decoder") if seen.name == "decoder" else _("With a causal mask")
    if not seen.changed:
        return _("{who} nothing moves either.").format(who=who)
    if not seen.before:
        return _("{who} nothing stands before it that could keep still.").format(who=who)
    layers = len(seen.values) - 1
    if not seen.still:
        text = _("{who} the positions before it move by at most {most}, which is not 0.")
        return text.format(who=who, most=short(seen.most_before))
    text = _("{who} the {count} tokens before it move by exactly {most} in all {layers} layers.")
    if seen.before == 1:
        text = _("{who} the one token before it moves by exactly {most} in all {layers} layers.")
    said = text.format(who=who, count=seen.before, most=seen.most_before, layers=layers)
    if not seen.after:
        return said
    behind = float(seen.values[-1, -seen.after :].max())
    return said + " " + _("Those after it move by up to {most:.2f}.").format(most=behind)


def draw(seen: list[Moved]) -> tuple[Heatmap, ...]:
    """Describe one map for each model: layers down, positions across."""
    return tuple(picture(each) for each in seen)


def picture(seen: Moved) -> Heatmap:
    """Describe one map; the column of the change is framed."""
    layers = (_("words in"), *map(str, range(1, len(seen.values))))
    inside = len(seen.labels) - seen.before - seen.after
    caption = _("Shaded: it moved; blank: not at all. The frame is the word that was replaced.")
    if seen.name == "masked":
        caption = _("The same weights as the encoder’s: the mask is all that differs.")
    if any(SPACE in label for label in seen.labels):
        mark = _("{mark} is a space, which this model reads as a part of the token behind it.")
        caption += " " + mark.format(mark=SPACE)
    return Heatmap(
        name=seen.name,
        title=seen.title,
        rows=layers,
        columns=seen.labels,
        values=seen.values,
        row_title=_("row: after this layer"),
        column_title=_("column: position in the sentence"),
        scale="range",
        chosen=(None, seen.before if inside == 1 else None),
        compact=True,
        caption=caption,
    )


def numbers(
    seen: list[Moved], encoder: Encoder, ids: tuple[Ids, Ids]
) -> tuple[tuple[Formula, ...], Snippet]:
    """Write the distance of one word with its numbers, and why a causal one is exactly 0."""
    first = seen[0]
    place = first.farthest_before
    place = int(first.values[-1].argmax()) if place is None else place
    size = rf"\mathbb{{R}}^{{{first.tokens[0]}\times {first.width}}}"
    step, length = float(first.steps[place]), float(first.lengths[place])
    distance = Formula(
        _("How far position i moves in layer ℓ"),
        r"\delta_i^{(\ell)}=\frac{\lVert\tilde h_i^{(\ell)}-h_i^{(\ell)}\rVert_2}"
        r"{\lVert h_i^{(\ell)}\rVert_2}",
        rf"H^{{(\ell)}}\in{size}\quad \ell=0,\dots,{len(first.values) - 1}",
        rf"\delta_{{{place + 1}}}^{{({len(first.values) - 1})}}="
        rf"\frac{{{step:.3f}}}{{{length:.3f}}}={float(first.values[-1, place]):.3f}",
    )
    return (distance, past_of(seen[1])), reproduce(encoder, ids, first.before)


def past_of(seen: Moved) -> Formula:
    """Write why what stands before the change keeps still where nothing looks ahead."""
    c, most = seen.before + 1, seen.most_before
    shapes = rf"\text{{first change at position }}c={c}\text{{ of }}{seen.tokens[0]}"
    why = rf"A_{{ic}}=0\text{{ for }}i<{c}\quad\Rightarrow\quad\max_{{i<{c},\,\ell}}"
    if not seen.changed:
        shapes, why = (
            rf"\text{{none of }}{seen.tokens[0]}\text{{ tokens changes}}",
            r"\max_{i,\,\ell}",
        )
    return Formula(
        _("Why the past keeps still under a causal mask"),
        r"y_i=\sum_{j\le i}A_{ij}v_j\qquad A_{ij}=\frac{\exp(s_{ij})}{\sum_{l\le i}\exp(s_{il})}",
        shapes,
        rf"{why}\delta_i^{{(\ell)}}={most}",
    )


def first_scores(encoder: Encoder, ids: Ids, row: int) -> Array:
    """Give a token's scaled scores in every head of the first layer, (H, T)."""
    hidden = encode_fast(ids, encoder.weights, encoder.config).hidden[0]
    read = (hidden, encoder.weights, "encoder.layer.0", encoder.config)
    heard = listen(*read, mask=None, keep=None, scale=True)[3]
    return np.round(heard.scores[:, row].astype(np.float64), 4)


def reproduce(encoder: Encoder, ids: tuple[Ids, Ids], before: int) -> Snippet:
    """Write one row of scores before and after: its weights move, unless the future is masked."""
    row = max(before - 1, 0)
    pair = [first_scores(encoder, each, row) for each in ids]
    masks = [causal(len(each))[row] for each in ids]
    open_, shut = (
        np.abs(softmax(pair[1] + m[1])[:, : row + 1] - softmax(pair[0] + m[0])[:, : row + 1]).max(1)
        for m in ((0.0, 0.0), masks)
    )
    head = int(open_.argmax())
    listed = ["[" + ", ".join(f"{s:g}" for s in scores[head]) + "]" for scores in pair]
    code = (
        "import numpy as np\n\n"
        f"# scores of token {row + 1} with every token, layer 1, head {head + 1}:\n"
        f"# the sentence as it was, and with the word replaced\n"
        f"old = np.array({listed[0]})\nnew = np.array({listed[1]})\n\n\n"
        "def weights(scores, mask):\n"
        f"    ahead = np.arange(len(scores)) > {row}\n"
        "    e = np.exp(np.where(ahead, scores + mask, scores))\n"
        f"    return (e / e.sum())[:{row + 1}]\n\n\n"
        "for mask in (0, -np.inf):  # an encoder's, a decoder's\n"
        "    moved = np.abs(weights(new, mask) - weights(old, mask)).max()\n"
        "    print(round(float(moved), 3))"
    )
    return Snippet(code, f"{round(float(open_[head]), 3)}\n{round(float(shut[head]), 3)}")


def predict(change: Change, seen: list[Moved], finding: str) -> Prediction | None:
    """Ask for a guess about the words before the change."""
    if not seen[1].before or not seen[1].changed or not seen[0].changed:
        return None
    options = (_("as far as in the encoder"), _("a little"), _("not at all"))
    who = _("the decoder") if seen[1].name == "decoder" else _("an encoder with a causal mask")
    question = _(
        "Before you look: {old} becomes {new}. How far do the words before it move in {who}?"
    )
    asked = question.format(old=quote(change.old), new=quote(change.new), who=who)
    return Prediction(asked, options, options[2] if seen[1].still else options[1], finding)


def remarks(seen: list[Moved], *, has_decoder: bool) -> tuple[str, ...]:
    """Say what a careful reader should know of the comparison."""
    notes: list[str] = []
    if not has_decoder:
        what = _("random encoder") if seen[0].kind == "random" else _("encoder")
        text = _(
            "No decoder is installed here (`make fetch` brings one), so the second map is not one: "
            "it is the same {what} with a causal mask."
        )
        notes.append(text.format(what=what))
    if any(each.tokens[0] != each.tokens[1] for each in seen):
        counts = "; ".join(
            f"{each.title}: {each.tokens[0]} → {each.tokens[1]}" for each in seen[:-1]
        )
        text = _(
            "The number of tokens changes ({counts}). So the sentences are aligned by word: each "
            "token after the change stands beside its counterpart, whose position has shifted, and "
            "the replaced word is compared by its last token. Both causal runs are filled up to "
            "one length, so that every sum is taken in the same order and 0 is 0 to the last bit."
        )
        notes.append(text.format(counts=counts))
    return tuple(notes)
