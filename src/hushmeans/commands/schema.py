"""The command that drafts a schema."""

from __future__ import annotations

from pathlib import Path
from shlex import join
from typing import Annotated

import typer

from hushmeans.commands import options


def schema(
    file: options.Records,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the draft, as TOML; by default it is printed."),
    ] = None,
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

    place = options.file_at(file, delimiter, encoding)
    text = draft(declared_types(place), named(file).rstrip("/").rpartition("/")[2])
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text_file(out, text, replace=False)
    told = {"--delimiter": delimiter, "--encoding": encoding}
    how = [word for option, value in told.items() if value is not None for word in (option, value)]
    again = join(
        ["hushmeans", "check", "URL" if "://" in file else file, *how, "--schema", str(out)]
    )
    typer.echo(f"Written to {out}. Fill in the blanks, then run {again}")
