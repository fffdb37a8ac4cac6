"""What the models would pay: the causal loss of a decoder, the masked loss of a blank filler."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.engine.bert_fast import encode_fast
from app.engine.corruption import Damage
from app.engine.functions import log_softmax
from app.engine.llama_config import LlamaConfig
from app.engine.llama_fast import write_on_fast
from app.engine.masked_lm import HEAD, score_words
from app.engine.surprise import causal_surprise, surprisal
from app.figures import Tokens
from app.figures.describe import Array, Labels
from app.i18n import _
from app.models import Decoder, Encoder, ModelCard, Models, Tokenized
from app.models.library import expect

LONGEST = 256  # tokens of the decoder's own; another script may take several a letter


class Paid(NamedTuple):
    """What one model paid on one sentence."""

    card: ModelCard
    labels: Labels  # of the tokens that were scored
    words: tuple[int | None, ...]  # of the sentence, one a scored token
    states: Labels  # what the damage did to each; empty for a decoder
    nats: Array  # one a scored token
    first: str  # the token that had nothing before it; empty where none was left out


class Charges(NamedTuple):
    """What both models paid; none where one is not there, cannot say, or was not asked."""

    masked: Paid | None
    causal: Paid | None


def novelist(models: Models, tokens: Tokenized) -> Decoder | None:
    """Choose who pays the causal loss: a decoder that cuts this text alike, or the best one."""
    if models.has("causal_lm"):
        twin = models.causal_lm()
        own = tuple(p for p, s in zip(tokens.pieces, tokens.special, strict=True) if not s)
        if twin.tokenizer.encode(tokens.text, add_special=False).pieces == own:
            return twin
    return models.decoder() if models.has("decoder") else None


def causal_paid(models: Models, tokens: Tokenized) -> Paid | None:
    """Let a decoder read the whole sentence once, and charge it for all it could foresee.

    None: no decoder is installed, or the sentence is too long for it here.
    """
    decoder = novelist(models, tokens)
    return read_once(models, decoder.card.role, decoder.card.name, tokens.text) if decoder else None


@lru_cache(maxsize=32)
def read_once(models: Models, role: str, name: str, text: str) -> Paid | None:
    """Charge one decoder for one sentence; another roll of the damage changes nothing here."""
    decoder = expect(Decoder, models.get(role, name))
    tokens = decoder.tokenizer.encode(text, add_special=False)
    ids = np.array([*decoder.start, *tokens.ids], np.int64)
    if not 1 <= len(ids) <= LONGEST:
        return None
    if isinstance(decoder.config, LlamaConfig):
        logits = write_on_fast(ids, decoder.weights, decoder.config).logits
    else:
        logits = decoder.trace(ids).logits
    nats = causal_surprise(logits, ids).nats
    begin = 0 if decoder.start else 1
    labels, words = tokens.labels[begin:], tokens.words[begin:]
    return Paid(decoder.card, labels, words, (), nats, tokens.labels[0] if begin else "")


def masked_paid(encoder: Encoder, tokens: Tokenized, damage: Damage, states: Labels) -> Paid | None:
    """Let the encoder read the damaged sentence once, and charge it at the picked tokens only.

    None: this encoder has no head that turns a vector into a word.
    """
    if f"{HEAD}.bias" not in encoder.weights:
        return None
    config, weights = encoder.config, encoder.weights
    last = encode_fast(damage.ids, weights, config).last
    picked = np.flatnonzero(damage.picked)
    scored = score_words(
        last[picked], weights, epsilon=config.epsilon, activation=config.activation
    )
    logs = log_softmax(scored.logits)[np.arange(len(picked)), tokens.ids[picked]]
    return Paid(
        card=encoder.card,
        labels=tuple(tokens.labels[n] for n in picked),
        words=tuple(tokens.words[n] for n in picked),
        states=tuple(states[n] for n in picked),
        nats=surprisal(logs).nats,
        first="",
    )


def charge(name: str, paid: Paid) -> Tokens:
    """Describe what a model paid, token by token."""
    title = _("The loss token by token, by {model}").format(model=paid.card.title)
    caption = _("−ln P of the token that was really there: more shade is more surprise.")
    if paid.first:
        text = _("{caption} Its own tokens; the first, “{first}”, has nothing before it.")
        caption = text.format(caption=caption, first=paid.first)
    elif not paid.states:
        caption += _(" A start token stands in front, so that the first one is scored too.")
    return Tokens(
        name,
        title,
        paid.labels,
        values=paid.nats,
        states=paid.states,
        words=paid.words,
        narrow=True,
        value_title=_("loss in nats"),
        scale="range",
        caption=caption,
    )
