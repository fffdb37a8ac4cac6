"""One word, two meanings: the vectors of a word's uses, layer by layer."""

from typing import Any

import numpy as np

from app.engine.bert_fast import encode_fast
from app.engine.projection import pca
from app.engine.vectors import cosine_matrix, directions
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
    read_sentence,
    sentence,
    within,
)
from app.models import Encoder, Models, Tokenized
from app.models.labels import clean
from app.reading import quote
from lessons.embeddings.labs.use_figures import Compared, draw_lines, draw_map, draw_matrix
from lessons.embeddings.labs.uses import (
    MOST_LINES,
    Use,
    find_uses,
    read_lines,
    read_uses,
    static_vectors,
)

SAME = 0.9995  # a cosine that is printed as 1.00, and more

BANKS = """She sat on the bank of the river and watched the water.
They walked along the bank of the stream.
He opened an account at the bank in town.
The bank raised its interest rates again."""


class TwoBanksForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    word: str = control("line", "bank", _("Word"))
    sentences: str = control(
        "lines", BANKS, _("Sentences"), _("Two to six, one a line, each with the word in it.")
    )
    layer: int = control("slider", 6, _("Layer"), ge=1, le=48)
    look: int = control("drawn", 1, _("Compared with the others"), ge=1, le=8)
    model: str = model_choice()


def compute(form: TwoBanksForm, models: Models) -> Result:
    """Read every sentence, and compare the vectors that the word gets in each."""
    encoder, watch = models.encoder(form.model), Stopwatch()
    own = read_sentence(form.text, encoder.tokenizer)
    layer = within(form, "layer", encoder.config.layers, _("layer")) + 1
    word = form.word.strip()
    lines, uses = read_uses(word, form.sentences, encoder)
    with watch.running():
        compared = compare(word, lines, uses, encoder, layer)
    look = min(form.look, len(uses)) - 1
    others = compared.cosines[layer, look].copy()
    others[look] = -2
    pair = (look, int(others.argmax()))
    finding = find(compared)
    scatter, variance = draw_map(compared)
    maths, snippet = numbers(compared, pair)
    return Result(
        finding=finding,
        figures=(draw_lines(compared, look), draw_matrix(compared, pair), scatter),
        maths=(maths,),
        snippet=snippet,
        models=(encoder.card,),
        engine_ms=watch.ms,
        predict=predict(compared, pair, finding),
        limits={"layer": encoder.config.layers},
        chosen={"layer": layer, "look": look + 1},
        notes=(*remarks(compared, lines, encoder), *variance),
        context={"uses": compared.labels, "look": look, **offer(form, own, word)},
    )


def compare(
    word: str, lines: tuple[Tokenized, ...], uses: tuple[Use, ...], encoder: Encoder, layer: int
) -> Compared:
    """Measure every use against every other in all layers; a word of pieces is their mean."""
    hidden = [encode_fast(line.ids, encoder.weights, encoder.config).hidden for line in lines]
    vectors = np.stack([hidden[u.line][:, list(u.tokens)].mean(axis=1) for u in uses], axis=1)
    return Compared(
        word=clean(word),
        uses=uses,
        texts=tuple(clean(lines[use.line].text) for use in uses),
        vectors=vectors,
        cosines=np.stack([cosine_matrix(level) for level in vectors]),
        static=cosine_matrix(static_vectors(lines, uses, encoder)),
        usual=unlike(lines, [states[layer] for states in hidden]),
        layer=layer,
    )


def unlike(lines: tuple[Tokenized, ...], states: list[Array]) -> float | None:
    """Measure two different tokens of the sentences on average: the yardstick of this layer."""
    shown = [~np.array(line.special) for line in lines]
    ids = np.concatenate([line.ids[kept] for line, kept in zip(lines, shown, strict=True)])
    vectors = np.concatenate([state[kept] for state, kept in zip(states, shown, strict=True)])
    different = ids[:, None] != ids[None, :]
    return float(cosine_matrix(vectors)[different].mean()) if different.any() else None


def extremes(compared: Compared) -> dict[str, Any]:
    """Find the closest pair of uses, a and b, and the farthest, c and d."""
    marks = [use.mark for use in compared.uses]
    above = np.triu_indices(len(marks), 1)
    pairs = compared.cosines[compared.layer][above]
    best, worst = int(pairs.argmax()), int(pairs.argmin())
    return {
        "word": quote(compared.word),
        "layer": compared.layer,
        "a": marks[above[0][best]],
        "b": marks[above[1][best]],
        "c": marks[above[0][worst]],
        "d": marks[above[1][worst]],
        "high": float(pairs[best]),
        "low": float(pairs[worst]),
    }


def find(compared: Compared) -> str:
    """Say which uses are closest and which farthest in the chosen layer."""
    words = extremes(compared)
    if words["low"] >= SAME:
        text = _(
            "In layer {layer} all uses of {word} measure 1.00: the same sentence gives the word "
            "the same vector every time."
        )
    elif len(compared.uses) == 2:
        text = _("In layer {layer}, the uses of {word} in lines {a} and {b} measure {high:.2f}.")
    else:
        text = _(
            "In layer {layer}, the closest uses of {word} are those in lines {a} and {b}: "
            "{high:.2f}. The farthest are those in lines {c} and {d}: {low:.2f}."
        )
    static = _(" The static vector would say {static:.2f} for every pair.")
    said = text.format(**words)
    lowest = float(compared.static.min())
    return said + static.format(static=lowest) if lowest >= SAME else said


