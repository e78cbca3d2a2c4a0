"""The command that prints a release: as a table, CSV, JSON or its privacy statement."""

from __future__ import annotations

from typing import Annotated

import typer

from hushmeans.commands import options
from hushmeans.errors import InputError


def show(
    release: options.ReleaseFile,
    csv: Annotated[bool, typer.Option("--csv", help="Print one row of CSV per cluster.")] = False,
    long: Annotated[
        bool, typer.Option("--long", help="Print one row of CSV per cluster and feature.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the release's JSON.")] = False,
    statement: Annotated[
        bool, typer.Option("--statement", help="Print only the privacy statement.")
    ] = False,
) -> None:
    """Print a release: its clusters, the verdict on the noise, and the guarantee."""
    from hushmeans.release import Release

    if sum((csv or long, json, statement)) > 1:
        raise InputError("--csv, --json and --statement cannot be combined; give one of them")
    loaded = Release.load(release)
    if csv or long:
        typer.echo(loaded.to_csv(form="long" if long else "wide"), nl=False)
    elif json:
        typer.echo(loaded.to_json(), nl=False)
    elif statement:
        typer.echo(loaded.statement())
    else:
        from hushmeans.commands.terminal import show_release, show_suggestion

        if loaded.about.title is not None:
            typer.echo(f"{loaded.about.title}\n")
        show_release(loaded)
        show_suggestion(loaded)
        typer.echo(f"\n{loaded.statement()}")
