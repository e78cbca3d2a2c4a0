"""Commands that other distributions add, and what to install for those that are missing."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

import typer

from hushmeans.errors import InputError

GROUP = "hushmeans.commands"
"""The entry points by which a distribution offers commands."""

KNOWN = {"reproduce": "hushmeans-experiments", "compare": "hushmeans-experiments"}
"""Commands that live elsewhere, and the distribution that has each."""


def register(app: typer.Typer) -> None:
    """Add every command that is offered, and a placeholder for each known one that is missing.

    The library's own commands cannot be replaced. A command that cannot be loaded says so when
    it is called and leaves the others alone.
    """
    own = [(each.name, each.callback) for each in app.registered_commands]
    own += [(each.name, None) for each in app.registered_groups]
    taken = {name or getattr(function, "__name__", "") for name, function in own}
    offered = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name in sorted(offered.keys() - taken):
        try:
            app.command(name)(_loaded(offered[name]))
        except Exception as error:  # another distribution's code may raise anything
            _add_placeholder(app, name, _broken(offered[name], error))
    for name in sorted(KNOWN.keys() - offered.keys()):
        _add_placeholder(app, name, _missing(name))


def _loaded(entry: EntryPoint) -> Callable[..., object]:
    """The function of a command, once Typer has shown that it can make a command of it."""
    function: Callable[..., object] = entry.load()
    alone = typer.Typer(add_completion=False)
    alone.command(entry.name)(function)
    typer.main.get_command(alone)
    return function


def _add_placeholder(app: typer.Typer, name: str, sentence: str) -> None:
    """A command that takes any arguments and answers with one sentence."""

    def refuse() -> None:
        raise InputError(sentence)

    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, hidden=True, add_help_option=False, context_settings=settings)(refuse)


def _missing(name: str) -> str:
    return (
        f"the command {name} is part of {KNOWN[name]}, which is not installed; "
        f"install it with pip install {KNOWN[name]}"
    )


def _broken(entry: EntryPoint, error: Exception) -> str:
    distribution = entry.dist.name if entry.dist else entry.value
    return (
        f"the command {entry.name} cannot be loaded from {distribution} "
        f"({type(error).__name__}); reinstall or remove {distribution}"
    )
