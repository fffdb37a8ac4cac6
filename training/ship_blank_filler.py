"""Score the blank filler on held-out sentences, and write the folder that ships.

    python -m training.ship_blank_filler --sentences tatoeba-en.txt.xz \
        --encoder all-MiniLM-L6-v2 --run runs/blank-filler --out models/blank-filler \
        --golden tests/models/golden
"""

import argparse
import math
import random
import string
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertForMaskedLM

from training.blank_filler_model import blank_filler, shipped_tensors
from training.corpus import by_hash, read_sentences
from training.rows import Damage, batches
from training.shipping import load_run, save_golden, ship, ship_history
from training.train_blank_filler import FIRST_WORD, MASK, answers, evaluate, open_tokenizer

GOLDEN = ("She drank a cup of [MASK].", "The [MASK] didn't cross the street because it was tired.")


@torch.no_grad()
def one_by_one(
    model: BertForMaskedLM, tokenizer: Tokenizer, rows: list[list[int]]
) -> dict[str, float]:
    """Blank every piece in turn: pseudo-perplexity, top-1 and top-5, with and without marks."""
    loss, hits = 0.0, torch.zeros(2, 3)
    for row in rows:
        inner = torch.arange(1, len(row) - 1)
        copies = torch.tensor([row]).repeat(len(inner), 1)
        right = copies[0, 1:-1].clone()
        copies[torch.arange(len(inner)), inner] = MASK
        logs = answers(model, copies, copies == MASK).float().log_softmax(-1)
        loss -= logs[torch.arange(len(inner)), right].sum().item()
        found = logs.topk(5).indices == right[:, None]
        marks = [tokenizer.id_to_token(n) in string.punctuation for n in right.tolist()]
        for group, chosen in (
            (0, torch.ones(len(inner), dtype=torch.bool)),
            (1, ~torch.tensor(marks)),
        ):
            kept = found[chosen]
            hits[group] += torch.tensor([kept[:, 0].sum(), kept.sum(), len(kept)])
    (first, fifth, count), (word_first, word_fifth, words) = hits.tolist()
    return {
        "pseudo_perplexity": math.exp(loss / count),
        "top1": first / count,
        "top5": fifth / count,
        "pieces": count,
        "top1_words": word_first / words,
        "top5_words": word_fifth / words,
    }


@torch.no_grad()
def probes(model: BertForMaskedLM, tokenizer: Tokenizer) -> list[list[Any]]:
    """Fill the blanks of thirty sentences: the five likeliest words and their probabilities."""
    shown = []
    texts = Path(__file__).with_name("probes.txt").read_text(encoding="utf-8").splitlines()
    for text in texts:
        ids = torch.tensor([tokenizer.encode(text).ids])
        best = answers(model, ids, ids == MASK).float().softmax(-1)[0].topk(5)
        words = [tokenizer.id_to_token(n) for n in best.indices.tolist()]
        shown.append(
            [
                text,
                [[word, round(p, 3)] for word, p in zip(words, best.values.tolist(), strict=True)],
            ]
        )
    return shown


@torch.no_grad()
def golden(model: BertForMaskedLM, tokenizer: Tokenizer) -> dict[str, Any]:
    """Keep what PyTorch computes for two sentences."""
    arrays: dict[str, Any] = {}
    for n, text in enumerate(GOLDEN):
        ids = tokenizer.encode(text).ids
        hidden = model.bert(torch.tensor([ids])).last_hidden_state
        arrays |= {
            f"ids_{n}": ids,
            f"hidden_{n}": hidden[0],
            f"logits_{n}": model.cls(hidden)[0, :, ::100],
        }
    return arrays


def settings(args: argparse.Namespace) -> dict[str, Any]:
    """Write what the engine needs to put head and adapters onto the encoder."""
    return {
        "model_type": "bert-masked-lm-adapter",
        "base": "minilm",
        "lora_rank": args.rank,
        "lora_scale": args.scale,
        "mask_token_id": MASK,
        "layer_norm_eps": 1e-12,
    }


def load(args: argparse.Namespace) -> tuple[BertForMaskedLM, dict[str, Any]]:
    """Load the run; of the frozen encoder nothing is rounded, since it does not ship."""
    model = blank_filler(args.encoder, args.rank, args.scale)
    frozen = {
        name: value.clone() for name, value in model.named_parameters() if not value.requires_grad
    }
    state = load_run(model, args.run)
    for name, value in frozen.items():
        model.state_dict()[name].copy_(value)
    return model, state


def measure(model: BertForMaskedLM, tokenizer: Tokenizer, sentences: Path) -> dict[str, Any]:
    """Measure on held-out sentences: with BERT's damage, and one blank at a time."""
    _, held_out = read_sentences(sentences)
    rows = [encoding.ids for encoding in tokenizer.encode_batch(by_hash(held_out))]
    damage = Damage(MASK, FIRST_WORD, tokenizer.get_vocab_size())
    check = list(batches(rows[:1000], 1000, random.Random(0)))
    damaged = evaluate(model, check, damage)
    model.eval()
    return {
        "damaged_15_percent": damaged,
        "one_blank": one_by_one(model, tokenizer, rows[:300]),
        "probes": probes(model, tokenizer),
    }


def main() -> None:
    """Score, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--sentences", "--encoder", "--run", "--out", "--golden"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--scale", type=float, default=2.0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = open_tokenizer(args.encoder)
    model, state = load(args)
    shipped = shipped_tensors(model)
    ship(args.out, shipped, settings(args))
    size = sum(map(Tensor.numel, shipped.values()))
    scores = {"trained_parameters": size, "steps": state["step"], "tokens": state["tokens"]}
    scores |= measure(model, tokenizer, args.sentences)
    print(scores)
    ship_history(args.run, args.out, scores)
    save_golden(args.golden / "blank-filler.npz", golden(model, tokenizer))


if __name__ == "__main__":
    main()
