"""The rooms of the package and who imports what, read from the source with `ast`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

PACKAGE = "hushmeans"
TRUSTED = "curator"
"""The room that sees records and exact totals."""

Edges = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class House:
    """The modules of a package, grouped by room.

    Attributes
    ----------
    modules
        The text of every module, by its dotted name.
    """

    modules: Mapping[str, str]

    @classmethod
    def read(cls, source: Path) -> House:
        """The package in a source folder, such as ``src/hushmeans``."""
        return cls(
            {
                _module_name(path, source): path.read_text(encoding="utf-8")
                for path in sorted(source.rglob("*.py"))
            }
        )

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """For each module, the modules of the package that it imports."""
        return {name: frozenset(self._imported(text)) for name, text in self.modules.items()}

    @property
    def ground(self) -> tuple[str, ...]:
        """The flat modules that import only one another: every room may use them."""
        flat = {name.split(".")[1] for name in self.modules if name.count(".") == 1}
        packages = {name.split(".")[1] for name in self.modules if name.count(".") > 1}
        ground = flat - packages
        edges = self._edges(ground=())
        while above := {name for name in ground if edges[name] - ground}:
            ground -= above
        return tuple(sorted(ground))

    @property
    def rooms(self) -> Edges:
        """For each room, the rooms it imports from."""
        return self._edges(self.ground)

    @property
    def doors(self) -> Edges:
        """For each module of the trusted room that others import, the rooms that do."""
        inside = f"{PACKAGE}.{TRUSTED}."
        found: dict[str, set[str]] = {}
        for module, imported in self.imports.items():
            if not f"{module}.".startswith(inside) and room_of(module):
                for name in imported:
                    if name.startswith(inside):
                        found.setdefault(name.split(".")[2], set()).add(room_of(module))
        return {door: frozenset(guests) for door, guests in sorted(found.items())}

    @property
    def trusted_parts(self) -> tuple[str, ...]:
        """The modules and packages directly inside the trusted room."""
        inside = f"{PACKAGE}.{TRUSTED}."
        return tuple(
            sorted({name.split(".")[2] for name in self.modules if name.startswith(inside)})
        )

    def _imported(self, text: str) -> Iterator[str]:
        for module, name in _named_in_imports(text):
            whole = f"{module}.{name}" if name else module
            found = whole if whole in self.modules else module
            if found in self.modules:
                yield found

    def _edges(self, ground: tuple[str, ...]) -> Edges:
        found: dict[str, set[str]] = {}
        for module, imported in self.imports.items():
            here = room_of(module)
            if here and here not in ground:
                there = {room_of(name) for name in imported}
                found.setdefault(here, set()).update(there - {here, "", *ground})
        return {room: frozenset(edges) for room, edges in found.items()}


def room_of(module: str) -> str:
    """The first name below the package; empty for the package itself."""
    return f"{module}.".split(".")[1]


def levels(edges: Edges) -> dict[str, int]:
    """How far above the bottom each room stands: one more than the highest it imports from."""
    found: dict[str, int] = {}

    def level(room: str) -> int:
        if room not in found:
            found[room] = 1 + max((level(below) for below in edges[room]), default=-1)
        return found[room]

    for room in edges:
        level(room)
    return found


def essential(edges: Edges) -> Edges:
    """The edges that no longer path implies."""

    def reachable(room: str) -> frozenset[str]:
        return frozenset(edges[room]).union(*(reachable(below) for below in edges[room]))

    return {
        room: below - frozenset[str]().union(*(reachable(each) for each in below))
        for room, below in edges.items()
    }


@cache
def _named_in_imports(text: str) -> tuple[tuple[str, str], ...]:
    """The module of each import, and what is imported from it; empty for the module itself."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
    return tuple(found)


def _module_name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join((PACKAGE, *parts)).removesuffix(".__init__")
