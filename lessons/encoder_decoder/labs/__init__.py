"""The labs of lesson 3."""

from lessons.encoder_decoder.labs.masks import MASKS
from lessons.encoder_decoder.labs.no_peeking import NO_PEEKING

LABS = (MASKS, NO_PEEKING)