def remarks(compared: Compared, lines: tuple[Tokenized, ...], encoder: Encoder) -> tuple[str, ...]:
    """Say what the cosines are to be measured by, what static means here, and about pieces."""
    said = []
    if encoder.card.kind == "random":
        said.append(
            _(
                "This encoder’s weights are random: every number here is really computed, "
                "but no meaning was ever learned."
            )
        )
    if compared.usual is not None:
        yardstick = _(
            "A yardstick: two unlike tokens of these sentences measure {usual:.2f} on average in "
            "layer {layer}. Only what is above or below other pairs says something."
        )
        said.append(yardstick.format(usual=compared.usual, layer=compared.layer))
    said.append(
        _(
            "The static vector is the word’s row in this model’s own word table, before position "
            "and before any layer: the same row in every sentence."
        )
    )
    first = compared.uses[0]
    if len(first.tokens) > 1:
        pieces = _("{word} is cut into {n} pieces ({pieces}); its vector is the mean of theirs.")
        labels = " ".join(lines[first.line].labels[n] for n in first.tokens[:8])
        word = quote(compared.word)
        said.append(pieces.format(word=word, n=len(first.tokens), pieces=labels))
    return tuple(said)


def offer(form: TwoBanksForm, own: Tokenized, word: str) -> dict[str, Any]:
    """Offer the reader's own sentence as a line, when the word stands in it and it is not there."""
    lines = read_lines(form.sentences)
    line = " ".join(own.text.split())
    uses = find_uses(word, own)
    if not uses or line in lines:
        return {"offer": "", "has_word": bool(uses)}
    kept = lines[: MOST_LINES - 1]
    return {"offer": "\n".join((*kept, line)), "has_word": True}


def numbers(compared: Compared, pair: tuple[int, int]) -> tuple[Formula, Snippet]:
    """Write the cosine of two uses as a formula, and as lines of NumPy from their products."""
    level = compared.vectors[compared.layer].astype(np.float64)
    products = level @ level.T
    i, j = pair
    value = float(compared.cosines[compared.layer, i, j])
    width, layer = level.shape[1], compared.layer
    formula = Formula(
        _("The cosine of two uses in one layer"),
        r"\cos\,\theta^{(l)}_{ij}=\frac{h^{(l)}_i\cdot h^{(l)}_j}"
        r"{\lVert h^{(l)}_i\rVert\,\lVert h^{(l)}_j\rVert}",
        rf"l={layer}\quad h^{{({layer})}}_i,h^{{({layer})}}_j\in\mathbb{{R}}^{{{width}}}",
        rf"\frac{{{products[i, j]:.3f}}}"
        rf"{{{products[i, i] ** 0.5:.3f}\cdot {products[j, j] ** 0.5:.3f}}}={value:.3f}",
    )
    rows = ",\n".join(f"    [{', '.join(f'{x:.9g}' for x in row)}]" for row in products)
    code = (
        f"import numpy as np\n\n# h·h of all {len(level)} uses in layer {layer}\n"
        f"products = np.array([\n{rows},\n])\n"
        "lengths = np.sqrt(np.diag(products))\ncosines = products / np.outer(lengths, lengths)\n"
        f"print(f'{{cosines[{i}, {j}]:.3f}}')"
    )
    return formula, Snippet(code, f"{value:.3f}")


def predict(compared: Compared, pair: tuple[int, int], finding: str) -> Prediction | None:
    """Ask which use is nearest to the chosen one, where there are enough to choose from."""
    look, best = pair
    labels = compared.labels
    others = [n for n in range(len(labels)) if n != look]
    if len(others) < 3:
        return None
    question = _(
        "Before you look: which use of {word} is closest to that in line {use}, in layer {layer}?"
    )
    asked = question.format(
        word=quote(compared.word), use=compared.uses[look].mark, layer=compared.layer
    )
    answer = _("{use}: cosine {cosine:.2f}.").format(
        use=quote(labels[best], 30), cosine=float(compared.cosines[compared.layer, look, best])
    )
    options = tuple(labels[n] for n in others)
    return Prediction(asked, options, labels[best], f"{answer} {finding}")


def preset(word: str, *lines: str, label: str = "") -> Preset:
    """Fill in the word and its sentences."""
    return Preset(label or word, {"word": word, "sentences": "\n".join(lines), "look": "1"})


TWO_BANKS = Lab(
    slug="two-banks",
    number=11,
    title=_("One word, two meanings?"),
    form=TwoBanksForm,
    compute=compute,
    template="two-banks.html",
    shows=(encode_fast, cosine_matrix, directions, pca),
    needs=("encoder",),
    presets=(
        preset("bank", *BANKS.splitlines()),
        preset(
            "spring",
            "The flowers bloom in spring.",
            "It rains a lot in spring.",
            "The spring in the watch broke.",
            "A metal spring holds the lid.",
        ),
        preset(
            "light",
            "The light of the lamp was warm.",
            "She switched on the light in the kitchen.",
            "The bag was light enough to carry.",
            "A light lunch is better in summer.",
        ),
        preset(
            "bat",
            "A bat flew out of the cave.",
            "The bat hunts insects at night.",
            "He swung the bat and hit the ball.",
            "The player broke his bat in the match.",
        ),
        preset(
            "bank",
            "He went to the bank.",
            "He went to the bank.",
            "He walked to the bank.",
            label=_("the control: the same sentence twice"),
        ),
    ),
)
