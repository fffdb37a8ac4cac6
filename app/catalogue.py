"""The lessons there are: each a folder of `lessons/`, found by being there."""

import importlib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, model_validator

from app.lab import Lab


class BrokenLesson(Exception):
    """A lesson's folder does not hold what a lesson needs; the message says what."""


class Strict(BaseModel):
    """A table of a lesson's file: frozen, and with no word that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Source(Strict):
    """A reference at the end of a lesson, cited as [@id]."""

    id: str
    authors: str
    year: int
    title: str
    where: str
    url: str


class Facts(Strict):
    """What lesson.toml says."""

    title: str
    order: int
    question: str
    summary: str
    minutes: int
    sources: tuple[Source, ...]


class Answer(Strict):
    """One answer of a question, and why it is right or wrong."""

    text: str
    right: bool
    why: str


class Question(Strict):
    """A question of the quiz, with one right answer, and the section to read again."""

    text: str
    section: str
    answers: tuple[Answer, ...]

    @model_validator(mode="after")
    def _one_is_right(self) -> Self:
        if sum(answer.right for answer in self.answers) != 1:
            raise ValueError(f"exactly one answer must be right: {self.text}")
        return self


@dataclass(frozen=True)
class Lesson:
    """One lesson: its facts, its prose, its quiz, its labs."""

    slug: str  # as in the URL, with hyphens
    folder: Path
    facts: Facts
    prose: str  # Markdown
    quiz: tuple[Question, ...]
    labs: tuple[Lab, ...] = field(default=())

    def lab(self, slug: str) -> Lab | None:
        """Find one of this lesson's labs by its slug."""
        return next((lab for lab in self.labs if lab.slug == slug), None)


def find_lessons(folder: Path, language: str = "en") -> tuple[Lesson, ...]:
    """Read every lesson of a folder, in their order; English stands in for a missing language.

    Raises: BrokenLesson.
    """
    found = [read_lesson(file.parent, language) for file in sorted(folder.glob("*/lesson.toml"))]
    return tuple(sorted(found, key=lambda lesson: lesson.facts.order))


def read_lesson(folder: Path, language: str) -> Lesson:
    """Read one lesson from its folder.

    Raises: BrokenLesson, naming the folder and what is wrong in it.
    """
    try:
        return Lesson(
            slug=folder.name.replace("_", "-"),
            folder=folder,
            facts=Facts.model_validate(read_toml(folder / "lesson.toml")),
            prose=in_language(folder, "lesson", language, ".md").read_text(encoding="utf-8"),
            quiz=read_quiz(in_language(folder, "quiz", language, ".toml")),
            labs=read_labs(folder),
        )
    except (OSError, ValueError) as error:
        raise BrokenLesson(f"lessons/{folder.name}: {error}") from error


def in_language(folder: Path, name: str, language: str, suffix: str) -> Path:
    """Give a lesson's file in the language asked for, or in English."""
    wanted = folder / f"{name}.{language}{suffix}"
    return wanted if wanted.exists() else folder / f"{name}.en{suffix}"


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    with path.open("rb") as file:
        return tomllib.load(file)


def read_quiz(path: Path) -> tuple[Question, ...]:
    """Read a lesson's questions."""
    return tuple(Question.model_validate(q) for q in read_toml(path)["questions"])


def read_labs(folder: Path) -> tuple[Lab, ...]:
    """Import a lesson's labs; a lesson without any is a lesson still."""
    if not (folder / "labs.py").exists() and not (folder / "labs" / "__init__.py").exists():
        return ()
    module = importlib.import_module(f"lessons.{folder.name}.labs")
    labs: tuple[Lab, ...] = module.LABS
    return labs
