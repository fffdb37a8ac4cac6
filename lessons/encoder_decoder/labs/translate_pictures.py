"""The pictures of the translator's lab: the writing, its alternatives, its looks back."""

from typing import Any

import numpy as np

from app.figures import Arcs, Bars, Figure, HeadGrid, Heatmap, Tokens
from app.i18n import _
from app.models import Tokenizer
from app.reading import quote
from lessons.encoder_decoder.labs.translate_words import Look
from lessons.encoder_decoder.labs.translating import KEPT, Written, show


def draw(
    written: Written, look: Look, scores: dict[str, Any], tokenizer: Tokenizer
) -> tuple[Figure, ...]:
    """Describe the translation, one step of it, one head closely and all heads in small."""
    pictures: list[Figure] = [
        target(written, look),
        alternatives(written, look, tokenizer),
        *alignment(written, look),
        heads(written, look, scores),
    ]
    if len(written.drafts) > 1:
        pictures.append(drafts(written))
    return tuple(pictures)


def target(written: Written, look: Look) -> Tokens:
    """Describe the translation, each token shaded by how likely it was."""
    return Tokens(
        "target",
        _("The translation, token by token"),
        written.target_labels,
        values=written.chosen,
        value_title=_("probability of each token when it was chosen"),
        marked=(look.step,),
        words=(None,) * len(written.ids),
        caption=_("Framed: the step shown below. A dot begins a piece that continues a word."),
    )


def alternatives(written: Written, look: Look, tokenizer: Tokenizer) -> Bars:
    """Describe the likeliest tokens at this step, given the source and what was written."""
    logs, own = written.logs[look.step], int(written.ids[look.step])
    best = np.argsort(-logs, kind="stable")[:KEPT].tolist()
    shown = best if own in best else [*best[:-1], own]
    end = _("end")
    special = set(tokenizer.special.values())
    pieces = [tokenizer.piece(n) for n in shown]
    labels = [
        end if n in special and piece == "</s>" else show(piece)
        for n, piece in zip(shown, pieces, strict=True)
    ]
    before = " ".join(written.target_labels[: look.step][-4:]) or _("nothing yet")
    return Bars(
        "alternatives",
        _("What could come next, after: {before}").format(before=before),
        tuple(labels),
        np.exp(logs[shown]),
        _("probability"),
        chosen=shown.index(own),
        role="decoder",
        caption=_("Marked: the one that was taken."),
    )


def alignment(written: Written, look: Look) -> tuple[Heatmap, Arcs]:
    """Describe one head's looks back, as a map and as lines."""
    weights = written.looks[look.layer, look.head]
    rows, columns = written.target_labels, written.source_labels
    place = _("Cross-attention, layer {layer}, head {head}").format(
        layer=look.layer + 1, head=look.head + 1
    )
    heatmap = Heatmap(
        "alignment",
        place,
        rows,
        columns,
        weights,
        row_title=_("row: the German token being chosen, which looks"),
        column_title=_("column: the English token looked at"),
        chosen=(look.step, look.seen),
        caption=_("Every row sums to 1. Same word order runs down the diagonal."),
    )
    arcs = Arcs(
        "arcs",
        _("{place}, as lines").format(place=place),
        rows,
        columns,
        weights,
        look.step,
        row_title=_("German, looks"),
        column_title=_("English"),
        caption=_("In full strength: {token}.").format(token=quote(rows[look.step])),
    )
    return heatmap, arcs


def heads(written: Written, look: Look, scores: dict[str, Any]) -> HeadGrid:
    """Describe all heads in small, each with its measured alignment."""
    looks = written.looks
    shares = scores.get("alignment", {}).get("by_layer_and_head")
    fits = shares is not None and np.shape(shares) == looks.shape[:2]
    table = np.array(shares) if fits else np.full(looks.shape[:2], np.nan)
    said = tuple(
        tuple(_("aligns {n:.0f}%").format(n=100 * share) if fits else "" for share in row)
        for row in table
    )
    return HeadGrid(
        "heads",
        _("All heads of cross-attention"),
        looks,
        said,
        written.target_labels,
        (look.layer, look.head),
        caption=_("Under each, how many of the known word pairs it found when that was measured."),
    )


def drafts(written: Written) -> Bars:
    """Describe the finished drafts of the search."""
    return Bars(
        "drafts",
        _("Finished drafts"),
        tuple(text for text, _share in written.drafts),
        np.array([share for _text, share in written.drafts]),
        _("probability of the whole text"),
        chosen=0,
        role="decoder",
        caption=_("Best first by probability and length together: longer texts are not punished."),
    )
