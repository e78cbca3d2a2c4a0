"""The command that counts, with privacy, how many rows people have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushmeans.commands import options
from hushmeans.commands.places import place_of
from hushmeans.commands.surveying import surveying

if TYPE_CHECKING:
    from hushmeans.surveys.person_rows import PersonRows


def person_rows(
    schema: Annotated[
        Path,
        typer.Option(help='A TOML file with the person column, such as person = "patient_id".'),
    ],
    file: options.RecordsOrQuery = None,
    epsilon: options.SmallEpsilon = "0.05",
    sql: options.Query = None,
    database: options.DatabaseUrl = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    cache: options.Cache = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the result as JSON; an existing file is not replaced."),
    ] = None,
    dataset: options.LedgerDataset = None,
    ledger: options.LedgerAddress = None,
    no_ledger: options.NoLedger = False,
    release_id: options.DebitId = None,
    strict: options.Strict = False,
    json: options.AsJson = False,
) -> None:
    """Count privately how many people have how many rows, to choose rows_per_person.

    The schema names the person column. One person adds 1 to one count, whatever the number of
    rows, so a small epsilon is enough. The budget is debited in the ledger before anything is
    counted. This command does not run on Spark: run it on the files themselves, or base the limit
    on how the data was collected.
    """
    from json import dumps

    from hushmeans.schema import Schema
    from hushmeans.surveys.person_rows import count_person_rows

    records = place_of(file, sql, database, delimiter, encoding)
    place = (records, out, ledger, dataset, release_id)
    with surveying(*place, strict=strict, no_ledger=no_ledger) as survey:
        counted = count_person_rows(
            records,
            Schema(schema),
            epsilon,
            cache=cache,
            watch=survey.watch,
            ledger=survey.ledger,
            dataset=survey.dataset,
            release_id=release_id,
        )
        document = dumps(counted.to_document(), indent=2) + "\n"
        survey.written(epsilon, document)
    if json:
        typer.echo(document, nl=False)
    else:
        _show(counted)
        if out is not None:
            typer.echo(f"Written to {out}.")
    survey.show_total(counted.booking, named_after_file=dataset is None, quiet=json)


def _show(counted: PersonRows) -> None:
    from rich.console import Console
    from rich.table import Table

    from hushmeans.release.numbers import percent

    choices = counted.choices()
    table = Table("rows per person", "people", title=f"± {counted.standard_error:,.0f} each")
    table.columns[1].justify = "right"
    few = f"fewer than {counted.threshold:,.0f}"
    for (low, high), count in list(zip(counted.bins, counted.counts, strict=True))[: len(choices)]:
        rows = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        table.add_row(rows, few if count < counted.threshold else f"{count:,}")
    last = counted.bins[len(choices)][0] - 1
    rest = (f"more than {last:,}", f"{few} in each further bin")
    table.add_row(*(rest if last else ("any number", f"{few} in each bin")))
    Console().print(table)
    if not choices:
        typer.echo(
            "All counts may be noise alone: there are too few people for this epsilon. Spend more, "
            "or base rows_per_person on how the data was collected."
        )
        return
    table = Table("rows_per_person", "people complete", "rows kept", "noise")
    for column in table.columns:
        column.justify = "right"
    for choice in choices:
        table.add_row(
            f"{choice.rows_per_person:,}",
            percent(choice.complete),
            f"about {percent(choice.kept)}",
            f"x {choice.noise_factor:,}",
        )
    Console().print(table)
