"""What the lab of blanks says: its finding, its formulas, its lines of NumPy, its remarks."""

from collections.abc import Sequence

import numpy as np

from app.engine.masked_lm import Rank
from app.figures.numbers import short
from app.i18n import _
from app.lab import Formula, Prediction, Snippet
from app.models import Decoder, Encoder
from app.models.labels import SPACE
from app.reading import quote
from lessons.bert_vs_gpt.labs.blanks import Blanked
from lessons.bert_vs_gpt.labs.filling import Detective, Guess, Whole

SMALL = 10_000_000  # parameters: below it a masked model knows kinds of word rather than words


def find(
    look: int,
    said: Detective,
    guess: Guess | None,
    whole: Whole | None,
    decoder: Decoder | None,
) -> str:
    """Say the encoder's first choice, and where the word that was there stands in every list."""
    both, left = said.guesses[look], said.left
    first = _("From both sides the encoder puts {first} first, from the left alone {other}.")
    found = [first.format(first=first_of(both), other=first_of(left))]
    found.append(original(both, left, guess if decoder else None))
    if whole:
        best = int(np.argmin(whole.nats))
        line = _("Reading {k} whole sentences, the decoder prefers {word} ({share}).")
        found.append(
            line.format(
                k=len(whole.words), word=quote(whole.words[best]), share=short(whole.shares[best])
            )
        )
    return " ".join(found)


def first_of(guess: Guess) -> str:
    """Name a list's first word with its probability; the sign of a space before it is left out."""
    return f"{quote(guess.labels[0].lstrip(SPACE) or SPACE)} ({short(float(guess.shares[0]))})"


def original(both: Guess, left: Guess, decoder: Guess | None) -> str:
    """Compare where the word that was there stands, with and without the right side."""
    if both.rank is None or left.rank is None:
        return _("The word that was there is none that it knows.")
    text = _("{word}, which was there, is {place} from both sides and {other} from the left alone.")
    third = ""
    if decoder and decoder.rank:
        text = _(
            "{word}, which was there, is {place} from both sides, {other} from the left alone, and "
            "{third} for the decoder, which never sees the right side."
        )
        third = nth(decoder.rank)
    places = {"place": nth(both.rank), "other": nth(left.rank), "third": third}
    return text.format(word=quote(both.original), **places)


def nth(rank: Rank) -> str:
    """Say a place in a list.

    Example:
        >>> nth(Rank(1240, 0.0004))
        'number 1,240'
    """
    return _("number {place}").format(place=f"{rank.place:,}")


def formulas(text: Blanked, look: int, said: Detective, banned: int) -> tuple[Formula, Formula]:
    """Write how a probability is made, and what either side conditions on."""
    place, blank = text.places[look] + 1, said.blanks[look]
    vocabulary, top = len(said.scores), blank.tokens[0]
    width = len(text.ids)
    score, share = float(said.scores[top]), blank.probabilities[0]
    shares = Formula(
        _("The first candidate’s probability"),
        r"P(x_i=w\mid x_{\backslash S})=\frac{\exp(z_w)}{\sum_{u\in V}\exp(z_u)}"
        r"\qquad z=E\,\mathrm{LN}(\mathrm{GELU}(W h_i+b))+c",
        rf"T={width}\quad |V|={vocabulary - banned}\quad |S|={len(text.places)}\quad i={place}",
        rf"P=\frac{{\exp({score:.2f})}}{{{np.exp(score) / share:,.0f}}}={share:.4f}".replace(
            ",", r"{,}"
        ),
    )
    sides = Formula(
        _("What each may look at"),
        r"\text{encoder: }P(x_i\mid x_{\backslash S})\qquad\text{decoder: }P(x_i\mid x_{<i})",
        rf"\text{{encoder: }}{width - len(text.places)}\ \text{{tokens}}\qquad"
        rf"\text{{left of the blank: }}{place - 1}",
        surprises(said.guesses[look], said.left),
    )
    return shares, sides


