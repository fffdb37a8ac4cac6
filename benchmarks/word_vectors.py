"""The ten nearest of 400,000 words, exactly: a slice at a time against the formula written down."""

from pathlib import Path

import numpy as np

from app.engine.vectors import lengths_of, nearest
from benchmarks.timing import Row, compare

GLOVE = Path(__file__).parents[1] / "models" / "downloaded" / "glove" / "vectors.npy"


def measure() -> list[Row]:
    """Compare the search with sorting all cosines."""
    table = np.load(GLOVE, mmap_mode="r")
    lengths = lengths_of(table)
    vector = np.array(table[1234])

    def by_formula() -> np.ndarray:
        cosines = table @ vector / (lengths * np.linalg.norm(vector))
        return np.argsort(-cosines)[:10]

    def ours() -> np.ndarray:
        return nearest(table, vector, 10, lengths=lengths).rows

    np.testing.assert_array_equal(ours(), by_formula())
    return compare(f"nearest 10 of {len(table):,}", ours, {"NumPy, all sorted": by_formula})
