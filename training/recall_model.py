"""Networks that must remember pairs: recurrent ones and attention, of equal size (PyTorch)."""

import math

import torch
from torch import Tensor, nn

from training.translator_model import Attention, TranslatorConfig, sinusoids

RECURRENT = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
POSITIONS = 128


class RecurrentRecall(nn.Module):
    """Read the pairs one by one into a vector, then answer from that vector alone."""

    def __init__(self, cell: str, vocabulary: int, embedding: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.rnn = RECURRENT[cell](embedding, width, batch_first=True)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits after every symbol: (B, T) -> (B, T, V)."""
        return self.output(self.rnn(self.embedding(ids))[0])


class AttentionLayer(nn.Module):
    """Self-attention alone, added to the stream."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = Attention(TranslatorConfig(width=width, heads=2))

    def forward(self, x: Tensor) -> Tensor:
        """Look back at all positions up to one's own: (B, T, D) -> (B, T, D)."""
        seen = self.norm(x)
        mask = torch.full((x.shape[1], x.shape[1]), -torch.inf).triu(1)
        return x + self.attention(seen, *self.attention.keys_values(seen), mask)


class AttentionRecall(nn.Module):
    """Keep every symbol's vector, and look the answer up."""

    def __init__(self, vocabulary: int, width: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.register_buffer("place", sinusoids(POSITIONS, width), persistent=False)
        self.layers = nn.ModuleList([AttentionLayer(width) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits after every symbol: (B, T) -> (B, T, V)."""
        x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)
        x = x + self.place[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


def size(model: nn.Module) -> int:
    """Count a network's parameters."""
    return sum(value.numel() for value in model.parameters())


def recall_network(cell: str, vocabulary: int, width: int) -> nn.Module:
    """Make a network; a recurrent one as wide as the attention's parameters allow.

    `width` is that of the two-layer attention network whose parameters all others get.
    """
    if cell == "attention":
        return AttentionRecall(vocabulary, width, layers=2)
    budget = size(AttentionRecall(vocabulary, width, layers=2))
    hidden = 1
    while size(RecurrentRecall(cell, vocabulary, width, hidden + 1)) <= budget:
        hidden += 1
    return RecurrentRecall(cell, vocabulary, width, hidden)
