"""Score one of the matched pair on held-out sentences, and write the folder that ships.

    python -m training.ship_matched_pair masked --sentences tatoeba-en.txt.xz \
        --run runs/masked --out models/matched-masked --golden tests/models/golden
"""

import argparse
import math
import random
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F  # noqa: N812
from transformers import BertConfig

from training.corpus import by_hash, read_sentences
from training.rows import batches
from training.shipping import load_run, save_golden, ship, ship_history
from training.train_matched_pair import Learner, pair_config

GOLDEN = ("I am tired.", "She drank a cup of coffee.", "Where did you put the book I gave you?")
BLANKS = (
    "She drank a cup of [MASK].", "I have never [MASK] such a thing.", "Where is the [MASK]?",
    "He [MASK] to school every day.", "Tom is my best [MASK].", "It is very [MASK] today.",
)  # fmt: skip
STARTS = ("I want to", "She is", "Where did", "My father", "The dog", "If you", "He didn't")
MASK, SEPARATOR = 4, 3
POSITION_TABLE = "embeddings.position_embeddings.weight"
POSITIONS = 256  # rows that ship: 128 tokens of a reader's, the special ones, and room to write on


def longer(table: Tensor) -> Tensor:
    """Repeat the last trained row, so that texts a little longer than any in training are read."""
    return torch.cat([table, table[-1:].expand(POSITIONS - len(table), -1)])


def plain_tensors(model: torch.nn.Module) -> dict[str, Tensor]:
    """Give the weights as they ship: no prefix, and the tied output matrix only once."""
    tensors = {
        name.removeprefix("bert."): value
        for name, value in model.state_dict().items()
        if "predictions.decoder" not in name and "position_ids" not in name
    }
    return {**tensors, POSITION_TABLE: longer(tensors[POSITION_TABLE])}


@torch.no_grad()
def logits(learner: Learner, ids: Tensor) -> Tensor:
    """Return the score of every word at every place: (B, T) -> (B, T, V)."""
    hidden = learner.model.bert(ids).last_hidden_state
    return learner.model.cls(hidden)


def surprise(learner: Learner, sentence: list[int]) -> tuple[float, int]:
    """Sum -log p of a sentence's words: from the left, or each from both sides (masked)."""
    ids = torch.tensor([sentence])
    inner = torch.arange(1, len(sentence) - 1)
    if learner.objective == "causal":
        scores, right = logits(learner, ids)[0, :-2], ids[0, 1:-1]
    else:
        copies = ids.repeat(len(inner), 1)
        copies[torch.arange(len(inner)), inner] = MASK
        scores, right = logits(learner, copies)[torch.arange(len(inner)), inner], ids[0, 1:-1]
    return F.cross_entropy(scores, right, reduction="sum").item(), len(inner)


def perplexity(learner: Learner, sentences: list[list[int]]) -> float:
    """Return the perplexity (causal) or pseudo-perplexity (masked) over sentences."""
    parts = [surprise(learner, sentence) for sentence in sentences]
    return math.exp(sum(part[0] for part in parts) / sum(part[1] for part in parts))


def examples(learner: Learner, tokenizer: Tokenizer) -> list[list[str]]:
    """Show what it does: five words for each blank, or a greedy continuation of each start."""
    shown = []
    if learner.objective == "masked":
        for text in BLANKS:
            ids = tokenizer.encode(text).ids
            best = logits(learner, torch.tensor([ids]))[0, ids.index(MASK)].topk(5).indices
            shown.append([text, ", ".join(tokenizer.id_to_token(n) for n in best.tolist())])
        return shown
    for text in STARTS:
        ids = tokenizer.encode(text).ids[:-1]
        while ids[-1] != SEPARATOR and len(ids) < 30:
            ids.append(int(logits(learner, torch.tensor([ids]))[0, -1].argmax()))
        shown.append([text, tokenizer.decode(ids)])
    return shown


@torch.no_grad()
def golden(learner: Learner, tokenizer: Tokenizer) -> dict[str, Any]:
    """Keep what PyTorch computes for a few sentences: vectors, attention maps, scores."""
    arrays: dict[str, Any] = {}
    learner.model.set_attn_implementation("eager")
    for n, text in enumerate(GOLDEN):
        ids = tokenizer.encode(text).ids
        seen = learner.model.bert(torch.tensor([ids]), output_attentions=True)
        hidden = seen.last_hidden_state
        arrays |= {
            f"ids_{n}": ids,
            f"hidden_{n}": hidden[0],
            f"attentions_{n}": torch.stack(seen.attentions)[:, 0],
            f"logits_{n}": learner.model.cls(hidden)[0, :, ::10],
        }
    return arrays


def settings(config: BertConfig) -> dict[str, Any]:
    """Write the sizes under Hugging Face's own keys."""
    kept = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
            "intermediate_size", "max_position_embeddings", "type_vocab_size", "hidden_act",
            "layer_norm_eps", "pad_token_id", "is_decoder")  # fmt: skip
    network = "BertLMHeadModel" if config.is_decoder else "BertForMaskedLM"
    return {
        "model_type": "bert",
        "architectures": [network],
        "mask_token_id": MASK,
        "bos_token_id": 2,
        "eos_token_id": SEPARATOR,
        **{key: getattr(config, key) for key in kept},
        "max_position_embeddings": POSITIONS,
    }


def main() -> None:
    """Score, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("objective", choices=("masked", "causal"))
    for name in ("--sentences", "--run", "--out", "--golden"):
        parser.add_argument(name, type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(args.run / "tokenizer.json"))
    config = pair_config(tokenizer.get_vocab_size(), args.objective)
    learner = Learner(args.objective, config, 0)
    state = load_run(learner.model, args.run)
    ship(args.out, plain_tensors(learner.model), settings(config))
    _, held_out = read_sentences(args.sentences)
    rows = [encoding.ids for encoding in tokenizer.encode_batch(by_hash(held_out))]
    scores = {
        "parameters": sum(value.numel() for value in learner.model.parameters()),
        "steps": state["step"],
        "tokens": state["tokens"],
        "sentences": len(rows),
    }
    scores |= learner.evaluate(list(batches(rows, 2000, random.Random(0))))
    learner.model.eval()
    kind = "perplexity" if args.objective == "causal" else "pseudo_perplexity"
    scores |= {kind: perplexity(learner, rows[:500]), "examples": examples(learner, tokenizer)}
    print(scores)
    ship_history(args.run, args.out, scores)
    save_golden(args.golden / f"matched-{args.objective}.npz", golden(learner, tokenizer))


if __name__ == "__main__":
    main()
