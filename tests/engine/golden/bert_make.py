"""Make the encoder's reference arrays with PyTorch and transformers.

    python tests/engine/golden/bert_make.py FOLDER

FOLDER holds all-MiniLM-L6-v2 (config.json, model.safetensors, tokenizer.json). Needs torch,
transformers and tokenizers; the tests that read the result need none of them.
"""

import copy
import json
import sys
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertForMaskedLM, BertModel

HERE = Path(__file__).parent
LONG = 40  # tokens from which attention maps are stored as projections, to keep the files small
REST = "The river bank was flooded, so the bank closed its doors, and nobody knew who would pay. "
TEXTS = {
    "animal": "The animal didn't cross the street because it was too tired.",
    "one-word": "hi",
    "one-letter": "x",
    "full-stop": ".",
    "two-banks": "She sat on the bank of the river and thought about the bank in town.",
    "negation": "I do not think that this is not unlikely.",
    "repeated": "the the the the cat cat sat sat on the the mat mat",
    "same-mat": "the cat sat on the mat",
    "emoji": "I ❤️ pizza 🍕 and 👩‍🚀 too 🇫🇷!",
    "accents": "Café naïve résumé über Ångström señor façade Łódź",
    "decomposed": "Cafe\u0301 with a combining accent",
    "cjk": "猫は木の上で眠っている。我爱北京。",
    "korean": "안녕하세요 세계",
    "arabic": "مرحبا بالعالم",
    "russian": "Привет, мир!",
    "code": "def f(x): return {k: v**2 for k, v in x.items() if v != None}  # ok?",
    "numbers": "In 2017, 28.4 BLEU; π ≈ 3.14159, 1e-12, 1,000,000 and 0x1F.",
    "markup": "<script>alert('</td>')</script> &amp; [SEP] typed",
    "shouting": "WHY ARE YOU SHOUTING?!?! STOP!!!",
    "long-word": "Donaudampfschifffahrtsgesellschaftskapitän antidisestablishmentarianism",
    "spaces": "  tabs\tand\nnew   lines  ",
    "question": "Who wrote the book that the man who lost his hat was reading?",
    "paragraph": REST * 3,
    "exactly-128": REST * 9,
    "words-128": "word " * 200,
}


def reference(model: torch.nn.Module, ids: list[int], **options: object) -> dict[str, np.ndarray]:
    """Run the reference on one sentence and return hidden states and attention maps."""
    inputs = {name: torch.tensor(value)[None] for name, value in options.items()}
    with torch.no_grad():
        out = model(
            torch.tensor(ids)[None], **inputs, output_attentions=True, output_hidden_states=True
        )
    return {
        "ids": np.array(ids),
        "hidden": torch.cat(out.hidden_states).numpy(),
        "weights": torch.cat(out.attentions).numpy(),
    }


def changed(model: BertModel, change: str) -> BertModel:
    """Copy a model and make an intervention in its weights, where the reference has no switch."""
    model = copy.deepcopy(model)
    width = model.config.hidden_size // model.config.num_attention_heads
    if change == "no-positions":
        model.embeddings.position_embeddings.weight.data.zero_()
    for n, layer in enumerate(model.encoder.layer):
        if change == "no-scale":
            layer.attention.self.query.weight.data.mul_(width**0.5)
            layer.attention.self.query.bias.data.mul_(width**0.5)
        if change == "heads" and n == 1:  # heads 1 and 3 of layer 2 are silenced
            for head in (0, 2):
                column = slice(head * width, (head + 1) * width)
                layer.attention.output.dense.weight.data[:, column] = 0
    return model


def make_tiny() -> None:
    """Write two small random models as checkpoints, and what the reference computes on them."""
    torch.manual_seed(20170612)
    sizes = {
        "vocab_size": 96,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 48,
        "initializer_range": 0.3,
        "attn_implementation": "eager",
    }
    plain = BertModel(BertConfig(**sizes)).eval()
    masked = BertForMaskedLM(BertConfig(**sizes, hidden_act="gelu_new")).eval()
    for tensor in (*plain.parameters(), *masked.parameters()):
        if tensor.ndim == 1:  # biases start at zero and norms at one, which would hide mistakes
            tensor.data += 0.3 * torch.randn_like(tensor)
    plain.save_pretrained(HERE / "bert_tiny")
    masked.save_pretrained(HERE / "bert_tiny_masked")
    ids = torch.randint(0, 96, (48,)).tolist()
    cases = {f"tokens-{n}": reference(plain, ids[:n]) for n in (1, 2, 7, 23, 48)}
    cases["padding"] = reference(plain, ids[:7], attention_mask=[1, 1, 1, 1, 1, 0, 0])
    cases["segments"] = reference(plain, ids[:7], token_type_ids=[0, 0, 0, 1, 1, 1, 1])
    cases["masked"] = reference(masked.bert, ids[:7])
    for change in ("no-positions", "no-scale", "heads"):
        cases[change] = reference(changed(plain, change), ids[:7])
    arrays = {f"{case}/{name}": a for case, found in cases.items() for name, a in found.items()}
    np.savez_compressed(HERE / "bert_tiny.npz", **arrays)


def make_minilm(folder: Path) -> None:
    """Write what the reference computes with all-MiniLM-L6-v2 on every text, in little space."""
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    arrays, ids = {}, {}
    for name, text in TEXTS.items():
        ids[name] = tokenizer.encode(text).ids
        found = reference(model, ids[name])
        arrays[f"{name}/last"] = found["hidden"][-1]
        tokens = len(ids[name])
        if tokens < LONG:  # in steps of 1/65535, finer than the tolerance
            arrays[f"{name}/weights"] = np.round(found["weights"] * 65535).astype(np.uint16)
        else:  # every weight of a row, with a sign of its own, in four sums
            signs = np.random.default_rng(tokens).choice(np.float32([-1, 1]), (tokens, 4))
            arrays[f"{name}/signed"] = found["weights"] @ signs
    np.savez_compressed(HERE / "bert_minilm.npz", **arrays)
    texts = [{"name": name, "text": TEXTS[name], "ids": ids[name]} for name in TEXTS]
    lines = ",\n".join(json.dumps(text, ensure_ascii=False) for text in texts)
    (HERE / "bert_texts.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    make_tiny()
    make_minilm(Path(sys.argv[1]))
