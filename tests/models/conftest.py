"""A reader's own checkpoint, made from the one that ships; and whatever else is installed."""

import shutil
from pathlib import Path

import pytest

from app.models import Models
from app.settings import ROOT, Settings

SHIPPED = ROOT / "models"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for downloaded models."""
    (tmp_path / "downloaded").mkdir()
    return tmp_path / "downloaded"


@pytest.fixture
def own_bert(folder: Path) -> Path:
    """A folder with a whole BERT checkpoint, called tiny-bert."""
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (folder / "tiny-bert").mkdir(exist_ok=True)
        shutil.copyfile(SHIPPED / "random-encoder" / name, folder / "tiny-bert" / name)
    return folder / "tiny-bert"


@pytest.fixture(scope="session")
def full() -> Models:
    """All that is installed; tests of downloaded models are skipped where there is none."""
    return Models(Settings().models_dir)
