"""Commands that other distributions add, and what to install for those that are not there."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

import typer

from hushmeans.errors import InputError

GROUP = "hushmeans.commands"
"""The entry points by which a distribution offers commands."""

KNOWN = {"reproduce": "hushmeans-experiments", "compare": "hushmeans-experiments"}
"""Commands that live elsewhere, and the distribution that has each."""


def register(app: typer.Typer) -> None:
    """Add every command that is offered, and a placeholder for each known one that is missing."""
    offered = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name, entry in sorted(offered.items()):
        app.command(name)(entry.load())
    for name in KNOWN.keys() - offered.keys():
        settings = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command(name, hidden=True, context_settings=settings)(_missing(name))


def _missing(name: str) -> Callable[[], None]:
    def refuse() -> None:
        distribution = KNOWN[name]
        raise InputError(
            f"the command {name} is part of {distribution}, which is not installed; "
            f"install it with pip install {distribution}"
        )

    return refuse
