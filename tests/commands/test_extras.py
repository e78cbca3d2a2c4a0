"""Commands of other distributions: offered by entry point, missing, broken, or in the way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest
import typer
from typer.testing import CliRunner, Result

from hushmeans.commands import extras
from hushmeans.errors import InputError

Invoke = Callable[..., Result]


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """The command line as it is where these entry points are installed."""

    def call(entries: Sequence[EntryPoint], *arguments: str) -> Result:
        monkeypatch.setattr(extras, "entry_points", lambda group: entries)
        app = typer.Typer(name="hushmeans", add_completion=False, rich_markup_mode=None)
        app.command()(fit)
        app.command()(plan)
        extras.register(app)
        return CliRunner().invoke(app, arguments)

    return call


def fit() -> None:
    """Release clusters."""
    typer.echo("our own fit")


def plan() -> None:
    """Say what to expect."""


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, extras.GROUP)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> EntryPoint:
    """A distribution that offers `reproduce`."""
    module = ModuleType("somebodys_commands")

    def reproduce(quick: bool = False) -> None:
        """Repeat the experiments."""
        typer.echo(f"quick: {quick}")

    module.reproduce = reproduce  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "somebodys_commands", module)
    return entry("reproduce", "somebodys_commands:reproduce")


@pytest.mark.parametrize("name", ["reproduce", "compare"])
@pytest.mark.parametrize("arguments", [(), ("--quick",), ("--runs", "3", "more"), ("--help",)])
def test_without_the_experiments_the_answer_is_what_to_install(
    invoke: Invoke, name: str, arguments: tuple[str, ...]
) -> None:
    found = invoke([], name, *arguments)
    assert isinstance(found.exception, InputError)
    assert str(found.exception) == (
        f"the command {name} is part of hushmeans-experiments, which is not installed; "
        "install it with pip install hushmeans-experiments"
    )


def test_missing_commands_are_not_in_the_help(invoke: Invoke) -> None:
    assert "reproduce" not in invoke([], "--help").output


def test_an_offered_command_takes_its_options_and_is_in_the_help(
    invoke: Invoke, offered: EntryPoint
) -> None:
    assert invoke([offered], "reproduce", "--quick").output == "quick: True\n"
    assert "Repeat the experiments." in invoke([offered], "--help").output


@pytest.mark.parametrize(
    "value",
    [
        "nowhere_at_all:f",
        "sys:nothing",
        "this is no reference",
        "sys:maxsize",
        "hushmeans.fitting:fit_release",  # no command can be made of its parameters
    ],
)
def test_a_broken_command_says_so_and_leaves_the_others_alone(invoke: Invoke, value: str) -> None:
    broken = entry("theirs", value)
    shown = invoke([broken], "--help")
    assert shown.exit_code == 0
    assert "fit" in shown.output
    assert "theirs" not in shown.output
    assert invoke([broken], "fit").output == "our own fit\n"
    found = invoke([broken], "theirs", "--any")
    assert isinstance(found.exception, InputError)
    assert str(found.exception).startswith("the command theirs cannot be loaded from ")


def test_our_own_commands_cannot_be_replaced(invoke: Invoke, offered: EntryPoint) -> None:
    assert invoke([entry("fit", offered.value)], "fit").output == "our own fit\n"
