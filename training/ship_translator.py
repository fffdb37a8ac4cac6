"""Score the translator on pairs it has never seen, and write the folder that ships.

    python -m training.ship_translator --pairs tatoeba-en-de.tsv.xz --run runs/translator \
        --out models/translator --golden tests/models/golden
"""

import argparse
import re
from pathlib import Path
from typing import Any

import sacrebleu
import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.corpus import by_hash, read_pairs
from training.shipping import apart, load_run, save_golden, ship, ship_history
from training.train_translator import pad
from training.translator_model import Translator, TranslatorConfig
from training.translator_search import translate

GOLDEN = (
    "The dog sleeps.", "I have never seen such a big house.", "Where is the station?",
    "She didn't want to talk to him about the money yesterday.",
)  # fmt: skip
BEYOND = (
    "The animal didn't cross the street because it was too tired.",
    "Quantum computers threaten public-key cryptography.",
    "The committee postponed the ratification of the treaty until further notice.",
    "Colorless green ideas sleep furiously.",
)


RENAMED = (
    (r"^(en|de)coder_norm", r"\1coder.norm"),
    (r"^(en|de)coder\.(\d)", r"\1coder.layers.\2"),
    (r"\.attention(_norm|)\.", r".self_attention\1."),
    (r"\.cross(_norm|)\.", r".cross_attention\1."),
    (r"\.hidden_norm\.", ".feed_forward_norm."),
    (r"\.(up|down)\.", r".feed_forward.\1."),
)


def tensors(model: Translator) -> dict[str, Tensor]:
    """Give the weights the names that the engine reads; keys and values apart."""
    renamed = {}
    for name, value in model.state_dict().items():
        for pattern, new in RENAMED:
            name = re.sub(pattern, new, name)  # noqa: PLW2901
        renamed[name] = value
    return apart(renamed)


def settings(config: TranslatorConfig) -> dict[str, Any]:
    """Write the sizes as the engine's config.json."""
    return {
        "model_type": "seq2seq", "d_model": config.width, "n_heads": config.heads,
        "n_encoder_layers": config.layers, "n_decoder_layers": config.layers,
        "d_ff": config.hidden, "vocab_size": config.vocabulary, "norm": "pre",
        "activation": "relu", "tie_embeddings": True, "max_positions": config.positions,
        "layer_norm_eps": 1e-5, "pad_token_id": config.pad, "bos_token_id": config.start,
        "eos_token_id": config.end,
    }  # fmt: skip


def distinct(pairs: list[tuple[str, str]], count: int) -> list[tuple[str, list[str]]]:
    """Choose held-out English sentences by hash, each with all its German translations."""
    all_of: dict[str, list[str]] = {}
    for english, german in pairs:
        all_of.setdefault(english, []).append(german)
    return [(english, all_of[english]) for english in by_hash(list(all_of))[:count]]


def score(written: list[str], wanted: list[list[str]]) -> dict[str, float]:
    """Measure BLEU and chrF against one translation, and BLEU against all that are known."""
    first = [texts[0] for texts in wanted]
    most = max(map(len, wanted))
    columns = [[texts[min(n, len(texts) - 1)] for texts in wanted] for n in range(most)]
    return {
        "bleu": round(sacrebleu.corpus_bleu(written, [first]).score, 2),
        "chrf": round(sacrebleu.corpus_chrf(written, [first]).score, 2),
        "bleu_all_references": round(sacrebleu.corpus_bleu(written, columns).score, 2),
        "exactly_a_reference": round(
            sum(text in texts for text, texts in zip(written, wanted, strict=True)) / len(written),
            3,
        ),
    }


def places(tokenizer: Tokenizer, text: str, word: str) -> list[int]:
    """Tell which pieces of a text make up a word."""
    found = re.search(rf"\b{re.escape(word)}\b", text)
    spans = tokenizer.encode(text).offsets
    return [
        n
        for n, (start, end) in enumerate(spans)
        if start < found.end() and end > found.start() and end > start
    ]


def known_words(
    pairs: list[tuple[str, str]], known: list[list[str]]
) -> list[tuple[str, str, list[list[str]]]]:
    """Find sentences in which two or more known word pairs stand, each word just once."""
    found = []
    for english, german in pairs:
        here = [
            pair
            for pair in known
            if all(
                len(re.findall(rf"\b{word}\b", text)) == 1
                for word, text in zip(pair, (english, german), strict=True)
            )
        ]
        if len(here) >= 2:
            found.append((english, german, here))
    return found


