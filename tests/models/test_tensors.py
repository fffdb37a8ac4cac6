"""Weights are mapped from the file, not read; what is cut short is named."""

import json
import mmap
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.models import BrokenModel
from app.models.tensors import open_tensors, read_header
from app.settings import ROOT

RANDOM = ROOT / "models" / "random-encoder" / "model.safetensors"


def written(path: Path, **tensors: np.ndarray) -> Path:
    save_file(tensors, path)
    return path


def root_of(array: np.ndarray) -> object:
    base: object = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    return base.obj if isinstance(base, memoryview) else base


def test_our_reader_gives_what_the_reference_library_gives():
    ours, theirs = open_tensors(RANDOM), load_file(RANDOM)
    assert ours.keys() == theirs.keys()
    for name, tensor in theirs.items():
        assert ours[name].dtype == np.float32
        assert np.array_equal(ours[name], tensor.astype(np.float32)), name


def test_a_float32_tensor_is_a_view_of_the_mapped_file(tmp_path):
    path = written(tmp_path / "w.safetensors", a=np.arange(6, dtype=np.float32).reshape(2, 3))
    tensor = open_tensors(path)["a"]
    assert isinstance(root_of(tensor), mmap.mmap)
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_nobody_can_write_into_the_weights(tmp_path, kind):
    tensor = open_tensors(written(tmp_path / "w.safetensors", a=np.ones(2, kind)))["a"]
    with pytest.raises(ValueError, match="read-only"):
        tensor[0] = 2


def test_half_precision_becomes_float32(tmp_path):
    path = written(tmp_path / "w.safetensors", a=np.array([0.5, -2], np.float16))
    assert open_tensors(path)["a"].tolist() == [0.5, -2.0]


def test_bfloat16_is_the_upper_half_of_a_float32(tmp_path):
    # 1.0 is 3F800000 and -2.5 is C0200000 in float32.
    raw = np.array([0x3F80, 0xC020], "<u2").tobytes()
    header = json.dumps({"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    path = tmp_path / "w.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + raw)
    assert open_tensors(path)["a"].tolist() == [1.0, -2.5]


def test_a_buffer_of_row_numbers_is_no_weight(tmp_path):
    path = written(tmp_path / "w.safetensors", a=np.ones(2, np.float32), ids=np.arange(4))
    assert list(open_tensors(path)) == ["a"]


def test_a_scalar_and_an_empty_tensor_are_read(tmp_path):
    path = written(tmp_path / "w.safetensors", a=np.array(3, "f4"), b=np.ones((0, 2), "f4"))
    tensors = open_tensors(path)
    assert tensors["a"].shape == ()
    assert tensors["b"].shape == (0, 2)


@pytest.mark.parametrize("keep", [0, 4, 8, 100, -1, -1000])
def test_a_file_cut_short_is_named(tmp_path, keep):
    path = tmp_path / "w.safetensors"
    path.write_bytes(RANDOM.read_bytes()[:keep])
    with pytest.raises(BrokenModel, match=r"w\.safetensors"):
        read_header(path)


@pytest.mark.parametrize(
    "header",
    [
        b"[1, 2]",
        b'{"a": 1}',
        b'{"a": {"dtype": "F32"}}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}',
        b'{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": ["x"], "data_offsets": [0, 4]}}',
        b"not json",
    ],
)
def test_a_header_that_lies_is_refused(tmp_path, header):
    path = tmp_path / "w.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\0\0")
    with pytest.raises(BrokenModel):
        read_header(path)
