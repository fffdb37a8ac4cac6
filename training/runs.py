"""A training run that can be stopped at any time and taken up again where it stood."""

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from tqdm import tqdm

Batch = TypeVar("Batch")


def seed_everything(seed: int) -> None:
    """Make every source of chance start from the same number."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002, libraries draw from it
    torch.manual_seed(seed)


def learning_rate(step: int, *, steps: int, peak: float, warm_up: int, decay: float) -> float:
    """Rise, stay, and fall to zero over the last share of the steps.

    A plateau instead of a cosine lets a run be lengthened or cut short without starting again.
    """
    if step < warm_up:
        return peak * (step + 1) / warm_up
    left = (steps - step) / max(1.0, decay * steps)
    return peak * min(1.0, left)


class Run:
    """One folder that holds a run's checkpoint, its log and its loss curve."""

    def __init__(self, model: nn.Module, optimizer: Optimizer, args: argparse.Namespace) -> None:
        """Begin in the folder `args.run`, or take up the checkpoint that stands there."""
        self.model = model
        self.optimizer = optimizer
        self.folder = args.run
        self.checkpoint = self.folder / "checkpoint.pt"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.curve: list[dict[str, float]] = []
        self.tokens = 0
        self.seconds = 0.0
        self.step = 0
        self._since = time.monotonic()
        trained = sum(value.numel() for value in model.parameters() if value.requires_grad)
        self.log(f"{trained:,} trained parameters, {args}")
        if self.checkpoint.exists():
            self._resume()

    def _resume(self) -> None:
        state = torch.load(self.checkpoint, weights_only=False)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["chance"])
        self.step, self.tokens, self.seconds = state["step"], state["tokens"], state["seconds"]
        self.curve = state["curve"]
        self.log(f"resumed at step {self.step}")

    def save(self) -> None:
        """Write a checkpoint, whole or not at all."""
        now = time.monotonic()
        self.seconds, self._since = self.seconds + now - self._since, now
        state: dict[str, Any] = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "chance": torch.get_rng_state(),
            "step": self.step,
            "tokens": self.tokens,
            "seconds": self.seconds,
            "curve": self.curve,
        }
        partial = self.checkpoint.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(self.checkpoint)
        (self.folder / "curve.json").write_text(json.dumps(self.curve))

    def record(self, **values: float) -> None:
        """Add a point to the loss curve and a line to the log."""
        point = {"step": self.step, "tokens": self.tokens}
        point |= {name: round(value, 4) for name, value in values.items()}
        self.curve.append(point)
        self.log("  ".join(f"{name} {value}" for name, value in point.items()))

    def log(self, line: str) -> None:
        """Append a line to the run's log file, and show it."""
        line = f"{time.strftime('%H:%M:%S')}  {line}"
        with (self.folder / "log.txt").open("a") as log:
            log.write(line + "\n")
        tqdm.write(line)


def run_arguments(parser: argparse.ArgumentParser, *, steps: int, rate: float, seed: int) -> None:
    """Add the options that every training script has."""
    parser.add_argument("--run", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--every", type=int, default=250, help="steps between checkpoints")
    parser.add_argument("--rate", type=float, default=rate, help="peak learning rate")
    parser.add_argument("--warm-up", type=int, default=400, help="steps of rising rate")
    parser.add_argument("--decay", type=float, default=0.3, help="share of steps that decay")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bfloat16", action="store_true", help="products in bfloat16")


def update(run: Run, loss: Tensor, options: argparse.Namespace) -> None:
    """Move the weights a step down the slope."""
    rate = learning_rate(
        run.step,
        steps=options.steps,
        peak=options.rate,
        warm_up=options.warm_up,
        decay=options.decay,
    )
    for group in run.optimizer.param_groups:
        group["lr"] = rate
    run.optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
    run.optimizer.step()


def learn(
    run: Run,
    batches: Iterator[Batch],
    loss_of: Callable[[Batch], tuple[Tensor, int]],
    evaluate: Callable[[], dict[str, float]],
    options: argparse.Namespace,
) -> None:
    """Take the steps, with a held-out check and a checkpoint now and then.

    `loss_of` returns a batch's mean loss and the tokens to count for it.
    """
    run.model.train()
    recent: list[float] = []
    # The bar is for a terminal; a log file has the lines of `record`.
    bar = tqdm(total=options.steps, initial=run.step, unit="step", disable=None)
    while run.step < options.steps:
        with torch.autocast("cpu", torch.bfloat16, enabled=options.bfloat16):
            loss, tokens = loss_of(next(batches))
        update(run, loss, options)
        run.step, run.tokens = run.step + 1, run.tokens + tokens
        recent.append(loss.item())
        bar.update()
        if run.step % options.every == 0 or run.step == options.steps:
            run.save()
            run.record(training=sum(recent) / len(recent), **evaluate(), seconds=run.seconds)
            recent.clear()
    run.save()
