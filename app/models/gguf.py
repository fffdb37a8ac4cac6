"""GGUF to the files the course reads: weights as float32, a configuration, a tokenizer.

A GGUF file packs a whole model, its weights quantised, into one file made for llama.cpp. It is
read once, after the download; what is written here opens in milliseconds ever after, and every
worker process shares the same pages of it.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

Array = NDArray[np.float32]

# GGUF's short names and the checkpoint's own. The order is the order in the written file:
# queries, keys and values stand side by side there, so that one view covers all three.
LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
MODEL_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}

# How text is cut before byte pairs are merged; llama.cpp's name for it stands in the file.
# "smollm": every digit alone, then GPT-2's pattern (llama.cpp, src/llama-vocab.cpp).
PRE_TOKENIZERS = {
    "smollm": lambda: [pre_tokenizers.Digits(individual_digits=True), _gpt2_pieces()],
    "gpt-2": lambda: [_gpt2_pieces()],
    "default": lambda: [_gpt2_pieces()],
}

# Types of token in GGUF's metadata (gguf.TokenType): control tokens are never part of a text.
CONTROL, USER_DEFINED = 3, 4


class UnreadableGGUF(Exception):
    """The file holds a model of another kind than the engine runs; the message says which."""


def _gpt2_pieces() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)


def unpermute(weights: Array, heads: int) -> Array:
    """Put the rows of a query or key projection back in the order the rotation expects.

    llama.cpp rotates neighbouring features (0 with 1, 2 with 3, …), the checkpoint rotates the
    first half of a head against the second (0 with K/2, …). Its converter therefore interleaves
    the rows of each head; this takes them apart again.

    Shapes: (heads · K, D) -> (heads · K, D)

    Example:
        >>> unpermute(np.array([[0], [2], [1], [3]], np.float32), heads=1).ravel().tolist()
        [0.0, 1.0, 2.0, 3.0]

    Source: llama.cpp, convert_hf_to_gguf.py, LlamaModel.permute
    """
    rows, columns = weights.shape
    halves = weights.reshape(heads, rows // heads // 2, 2, columns)
    return halves.swapaxes(1, 2).reshape(rows, columns)


def checkpoint_name(name: str) -> str:
    """Give a GGUF tensor the name it has in the original checkpoint.

    Example:
        >>> checkpoint_name("blk.3.attn_q.weight")
        'model.layers.3.self_attn.q_proj.weight'
    """
    layer = re.fullmatch(r"blk\.(\d+)\.(\w+)\.(weight|bias)", name)
    if layer and layer[2] in LAYER_NAMES:
        return f"model.layers.{layer[1]}.{LAYER_NAMES[layer[2]]}.{layer[3]}"
    stem, _, kind = name.rpartition(".")
    if stem not in MODEL_NAMES:
        raise UnreadableGGUF(f"tensor {name!r} is none that a Llama model has")
    return f"{MODEL_NAMES[stem]}.{kind}"


def read_config(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Write the model's sizes, told in GGUF's words, in those of a `config.json`."""
    if (architecture := fields["general.architecture"]) != "llama":
        raise UnreadableGGUF(f"architecture {architecture!r}; only 'llama' is converted")
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "name": fields.get("general.name", ""),
        "hidden_size": fields["llama.embedding_length"],
        "intermediate_size": fields["llama.feed_forward_length"],
        "num_hidden_layers": fields["llama.block_count"],
        "num_attention_heads": fields["llama.attention.head_count"],
        "num_key_value_heads": fields["llama.attention.head_count_kv"],
        "vocab_size": len(fields["tokenizer.ggml.tokens"]),
        "rms_norm_eps": float(f"{fields['llama.attention.layer_norm_rms_epsilon']:.6g}"),
        "rope_theta": fields.get("llama.rope.freq_base", 10_000.0),
        "max_position_embeddings": fields["llama.context_length"],
        "hidden_act": "silu",
        "bos_token_id": fields.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": fields.get("tokenizer.ggml.eos_token_id"),
    }


