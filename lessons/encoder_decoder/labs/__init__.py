"""The labs of lesson 3."""

from lessons.encoder_decoder.labs.masks import MASKS

LABS = (MASKS,)
