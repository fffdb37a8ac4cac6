"""Train one of the matched pair: the same small network, once masked and once causal.

    python -m training.train_matched_pair masked --sentences tatoeba-en.txt.xz --run runs/masked
    python -m training.train_matched_pair causal --sentences tatoeba-en.txt.xz --run runs/causal \
        --tokenizer runs/masked/tokenizer.json

Text, vocabulary, sizes, first weights, batches and steps are equal; only two things differ:
who may look at whom, and which tokens are asked for.
"""

import argparse
import random
import shutil
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from torch import Tensor
from torch.nn import functional as F  # noqa: N812
from torch.optim import AdamW
from transformers import BertConfig, BertForMaskedLM, BertLMHeadModel

from training.corpus import by_hash, read_sentences
from training.losses import cross_entropy
from training.rows import LONGEST, PAD, Damage, batches, endless
from training.runs import Run, learn, run_arguments, seed_everything

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def train_tokenizer(sentences: list[str], vocabulary: int) -> Tokenizer:
    """Learn a lower-case WordPiece vocabulary, as BERT has."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary, special_tokens=SPECIAL, show_progress=False
    )
    tokenizer.train_from_iterator(sentences, trainer)
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def asked(
    ids: Tensor, objective: str, damage: Damage, chance: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Return what the network reads, where it is asked, and the right answers there."""
    if objective == "masked":
        damaged, picked = damage.corrupt(ids, chance)
        return damaged, picked, ids[picked]
    following = torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], PAD)], dim=1)
    known = following != PAD
    return ids, known, following[known]


class Learner:
    """A network with its objective and its own source of chance."""

    def __init__(self, objective: str, config: BertConfig, seed: int) -> None:
        self.objective = objective
        network = BertForMaskedLM if objective == "masked" else BertLMHeadModel
        self.model = network(config)
        self.damage = Damage(mask=4, first_word=len(SPECIAL), vocabulary=config.vocab_size)
        self.chance = torch.Generator().manual_seed(seed)

    def answer(self, ids: Tensor, chance: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the logits where the network is asked, and the right answers."""
        read, where, right = asked(ids, self.objective, self.damage, chance)
        hidden = self.model.bert(read, attention_mask=(ids != PAD).long()).last_hidden_state
        return self.model.cls(hidden[where]), right

    def loss_of(self, ids: Tensor) -> tuple[Tensor, int]:
        """Return the mean loss over the asked tokens, and the tokens seen."""
        logits, right = self.answer(ids, self.chance)
        return cross_entropy(logits, right), int((ids != PAD).sum())

    @torch.no_grad()
    def evaluate(self, check: list[Tensor]) -> dict[str, float]:
        """Measure loss and top-1 accuracy on held-out rows, with always the same damage."""
        self.model.eval()
        chance = torch.Generator().manual_seed(0)
        loss, hits, count = 0.0, 0, 0
        for ids in check:
            logits, right = self.answer(ids, chance)
            loss += F.cross_entropy(logits.float(), right, reduction="sum").item()
            hits += int((logits.argmax(-1) == right).sum())
            count += len(right)
        self.model.train()
        return {"held_out": loss / count, "accuracy": hits / count}


def pair_config(vocabulary: int, objective: str) -> BertConfig:
    """Give the sizes that both of the pair have; only who may look at whom differs."""
    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=512,
        max_position_embeddings=LONGEST,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        is_decoder=objective == "causal",
    )


def prepare_tokenizer(
    file: Path, training: list[str], vocabulary: int, other: Path | None
) -> Tokenizer:
    """Read the tokenizer; or take that of the other of the pair; or learn it, once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() and other:
        shutil.copyfile(other, file)
    elif not file.exists():
        train_tokenizer(training, vocabulary).save(str(file))
    return Tokenizer.from_file(str(file))


def train(args: argparse.Namespace) -> None:
    """Prepare text, tokenizer and network, then run or resume the training."""
    torch.set_num_threads(args.threads)
    seed_everything(args.seed)
    training, held_out = read_sentences(args.sentences)
    file = args.run / "tokenizer.json"
    tokenizer = prepare_tokenizer(file, training, args.vocabulary, args.tokenizer)
    config = pair_config(tokenizer.get_vocab_size(), args.objective)
    learner = Learner(args.objective, config, args.seed + 1)
    betas, weights = (0.9, 0.98), learner.model.parameters()
    optimizer = AdamW(weights, betas=betas, weight_decay=0.01, fused=True)
    run = Run(learner.model, optimizer, args)
    encoded = [encoding.ids for encoding in tokenizer.encode_batch(training)]
    check = [encoding.ids for encoding in tokenizer.encode_batch(by_hash(held_out)[:1500])]
    check_rows = list(batches(check, args.batch, random.Random(0)))
    learn(
        run,
        endless(encoded, args.batch, args.seed + run.step),
        learner.loss_of,
        lambda: learner.evaluate(check_rows),
        args,
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("objective", choices=("masked", "causal"))
    parser.add_argument("--sentences", type=Path, required=True, help="tatoeba-en.txt.xz")
    parser.add_argument("--tokenizer", type=Path, help="the other's tokenizer.json")
    parser.add_argument("--batch", type=int, default=2000, help="tokens a step")
    parser.add_argument("--vocabulary", type=int, default=4000)
    run_arguments(parser, steps=2200, rate=2e-3, seed=7)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
