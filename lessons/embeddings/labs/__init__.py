"""The labs of lesson 2."""

from lessons.embeddings.labs.analogy import ANALOGY
from lessons.embeddings.labs.two_banks import TWO_BANKS
from lessons.embeddings.labs.word_map import WORD_MAP

LABS = (WORD_MAP, ANALOGY, TWO_BANKS)
