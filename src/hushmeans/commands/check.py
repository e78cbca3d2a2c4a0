"""The command that compares records with their bounds, for the eyes of their owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hushmeans.commands import options

if TYPE_CHECKING:
    from hushmeans.curator.owner import ColumnTally

HEADING = "NOT PRIVATE: exact counts from the records. Do not publish or forward them."


def check(
    file: Annotated[
        str, typer.Argument(help="The records: a CSV, Parquet or Arrow file, or a folder of them.")
    ],
    bounds: options.BoundsFile = None,
    columns: options.Columns = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    json: options.AsJson = False,
) -> None:
    """Count the values that are missing, unreadable or outside the bounds. NOT PRIVATE.

    A fit never reports bad values, because whether there are any is a fact about the records: it
    clips what is outside the bounds and treats what is not a number as missing. Run this first, on
    your own screen, to make sure that the file and the bounds are the right ones.
    """
    from hushmeans.curator.owner import tally_columns
    from hushmeans.schema import Bounds

    place = options.file_at(file, delimiter, encoding)
    tallies = tally_columns(place, Bounds(bounds), options.column_names(columns))
    if json:
        from json import dumps

        typer.echo(dumps({"warning": HEADING, "columns": [vars(each) for each in tallies]}))
    else:
        _show(tallies)


def _show(tallies: tuple[ColumnTally, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    typer.echo(HEADING)
    table = Table()
    for column in ("feature", "values", "missing", "unreadable", "below bounds", "above bounds"):
        table.add_column(column, justify="left" if column == "feature" else "right")
    for each in tallies:
        counts = (each.values, each.missing, each.unreadable, each.below, each.above)
        table.add_row(Text(each.name), *(f"{count:,}" for count in counts))
    Console().print(table)
    if not any(each.values for each in tallies):
        typer.echo("The table has no records.")
    for each in tallies:
        if each.values and each.unreadable + each.missing == each.values:
            typer.echo(f"No value of {each.name!r} is a number: is this the right column?")
