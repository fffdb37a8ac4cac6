"""The labs of lesson 3."""

from lessons.encoder_decoder.labs.masks import MASKS
from lessons.encoder_decoder.labs.no_peeking import NO_PEEKING
from lessons.encoder_decoder.labs.translate import TRANSLATE

LABS = (MASKS, NO_PEEKING, TRANSLATE)
