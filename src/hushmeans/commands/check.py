"""The command that compares records with their bounds, for the eyes of their owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from hushmeans.commands import options
from hushmeans.commands.places import place_of

if TYPE_CHECKING:
    from hushmeans.curator.owner import ColumnTally
    from hushmeans.schema import Schema

HINTS = {
    "number": " Numbers have a decimal point and no thousands separator, as in 1234.5.",
    "date": " Dates are written as 2020-01-31.",
}
"""What may be wrong with a column of which nothing can be read."""

HEADING = "NOT PRIVATE: exact counts from the records. Do not publish or forward them."


def check(
    file: options.RecordsOrQuery = None,
    bounds: options.BoundsFile = None,
    schema: options.SchemaFile = None,
    columns: options.Columns = None,
    sql: options.Query = None,
    database: options.DatabaseUrl = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    json: options.AsJson = False,
) -> None:
    """Count the values that are missing, unreadable or outside the bounds. NOT PRIVATE.

    A fit never reports bad values, because that would reveal something about the records: it
    clips values outside the bounds and treats values that are not numbers as missing. Run this
    first, for yourself only, to make sure that the bounds or the schema match the file.

    With --columns alone, it counts the values that are not numbers.
    """
    from hushmeans.curator.owner import tally_columns
    from hushmeans.schema import Schema, declared_schema

    place = place_of(file, sql, database, delimiter, encoding)
    names = options.column_names(columns)
    if names and bounds is None and schema is None:
        declared = Schema(dict.fromkeys(names, "find"))
    else:
        declared = declared_schema(bounds, schema)
    tallies = tally_columns(place, declared, names)
    if json:
        from json import dumps

        counts = [{key: n for key, n in vars(each).items() if n is not None} for each in tallies]
        typer.echo(dumps({"warning": HEADING, "columns": counts}))
    else:
        _show(tallies, declared)


def _show(tallies: tuple[ColumnTally, ...], declared: Schema) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    typer.echo(HEADING)
    table = Table()
    columns = ["feature", "values", "missing", "unreadable", "below\nbounds", "above\nbounds"]
    if any(each.other is not None for each in tallies):
        columns.append("other")
    for column in columns:
        table.add_column(
            column, justify="left" if column == "feature" else "right", overflow="fold"
        )
    for each in tallies:
        counts = (each.values, each.missing, each.unreadable, each.below, each.above, each.other)
        shown = ("" if count is None else f"{count:,}" for count in counts[: len(columns) - 1])
        table.add_row(Text(each.name), *shown)
    Console().print(table)
    if not any(each.values for each in tallies):
        typer.echo("The table has no records.")
    for each in tallies:
        if each.values and each.unreadable + each.missing == each.values:
            kind = declared.features.get(each.name)
            word = "number" if kind is None else kind.word
            wanted = f"{'an' if word == 'ordinal' else 'a'} {word}"
            hint = HINTS.get(word, "")
            typer.echo(f"No value of {each.name!r} is {wanted}: is this the right column?{hint}")
        if each.other and each.other == each.values:
            typer.echo(
                f"No value of {each.name!r} is one of its levels: are they spelled correctly?"
            )
