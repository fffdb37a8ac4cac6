"""A tiny BERT of random numbers: the encoder that ships until a trained one does.

    python -m training.make_random_encoder tatoeba-en.txt.xz models/random-encoder

Its WordPiece vocabulary is real, learned from English sentences, so that text is cut as in any
BERT. Its weights are random, drawn with one seed: whatever its maps show, it has learned nothing.
"""

import argparse
import json
import lzma
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SEED = 2017
CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "vocab_size": 4000,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
}
# BERT starts from numbers so small that every token looks at all others alike. These are larger,
# so that scores spread by about 1 and the maps have something to see.
TABLE_SPREAD, ATTENTION_SPREAD, OTHER_SPREAD = 0.5, 1.5, 1.0


def learn_vocabulary(sentences: list[str]) -> Tokenizer:
    """Learn WordPiece from sentences, with BERT's way of cutting words and its special tokens."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    trainer = trainers.WordPieceTrainer(
        vocab_size=CONFIG["vocab_size"],
        special_tokens=SPECIAL,
        initial_alphabet=[chr(code) for code in range(33, 127)],
        limit_alphabet=120,
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return tokenizer


def matrices() -> Iterator[tuple[str, tuple[int, int], float]]:
    """Name every table and matrix of the encoder, with its shape and the spread of its numbers."""
    width, hidden = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    for table, size in (
        ("word", "vocab_size"),
        ("position", "max_position_embeddings"),
        ("token_type", "type_vocab_size"),
    ):
        yield f"embeddings.{table}_embeddings", (CONFIG[size], width), TABLE_SPREAD
    for layer in range(CONFIG["num_hidden_layers"]):
        for part, rows, columns, spread in (
            ("attention.self.query", width, width, ATTENTION_SPREAD),
            ("attention.self.key", width, width, ATTENTION_SPREAD),
            ("attention.self.value", width, width, OTHER_SPREAD),
            ("attention.output.dense", width, width, OTHER_SPREAD),
            ("intermediate.dense", hidden, width, OTHER_SPREAD),
            ("output.dense", width, hidden, OTHER_SPREAD),
        ):
            yield f"encoder.layer.{layer}.{part}", (rows, columns), spread / columns**0.5


def draw_weights() -> dict[str, NDArray[np.float16]]:
    """Draw every matrix in a fixed order from one seed; biases are 0, norms leave their input."""
    draw, weights = np.random.default_rng(SEED), {}
    for name, shape, spread in matrices():
        weights[f"{name}.weight"] = draw.normal(0, spread, shape).astype(np.float16)
        if not name.startswith("embeddings."):
            weights[f"{name}.bias"] = np.zeros(shape[0], np.float16)
    layers = [f"encoder.layer.{layer}" for layer in range(CONFIG["num_hidden_layers"])]
    norms = [f"{layer}.{part}" for layer in layers for part in ("attention.output", "output")]
    for name in ("embeddings", *norms):
        weights[f"{name}.LayerNorm.weight"] = np.ones(CONFIG["hidden_size"], np.float16)
        weights[f"{name}.LayerNorm.bias"] = np.zeros(CONFIG["hidden_size"], np.float16)
    return weights


def main() -> None:
    """Write config.json, tokenizer.json and model.safetensors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, help="English sentences, one a line, xz-compressed")
    parser.add_argument("target", type=Path)
    chosen = parser.parse_args()
    with lzma.open(chosen.text, "rt", encoding="utf-8") as file:
        sentences = file.read().splitlines()
    chosen.target.mkdir(parents=True, exist_ok=True)
    learn_vocabulary(sentences).save(str(chosen.target / "tokenizer.json"))
    save_file(draw_weights(), chosen.target / "model.safetensors")
    text = json.dumps(CONFIG, indent=2) + "\n"
    (chosen.target / "config.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
