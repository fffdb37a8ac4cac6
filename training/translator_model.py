"""The encoder-decoder of 2017 in PyTorch, with the normalisation before each sub-layer."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name PyTorch's own documentation uses


@dataclass(frozen=True)
class TranslatorConfig:
    """The sizes of the translator."""

    vocabulary: int = 5000
    width: int = 128
    heads: int = 4
    hidden: int = 512
    layers: int = 3
    dropout: float = 0.1
    positions: int = 160
    pad: int = 0
    start: int = 1
    end: int = 2


def sinusoids(positions: int, width: int) -> Tensor:
    """Return the fixed position vectors of Vaswani et al. 2017, section 3.5."""
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angle = torch.arange(positions)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(positions, width)


class Attention(nn.Module):
    """Attention from one sequence to another (or to itself)."""

    def __init__(self, config: TranslatorConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query = nn.Linear(config.width, config.width)
        self.key_value = nn.Linear(config.width, 2 * config.width)
        self.output = nn.Linear(config.width, config.width)

    def keys_values(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Project what is looked at to keys and values, split into heads."""
        keys, values = self.key_value(seen).chunk(2, dim=-1)
        return self._split(keys), self._split(values)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """Mix the values by how well the queries of `x` match the keys."""
        queries = self._split(self.query(x)) / math.sqrt(x.shape[-1] // self.heads)
        weights = torch.softmax(queries @ keys.transpose(-1, -2) + mask, dim=-1)
        self.weights = weights.detach()
        return self.output((weights @ values).transpose(1, 2).flatten(2))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Layer(nn.Module):
    """A block: self-attention, in the decoder cross-attention, then the two-layer network."""

    def __init__(self, config: TranslatorConfig, *, cross: bool) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = Attention(config)
        if cross:
            self.cross_norm = nn.LayerNorm(config.width)
            self.cross = Attention(config)
        self.hidden_norm = nn.LayerNorm(config.width)
        self.up = nn.Linear(config.width, config.hidden)
        self.down = nn.Linear(config.hidden, config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        source: Tensor | None = None,
        source_mask: Tensor | None = None,
    ) -> Tensor:
        """Add each sub-layer's answer to the stream."""
        seen = self.attention_norm(x)
        x = x + self.dropout(self.attention(seen, *self.attention.keys_values(seen), mask))
        if source is not None:
            keys, values = self.cross.keys_values(source)
            x = x + self.dropout(self.cross(self.cross_norm(x), keys, values, source_mask))
        return x + self.dropout(self.down(F.relu(self.up(self.hidden_norm(x)))))


class Translator(nn.Module):
    """An encoder, a decoder, and one embedding matrix for source, target and output."""

    def __init__(self, config: TranslatorConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        nn.init.normal_(self.embedding.weight, std=config.width**-0.5)
        self.register_buffer("place", sinusoids(config.positions, config.width), persistent=False)
        self.encoder = nn.ModuleList([Layer(config, cross=False) for _ in range(config.layers)])
        self.encoder_norm = nn.LayerNorm(config.width)
        self.decoder = nn.ModuleList([Layer(config, cross=True) for _ in range(config.layers)])
        self.decoder_norm = nn.LayerNorm(config.width)
        self.dropout = nn.Dropout(config.dropout)

    def embed(self, ids: Tensor) -> Tensor:
        """Look up the word vectors, scale them and add the position vectors."""
        scaled = self.embedding(ids) * math.sqrt(self.config.width)
        return self.dropout(scaled + self.place[: ids.shape[1]])

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Read the source: (B, S) -> vectors (B, S, D) and the padding mask (B, 1, 1, S)."""
        mask = torch.zeros(source.shape).masked_fill(source == self.config.pad, -torch.inf)
        mask = mask[:, None, None]
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, mask)
        return self.encoder_norm(x), mask

    def decode(self, target: Tensor, source: Tensor, source_mask: Tensor) -> Tensor:
        """Read the target so far: (B, T) -> vectors (B, T, D) from which the next word is read."""
        length = target.shape[1]
        mask = torch.full((length, length), -torch.inf).triu(1)
        x = self.embed(target)
        for layer in self.decoder:
            x = layer(x, mask, source, source_mask)
        return self.decoder_norm(x)

    def logits(self, x: Tensor) -> Tensor:
        """Compare vectors with every word's embedding: (…, D) -> (…, V)."""
        return F.linear(x, self.embedding.weight)
