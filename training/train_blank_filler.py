"""Train the blank filler: a head and adapters on the frozen all-MiniLM-L6-v2.

    python -m training.train_blank_filler --sentences tatoeba-en.txt.xz \
        --encoder all-MiniLM-L6-v2 --run runs/blank-filler
"""

import argparse
import random
from dataclasses import replace
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F  # noqa: N812
from transformers import BertForMaskedLM

from training.blank_filler_model import blank_filler
from training.corpus import by_hash, read_sentences
from training.losses import cross_entropy
from training.rows import PAD, Damage, batches, endless
from training.runs import Run, learn, run_arguments, seed_everything

MASK, FIRST_WORD = 103, 999  # of the vocabulary of bert-base-uncased


def answers(model: BertForMaskedLM, damaged: Tensor, picked: Tensor) -> Tensor:
    """Return the logits at the picked places: (B, T) and (B, T) -> (N, V)."""
    hidden = model.bert(damaged, attention_mask=(damaged != PAD).long()).last_hidden_state
    return model.cls(hidden[picked])


@torch.no_grad()
def evaluate(model: BertForMaskedLM, check: list[Tensor], damage: Damage) -> dict[str, float]:
    """Measure loss, top-1 and top-5 on held-out rows, with always the same 15 % damage."""
    model.eval()
    chance = torch.Generator().manual_seed(0)
    loss, first, fifth, count = 0.0, 0, 0, 0
    for ids in check:
        damaged, picked = damage.corrupt(ids, chance)
        right = ids[picked]
        logits = answers(model, damaged, picked).float()
        loss += F.cross_entropy(logits, right, reduction="sum").item()
        best = logits.topk(5).indices == right[:, None]
        first, fifth = first + int(best[:, 0].sum()), fifth + int(best.sum())
        count += len(right)
    model.train()
    return {"held_out": loss / count, "top1": first / count, "top5": fifth / count}


def loss_of(
    model: BertForMaskedLM, ids: Tensor, damage: Damage, chance: torch.Generator
) -> tuple[Tensor, int]:
    """Damage a batch; return the mean loss at the picked places, and the tokens seen."""
    damaged, picked = damage.corrupt(ids, chance)
    loss = cross_entropy(answers(model, damaged, picked), ids[picked])
    return loss, int((ids != PAD).sum())


def read_and_choose(file: Path) -> tuple[list[str], list[str]]:
    """Read the sentences to learn from, and 800 held-out ones to check with."""
    training, held_out = read_sentences(file)
    return training, by_hash(held_out)[:800]


def open_tokenizer(encoder: Path) -> Tokenizer:
    """Read the encoder's own tokenizer; its padding is not wanted here."""
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def train(args: argparse.Namespace) -> None:
    """Prepare text and network, then run or resume the training."""
    torch.set_num_threads(args.threads)
    seed_everything(args.seed)
    model = blank_filler(args.encoder, args.rank, args.scale)
    trained = [value for value in model.parameters() if value.requires_grad]
    optimizer = torch.optim.AdamW(trained, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    run = Run(model, optimizer, args)
    tokenizer = open_tokenizer(args.encoder)
    encoded, check = (
        [encoding.ids for encoding in tokenizer.encode_batch(sentences)]
        for sentences in read_and_choose(args.sentences)
    )
    damage = Damage(MASK, FIRST_WORD, tokenizer.get_vocab_size(), args.mask_rate)
    chance = torch.Generator().manual_seed(args.seed + run.step)
    check_rows = list(batches(check, args.batch, random.Random(0)))
    learn(
        run,
        endless(encoded, args.batch, args.seed + run.step),
        lambda ids: loss_of(model, ids, damage, chance),
        lambda: evaluate(model, check_rows, replace(damage, rate=0.15)),
        args,
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=Path, required=True, help="tatoeba-en.txt.xz")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--batch", type=int, default=1000, help="tokens a step")
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--scale", type=float, default=2.0)
    parser.add_argument("--mask-rate", type=float, default=0.3)
    run_arguments(parser, steps=740, rate=1e-3, seed=3)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
