"""Weights from a safetensors file, without reading it: the pages of the file are the arrays.

The format is short enough to read here: eight bytes say how long the header is, the header is
JSON (each tensor's name, type, shape and place), and the numbers follow. Mapped into memory, a
file opens in a millisecond, and all worker processes share one copy of it.
"""

import json
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.models.errors import BrokenModel

Array = NDArray[np.float32]
# safetensors' names of the kinds of number a weight can be, and NumPy's. BF16 is read as the upper
# half of a float32, which is what it is.
FLOATS = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "F64": "<f8"}
LONGEST_HEADER = 100_000_000  # bytes; the limit of the reference implementation


@dataclass(frozen=True)
class Placed:
    """Where one tensor stands in the file."""

    name: str
    kind: str
    shape: tuple[int, ...]
    start: int  # bytes from the beginning of the file
    size: int  # bytes

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return int(np.prod(self.shape, dtype=np.int64))


def read_header(path: Path) -> tuple[Placed, ...]:
    """List the floating-point tensors of a file; a buffer of row numbers is no weight.

    Raises: BrokenModel, when the file is cut short or is no safetensors file.
    """
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(LONGEST_HEADER, path.stat().st_size):
                raise BrokenModel(f"{path.name} is no safetensors file, or is cut short")
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        placed = tuple(_places(header, 8 + length))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenModel(f"{path.name} cannot be read: {error!r}") from error
    end = path.stat().st_size
    for tensor in placed:
        wide = np.dtype(FLOATS[tensor.kind]).itemsize
        if tensor.count * wide != tensor.size or tensor.start + tensor.size > end:
            raise BrokenModel(f"{path.name} is cut short: {tensor.name} is not all there")
    return placed


def _places(header: dict[str, Any], base: int) -> Iterator[Placed]:
    for name, facts in header.items():
        if facts["dtype"] in FLOATS:
            start, end = (int(offset) for offset in facts["data_offsets"])
            shape = tuple(int(size) for size in facts["shape"])
            if start < 0 or end < start or any(size < 0 for size in shape):
                raise BrokenModel(f"{name} has an impossible place in the file")
            yield Placed(name, facts["dtype"], shape, base + start, end - start)


def open_tensors(path: Path) -> dict[str, Array]:
    """Give the weights of a file by name, as float32.

    What is float32 in the file is not read but mapped, read-only; smaller kinds are converted.

    Raises: BrokenModel.
    """
    placed = read_header(path)
    with path.open("rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return {tensor.name: _view(pages, tensor) for tensor in placed}


def _view(pages: mmap.mmap, tensor: Placed) -> Array:
    flat = np.frombuffer(pages, FLOATS[tensor.kind], tensor.count, tensor.start)
    if tensor.kind == "BF16":
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    weights: Array = flat.reshape(tensor.shape).astype(np.float32, copy=False)
    if weights.base is None:
        weights.flags.writeable = False
    return weights
