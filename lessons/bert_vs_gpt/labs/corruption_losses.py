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
from app.models import Encoder, ModelCard, Models, Tokenized

LONGEST = 256  # tokens of the decoder's own; another script may take several a letter


class Paid(NamedTuple):
    """What one model paid on one sentence."""

    card: ModelCard
    labels: Labels  # of the tokens that were scored
    words: tuple[int | None, ...]  # of the sentence, one a scored token
    states: Labels  # what the damage did to each; empty for a decoder
    nats: Array  # one a scored token
    first: str  # the token that had nothing before it; empty for an encoder


class Charges(NamedTuple):
    """What both models paid; none where one is not there, cannot say, or was not asked."""

    masked: Paid | None
    causal: Paid | None


@lru_cache(maxsize=32)
def causal_paid(models: Models, text: str) -> Paid | None:
    """Let the decoder read the whole sentence once, and charge it for every token but the first.

    None: no decoder is installed, or the sentence is too long for it here.
    """
    if not models.has("decoder"):
        return None
    decoder = models.decoder()
    tokens = decoder.tokenizer.encode(text, add_special=False)
    if not 1 <= len(tokens) <= LONGEST:
        return None
    if isinstance(decoder.config, LlamaConfig):
        logits = write_on_fast(tokens.ids, decoder.weights, decoder.config).logits
    else:
        logits = decoder.trace(tokens.ids).logits
    nats = causal_surprise(logits, tokens.ids).nats
    return Paid(decoder.card, tokens.labels[1:], tokens.words[1:], (), nats, tokens.labels[0])


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
    title = _("What {model} would pay, token by token").format(model=paid.card.title)
    caption = _("−ln P of the token that was really there: the darker, the more surprised.")
    if paid.first:
        text = _("{caption} Its own tokens; the first, “{first}”, has nothing before it.")
        caption = text.format(caption=caption, first=paid.first)
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
