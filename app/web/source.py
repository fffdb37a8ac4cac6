"""The engine's source, served from the functions themselves: what a reader opens is what ran."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from app.catalogue import Lesson
from app.settings import ROOT
from app.web.highlight import highlight

Function = Callable[..., Any]


@dataclass(frozen=True)
class Listing:
    """One function as a reader sees it: its name, its place, its text."""

    name: str  # "attention.attend": module and function, as in the URL
    title: str
    about: str  # the docstring's first line
    file: str  # relative to the project
    line: int
    code: Markup


def name_of(function: Function) -> str:
    """Give the name by which a function's source is asked for."""
    return f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"


@cache
def listing(function: Function) -> Listing:
    """Read a function's own source."""
    lines, first = inspect.getsourcelines(function)
    path = Path(inspect.getsourcefile(function) or "")
    return Listing(
        name=name_of(function),
        title=f"{function.__name__}()",
        about=(inspect.getdoc(function) or "").split("\n", 1)[0],
        file=path.relative_to(ROOT).as_posix(),
        line=first,
        code=highlight("".join(lines)),
    )


def shown_functions(lessons: Iterable[Lesson]) -> dict[str, Function]:
    """List the functions that any lab shows, by name: nothing else can be opened."""
    return {
        name_of(function): function
        for lesson in lessons
        for lab in lesson.labs
        for function in lab.shows
    }
