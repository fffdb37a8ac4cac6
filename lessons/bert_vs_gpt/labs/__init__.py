"""The labs of lesson 4."""

from lessons.bert_vs_gpt.labs.corruption import CORRUPTION

LABS = (CORRUPTION,)
