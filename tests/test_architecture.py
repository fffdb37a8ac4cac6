"""What the project says of its own shape is true: sizes, layers, no inline code, README."""

import ast
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings import ROOT, Settings

ROOMS = ("app", "lessons", "training", "benchmarks", "tests")
PAGES = ("templates", "lessons")
LONGEST = {"*.py": 300, "*.html": 120, "*.js": 100}  # lines a file
LONGEST_FUNCTION = 30  # lines, docstring included
SECTIONS = ("Shapes", "Example", "Raises", "Source")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def files(pattern: str, *rooms: str) -> list[Path]:
    """All files of ours in some rooms: not what others wrote, nor an environment's libraries."""
    found = []
    for room in rooms:
        for folder, inner, names in os.walk(ROOT / room):
            inner[:] = sorted(n for n in inner if n != "vendor" and not n.startswith((".", "__")))
            found += [Path(folder, name) for name in sorted(names) if Path(name).match(pattern)]
    return found


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("pattern", LONGEST)
def test_no_file_is_longer_than_its_cap(pattern):
    ours = files(pattern, *ROOMS, "templates", "static")
    assert ours or pattern == "*.js"
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in ours}
    assert {path: n for path, n in lengths.items() if n > LONGEST[pattern]} == {}


def test_no_function_is_longer_than_its_cap():
    lengths = {
        f"{name(path)}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in files("*.py", *ROOMS)
        for node in functions(path)
    }
    assert {place: n for place, n in lengths.items() if n > LONGEST_FUNCTION} == {}


