"""MiniLM with all its attention maps and hidden states, against PyTorch and ONNX Runtime."""

import logging
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from transformers import BertModel

from app.engine.bert import BertConfig, check_weights, encode, plain_names
from app.engine.bert_fast import encode_fast
from app.models.kinds import read_json
from app.models.tensors import open_tensors
from benchmarks.models import folder_of
from benchmarks.timing import Row, Run, compare

LENGTHS = (16, 32, 64, 128, 256)


class WithMaps(torch.nn.Module):
    """The reference as one function of the ids: last hidden state and attention maps."""

    def __init__(self, model: BertModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Read one sentence, as a batch of one."""
        out = self.model(ids, output_attentions=True)
        return out.last_hidden_state, *out.attentions


def onnx_session(model: BertModel, folder: Path) -> onnxruntime.InferenceSession:
    """Export the reference; the exporter must be the new one, the old one's numbers are wrong."""
    path = folder / "encoder.onnx"
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    ids = torch.ones(1, 16, dtype=torch.int64)
    length = torch.export.Dim("tokens", min=2, max=512)
    options = {"dynamo": True, "dynamic_shapes": ({1: length},), "verbose": False}
    torch.onnx.export(WithMaps(model).eval(), (ids,), path, **options)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])


def measure() -> list[Row]:
    """Compare the encoder at five lengths, after making sure that all give the same numbers."""
    minilm = folder_of("minilm")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    model = BertModel.from_pretrained(minilm, attn_implementation="eager").eval()
    config = BertConfig.from_dict(read_json(minilm / "config.json"))
    weights = plain_names(open_tensors(minilm / "model.safetensors"))
    check_weights(weights, config)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        session = onnx_session(model, Path(folder))
        for tokens in LENGTHS:
            ids = np.random.default_rng(tokens).integers(1000, config.vocabulary, tokens)
            runs = rivals(model, session, ids)
            ours = encode_fast(ids, weights, config)
            for run in runs.values():
                np.testing.assert_allclose(ours.last, np.asarray(run())[0], atol=1e-4)
            runs["the readable encoder"] = lambda ids=ids: encode(ids, weights, config)
            fast = lambda ids=ids: encode_fast(ids, weights, config)  # noqa: E731
            rows += compare(f"encoder T={tokens}", fast, runs)
    return rows


def rivals(model: BertModel, session: Any, ids: np.ndarray) -> dict[str, Run]:
    """Give the other implementations as functions that return the last hidden states."""
    batch = torch.tensor(ids)[None]
    feed = {session.get_inputs()[0].name: ids[None]}
    options = {"output_attentions": True, "output_hidden_states": True}
    return {
        "PyTorch eager": lambda: model(batch, **options).last_hidden_state,
        "ONNX Runtime": lambda: session.run(None, feed)[0],
    }
