"""The models that labs ask for by role: each opened when first wanted, once, and held."""

import json
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from app.models.card import ModelCard
from app.models.catalogue import Entry, read_catalogue
from app.models.decoder import Decoder
from app.models.errors import NotInstalled, UnknownModel
from app.models.found import Installed, find_models
from app.models.kinds import Encoder, WordVectors
from app.models.trained import RecallNetworks, Translator
from app.settings import ROOT, Settings

SHIPPED = ROOT / "models"
Model = TypeVar("Model")


class Models:
    """What is installed, by role; safe to ask from many threads at once."""

    def __init__(
        self, downloaded: Path | None, shipped: Path = SHIPPED, catalogue: Path | None = None
    ) -> None:
        """Look at what is there; nothing is opened yet."""
        self.catalogue = read_catalogue(catalogue or SHIPPED / "catalogue.toml")
        self._installed = find_models(self.catalogue, shipped, downloaded)
        self._opened: dict[str, object] = {}
        self._locks = {found.card.name: Lock() for found in self._installed}

    @classmethod
    def from_settings(cls, settings: Settings) -> "Models":
        """Look where the settings say; `small` looks only at what ships."""
        return cls(settings.models_dir if settings.models == "full" else None)

    def choices(self, role: str) -> tuple[ModelCard, ...]:
        """Give the cards of all installed models of a role, the best first."""
        return tuple(found.card for found in self._installed if role in found.roles)

    def cards(self) -> tuple[ModelCard, ...]:
        """Give the cards of all installed models."""
        return tuple(found.card for found in self._installed)

    def missing(self) -> tuple[Entry, ...]:
        """Name the models of the catalogue that are not installed."""
        have = {card.name for card in self.cards()}
        return tuple(entry for entry in self.catalogue if entry.name not in have)

    def has(self, role: str) -> bool:
        """Say whether any model of a role is installed."""
        return bool(self.choices(role))

    def get(self, role: str, name: str = "") -> object:
        """Open a model of a role, the best one unless a name says which.

        Raises: NotInstalled, UnknownModel, BrokenModel.
        """
        found = self._find(role, name)
        key = found.card.name
        if key not in self._opened:
            with self._locks[key]:
                if key not in self._opened:
                    self._opened[key] = found.open()
        return self._opened[key]

    def _find(self, role: str, name: str) -> Installed:
        fitting = [found for found in self._installed if role in found.roles]
        if not fitting:
            raise NotInstalled(f"no {role} is installed; `make fetch` downloads what there is")
        if not name:
            return fitting[0]
        for found in fitting:
            if found.card.name == name:
                return found
        names = ", ".join(found.card.name for found in fitting)
        raise UnknownModel(f"there is no {role} called {name!r}; choose one of: {names}")

    def encoder(self, name: str = "") -> Encoder:
        """Open an encoder."""
        return expect(Encoder, self.get("encoder", name))

    def decoder(self, name: str = "") -> Decoder:
        """Open a decoder."""
        return expect(Decoder, self.get("decoder", name))

    def word_vectors(self, name: str = "") -> WordVectors:
        """Open a table of word vectors."""
        return expect(WordVectors, self.get("word_vectors", name))

    def masked_lm(self, name: str = "") -> Encoder:
        """Open an encoder with a head that fills blanks."""
        return expect(Encoder, self.get("masked_lm", name))

    def causal_lm(self, name: str = "") -> Decoder:
        """Open the decoder that is BERT's block under a causal mask."""
        return expect(Decoder, self.get("causal_lm", name))

    def translator(self, name: str = "") -> Translator:
        """Open an encoder–decoder."""
        return expect(Translator, self.get("translator", name))

    def recall(self, name: str = "") -> RecallNetworks:
        """Open the networks that were trained to remember pairs."""
        return expect(RecallNetworks, self.get("recall", name))

    def record(self, name: str, file: str) -> Any:
        """Read what was kept of an installed model's training: scores.json or curve.json.

        None, when there is no such model here or nothing was kept.
        """
        for found in self._installed:
            path = found.folder / file
            if found.card.name == name and path.is_file():
                return json.loads(path.read_text(encoding="utf-8"))
        return None


def expect(kind: type[Model], model: object) -> Model:
    """Hand on a model, sure of its kind.

    Raises: TypeError, when the catalogue gives a model a role that it cannot play.
    """
    if not isinstance(model, kind):
        raise TypeError(f"a {kind.__name__} was wanted, this is a {type(model).__name__}")
    return model