def imported(path: Path) -> set[str]:
    """The modules that a file imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)} imports relatively"
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", files("*.py", "app/engine"), ids=name)
def test_the_engine_imports_numpy_and_the_standard_library_only(path):
    for module in imported(path):
        top = module.split(".")[0]
        own = module == "app.engine" or module.startswith("app.engine.")
        assert own or top == "numpy" or top in sys.stdlib_module_names, module


@pytest.mark.parametrize("path", files("*.py", "lessons"), ids=name)
def test_a_lesson_reaches_only_the_lab_contract_and_what_lies_below(path):
    lesson = path.relative_to(ROOT / "lessons").parts[0].removesuffix(".py")
    rooms = ("lab", "reading", "figures", "models", "engine", "i18n")
    below = (*(f"app.{room}" for room in rooms), f"lessons.{lesson}")
    for module in imported(path):
        if module.split(".")[0] in {"app", "lessons"}:
            assert any(module == b or module.startswith(f"{b}.") for b in below), module


def test_nothing_that_runs_needs_what_only_tests_and_training_have():
    heavy = {"torch", "transformers", "plotly", "pytest", "hypothesis", "sacrebleu"}
    for path in files("*.py", "app", "lessons"):
        tops = {module.split(".")[0] for module in imported(path)}
        assert not tops & heavy, name(path)


INLINE = {
    "a script without src": re.compile(r"<script(?![^>]*\bsrc=)[^>]*>", re.IGNORECASE),
    "a style element": re.compile(r"<style\b", re.IGNORECASE),
    "a style attribute": re.compile(r"\sstyle\s*=", re.IGNORECASE),
    "an event handler": re.compile(r"\son[a-z]+\s*=", re.IGNORECASE),
    "an htmx handler": re.compile(r"\bhx-on\b|\bjs:", re.IGNORECASE),
    "a script address": re.compile(r"javascript:", re.IGNORECASE),
}


@pytest.mark.parametrize("what", INLINE)
def test_no_page_holds_inline_code(what):
    pages = files("*.html", *PAGES)
    texts = {
        name(path): re.sub(r"\{#.*?#\}", "", path.read_text(), flags=re.DOTALL) for path in pages
    }
    assert [path for path, text in texts.items() if INLINE[what].search(text)] == []


def test_no_page_script_or_style_sheet_loads_from_another_host():
    loads = re.compile(
        r"""(?:\bsrc=|<link[^>]*href=|@import|url\(|\bfrom\s|\bimport\s*\(?|fetch\()\s*["']?(?:https?:)?//"""
    )
    ours = [*files("*.html", *PAGES), *files("*.js", "static")]
    ours += files("*.css", "static")
    assert [name(path) for path in ours if loads.search(path.read_text(encoding="utf-8"))] == []


def test_every_module_class_and_public_function_says_in_a_sentence_what_it_is_for():
    silent = []
    for path in files("*.py", "app", "lessons"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        public = [n for n in tree.body if isinstance(n, kinds) and not n.name.startswith("_")]
        for node in (tree, *public):
            first = (ast.get_docstring(node) or "").split("\n")[0]
            if not first.endswith((".", "?", "!", ":")):
                silent.append(f"{name(path)}:{getattr(node, 'name', 'module')}")
    assert silent == []


def test_sections_of_a_docstring_stand_in_their_order():
    wrong = []
    for path in files("*.py", "app"):
        for node in functions(path):
            text = ast.get_docstring(node) or ""
            found = re.findall(rf"^({'|'.join(SECTIONS)}):", text, re.MULTILINE)
            if found != sorted(found, key=SECTIONS.index):
                wrong.append(f"{name(path)}:{node.name}")
    assert wrong == []


def test_the_readme_lists_every_setting_with_its_default_and_its_help():
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.+?) \| (.+?) \|$", README, re.MULTILINE)
    table = {name: (default, text) for name, default, text in rows}
    fields = Settings.model_fields
    assert list(table) == [field.upper() for field in fields]
    for field, info in fields.items():
        default, text = table[field.upper()]
        assert text == info.description
        if info.default and not info.default_factory and not isinstance(info.default, Path):
            assert default == f"`{info.default}`"


def test_the_readme_maps_every_room():
    block = re.search(r"## Map\n.*?```\n(.*?)```", README, re.DOTALL)
    assert block, "the README has no map"
    mapped = set(re.findall(r"^([\w./<>-]+?/)\s", block[1], re.MULTILINE))
    for room in mapped:
        assert "<" in room or (ROOT / room).is_dir(), room
    tracked = {f"{room}/" for room in (*ROOMS, "templates", "static", "models", "deploy")}
    assert tracked <= mapped


def test_the_readme_names_only_commands_that_there_are():
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", README)) <= rules


@pytest.mark.parametrize("path", sorted(ROOT.glob("requirements*.lock")), ids=name)
def test_a_lock_file_pins_by_hash_and_names_no_host(path):
    text = path.read_text()
    assert "://" not in text
    packages = re.findall(r"^[a-z0-9][^\n]*==.*?(?=^[a-z0-9]|\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(packages) > 10
    assert all("--hash=sha256:" in package for package in packages)


def test_every_dependency_is_locked_at_one_version_everywhere():
    locks = [
        dict(re.findall(r"^([a-z0-9-]+)==([^\s;\\]+)", path.read_text(), re.MULTILINE))
        for path in sorted(ROOT.glob("requirements*.lock"))
    ]
    everything: dict[str, set[str]] = {}
    for lock in locks:
        for package, version in lock.items():
            everything.setdefault(package, set()).add(version)
    assert {p: v for p, v in everything.items() if len(v) > 1} == {}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["dependencies"]) <= set(everything)


def test_every_setting_is_read_somewhere():
    code = "".join(path.read_text(encoding="utf-8") for path in files("*.py", "app"))
    assert [field for field in Settings.model_fields if f"ettings.{field}" not in code] == []


def test_settings_cannot_change_after_they_were_read():
    with pytest.raises(ValueError, match="frozen"):
        Settings().port = 1  # type: ignore[misc]


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("PORT", "8099")
    monkeypatch.setenv("MODELS", "small")
    assert (Settings().port, Settings().models) == (8099, "small")
