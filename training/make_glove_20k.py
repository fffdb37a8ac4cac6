"""The 20,000 commonest GloVe words as float16: the word vectors that ship.

    python -m training.make_glove_20k models/downloaded/glove models/glove-20k

Nothing is trained here; GloVe's list is in order of frequency, so the first rows are the ones.
"""

import argparse
from pathlib import Path

import numpy as np

WORDS = 20_000


def main() -> None:
    """Write words.txt and vectors.npy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder with all 400,000 words")
    parser.add_argument("target", type=Path)
    chosen = parser.parse_args()
    words = (chosen.source / "words.txt").read_text(encoding="utf-8").split("\n")[:WORDS]
    vectors = np.load(chosen.source / "vectors.npy", mmap_mode="r")[:WORDS]
    chosen.target.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{word}\n" for word in words)
    (chosen.target / "words.txt").write_text(text, encoding="utf-8")
    np.save(chosen.target / "vectors.npy", np.ascontiguousarray(vectors, np.float16))


if __name__ == "__main__":
    main()