def surprises(both: Guess, left: Guess) -> str:
    """Write what the word that was there costs, with and without the right side."""
    if both.rank is None or left.rank is None:
        return ""
    parts = [-float(np.log2(max(g.rank.probability, 1e-30))) for g in (both, left) if g.rank]
    return (
        rf"-\log_2 P:\quad \text{{both sides }}{parts[0]:.2f}\ \text{{bits}}\qquad"
        rf"\text{{left alone }}{parts[1]:.2f}\ \text{{bits}}"
    )


def snippet(look: int, said: Detective, banned: Sequence[int]) -> Snippet:
    """Write the softmax of this blank as lines of NumPy: five scores, and the sum of all."""
    guess, blank = said.guesses[look], said.blanks[look]
    tops = [round(float(said.scores[token]), 4) for token in blank.tokens[:5]]
    allowed = np.delete(said.scores.astype(np.float64), list(banned))
    most = float(allowed.max())
    total = round(most + float(np.log(np.exp(allowed - most).sum())), 4)
    shares = [round(float(p), 4) for p in np.exp(np.array(tops) - total)]
    named = ", ".join(guess.labels[:5])
    code = (
        "import numpy as np\n\n"
        f"# scores of: {named.encode('ascii', 'replace').decode()}\n"
        f"z = np.array({tops})\n"
        f"total = {total}  # log of the sum of exp(z) over all {len(allowed)} words\n"
        "print(np.exp(z - total).round(4).tolist())"
    )
    return Snippet(code, str(shares))


def predict(text: Blanked, look: int, said: Detective, finding: str) -> Prediction | None:
    """Ask for a guess among the first candidates and the word that was there."""
    guess = said.guesses[look]
    names = dict.fromkeys((*guess.labels[:3], guess.original))
    options = tuple(sorted(names))
    if len(options) < 3:
        return None
    question = _("Before you look: which word does the encoder put first at the blank?")
    if len(text.places) > 1:
        question = _("Before you look: which word does the encoder put first at blank {n}?").format(
            n=look + 1
        )
    return Prediction(question, options, guess.labels[0], finding)


def remarks(
    asked: bool,
    text: Blanked,
    filler: Encoder,
    guess: Guess | None,
    whole: Whole | None,
    decoder: Decoder | None,
) -> tuple[str, ...]:
    """Say what each model was given, and what is not to be read into the lists."""
    notes = [
        _(
            "“The left side only” means that the encoder reads up to the blank and no further. "
            "It was never trained on half a sentence; a decoder was trained on nothing else."
        )
    ]
    if filler.card.parameters < SMALL:
        text_ = _("{model} is a toy: it has learned which kind of word fits, seldom which word.")
        notes.append(text_.format(model=filler.card.title))
    if len(text.places) > len(text.words):
        notes.append(
            _("A word of several pieces becomes as many blanks, which betrays its length.")
        )
    notes += novelist(asked, text, guess, whole, decoder)
    return tuple(notes)


def novelist(
    asked: bool,
    text: Blanked,
    guess: Guess | None,
    whole: Whole | None,
    decoder: Decoder | None,
) -> list[str]:
    """Say what the decoder could and could not do."""
    if decoder is None:
        return [_("No decoder is installed here to set beside it.")]
    notes = []
    if guess is None:
        notes.append(
            _("The decoder says nothing here: it needs words before the blank, not too many.")
        )
    elif len(text.words) > 1:
        notes.append(_("The decoder cannot read a blank: it sees the real words before this one."))
    if whole:
        line = _(
            "Filling a blank by writing: {k} candidates are put in, and the decoder reads {k} "
            "sentences: {k} passes, {ms:.0f} ms. The encoder needed one pass."
        )
        notes.append(line.format(k=len(whole.words), ms=whole.ms))
    elif asked:
        notes.append(
            _("Whole sentences cannot be scored here: this one is too long, or one token.")
        )
    return notes
