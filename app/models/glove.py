"""GloVe's word list, out of its Parquet file, as plain text beside the vectors."""

import shutil
from pathlib import Path


def convert(source: Path, folder: Path) -> None:
    """Write words.txt, one word a line, commonest first, and vectors.npy as it was published.

    The vectors' file holds all first coordinates, then all second ones, and so on: the order in
    which a product with every vector at once is fastest.
    """
    import pyarrow.parquet  # noqa: PLC0415 - only the conversion needs this library

    words = pyarrow.parquet.read_table(source)["index"].to_pylist()
    if any(word.split() != [word] for word in words):
        raise ValueError("a word of the list is empty or holds a space")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    shutil.copyfile(source.with_name("glove_6B_50d_emb.npy"), folder / "vectors.npy")
