"""Train the recall networks: remember pairs of symbols, then answer for one of the keys.

python -m training.train_recall --run runs/recall
"""

import argparse
import random
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from training.recall_model import recall_network
from training.runs import Run, learn, run_arguments, seed_everything

KEYS = VALUES = 16  # ids 0…15 are keys, 16…31 are values
VOCABULARY = KEYS + VALUES
MOST_PAIRS = 16
MASTERED = 0.25  # nats, a running mean over the largest drills
CELLS = ("attention", "lstm", "gru", "rnn")
WIDTHS = (16, 32, 64)


def drill(
    pairs: int, count: int, symbols: int, chance: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Make rows `key value key value …` with different keys, then ask for every key once.

    Returns told (count, 2 · pairs), asked (count, pairs) and right (count, pairs). The answers
    are not told between the questions: else the last ones follow by elimination.
    """
    keys = torch.rand(count, symbols, generator=chance).argsort(1)[:, :pairs]
    values = torch.randint(KEYS, KEYS + symbols, (count, pairs), generator=chance)
    order = torch.rand(count, pairs, generator=chance).argsort(1)
    told = torch.stack([keys, values], dim=2).flatten(1)
    return told, keys.gather(1, order), values.gather(1, order)


class Curriculum:
    """Drills for ever: two pairs of four symbols at first, then all symbols, then more pairs.

    Without it a recurrent network only learns which values were told, not which key had which.
    For the last third everything is asked, so that every network has met the longest rows.
    """

    def __init__(self, count: int, seed: int, *, step: int, steps: int) -> None:
        self.count = count
        self.chance = torch.Generator().manual_seed(seed + step)
        self.sizes = random.Random(seed + step)
        self.step, self.open_from = step, steps * 2 // 3
        self.most, self.symbols, self.mean = 2, 4, 1.0

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        return self

    def __next__(self) -> tuple[Tensor, Tensor, Tensor]:
        """Make the next drill."""
        self.step += 1
        if self.step > self.open_from:
            self.most, self.symbols = MOST_PAIRS, KEYS
        pairs = self.sizes.randint(1 if self.most > 2 else 2, self.most)
        return drill(pairs, self.count, self.symbols, self.chance)

    def judge(self, pairs: int, loss: float) -> None:
        """Move on when the largest drills are mastered."""
        if pairs == self.most:
            self.mean = 0.9 * self.mean + 0.1 * loss
        if self.mean < MASTERED:
            self.mean = 1.0
            if self.symbols < KEYS:
                self.symbols += 2
            else:
                self.most = min(MOST_PAIRS, self.most + 1)


@torch.no_grad()
def accuracy(model: nn.Module, pairs: int, count: int) -> float:
    """Measure the share of right answers to one question, right after the pairs were told."""
    told, asked, right = drill(pairs, count, KEYS, torch.Generator().manual_seed(10_000 + pairs))
    logits = model(torch.cat([told, asked[:, :1]], dim=1))[:, -1]
    return float((logits.argmax(-1) == right[:, 0]).float().mean())


def loss_of(
    model: nn.Module, batch: tuple[Tensor, Tensor, Tensor], curriculum: Curriculum
) -> tuple[Tensor, int]:
    """Return the mean loss over all questions of the drills, and the symbols read."""
    told, asked, right = batch
    logits = model(torch.cat([told, asked], dim=1))[:, told.shape[1] :]
    loss = F.cross_entropy(logits.flatten(0, 1), right.flatten())
    curriculum.judge(right.shape[1], loss.item())
    return loss, told.numel() + asked.numel()


def train_one(cell: str, width: int, args: argparse.Namespace) -> None:
    """Train one network, in a folder of its own."""
    seed_everything(args.seed)
    model = recall_network(cell, VOCABULARY, width)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.0, fused=True)
    folder = args.run / f"{cell}-{width}"
    run = Run(model, optimizer, argparse.Namespace(**{**vars(args), "run": folder}))
    curriculum = Curriculum(args.batch, args.seed, step=run.step, steps=args.steps)

    def check() -> dict[str, float]:
        shares = {f"pairs_{n}": accuracy(model, n, 500) for n in (2, 4, 8, 16)}
        return shares | {"symbols": curriculum.symbols, "most": curriculum.most}

    learn(run, curriculum, lambda batch: loss_of(model, batch, curriculum), check, args)


def main() -> None:
    """Train all networks, one after another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=64, help="rows a step")
    parser.add_argument("--only", nargs="*", default=[], help="for example lstm-32")
    run_arguments(parser, steps=12_000, rate=5e-3, seed=5)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    for cell, width in ((cell, width) for width in WIDTHS for cell in CELLS):
        if not args.only or f"{cell}-{width}" in args.only:
            train_one(cell, width, args)


if __name__ == "__main__":
    main()
