"""Train the English-German translator on the Tatoeba pairs.

python -m training.train_translator --pairs tatoeba-en-de.tsv.xz --run runs/translator
"""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from torch import Tensor
from torch.optim import AdamW

from training.corpus import read_pairs
from training.losses import cross_entropy
from training.runs import Run, learn, run_arguments, seed_everything
from training.translator_model import Translator, TranslatorConfig

Pair = tuple[list[int], list[int]]
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]


def train_tokenizer(pairs: list[tuple[str, str]], vocabulary: int) -> Tokenizer:
    """Learn one byte-pair vocabulary for both languages; "▁" marks the start of a word."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits(True)]
    )
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=SPECIAL, show_progress=False, min_frequency=2
    )
    tokenizer.train_from_iterator((text for pair in pairs for text in pair), trainer)
    return tokenizer


def encode_pairs(tokenizer: Tokenizer, pairs: list[tuple[str, str]]) -> list[Pair]:
    """Turn sentences to ids: source + </s>, and <s> + target + </s>."""
    sides = [
        [encoding.ids for encoding in tokenizer.encode_batch(list(side))]
        for side in zip(*pairs, strict=True)
    ]
    return [([*source, 2], [1, *target, 2]) for source, target in zip(*sides, strict=True)]


def pad(rows: list[list[int]]) -> Tensor:
    """Make rows of unequal length one array, filled with <pad>."""
    width = max(map(len, rows))
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


def batches(pairs: list[Pair], tokens: int, chance: random.Random) -> Iterator[list[Pair]]:
    """Yield batches of like length with about `tokens` target tokens each, in random order."""
    order = sorted(pairs, key=lambda pair: (len(pair[1]) + chance.random(), len(pair[0])))
    groups: list[list[Pair]] = [[]]
    for pair in order:
        if len(groups[-1]) * len(pair[1]) >= tokens:
            groups.append([])
        groups[-1].append(pair)
    chance.shuffle(groups)
    yield from groups


def loss_of(model: Translator, batch: list[Pair], smoothing: float) -> tuple[Tensor, int]:
    """Return the mean loss per target token, and how many there were."""
    source, target = pad([pair[0] for pair in batch]), pad([pair[1] for pair in batch])
    wanted = target[:, 1:]
    kept = wanted != model.config.pad
    x = model.decode(target[:, :-1], *model.encode(source))
    loss = cross_entropy(model.logits(x[kept]), wanted[kept], smoothing)
    return loss, int(kept.sum())


@torch.no_grad()
def held_out_loss(model: Translator, pairs: list[Pair]) -> float:
    """Return the mean loss in nats per token on pairs never trained on."""
    model.eval()
    total, count = 0.0, 0
    for batch in batches(pairs, 2000, random.Random(0)):
        loss, tokens = loss_of(model, batch, 0.0)
        total, count = total + loss.item() * tokens, count + tokens
    model.train()
    return total / count


def endless(pairs: list[Pair], tokens: int, seed: int) -> Iterator[list[Pair]]:
    """Yield batches for ever, every pair once an epoch."""
    chance = random.Random(seed)
    while True:
        yield from batches(pairs, tokens, chance)


def prepare_tokenizer(file: Path, training: list[tuple[str, str]], vocabulary: int) -> Tokenizer:
    """Read the tokenizer, or learn it once."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        train_tokenizer(training, vocabulary).save(str(file))
    return Tokenizer.from_file(str(file))


def train(args: argparse.Namespace) -> None:
    """Prepare text, tokenizer and model, then run or resume the training."""
    torch.set_num_threads(args.threads)
    seed_everything(args.seed)
    training, held_out = read_pairs(args.pairs)
    tokenizer = prepare_tokenizer(args.run / "tokenizer.json", training, args.vocabulary)
    vocabulary, sizes = tokenizer.get_vocab_size(), {"width": args.width, "hidden": 4 * args.width}
    model = Translator(TranslatorConfig(vocabulary=vocabulary, dropout=args.dropout, **sizes))
    betas, weight_decay = (0.9, 0.98), 0.01
    optimizer = AdamW(model.parameters(), betas=betas, weight_decay=weight_decay, fused=True)
    run = Run(model, optimizer, args)
    check = encode_pairs(tokenizer, held_out[-600:])
    learn(
        run,
        endless(encode_pairs(tokenizer, training), args.batch, args.seed + run.step),
        lambda batch: loss_of(model, batch, args.smoothing),
        lambda: {"held_out": held_out_loss(model, check)},
        args,
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=Path, required=True, help="tatoeba-en-de.tsv.xz")
    parser.add_argument("--batch", type=int, default=1500, help="target tokens a step")
    parser.add_argument("--vocabulary", type=int, default=5000)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--smoothing", type=float, default=0.1)
    run_arguments(parser, steps=4600, rate=2e-3, seed=1)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
