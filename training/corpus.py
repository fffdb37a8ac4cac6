"""The text the models learn from, and the rule that keeps held-out sentences apart.

The split looks at the English sentence alone, lower-cased and without punctuation, so that
"Tom is here." and "Tom is here!" always stand on the same side, in every model's training.
"""

import hashlib
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

HELD_OUT_SHARE = 2  # per cent


def is_held_out(english: str) -> bool:
    """Say whether a sentence is kept away from training, by a hash of its words."""
    words = " ".join(re.findall(r"\w+", english.casefold()))
    return int(hashlib.sha256(words.encode()).hexdigest()[:8], 16) % 100 < HELD_OUT_SHARE


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of an xz-compressed text file, stripped, without empty ones."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield line.strip()


def read_pairs(path: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Read English-German pairs as (training, held out)."""
    training, held_out = [], []
    for line in read_lines(path):
        english, german = line.split("\t")[:2]
        (held_out if is_held_out(english) else training).append((english, german))
    return training, held_out


def read_sentences(path: Path) -> tuple[list[str], list[str]]:
    """Read English sentences as (training, held out)."""
    training, held_out = [], []
    for line in read_lines(path):
        (held_out if is_held_out(line) else training).append(line)
    return training, held_out


def by_hash(texts: list[str]) -> list[str]:
    """Sort texts by their hash: a fixed order that has nothing to do with the alphabet."""
    return sorted(texts, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
