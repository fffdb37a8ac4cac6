"""The labs of lesson 1."""

from lessons.attention.labs.attention_map import ATTENTION_MAP

LABS = (ATTENTION_MAP,)
