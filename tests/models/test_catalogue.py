"""The catalogue says what is true of the files that ship and of those that were fetched."""

import hashlib
import json

import pytest
from pydantic import ValidationError

from app.models.card import ModelCard
from app.models.catalogue import Catalogue, read_catalogue
from app.models.stamp import STAMP
from app.settings import ROOT, Settings

SHIPPED = ROOT / "models"
ENTRIES = read_catalogue(SHIPPED / "catalogue.toml")


def test_names_are_given_once():
    names = [entry.name for entry in ENTRIES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("entry", [e for e in ENTRIES if not e.wheel], ids=lambda e: e.name)
def test_a_model_that_ships_has_its_card_and_the_hashes_of_the_catalogue(entry):
    folder = SHIPPED / entry.name
    assert (folder / "CARD.md").read_text(encoding="utf-8").startswith("# ")
    for file in entry.files:
        found = hashlib.sha256((folder / file.path).read_bytes()).hexdigest()
        assert found == file.sha256, "exported anew? then `make hashes`"
    shipped = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert shipped - {"CARD.md", "scores.json", "curve.json"} == {f.path for f in entry.files}


def test_every_folder_that_ships_is_in_the_catalogue():
    folders = {path.name for path in SHIPPED.iterdir() if path.is_dir()}
    assert folders - {"downloaded"} == {entry.name for entry in ENTRIES if not entry.wheel}


def test_what_ships_is_small():
    files = [p for e in ENTRIES if not e.wheel for p in (SHIPPED / e.name).rglob("*")]
    assert sum(file.stat().st_size for file in files) < 40_000_000


def test_minilm_is_the_file_of_its_original_publication():
    minilm = next(entry for entry in ENTRIES if entry.name == "minilm")
    assert minilm.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.wheel], ids=lambda e: e.name)
def test_a_fetched_model_was_checked_against_the_catalogue(entry):
    stamp = Settings().models_dir / entry.name / STAMP
    if not stamp.exists():
        pytest.skip(f"{entry.name} is not fetched")
    checked = json.loads(stamp.read_text())["checked"]
    assert checked == {file.name: file.sha256 for file in entry.files}


def test_a_word_that_nobody_reads_is_an_error():
    entry = ENTRIES[0].model_dump() | {"colour": "red"}
    with pytest.raises(ValidationError, match="colour"):
        Catalogue.model_validate({"models": [entry]})


def test_weights_that_are_none_of_the_files_are_an_error():
    entry = ENTRIES[0].model_dump() | {"weights": "other.bin"}
    with pytest.raises(ValidationError, match=r"other\.bin"):
        Catalogue.model_validate({"models": [entry]})


@pytest.mark.parametrize(
    ("parameters", "said"),
    [(12, "12 parameters"), (389_248, "389 k parameters"), (22_713_216, "22.7 M parameters"),
     (1_240_000_000, "1.24 G parameters")],
)  # fmt: skip
def test_sizes_are_said_as_people_say_them(parameters, said):
    card = ModelCard("n", "t", "encoder", "toy", parameters, "", "", "", "", "")
    assert card.size == said
    assert card.badge == f"t · a toy · {said}"
