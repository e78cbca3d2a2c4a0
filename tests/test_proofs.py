"""The proofs speak of code that exists, and of all that needs a proof."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from hushmeans.curator import kernel, questions
from hushmeans.methods import registry

FOLDER = Path(__file__).parent.parent / "proofs"
PROOFS = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
NAMED = re.compile(r"`(hushmeans(?:\.\w+)+)`")


def named_in(path: Path) -> list[str]:
    return NAMED.findall(path.read_text(encoding="utf-8"))


def exists(name: str) -> bool:
    """Whether a dotted name leads to a module, a function, a class or a method."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            found = getattr(found, attribute, None)
        return found is not None
    return False


def test_a_name_that_does_not_exist_is_noticed() -> None:
    assert exists("hushmeans.curator.kernel.totals")
    assert not exists("hushmeans.curator.kernel.guess")
    assert not exists("hushmeans.nowhere.at_all")


@pytest.mark.parametrize("path", PROOFS, ids=lambda path: path.stem)
def test_every_function_named_in_a_proof_exists(path: Path) -> None:
    names = named_in(path)
    assert names
    assert [name for name in names if not exists(name)] == []


@pytest.mark.parametrize("path", PROOFS, ids=lambda path: path.stem)
def test_a_proof_has_its_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "Functions:" in text
    for part in ("Precondition", "Pseudocode", "Postcondition", "Argument", "Assumed"):
        assert f"\n## {part}\n" in text


def test_the_index_lists_every_proof() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert {f"({path.name})" for path in PROOFS} == set(re.findall(r"\(\w+\.md\)", index))


def test_every_question_and_every_method_is_proven() -> None:
    named = {name for path in PROOFS for name in named_in(path)}
    asked = {
        f"{value.__module__}.{name}"
        for name, value in vars(questions).items()
        if isinstance(value, type) and isinstance(getattr(value, "name", None), str)
    }
    assert asked
    assert asked <= named
    assert {f"{kernel.__name__}.{add_up.__name__}" for add_up in kernel.KERNELS.values()} <= named
    methods = {type(method) for method in registry.METHODS.values()}
    assert {f"{each.__module__}.{each.__name__}.find" for each in methods} <= named
