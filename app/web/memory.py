"""What was computed is kept for a while: bounded in bytes, and computed once however many ask."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import fields, is_dataclass
from threading import Lock

import numpy as np

from app.lab import Result

# A result is 10 kB to 5 MB (128 tokens, every head); a class works on few sentences at a time.
MOST_BYTES = 64_000_000
# What an object costs beside what it holds, about.
OBJECT = 64


def weigh(value: object, seen: set[int] | None = None) -> int:
    """Count the bytes that are held in memory for a value, each object once.

    Arrays of a model's file count nothing: they are mapped from it, and held by the model.

    Example:
        >>> weigh(np.zeros((10, 100), np.float32)) - OBJECT
        4000
    """
    seen = set() if seen is None else seen
    if id(value) in seen:
        return 0
    seen.add(id(value))
    return OBJECT + sum(weigh(part, seen) for part in parts(value)) + own_bytes(value, seen)


def own_bytes(value: object, seen: set[int]) -> int:
    """Count the bytes of an object itself; a view keeps the whole array that it looks at."""
    if isinstance(value, str | bytes):
        return sys.getsizeof(value)
    if not isinstance(value, np.ndarray):
        return 0
    owner = value
    while isinstance(owner.base, np.ndarray) and not isinstance(owner, np.memmap):
        owner = owner.base
    if isinstance(owner, np.memmap) or (owner is not value and id(owner) in seen):
        return 0
    seen.add(id(owner))
    return owner.nbytes if owner.base is None else 0


def parts(value: object) -> list[object]:
    """List what an object holds; a model's own objects hold nothing that is ours to count."""
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, tuple | list | set | frozenset):
        return list(value)
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name) for each in fields(value)]
    return []


class Memory:
    """Keeps the newest results, as many as fit; safe to ask from many threads at once."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Start with nothing kept."""
        self.most_bytes = most_bytes
        self.held = 0  # bytes
        self._kept: OrderedDict[Hashable, tuple[Result, int]] = OrderedDict()
        self._coming: dict[Hashable, Future[Result]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """How many results are kept."""
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Give what is kept under a key, or make it; who asks meanwhile waits for the same."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            coming = self._coming.get(key)
            mine = None if coming else self._coming.setdefault(key, Future())
        if mine is None:
            assert coming is not None  # noqa: S101 (one of the two is there)
            return coming.result()
        return self._make(key, make, mine)

    def _make(self, key: Hashable, make: Callable[[], Result], mine: Future[Result]) -> Result:
        try:
            result = make()
            self._keep(key, result, weigh(result))
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(result)
            return result
        finally:
            with self._lock:
                del self._coming[key]

    def _keep(self, key: Hashable, result: Result, size: int) -> None:
        with self._lock:
            self._kept[key] = (result, size)
            self.held += size
            while self.held > self.most_bytes:
                _, (_, freed) = self._kept.popitem(last=False)
                self.held -= freed
