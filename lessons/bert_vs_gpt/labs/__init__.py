"""The labs of lesson 4."""

from lessons.bert_vs_gpt.labs.corruption import CORRUPTION
from lessons.bert_vs_gpt.labs.fill_blank import FILL_BLANK
from lessons.bert_vs_gpt.labs.learning_curves import LEARNING_CURVES
from lessons.bert_vs_gpt.labs.next_token import NEXT_TOKEN

LABS = (FILL_BLANK, CORRUPTION, NEXT_TOKEN, LEARNING_CURVES)
