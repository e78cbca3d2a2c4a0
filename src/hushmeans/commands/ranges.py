"""The command that finds ranges nobody knows, once for all fits that follow."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushmeans.commands import options
from hushmeans.commands.booking import ledger_to_debit, named_after, show_total
from hushmeans.errors import NOTHING_SPENT, InputError, costing

if TYPE_CHECKING:
    from hushmeans.surveys.range_finding import FoundRanges


def ranges(
    file: Annotated[
        str,
        typer.Argument(
            help="The records: a CSV, Parquet or Arrow file, a folder of them, or a URL."
        ),
    ],
    epsilon: Annotated[
        str, typer.Option(help="The privacy budget to spend; a small part of the whole will do.")
    ],
    schema: Annotated[
        Path | None,
        typer.Option(help='A TOML file in which numbers with range = "find" are to be found.'),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns whose ranges to find, separated by commas; by default those that "
            "the schema leaves open."
        ),
    ] = None,
    rows_per_person: options.RowsPerPerson = 1,
    rows: Annotated[
        int | None,
        typer.Option(
            help="The approximate number of records, if public: too few are refused before any "
            "budget is spent."
        ),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    cache: options.Cache = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the schema with all ranges; not over an existing file."),
    ] = None,
    dataset: options.LedgerDataset = None,
    ledger: options.LedgerAddress = None,
    no_ledger: options.NoLedger = False,
    release_id: options.DebitId = None,
    strict: options.Strict = False,
    json: options.AsJson = False,
) -> None:
    """Find ranges that nobody knows, with privacy, and write a schema for all later fits.

    Ranges must not be taken from the records as they are: the smallest and the largest value of a
    column are two people's values. This counts values between fixed numbers, with noise. The
    budget is debited in the ledger before anything is counted.
    """
    from json import dumps

    from hushmeans.budget import Budget
    from hushmeans.commands.progress import bar
    from hushmeans.documents import written_whole
    from hushmeans.schema import Schema
    from hushmeans.surveys.range_finding import check_enough, find_table_ranges

    names = options.column_names(columns)
    if schema is None and names is None:
        raise InputError(
            "name the columns whose ranges to find with --columns, or give a --schema in which "
            'they have range = "find"'
        )
    declared = Schema(dict.fromkeys(names or (), "find")) if schema is None else Schema(schema)
    to_debit = ledger_to_debit(ledger, dataset, release_id, strict=strict, none=no_ledger)
    name = None if to_debit is None else dataset or named_after(file)
    if rows is not None:
        chosen = declared if names is None else declared.only(names)
        n_unknown = len(chosen.box().unknown)
        check_enough(rows, Budget.of(epsilon), n_unknown, Fraction(1), rows_per_person)
    cost = NOTHING_SPENT
    with (
        costing(lambda: cost),
        nullcontext() if out is None else written_whole(out, replace=False) as beside,
        bar() as watch,
    ):
        found = find_table_ranges(
            options.file_at(file, delimiter, encoding),
            declared,
            epsilon,
            rows_per_person=rows_per_person,
            columns=names,
            cache=cache,
            watch=watch,
            ledger=to_debit,
            dataset=name,
            release_id=release_id,
        )
        cost = f"ε = {epsilon} was spent"
        if beside is not None:
            beside.write_text(found.to_toml(), encoding="utf-8")
    if json:
        typer.echo(dumps(found.to_document(), indent=2))
    else:
        _show(found, out)
    if to_debit is not None and found.booking is not None:
        show_total(to_debit, found.booking, named_after_file=dataset is None, quiet=json)


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
                f"There are too few records to find the range of {name!r} with this epsilon: "
                "declare it, or spend more."
            )
