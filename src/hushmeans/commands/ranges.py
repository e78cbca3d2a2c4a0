"""The command that finds ranges nobody knows, once for all fits that follow."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushmeans.commands import options
from hushmeans.commands.places import place_of
from hushmeans.commands.surveying import surveying
from hushmeans.errors import InputError

if TYPE_CHECKING:
    from hushmeans.surveys.range_finding import FoundRanges


def ranges(
    epsilon: options.SmallEpsilon,
    file: options.RecordsOrQuery = None,
    schema: Annotated[
        Path | None,
        typer.Option(help='A TOML file with range = "find" for the numbers to find.'),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns whose ranges to find, separated by commas; by default those with "
            '"find" in the schema.'
        ),
    ] = None,
    rows_per_person: options.RowsPerPerson = 1,
    rows: Annotated[
        int | None,
        options.whole_option(
            help="The approximate number of records, if public: if there are too few, the search "
            "is refused before any budget is spent."
        ),
    ] = None,
    sql: options.Query = None,
    database: options.DatabaseUrl = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    cache: options.Cache = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where to write the schema with all ranges; an existing file is not replaced."
        ),
    ] = None,
    dataset: options.LedgerDataset = None,
    ledger: options.LedgerAddress = None,
    no_ledger: options.NoLedger = False,
    release_id: options.DebitId = None,
    strict: options.Strict = False,
    json: options.AsJson = False,
) -> None:
    """Find unknown ranges privately and write a schema for all later fits.

    Ranges must not be taken from the records directly: the smallest and the largest value of a
    column are two people's values. Instead, this command counts the values in fixed intervals,
    with noise. The budget is debited in the ledger before anything is counted.

    A value that is not a number counts as missing, as in a fit. So run hushmeans check with the
    same --columns or --schema first: it shows whether a column of a CSV file has numbers.
    """
    from json import dumps

    from hushmeans.budget import Budget
    from hushmeans.schema import Schema
    from hushmeans.surveys.range_finding import check_enough, find_table_ranges

    names = options.column_names(columns)
    if schema is None and names is None:
        raise InputError(
            "nothing to find; name the columns whose ranges to find with --columns, or give a "
            '--schema with range = "find"'
        )
    declared = Schema(dict.fromkeys(names or (), "find")) if schema is None else Schema(schema)
    if rows is not None:
        chosen = declared if names is None else declared.only(names)
        n_unknown = len(chosen.box().unknown)
        check_enough(rows, Budget.of(epsilon), n_unknown, Fraction(1), rows_per_person)
    records = place_of(file, sql, database, delimiter, encoding)
    place = (records, out, ledger, dataset, release_id)
    with surveying(*place, strict=strict, no_ledger=no_ledger) as survey:
        found = find_table_ranges(
            records,
            declared,
            epsilon,
            rows_per_person=rows_per_person,
            columns=names,
            cache=cache,
            watch=survey.watch,
            ledger=survey.ledger,
            dataset=survey.dataset,
            release_id=release_id,
        )
        survey.written(epsilon, found.to_toml())
    if json:
        typer.echo(dumps(found.to_document(), indent=2))
    else:
        _show(found, out)
    survey.show_total(found.booking, named_after_file=dataset is None, quiet=json)


def _show(found: FoundRanges, out: Path | None) -> None:
    if out is None:
        typer.echo(found.to_toml(), nl=False)
    else:
        for name, each in found.found.items():
            typer.echo(f"{name}: from {each.low:,g} to {each.high:,g}")
        typer.echo(f"Written to {out}.")
    for name, each in found.found.items():
        if not each.is_sure:
            typer.echo(
                f"Too few values of {name!r} are numbers to find its range with this epsilon. "
                "Declare the range, or spend more; hushmeans check tells you whether the column "
                "has numbers at all."
            )
