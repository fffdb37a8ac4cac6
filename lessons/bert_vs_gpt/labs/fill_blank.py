"""The detective: words blanked by the reader, guessed from both sides, from one, and by writing."""

from functools import lru_cache

import numpy as np

from app.engine.bert_fast import encode_fast
from app.engine.masked_lm import candidates, rank_of, score_words
from app.i18n import _
from app.lab import (
    EXAMPLE,
    Lab,
    LabForm,
    Preset,
    Result,
    Stopwatch,
    control,
    model_choice,
    read_sentence,
    sentence,
)
from app.models import Models, Tokenizer
from lessons.bert_vs_gpt.labs.blanks import Blanked, blank_out
from lessons.bert_vs_gpt.labs.corruption import mask_of, ordinary
from lessons.bert_vs_gpt.labs.fill_pictures import draw
from lessons.bert_vs_gpt.labs.fill_words import find, formulas, predict, remarks, snippet
from lessons.bert_vs_gpt.labs.filling import fill, go_on, try_whole

# The word blanked where the reader ticks none: of the course's own sentence one whose clue comes
# after it, “too” before “tired”; of any other the longest.
CLUES = {EXAMPLE: "10"}


class FillBlankForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    blanks: str = control("drawn", "", _("Words to blank, by number"))
    look: int = control("drawn", 1, _("The blank looked at closely"), ge=1, le=200)
    whole: bool = control("switch", False, _("Let the decoder score whole sentences"))
    count: int = control("slider", 5, _("Candidates it tries"), ge=2, le=8)
    model: str = model_choice()


def compute(form: FillBlankForm, models: Models) -> Result:
    """Blank the words, ask the encoder from both sides and from the left, and the decoder."""
    filler, watch = models.masked_lm(form.model), Stopwatch()
    tokens = read_sentence(form.text, filler.tokenizer)
    text = blank_out(tokens, form.blanks or CLUES.get(form.text, ""), mask_of(filler.tokenizer))
    look = form.look - 1 if form.look <= len(text.places) else 0
    banned = reserved(filler.tokenizer)
    decoder = models.decoder() if models.has("decoder") else None
    with watch.running():
        said = fill(filler, text, look, banned)
        guess = go_on(decoder, text, look) if decoder else None
        whole = (
            try_whole(decoder, filler, text, look, said.blanks[look], form.count)
            if decoder and form.whole
            else None
        )
    finding = find(look, said, guess, whole, decoder)
    figures = draw(text, look, said, guess, whole, decoder)
    return Result(
        finding=finding,
        figures=figures,
        maths=formulas(text, look, said, len(banned)),
        snippet=snippet(look, said, banned),
        models=(filler.card, *([decoder.card] if decoder else ())),
        engine_ms=watch.ms,
        predict=predict(text, look, said, finding),
        chosen=settled(text, look),
        notes=remarks(form.whole, text, filler, guess, whole, decoder),
        context={"look": look, "names": [figure.name for figure in figures], **chips(text)},
    )


def chips(text: Blanked) -> dict[str, object]:
    """List the words to click, which of them are blanked, and the blanks they became."""
    tokens = text.tokens
    return {
        "words": tokens.word_labels,
        "blanked": [word + 1 for word in text.words],
        "places": [tokens.labels[place] for place in text.places],
        "place_words": [tokens.words[place] for place in text.places],
    }


def settled(text: Blanked, look: int) -> dict[str, object]:
    """Say which words are blanked, so that the address and the ticks agree with the picture."""
    return {"blanks": ",".join(str(word + 1) for word in text.words), "look": look + 1}


@lru_cache(maxsize=16)
def reserved(tokenizer: Tokenizer) -> tuple[int, ...]:
    """List the pieces that no text is cut into: they are no answer to a blank."""
    return tuple(np.setdiff1d(np.arange(len(tokenizer)), ordinary(tokenizer)).tolist())


DOG = "The dog barked at the mailman."
FILL_BLANK = Lab(
    slug="fill-blank",
    number=19,
    title=_("What stood under the blot?"),
    form=FillBlankForm,
    compute=compute,
    template="fill-blank.html",
    shows=(encode_fast, score_words, candidates, rank_of),
    needs=("masked_lm",),
    presets=(
        Preset(_("the clue comes after"), {"text": DOG, "blanks": "2"}),
        Preset(_("the clue came before"), {"text": "She drank a cup of coffee.", "blanks": "6"}),
        Preset(_("tired, or wide?"), {"text": EXAMPLE, "blanks": "11"}),
        Preset(
            _("two blanks at once"),
            {"text": "I flew to New York on Monday.", "blanks": "4,5"},
        ),
        Preset(_("whole sentences, scored"), {"text": DOG, "blanks": "2", "whole": "true"}),
    ),
)
