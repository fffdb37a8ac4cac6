"""Make the decoders' reference arrays with PyTorch and transformers.

    python tests/engine/golden/llama_make.py FILE.gguf

FILE is SmolLM2-135M-Instruct as GGUF, which transformers loads by itself. Needs torch,
transformers with accelerate, gguf and regex; the tests that read the result need none of them.
"""

import copy
import itertools
import json
import sys
from pathlib import Path

import numpy as np
import regex
import torch
from gguf import GGUFReader
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

HERE = Path(__file__).parent
WORDS = json.loads((HERE / "llama_texts.json").read_text(encoding="utf-8"))
LONGEST = 128  # tokens, the most that a lab takes
# The pattern with which GPT-2 cuts text; SmolLM2 takes every digit alone beforehand.
PIECES = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)


def byte_letters() -> list[str]:
    """Name each of the 256 bytes by one visible letter, as GPT-2's vocabulary does."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(other)) for byte in range(256)]


class PlainTokenizer:
    """Byte-pair encoding in plain Python, written without the library that the course uses."""

    def __init__(self, path: Path) -> None:
        """Read the vocabulary and the merges from the GGUF file."""
        fields = GGUFReader(path).fields
        self.tokens = fields["tokenizer.ggml.tokens"].contents()
        self.ids = {token: number for number, token in enumerate(self.tokens)}
        merges = fields["tokenizer.ggml.merges"].contents()
        self.ranks = {tuple(merge.split(" ")): rank for rank, merge in enumerate(merges)}

    def merge(self, letters: list[str]) -> list[str]:
        """Join the pair that was learned first, again and again."""
        while len(letters) > 1:
            pairs = list(itertools.pairwise(letters))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, 1 << 30))
            if best not in self.ranks:
                break
            joined: list[str] = []
            rest = list(letters)
            while rest:
                pair = (rest[0], rest[1] if len(rest) > 1 else "")
                step = 2 if pair == best else 1
                joined.append("".join(rest[:step]))
                rest = rest[step:]
            letters = joined
        return letters

    def encode(self, text: str) -> list[int]:
        """Cut the text at digits, then by the pattern, then merge bytes."""
        letters = byte_letters()
        ids = []
        for run in regex.split(r"(\p{N})", text):
            for piece in PIECES.findall(run):
                pieces = self.merge([letters[byte] for byte in piece.encode()])
                ids += [self.ids[token] for token in pieces]
        return ids

    def decode(self, ids: list[int]) -> str:
        """Read the tokens' letters as bytes again."""
        bytes_of = {letter: byte for byte, letter in enumerate(byte_letters())}
        raw = bytes(bytes_of[letter] for number in ids for letter in self.tokens[number])
        return raw.decode(errors="replace")


def reference(model: torch.nn.Module, ids: list[int], **options: object) -> dict[str, np.ndarray]:
    """Run the reference on one text and return hidden states, attention maps and logits."""
    with torch.no_grad():
        out = model(
            torch.tensor(ids)[None], output_attentions=True, output_hidden_states=True, **options
        )
    return {
        "ids": np.array(ids),
        "hidden": torch.cat(out.hidden_states).numpy(),
        "weights": torch.cat(out.attentions).numpy(),
        "logits": out.logits[0].numpy(),
    }


def silenced(model: torch.nn.Module, projection: str, *, columns: bool) -> torch.nn.Module:
    """Copy a model and silence two heads of its last layer, for which there is no switch."""
    model = copy.deepcopy(model)
    weight = model.get_submodule(projection).weight.data
    for head in (0, 2):
        part = slice(head * 8, (head + 1) * 8)
        if columns:
            weight[:, part] = 0
        else:
            weight[part] = 0
    return model


def randomised(model: torch.nn.Module) -> torch.nn.Module:
    """Shake the biases and norms, which start at zero and one and would hide mistakes."""
    for tensor in model.parameters():
        if tensor.ndim == 1:
            tensor.data += 0.3 * torch.randn_like(tensor)
    return model.eval()


def save(name: str, cases: dict[str, dict[str, np.ndarray]]) -> None:
    """Write all cases of one model into one file."""
    arrays = {f"{case}/{key}": a for case, found in cases.items() for key, a in found.items()}
    np.savez_compressed(HERE / name, **arrays)


