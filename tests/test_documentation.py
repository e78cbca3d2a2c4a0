"""Documents use public names only, their links lead somewhere, their pictures are current."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import typer

import hushmeans
from helpers.pages import FENCED, commands_in
from hushmeans import opendp
from hushmeans.commands import main
from tools import import_graph
from tools.house import House, essential, levels

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("proofs/*.md")])
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
PUBLIC = [name for name in hushmeans.__all__ if not name.startswith("__")]

LINK = re.compile(r"\]\(([^()\s]+)\)")
MOST_WORDS = 1100


def code_in_page(text: str) -> Iterator[str]:
    """The Python of a Markdown page: doctests, and fenced blocks without prompts."""
    for language, block in FENCED.findall(text):
        if ">>>" not in block and language in ("python", "py"):
            yield block
    yield code_in_docstring(text)


def code_in_docstring(text: str) -> str:
    return "".join(example.source for example in doctest.DocTestParser().get_examples(text))


def docstrings(name: str) -> Iterator[str]:
    """Those of a public name and, for a class, of what it offers."""
    value = getattr(hushmeans, name)
    yield inspect.getdoc(value) or ""
    if inspect.isclass(value):
        for attribute, member in vars(value).items():
            if not attribute.startswith("_"):
                yield inspect.getdoc(member) or ""


def private_imports(code: str) -> list[str]:
    """What code imports from hushmeans that is not public."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names if each.name.startswith("hushmeans.")]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{each.name}" for each in node.names]
            if node.module == "hushmeans":
                found += [name for name in names if name.split(".")[1] not in hushmeans.__all__]
            elif node.module == "hushmeans.opendp":
                found += [name for name in names if name.split(".")[2] not in opendp.__all__]
            elif node.module.startswith("hushmeans."):
                found += names
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "hushmeans":
            found += [f"hushmeans.{node.attr}"] if node.attr not in hushmeans.__all__ else []
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_imports_public_names_only(path: Path) -> None:
    for code in code_in_page(path.read_text(encoding="utf-8")):
        assert private_imports(code) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_imports_public_names_only(path: Path) -> None:
    assert private_imports(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", PUBLIC)
def test_the_docstrings_of_a_public_name_import_public_names_only(name: str) -> None:
    for text in docstrings(name):
        assert private_imports(code_in_docstring(text)) == []


@pytest.mark.parametrize(
    "page",
    [
        "```python\n>>> from hushmeans.budget import Budget\n\n```\n",
        "```python\nfrom hushmeans.curator.kernel import answer\n```\n",
        "```python\n>>> import hushmeans.release\n\n```\n",
        "```python\n>>> from hushmeans import curator\n\n```\n",
        "```python\n>>> import hushmeans\n>>> hushmeans.release.Release\n\n```\n",
    ],
)
def test_a_planted_private_import_is_found(page: str) -> None:
    assert [name for code in code_in_page(page) for name in private_imports(code)] != []


def test_public_imports_are_not_mistaken_for_private_ones() -> None:
    assert private_imports("import hushmeans\nfrom hushmeans import DPKMeans\nhushmeans.nicv") == []


MADE_WITH_THE_SITE = ("api.md", "index.rst")
"""The list of public names, and that of the examples."""


def test_the_readme_is_short_and_names_what_a_newcomer_needs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= MOST_WORDS
    for word in ("make demo", "make test", "hushmeans.__all__", "(docs/guide/README.md)"):
        assert word in text
    assert "hushmeans.__all__" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_within_the_repository_leads_somewhere(path: Path) -> None:
    links = LINK.findall(path.read_text(encoding="utf-8"))
    local = [link.partition("#")[0] for link in links if "://" not in link]
    there = [link for link in local if link and Path(link).name not in MADE_WITH_THE_SITE]
    assert [link for link in there if not (path.parent / link).exists()] == []


def test_the_guides_index_lists_every_page() -> None:
    guide = ROOT / "docs" / "guide"
    index = LINK.findall((guide / "README.md").read_text(encoding="utf-8"))
    assert {path.name for path in guide.glob("*.md")} - {"README.md"} <= set(index)


def parse(arguments: list[str]) -> None:
    """Parse a command line as `hushmeans` would, without running it."""
    command: Any = main.command()
    context = None
    while hasattr(command, "commands") and arguments and not arguments[0].startswith("-"):
        context = typer.Context(command, parent=context)
        _, command, arguments = command.resolve_command(context, arguments)
    if "--help" not in arguments and "--version" not in arguments:
        command.make_context("hushmeans", list(arguments), parent=context)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_line_shown_is_accepted(path: Path) -> None:
    for arguments in commands_in(path.read_text(encoding="utf-8")):
        parse(arguments)


@pytest.mark.parametrize("line", ["fit a.csv --k 2 --epsilon 1 --clusters 3", "plant --rows 3"])
def test_a_command_line_with_a_mistake_is_found(line: str) -> None:
    with pytest.raises(Exception, match=r"No such (option|command)"):
        parse(line.split())


def test_the_pictures_of_the_architecture_are_current() -> None:
    assert import_graph.outdated() == [], "run python -m tools.import_graph"


def test_a_new_import_makes_the_pictures_outdated(tmp_path: Path) -> None:
    house = House.read(import_graph.SOURCE)
    text = house.modules["hushmeans.methods.merge"]
    planted = House(
        {**house.modules, "hushmeans.methods.merge": f"{text}\nimport hushmeans.curator.owner\n"}
    )
    assert import_graph.graph(planted) != import_graph.graph(house)
    assert import_graph.outdated(tmp_path) == list(import_graph.PICTURES)


def test_levels_and_essential_edges_of_a_small_house() -> None:
    edges = {room: frozenset(below) for room, below in (("a", "bc"), ("b", "c"), ("c", ""))}
    assert levels(edges) == {"a": 2, "b": 1, "c": 0}
    assert essential(edges) == {"a": {"b"}, "b": {"c"}, "c": set()}


def trace() -> tuple[list[str], list[str]]:
    """The functions that a fit enters and those it returns from, by name, in order."""
    entered: list[str] = []
    returned: list[str] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event in ("call", "return") and module.startswith("hushmeans."):
            name = f"{module.removeprefix('hushmeans.')}.{frame.f_code.co_qualname}"
            (entered if event == "call" else returned).append(name)

    model = hushmeans.DPKMeans(2, bounds=(0, 1))
    records = np.random.default_rng(0).uniform(size=(100, 2))
    sys.setprofile(watch)
    try:
        model.fit(records)
    finally:
        sys.setprofile(None)
    return entered, returned


def test_a_fit_takes_the_paths_that_the_architecture_shows() -> None:
    entered, returned = trace()
    for steps, seen in ((import_graph.RECORD, entered), (import_graph.ANSWER, returned)):
        functions = [step.function for step in steps]
        assert [each for each in functions if each not in seen] == []
        assert functions == sorted(functions, key=seen.index)
