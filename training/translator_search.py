"""Let the translator write: beam search over a batch of sentences (a beam of 1 is greedy)."""

import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.train_translator import pad
from training.translator_model import Translator

STRENGTH = 0.6  # of the length penalty, Vaswani et al. 2017, section 6.1


def penalty(tokens: int) -> float:
    """Give the divisor of a text's log-probability (Wu et al. 2016, equation 14)."""
    return ((5 + tokens) / 6) ** STRENGTH


class Hypotheses:
    """The drafts of one source sentence: those still growing, and the best finished one."""

    def __init__(self, beam: int, start: int) -> None:
        self.beam = beam
        self.live = [(0.0, [start])]
        self.best = (-float("inf"), [start])

    def grow(self, totals: Tensor, tokens: Tensor, parents: Tensor, end: int) -> None:
        """Take the likeliest continuations of all drafts, best first."""
        grown: list[tuple[float, list[int]]] = []
        for total, token, parent in zip(
            totals.tolist(), tokens.tolist(), parents.tolist(), strict=True
        ):
            ids = [*self.live[parent][1], token]
            if token == end:
                self.best = max(self.best, (total / penalty(len(ids) - 1), ids))
            elif len(grown) < self.beam:
                grown.append((total, ids))
        hope = grown[0][0] / penalty(len(grown[0][1]) + 50)
        self.live = grown if hope > self.best[0] else self.live[:0]


@torch.no_grad()
def translate_ids(model: Translator, sources: list[list[int]], beam: int) -> list[list[int]]:
    """Translate a batch: ids with </s> -> ids without <s> and </s>."""
    memory, mask = model.encode(pad(sources))
    texts = [Hypotheses(beam, model.config.start) for _ in sources]
    longest = 2 * max(map(len, sources)) + 10
    for _ in range(longest):
        owners = [n for n, text in enumerate(texts) for _ in text.live]
        if not owners:
            break
        ids = torch.tensor([draft for text in texts for _, draft in text.live])
        x = model.decode(ids, memory[owners], mask[owners])[:, -1]
        logs = model.logits(x).log_softmax(-1)
        at = 0
        for text in filter(lambda text: text.live, texts):
            mine = logs[at : at + len(text.live)]
            at += len(text.live)
            totals = mine + torch.tensor([[total] for total, _ in text.live])
            best = totals.flatten().topk(2 * beam)
            text.grow(
                best.values,
                best.indices % logs.shape[1],
                best.indices // logs.shape[1],
                model.config.end,
            )
    return [finished(text) for text in texts]


def finished(text: Hypotheses) -> list[int]:
    """Return the best text's ids, without its start and end marks."""
    if len(text.best[1]) > 1:
        return text.best[1][1:-1]
    return text.live[0][1][1:]


def translate(model: Translator, tokenizer: Tokenizer, texts: list[str], beam: int) -> list[str]:
    """Translate sentences, in batches of like length."""
    sources = [[*tokenizer.encode(text).ids, model.config.end] for text in texts]
    order = sorted(range(len(texts)), key=lambda n: len(sources[n]))
    answers = [""] * len(texts)
    for first in range(0, len(order), 32):
        batch = order[first : first + 32]
        for n, ids in zip(
            batch, translate_ids(model, [sources[n] for n in batch], beam), strict=True
        ):
            answers[n] = tokenizer.decode(ids)
    return answers
