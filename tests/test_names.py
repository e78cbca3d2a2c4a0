"""One word, one thing: no public name is defined in two modules, except as listed here."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = (ROOT / "src" / "hushmeans", ROOT / "experiments" / "src")

PLAIN_FORM = "curator/reference.py has the plain form of this function of the kernel"
SAME_MEANING = {
    **dict.fromkeys(
        (
            "cells",
            "distances",
            "fill",
            "histograms",
            "lengths",
            "present",
            "profiles",
            "shifts",
            "size",
            "sizes",
            "snap",
            "spread",
            "spreads",
            "totals",
        ),
        PLAIN_FORM,
    ),
    **dict.fromkeys(
        ("nearest", "squared_distances"), "the kernel runs the compiled one in threads"
    ),
}
"""Names that mean the same in every module that defines them, and why."""


def defined_in(tree: ast.Module) -> Iterator[str]:
    """The public names that a module defines itself; type variables are local to it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign) and not _is_type_variable(node.value):
            found = (each for target in node.targets for each in ast.walk(target))
            names = [each.id for each in found if isinstance(each, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            continue
        yield from (name for name in names if not name.startswith("_"))


def _is_type_variable(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in ("TypeVar", "ParamSpec")
    )


@cache
def modules_by_name() -> dict[str, list[str]]:
    modules = defaultdict(list)
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            for name in set(defined_in(ast.parse(path.read_text(encoding="utf-8")))):
                modules[name].append(path.relative_to(package.parent).as_posix())
    return dict(modules)


def test_no_public_name_has_two_meanings() -> None:
    several = {name: found for name, found in modules_by_name().items() if len(found) > 1}
    assert {name: found for name, found in several.items() if name not in SAME_MEANING} == {}


def test_every_exception_is_still_needed() -> None:
    modules = modules_by_name()
    assert [name for name in SAME_MEANING if len(modules.get(name, ())) < 2] == []


def test_definitions_of_every_kind_are_found() -> None:
    code = (
        "def f(): ...\nclass C: ...\nA = B = 1\nX, Y = 1, 2\nN: int = 3\n"
        "T = TypeVar('T')\n_hidden = 1\nimport os\n"
    )
    assert set(defined_in(ast.parse(code))) == {"f", "C", "A", "B", "X", "Y", "N"}
