"""Reading GGUF: a small file written here as llama.cpp's converter would, and SmolLM2's own."""

import json
from pathlib import Path

import gguf
import numpy as np
import pytest
from tokenizers import Tokenizer

from app.engine.llama import write_on
from app.models.card import ModelCard
from app.models.gguf import (
    UnreadableGGUF,
    build_tokenizer,
    checkpoint_name,
    convert,
    unpermute,
)
from app.models.kinds import open_decoder
from app.models.tensors import open_tensors
from app.settings import Settings

GOLDEN = Path(__file__).parents[1] / "engine" / "golden"
SMOLLM2 = Settings().models_dir / "smollm2"
needs_smollm2 = pytest.mark.skipif(
    not (SMOLLM2 / "model.safetensors").exists(), reason="SmolLM2 is not installed: make fetch"
)
SHORT = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
TOKENS = ["<|end|>", "<|user|>", "<tool>", *map(chr, range(34, 122)), "|", "Ġ", "he", "Ġhe", "lo"]
TEMPLATE = "{% for m in messages %}<|user|>{{ m['content'] }}<|end|>{% endfor %}<|user|>"


def permute(weights, heads):
    """Interleave the halves of each head, as convert_hf_to_gguf.py does."""
    return weights.reshape(heads, 2, -1, weights.shape[1]).swapaxes(1, 2).reshape(weights.shape)


def tensors():
    """Give the tiny Llama's tensors under GGUF's names, as llama.cpp's converter writes them."""
    for name, array in open_tensors(GOLDEN / "llama_tiny" / "model.safetensors").items():
        stem = name.removesuffix(".weight")
        layer = stem.split(".")[2] if "layers" in stem else None
        part = stem.split(f"layers.{layer}.")[-1]
        heads = {"self_attn.q_proj": 4, "self_attn.k_proj": 2}.get(part)
        short = SHORT[part] if layer is None else f"blk.{layer}.{SHORT[part]}"
        yield f"{short}.weight", np.array(permute(array, heads) if heads else array)


def write_gguf(path, *, architecture="llama", pre="smollm"):
    """Write the tiny Llama of the reference arrays as a GGUF file, with a vocabulary of its own."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(48)
    writer.add_embedding_length(32)
    writer.add_block_count(2)
    writer.add_feed_forward_length(48)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, 3, 4] + [1] * 93)
    writer.add_token_merges(["h e", "Ġ he", "l o"])
    writer.add_eos_token_id(0)
    writer.add_chat_template(TEMPLATE)
    for name, array in tensors():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def converted(tmp_path):
    convert(write_gguf(tmp_path / "tiny.gguf"), tmp_path / "models" / "tiny")
    return tmp_path / "models" / "tiny"


CARD = ModelCard("tiny", "Tiny", "decoder", "random", 1, "", "", "", "", "")


def test_a_permuted_projection_is_put_back():
    weights = np.arange(64, dtype=np.float32).reshape(16, 4)
    assert (unpermute(permute(weights, 2), 2) == weights).all()
    assert (unpermute(weights, 2) != weights).any()


def test_the_weights_come_back_as_they_were(converted):
    ours = open_tensors(converted / "model.safetensors")
    theirs = open_tensors(GOLDEN / "llama_tiny" / "model.safetensors")
    assert ours.keys() == theirs.keys()
    assert all((ours[name] == theirs[name]).all() for name in theirs)


def test_the_converted_model_computes_what_the_reference_computes(converted):
    model = open_decoder(converted, CARD)
    with np.load(GOLDEN / "llama_tiny.npz") as wanted:
        trace = write_on(wanted["tokens-23/ids"], model.weights, model.config)
        np.testing.assert_allclose(trace.logits, wanted["tokens-23/logits"], atol=1e-4)


def test_queries_keys_and_values_stand_side_by_side_and_every_tensor_on_a_cache_line(converted):
    raw = (converted / "model.safetensors").read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    assert (8 + length) % 64 == 0
    assert header.pop("__metadata__") == {"format": "pt"}
    place = {name: tensor["data_offsets"] for name, tensor in header.items()}
    attention = "model.layers.1.self_attn."
    q, k, v = (place[f"{attention}{part}_proj.weight"] for part in "qkv")
    assert (q[1], k[1]) == (k[0], v[0])
    assert all(start % 64 == 0 for start, _ in place.values())


def test_nothing_is_left_of_a_conversion_that_failed(tmp_path):
    path = write_gguf(tmp_path / "wrong.gguf", architecture="mamba")
    with pytest.raises(UnreadableGGUF, match="'mamba'"):
        convert(path, tmp_path / "models" / "tiny")
    assert not list(tmp_path.glob("models/*"))


def test_a_conversion_takes_the_place_of_an_older_one(converted, tmp_path):
    (converted / "old.txt").write_text("left over")
    convert(tmp_path / "tiny.gguf", converted)
    assert not (converted / "old.txt").exists()
    assert [path.name for path in converted.parent.iterdir()] == ["tiny"]


def test_an_unknown_way_of_cutting_text_is_refused_by_name(tmp_path):
    with pytest.raises(UnreadableGGUF, match="'tekken'"):
        convert(write_gguf(tmp_path / "a.gguf", pre="tekken"), tmp_path / "out")


def test_a_tensor_that_no_llama_has_is_refused_by_name():
    with pytest.raises(UnreadableGGUF, match=r"blk\.0\.ssm_a"):
        checkpoint_name("blk.0.ssm_a.weight")


def test_merges_special_tokens_and_the_chat_template_come_along(converted):
    tokenizer = Tokenizer.from_file(str(converted / "tokenizer.json"))
    assert tokenizer.encode("hello he").tokens == ["he", "l", "lo", "Ġhe"]
    assert tokenizer.encode("<|user|>12<tool>").tokens == ["<|user|>", "1", "2", "<tool>"]
    config = json.loads((converted / "tokenizer_config.json").read_text())
    assert config["chat_template"] == TEMPLATE
    assert (config["eos_token"], config["bos_token"]) == ("<|end|>", None)


def test_digits_stand_alone_for_smollm_and_stay_together_for_gpt2():
    fields = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": ["1", "2", "12"],
        "tokenizer.ggml.token_type": [1, 1, 1],
        "tokenizer.ggml.merges": ["1 2"],
    }
    cut = {
        pre: build_tokenizer({**fields, "tokenizer.ggml.pre": pre}).encode("12").tokens
        for pre in ("smollm", "gpt-2")
    }
    assert cut == {"smollm": ["1", "2"], "gpt-2": ["12"]}


@needs_smollm2
def test_smollm2_cuts_and_joins_awkward_strings_as_a_plain_reference_does():
    tokenizer = Tokenizer.from_file(str(SMOLLM2 / "tokenizer.json"))
    tokenizer.encode_special_tokens = True  # what is typed is text
    rows = json.loads((GOLDEN / "llama_tokens.json").read_text(encoding="utf-8"))
    assert len(rows) >= 60
    for row in rows:
        assert tokenizer.encode(row["text"]).ids == row["ids"], row["text"]
        assert tokenizer.decode(row["ids"], skip_special_tokens=False) == row["decoded"]
        assert row["decoded"] == row["text"]
