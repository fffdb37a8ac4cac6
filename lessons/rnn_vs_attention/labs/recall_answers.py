"""What the recall networks say to the reader's question and to many random ones."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from app.engine.functions import softmax
from app.engine.recall import Drills, make_drills, recall, right_share
from app.figures.describe import Array
from app.models import RecallNetwork, RecallNetworks
from lessons.rnn_vs_attention.labs.pairs_text import Symbols, Told, assign, row_of

LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16)  # pairs, in the live measurement
ROWS = 40  # lists of each length: all together within half a second
ASSIGNMENTS = 100  # other symbols for the reader's words


class Answer(NamedTuple):
    """What one network said."""

    network: RecallNetwork
    logits: Array  # (V)
    probabilities: Array  # (V)
    place: int  # of the right value among the symbols
    steady: float  # share of other symbols for the same words with which it is right
    by_pairs: Array  # share right on random lists, one a length
    recorded: tuple[float, ...]  # the same, as measured after its training, for 1, 2, … pairs

    @property
    def right(self) -> float:
        """The probability of the right value."""
        return float(self.probabilities[self.place])

    @property
    def held(self) -> int:
        """How many numbers a recurrent network hands from token to token."""
        cells = 2 if self.network.cell == "lstm" else 1  # an LSTM hands on its cell as well
        return cells * self.network.width * int(self.network.config["n_layers"])

    @property
    def said(self) -> int:
        """Which symbol it names."""
        return int(self.probabilities.argmax())

    @property
    def is_right(self) -> bool:
        """Whether it names the value that was told."""
        return self.said == self.place


class Asked(NamedTuple):
    """The reader's question in symbols, the same in others, and random lists."""

    told: Told
    symbols: Symbols
    others: Drills
    lists: tuple[Drills, ...]


def prepare(told: Told, nets: RecallNetworks, *, symbols: int, seed: int) -> Asked:
    """Draw symbols for the reader's words, a hundred times more, and random lists."""
    sizes = {"keys": nets.keys, "values": nets.values}
    chosen = assign(told, **sizes, generator=np.random.default_rng(symbols))
    generator = np.random.default_rng(symbols + 1_000_003)
    drawn = [assign(told, **sizes, generator=generator) for _n in range(ASSIGNMENTS)]
    place = told.values.index(told.right)
    others = Drills(
        np.stack([row_of(told, each) for each in drawn]),
        np.array([each.values[place] for each in drawn]),
    )
    generator = np.random.default_rng(seed)
    lists = tuple(make_drills(n, ROWS, **sizes, generator=generator) for n in LENGTHS)
    return Asked(told, chosen, others, lists)


def ask(network: RecallNetwork, asked: Asked, records: Sequence[dict[str, Any]]) -> Answer:
    """Let one network answer the reader's question and all the other drills."""
    weights, config, told = network.weights, network.config, asked.told
    logits = recall(row_of(told, asked.symbols), weights, config).logits
    kept = next((r["accuracy_by_pairs"] for r in records if r["name"] == network.name), ())
    return Answer(
        network=network,
        logits=logits,
        probabilities=softmax(logits),
        place=int(asked.symbols.values[told.values.index(told.right)]),
        steady=right_share(asked.others, weights, config),
        by_pairs=np.array([right_share(each, weights, config) for each in asked.lists]),
        recorded=tuple(map(float, kept)),
    )
