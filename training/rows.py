"""Sentences to rows, rows to batches, and the damage of the masked objective."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

PAD = 0
LONGEST = 128
SENTENCES_A_ROW = (1, 1, 1, 2, 4, 10)  # so that alone and among others are both practised


def rows(sentences: list[list[int]], chance: random.Random) -> Iterator[list[int]]:
    """Join one to ten sentences to rows: [CLS] first [SEP] second [SEP] and so on."""
    order = sentences.copy()
    chance.shuffle(order)
    while order:
        row: list[int] = []
        for _ in range(chance.choice(SENTENCES_A_ROW)):
            if order and len(row) + len(order[-1]) <= LONGEST:
                sentence = order.pop()
                row += sentence if not row else sentence[1:]
        yield row


def batches(sentences: list[list[int]], tokens: int, chance: random.Random) -> Iterator[Tensor]:
    """Yield arrays of rows of like length, padded, with about `tokens` tokens each."""
    ordered = sorted(rows(sentences, chance), key=len)
    groups: list[list[list[int]]] = [[]]
    for row in ordered:
        if len(groups[-1]) * len(row) >= tokens:
            groups.append([])
        groups[-1].append(row)
    chance.shuffle(groups)
    for group in groups:
        width = len(group[-1])
        yield torch.tensor([row + [PAD] * (width - len(row)) for row in group])


def endless(sentences: list[list[int]], tokens: int, seed: int) -> Iterator[Tensor]:
    """Yield batches for ever, every sentence once an epoch."""
    chance = random.Random(seed)
    while True:
        yield from batches(sentences, tokens, chance)


@dataclass(frozen=True)
class Damage:
    """How a text is damaged: which ids are words, and what share of them is picked."""

    mask: int
    first_word: int
    vocabulary: int
    rate: float = 0.15

    def corrupt(self, ids: Tensor, chance: torch.Generator) -> tuple[Tensor, Tensor]:
        """Of the picked words mask 80 %, swap 10 %, keep 10 % (Devlin et al. 2018, 3.1)."""
        picked = (torch.rand(ids.shape, generator=chance) < self.rate) & (ids >= self.first_word)
        lot = torch.rand(ids.shape, generator=chance)
        swaps = torch.randint(self.first_word, self.vocabulary, ids.shape, generator=chance)
        damaged = torch.where(picked & (lot < 0.8), self.mask, ids)
        return torch.where(picked & (lot >= 0.9), swaps, damaged), picked
