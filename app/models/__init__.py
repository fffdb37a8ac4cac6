"""Which models there are, and how a page gets one: find, check, open once, hold."""

from app.models.card import ModelCard
from app.models.decoder import Decoder
from app.models.errors import BrokenModel, FetchFailed, ModelError, NotInstalled, UnknownModel
from app.models.kinds import Encoder, WordVectors
from app.models.library import Models
from app.models.tokenizer import Tokenized, Tokenizer
from app.models.trained import RecallNetwork, RecallNetworks, Translator

__all__ = [
    "BrokenModel",
    "Decoder",
    "Encoder",
    "FetchFailed",
    "ModelCard",
    "ModelError",
    "Models",
    "NotInstalled",
    "RecallNetwork",
    "RecallNetworks",
    "Tokenized",
    "Tokenizer",
    "Translator",
    "UnknownModel",
    "WordVectors",
]