@torch.no_grad()
def look(model: Translator, tokenizer: Tokenizer, english: str, german: str) -> Tensor:
    """Return the cross-attention while the given translation is written: (L, H, T, S).

    Row t is the look that chose the t-th piece of the translation.
    """
    source, target = tokenizer.encode(english).ids, tokenizer.encode(german).ids
    model.decode(pad([[1, *target]]), *model.encode(pad([[*source, 2]])))
    return torch.stack([layer.cross.weights[0] for layer in model.decoder])


def alignment(
    model: Translator, tokenizer: Tokenizer, pairs: list[tuple[str, str]], known: list[list[str]]
) -> dict[str, Any]:
    """Count, for each head, how often the brightest source piece belongs to the right word."""
    sentences = known_words(pairs, known)[:50]
    hits, count = 0, 0
    for english, german, words in sentences:
        weights = look(model, tokenizer, english, german)
        for source_word, target_word in words:
            row = places(tokenizer, german, target_word)[0]
            right = torch.tensor(places(tokenizer, english, source_word))
            hits = hits + torch.isin(weights[:, :, row].argmax(-1), right).int()
            count += 1
    shares = (hits / count).tolist()
    best = max(
        (share, layer + 1, head + 1)
        for layer, heads in enumerate(shares)
        for head, share in enumerate(heads)
    )
    return {
        "sentences": len(sentences),
        "word_pairs": count,
        "best_head": best[0],
        "layer": best[1],
        "head": best[2],
        "by_layer_and_head": shares,
    }


@torch.no_grad()
def golden(model: Translator, tokenizer: Tokenizer) -> dict[str, Any]:
    """Keep what PyTorch computes for a few sentences."""
    arrays: dict[str, Any] = {}
    for n, text in enumerate(GOLDEN):
        source = [*tokenizer.encode(text).ids, 2]
        written = tokenizer.encode(translate(model, tokenizer, [text], 1)[0]).ids
        memory, mask = model.encode(pad([source]))
        x = model.decode(pad([[1, *written]]), memory, mask)
        arrays |= {
            f"source_{n}": source,
            f"target_{n}": [1, *written],
            f"memory_{n}": memory[0],
            f"logits_{n}": model.logits(x)[0, :, ::10],
            f"cross_{n}": torch.stack([la.cross.weights[0] for la in model.decoder]),
        }
    return arrays


def measure(model: Translator, tokenizer: Tokenizer, pairs: Path, count: int) -> dict[str, Any]:
    """Measure alignment, BLEU and chrF on held-out pairs, greedy and with a beam of four."""
    _, held_out = read_pairs(pairs)
    test = distinct(held_out, count)
    words = Path(__file__).with_name("known_pairs.tsv").read_text(encoding="utf-8").splitlines()
    known = [line.split("\t") for line in words]
    scores = {"held_out": len(test), "alignment": alignment(model, tokenizer, held_out, known)}
    for name, beam in (("greedy", 1), ("beam_4", 4)):
        written = translate(model, tokenizer, [english for english, _ in test], beam)
        scores[name] = score(written, [texts for _, texts in test])
    scores["examples"] = [[*row, text] for row, text in zip(test[:25], written, strict=False)]
    scores["beyond"] = list(zip(BEYOND, translate(model, tokenizer, list(BEYOND), 4), strict=True))
    return scores


def main() -> None:
    """Score, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--pairs", "--run", "--out", "--golden"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--count", type=int, default=1000)
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(args.run / "tokenizer.json"))
    model = Translator(TranslatorConfig(vocabulary=tokenizer.get_vocab_size()))
    state = load_run(model, args.run)
    ship(args.out, tensors(model), settings(model.config))
    save_golden(args.golden / "translator.npz", golden(model, tokenizer))
    scores = {"steps": state["step"], "target_tokens": state["tokens"]}
    scores |= measure(model, tokenizer, args.pairs, args.count)
    print({name: value for name, value in scores.items() if name not in {"examples", "beyond"}})
    ship_history(args.run, args.out, scores)


if __name__ == "__main__":
    main()