def make_tiny_llama() -> None:
    """Write a small random Llama, six query heads on two key heads, and what it computes."""
    torch.manual_seed(20230227)
    sizes = {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "intermediate_size": 48}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.3}
    more = {"max_position_embeddings": 48, "rope_theta": 1000.0, "attn_implementation": "eager"}
    for tied, folder in ((False, "llama_tiny"), (True, "llama_tiny_tied")):
        config = LlamaConfig(**sizes, **heads, **more, tie_word_embeddings=tied)
        model = randomised(LlamaForCausalLM(config))
        model.save_pretrained(HERE / folder)
        (HERE / folder / "generation_config.json").unlink()
        ids = torch.randint(0, 96, (48,)).tolist()
        cases = {f"tokens-{n}": reference(model, ids[:n]) for n in (1, 2, 7, 23, 48)}
        still = torch.zeros(1, 7, dtype=torch.long)
        cases["no-positions"] = reference(model, ids[:7], position_ids=still)
        quiet = silenced(model, "model.layers.1.self_attn.o_proj", columns=True)
        cases["heads"] = reference(quiet, ids[:7])
        loud = copy.deepcopy(model)
        for layer in loud.model.layers:
            layer.self_attn.scaling = 1.0
        cases["no-scale"] = reference(loud, ids[:7])
        save(f"{folder}.npz", cases)


def make_tiny_gpt2() -> None:
    """Write a small random GPT-2 and what it computes."""
    torch.manual_seed(20190214)
    sizes = {"vocab_size": 96, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 48}
    sizes |= {"bos_token_id": 0, "eos_token_id": 0}
    config = GPT2Config(**sizes, initializer_range=0.3, attn_implementation="eager")
    model = randomised(GPT2LMHeadModel(config))
    model.save_pretrained(HERE / "gpt2_tiny")
    (HERE / "gpt2_tiny" / "generation_config.json").unlink()
    ids = torch.randint(0, 96, (48,)).tolist()
    cases = {f"tokens-{n}": reference(model, ids[:n]) for n in (1, 2, 7, 23, 48)}
    still = copy.deepcopy(model)
    still.transformer.wpe.weight.data.zero_()
    cases["no-positions"] = reference(still, ids[:7])
    cases["heads"] = reference(
        silenced(model, "transformer.h.1.attn.c_proj", columns=False), ids[:7]
    )
    loud = copy.deepcopy(model)
    for layer in loud.transformer.h:  # queries come first in the joint projection
        layer.attn.c_attn.weight.data[:, :32] *= 8**0.5
        layer.attn.c_attn.bias.data[:32] *= 8**0.5
    cases["no-scale"] = reference(loud, ids[:7])
    save("gpt2_tiny.npz", cases)


def make_smollm2(path: Path) -> None:
    """Write what the reference computes with SmolLM2 on every text, in little space."""
    model = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    tokenizer = PlainTokenizer(path)
    cases = {}
    for number, text in enumerate(WORDS["texts"]):
        found = reference(model, tokenizer.encode(text)[:LONGEST])
        best = np.argsort(-found["logits"], axis=-1, kind="stable")[:, :10]
        cases[f"text-{number}"] = {
            "ids": found["ids"],
            "top_ids": best,
            "top_logits": np.take_along_axis(found["logits"], best, axis=-1),
            "logits": found["logits"][:, ::512],
            "hidden": found["hidden"][::10, :, ::48],  # layers 0, 10, 20 and, normed, the last
            "weights": found["weights"][[0, 14, 29], :, -1],
        }
    for number, prompt in enumerate(WORDS["prompts"]):
        ids = tokenizer.encode(prompt)
        written = model.generate(
            torch.tensor(ids)[None], max_new_tokens=64, do_sample=False, eos_token_id=None
        )
        cases[f"prompt-{number}"] = {
            "ids": np.array(ids),
            "written": written[0, len(ids) :].numpy(),
        }
    save("llama_smollm2.npz", cases)
    make_tokens(tokenizer)


def make_tokens(tokenizer: PlainTokenizer) -> None:
    """Write how every awkward string is cut."""
    rows = []
    for text in WORDS["strings"]:
        ids = tokenizer.encode(text)
        rows.append({"text": text, "ids": ids, "decoded": tokenizer.decode(ids)})
    lines = ",\n".join(json.dumps(row) for row in rows)
    (HERE / "llama_tokens.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    make_tiny_llama()
    make_tiny_gpt2()
    make_smollm2(Path(sys.argv[1]))
