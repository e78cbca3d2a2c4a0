"""Options that several commands share, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.errors import InputError

if TYPE_CHECKING:
    from hushmeans.settings import Settings

Clusters = Annotated[int, typer.Option("--k", help="How many clusters to release.")]
Epsilon = Annotated[
    str, typer.Option(help="The privacy budget: smaller is more private and noisier.")
]
Delta = Annotated[str, typer.Option(help="Above 0: Gaussian noise.")]
MethodName = Annotated[
    str,
    typer.Option(
        "--method", help="refined, or allocation_nk (kccm), average_nk, allocation_k, average_k."
    ),
]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", help="A setting of the method, such as rounds=12, n=3 or merge=nearest."
    ),
]
RowsPerPerson = Annotated[int, typer.Option(help="At most how many rows belong to one person.")]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        help="A file or a PostgreSQL URL; HUSHMEANS_LEDGER or your own file if not given.",
    ),
]
ReleaseFile = Annotated[Path, typer.Argument(help="A release that fit has written.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def settings_of(
    k: int,
    epsilon: str,
    delta: str,
    method: str,
    option: list[str] | None,
    rows_per_person: int,
) -> Settings:
    """The settings of a fit, as the options above give them."""
    from hushmeans.settings import Settings

    method_options = dict(_name_and_value(text) for text in option or ())
    return Settings.of(k, epsilon, delta, method, method_options, rows_per_person)


def _name_and_value(text: str) -> tuple[str, Any]:
    """A method option as it is written on the command line, name=value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"the option {text!r} is not of the form name=value")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
