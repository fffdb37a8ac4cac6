"""What was fetched, and from what: a small file beside the files of a downloaded model."""

import json
from pathlib import Path
from typing import Any

from app.models.catalogue import Entry

STAMP = "fetched.json"


def sizes(folder: Path) -> dict[str, int]:
    """Give the size in bytes of each file in a folder but the stamp."""
    return {
        path.name: path.stat().st_size
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != STAMP
    }


def describe(entry: Entry, folder: Path) -> dict[str, Any]:
    """Say which hashes were checked and what was made from the checked files."""
    return {
        "wheel": entry.wheel.model_dump() if entry.wheel else None,
        "checked": {file.name: file.sha256 for file in entry.files},
        "sizes": sizes(folder),
    }


def write_stamp(entry: Entry, folder: Path) -> None:
    """Leave the stamp in a folder whose files were all checked."""
    text = json.dumps(describe(entry, folder), indent=2)
    (folder / STAMP).write_text(text + "\n", encoding="utf-8")


def is_whole(entry: Entry, folder: Path) -> bool:
    """Say whether a model was fetched from the wheel that the catalogue names, and is all there."""
    try:
        stamp: object = json.loads((folder / STAMP).read_text(encoding="utf-8"))
        return stamp == describe(entry, folder)
    except (OSError, ValueError):
        return False