def build_tokenizer(fields: Mapping[str, Any]) -> Tokenizer:
    """Rebuild the tokenizer from the vocabulary and the merges that the GGUF file carries."""
    kind, cut = fields["tokenizer.ggml.model"], fields.get("tokenizer.ggml.pre", "default")
    if kind != "gpt2" or cut not in PRE_TOKENIZERS:
        raise UnreadableGGUF(f"tokenizer {kind!r} with pre-tokenizer {cut!r} is not known here")
    tokens, types = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(PRE_TOKENIZERS[cut]())
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    for wanted, add in (
        (CONTROL, tokenizer.add_special_tokens),
        (USER_DEFINED, tokenizer.add_tokens),
    ):
        special = wanted == CONTROL
        found = [t for t, kind in zip(tokens, types, strict=True) if kind == wanted]
        add([AddedToken(token, normalized=False, special=special) for token in found])
    return tokenizer


def tokenizer_config(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what the tokenizer file has no place for: the chat template and the special tokens."""
    tokens = fields["tokenizer.ggml.tokens"]
    ids = {
        name: fields.get(f"tokenizer.ggml.{key}")
        for name, key in (("bos", "bos_token_id"), ("eos", "eos_token_id"))
    }
    return {
        "chat_template": fields.get("tokenizer.chat_template"),
        "add_bos_token": bool(fields.get("tokenizer.ggml.add_bos_token", False)),
        **{f"{name}_token": None if i is None else tokens[i] for name, i in ids.items()},
    }


def _place(tensor: Any) -> tuple[int, int]:
    """Sort by layer, and inside a layer as LAYER_NAMES does; what has no layer comes first."""
    part = tensor.name.split(".")
    return (int(part[1]), list(LAYER_NAMES).index(part[2])) if part[0] == "blk" else (-1, 0)


def _shapes(tensors: list[Any]) -> dict[str, tuple[int, ...]]:
    """Give each tensor's shape by its checkpoint name; GGUF counts dimensions from the last."""
    return {checkpoint_name(t.name): tuple(map(int, reversed(t.shape))) for t in tensors}


def _arrays(tensors: list[Any], config: Mapping[str, Any]) -> Iterator[Array]:
    """Dequantise one tensor after another, so that only one is held at a time."""
    from gguf.quants import dequantize  # noqa: PLC0415 - only the conversion needs this library

    heads = {
        "attn_q": config["num_attention_heads"],
        "attn_k": config["num_key_value_heads"],
    }
    for tensor in tensors:
        array = np.asarray(dequantize(tensor.data, tensor.tensor_type), np.float32)
        part = tensor.name.split(".")[-2]
        yield unpermute(array, heads[part]) if part in heads else array


def write_safetensors(
    path: Path, shapes: Mapping[str, tuple[int, ...]], arrays: Iterable[Array]
) -> None:
    """Write arrays one behind another, in the order given, as a safetensors file.

    The library's own writer sorts by name and wants all arrays at once; this one keeps the order
    and streams. The header is padded so that every tensor starts on a cache line (64 bytes).
    """
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    start = 0
    for name, shape in shapes.items():
        end = start + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in arrays:
            file.write(array.tobytes())


def convert(source: Path, folder: Path) -> None:
    """Write a GGUF file's model into a folder, completely or not at all.

    The folder gets model.safetensors (float32), config.json, tokenizer.json and
    tokenizer_config.json. They are written beside it first and moved there in one step, so that
    a conversion cut short leaves nothing that looks finished.

    Raises: UnreadableGGUF.
    """
    from gguf import GGUFReader  # noqa: PLC0415 - only the conversion needs this library

    reader = GGUFReader(source)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    config = read_config(fields)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".converting-", dir=folder.parent) as scratch:
        made = Path(scratch) / folder.name
        made.mkdir()
        tensors = sorted(reader.tensors, key=_place)
        config["tie_word_embeddings"] = all(tensor.name != "output.weight" for tensor in tensors)
        build_tokenizer(fields).save(str(made / "tokenizer.json"))
        for name, content in (("config", config), ("tokenizer_config", tokenizer_config(fields))):
            text = json.dumps(content, indent=2, ensure_ascii=False)
            (made / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        write_safetensors(made / "model.safetensors", _shapes(tensors), _arrays(tensors, config))
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
