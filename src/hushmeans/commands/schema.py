"""The command that drafts a schema."""

from __future__ import annotations

from pathlib import Path
from shlex import join
from typing import Annotated

import typer

from hushmeans.commands import options
from hushmeans.commands.places import place_of


def schema(
    file: options.RecordsOrQuery = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the draft, as TOML; by default it is printed."),
    ] = None,
    sql: options.Query = None,
    database: options.DatabaseUrl = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
) -> None:
    """Draft a schema from the names and types of the columns; no value is read.

    The draft has blanks for ranges and levels. Fill them in from public knowledge: they become
    public, so they must not come from the records. A fit refuses the draft until then.
    """
    from hushmeans.curator.owner import declared_types, named
    from hushmeans.documents import write_text_file
    from hushmeans.schema import draft

    place = place_of(file, sql, database, delimiter, encoding)
    label = "the query" if file is None else named(file).rstrip("/").rpartition("/")[2]
    text = draft(declared_types(place), label)
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text_file(out, text, replace=False)
    told = {"--delimiter": delimiter, "--encoding": encoding}
    how = [word for option, value in told.items() if value is not None for word in (option, value)]
    if file is None:
        records = ["--sql", "QUERY", "--database", "URL"]
    else:
        records = ["URL" if "://" in file else file]
    again = join(["hushmeans", "check", *records, *how, "--schema", str(out)])
    typer.echo(f"Written to {out}. Fill in the blanks, then run {again}")
