"""Writes the hashes of what ships into the catalogue: `make hashes`, after a new export."""

import hashlib
import re
import sys
from pathlib import Path

from app.models.catalogue import read_catalogue
from app.settings import ROOT

SHIPPED = ROOT / "models"


def rehash(text: str, folder: Path, name: str, path: str) -> str:
    """Put the hash of one file of a model into the catalogue's text.

    What stands between a model's name and its file is left as it is.
    """
    digest = hashlib.sha256((folder / path).read_bytes()).hexdigest()
    entry = re.compile(
        rf'(^name = "{re.escape(name)}"$(?:(?!^\[\[models\]\]$).)*?'
        rf'^path = "{re.escape(path)}"\nsha256 = ")[0-9a-f]*"',
        re.MULTILINE | re.DOTALL,
    )
    return entry.sub(lambda found: f'{found[1]}{digest}"', text, count=1)


def main() -> None:
    """Bring the hashes of all models that ship up to date, and say which have changed."""
    catalogue = SHIPPED / "catalogue.toml"
    before = text = catalogue.read_text(encoding="utf-8")
    for entry in read_catalogue(catalogue):
        for file in () if entry.wheel else entry.files:
            if not (SHIPPED / entry.name / file.path).is_file():
                sys.stdout.write(f"{entry.name}/{file.path} is not there\n")
                continue
            changed = rehash(text, SHIPPED / entry.name, entry.name, file.path)
            if changed != text:
                sys.stdout.write(f"{entry.name}/{file.path}\n")
            text = changed
    if text != before:
        catalogue.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
