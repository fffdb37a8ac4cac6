"""The pictures of the blanks: the sentence filled, and each model's list as bars."""

import numpy as np

from app.engine.masked_lm import Rank
from app.figures import Bars, Figure, Tokens
from app.figures.describe import Role
from app.figures.numbers import short
from app.i18n import _
from app.models import Decoder
from app.reading import quote
from lessons.bert_vs_gpt.labs.blanks import Blanked
from lessons.bert_vs_gpt.labs.filling import Detective, Guess, Whole

MORE = 5  # other blanks whose lists are drawn as well


def draw(
    text: Blanked,
    look: int,
    said: Detective,
    guess: Guess | None,
    whole: Whole | None,
    decoder: Decoder | None,
) -> tuple[Figure, ...]:
    """Describe the sentence as filled, three lists for one blank, and the lists of the others."""
    pictures: list[Figure] = [
        filled(text, said),
        listed("both", _("Encoder, both sides"), said.guesses[look], "encoder"),
        listed("left", _("Encoder, the left side only"), said.left, "encoder"),
    ]
    if guess and decoder:
        title = _("Decoder, from the left: {name}").format(name=decoder.card.title)
        pictures.append(listed("decoder", title, guess, "decoder"))
    if whole and decoder:
        pictures.append(scored(whole))
    others = [n for n in range(len(text.places)) if n != look][:MORE]
    pictures += [
        listed(
            f"blank-{n + 1}", _("Blank {n}, both sides").format(n=n + 1), said.guesses[n], "encoder"
        )
        for n in others
    ]
    return tuple(pictures)


def filled(text: Blanked, said: Detective) -> Tokens:
    """Describe the sentence with the encoder's first choice at each blank."""
    tokens = text.tokens
    first = dict(zip(text.places, said.guesses, strict=True))
    kept = [n for n, own in enumerate(tokens.special) if not own]
    return Tokens(
        "filled",
        _("The sentence as the encoder would fill it"),
        tuple(first[n].labels[0] if n in first else tokens.labels[n] for n in kept),
        states=tuple(f"{100 * float(first[n].shares[0]):.0f}%" if n in first else "" for n in kept),
        marked=tuple(row for row, n in enumerate(kept) if n in first),
        words=tuple(tokens.words[n] for n in kept),
        caption=_(
            "Framed: a blank with its likeliest word and how likely that is. "
            "Each blank is guessed as if alone."
        ),
    )


def listed(name: str, title: str, guess: Guess, role: Role) -> Bars:
    """Describe one list of candidates; the word that was there is marked, or named below."""
    there = guess.labels.index(guess.original) if guess.original in guess.labels else None
    return Bars(
        name,
        title,
        guess.labels,
        guess.shares,
        _("probability"),
        chosen=there,
        role=role,
        caption=place_of(guess.original, guess.rank),
    )


def place_of(original: str, rank: Rank | None) -> str:
    """Say where the word that was there stands in a list.

    Example:
        >>> place_of("dog", Rank(3, 0.02))
        'The word that was there, “dog”, is number 3 with 0.02.'
    """
    if rank is None:
        return _("The word that was there is no single piece of this vocabulary.")
    text = _("The word that was there, {word}, is number {place} with {share}.")
    return text.format(word=quote(original), place=f"{rank.place:,}", share=short(rank.probability))


def scored(whole: Whole) -> Bars:
    """Describe how the decoder shares one among the candidates, each in its whole sentence."""
    caption = _(
        "One pass over the whole sentence for each word: {k} passes, {ms:.0f} ms. "
        "The shares are among these words alone."
    )
    return Bars(
        "whole",
        _("Decoder, whole sentences scored"),
        whole.words,
        np.asarray(whole.shares),
        _("share among these"),
        chosen=0,
        role="decoder",
        caption=caption.format(k=len(whole.words), ms=whole.ms),
    )
