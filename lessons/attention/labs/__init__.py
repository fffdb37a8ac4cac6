"""The labs of lesson 1."""

from lessons.attention.labs.attention_map import ATTENTION_MAP
from lessons.attention.labs.attention_steps import ATTENTION_STEPS
from lessons.attention.labs.flash_attention import FLASH_ATTENTION

LABS = (ATTENTION_STEPS, ATTENTION_MAP, FLASH_ATTENTION)
