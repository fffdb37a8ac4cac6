"""The card of a model: what every badge on a page is written from."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["trained", "toy", "random"]


@dataclass(frozen=True)
class ModelCard:
    """What a reader should know of the model that answered."""

    name: str  # as in a URL
    title: str  # as on the page
    role: str  # encoder, decoder, translator, word_vectors, …
    kind: Kind  # trained by others at scale; a toy of our own; random numbers
    parameters: int  # numbers in the weights
    trained_on: str
    language: str
    licence: str
    source: str  # where it comes from
    sha256: str  # of the weights; empty for a reader's own model that was not opened yet
    layers: int = 0
    heads: int = 0
    width: int = 0

    @property
    def size(self) -> str:
        """Say how many parameters, as people do.

        Example:
            >>> card = ModelCard("a", "A", "encoder", "toy", 22_713_216, "", "", "", "", "")
            >>> card.size
            '22.7 M parameters'
        """
        for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if self.parameters >= unit:
                return f"{self.parameters / unit:.3g} {letter} parameters"
        return f"{self.parameters} parameters"

    @property
    def badge(self) -> str:
        """Say in one line which model this is, and in so many words when it is random."""
        warning = {"trained": "", "toy": "a toy", "random": "RANDOM weights, trained on nothing"}
        facts = (self.title, warning[self.kind], self.size, self.language, self.licence)
        return " · ".join(fact for fact in facts if fact)
