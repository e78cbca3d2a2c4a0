"""Options that several commands share."""

from __future__ import annotations

from csv import reader
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.errors import InputError

if TYPE_CHECKING:
    from hushmeans.schema import CSV
    from hushmeans.settings import Settings


def whole_option(*names: str, **about: Any) -> Any:
    """An option that takes a whole number; 20.000 is none, though it may be meant as 20,000."""
    return typer.Option(*names, **about, parser=_whole_number, metavar="<int>")


def number_option(*names: str, **about: Any) -> Any:
    """An option that takes a number with a decimal point."""
    return typer.Option(*names, **about, parser=_number, metavar="<float>")


def _whole_number(text: str | int) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(
            f"{_beginning(text)!r} is not a whole number; write it without separators, such as "
            "20000"
        ) from None


def _number(text: str | float) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{_beginning(text)!r} is not a number; write it with a decimal point, such as 0.05"
        ) from None


def _beginning(text: object) -> str:
    shown = str(text)
    return shown if len(shown) <= 20 else f"{shown[:20]}…"


RECORDS = typer.Argument(
    help="The records: a CSV, Parquet or Arrow file, a folder of them, or a URL."
)
Records = Annotated[str, RECORDS]
RecordsOrQuery = Annotated[str | None, RECORDS]
Query = Annotated[
    str | None,
    typer.Option("--sql", metavar="QUERY", help="Read the rows of this query instead of a file."),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="The database of the query: postgresql://..., sqlite:///... or duckdb:///...; "
        "by default $HUSHMEANS_DATABASE.",
    ),
]
ClusterNumber = Annotated[int, whole_option("--k", help="The number of clusters to release.")]
Epsilon = Annotated[
    str,
    typer.Option(help="The privacy budget; smaller values give stronger privacy and more noise."),
]
SmallEpsilon = Annotated[
    str, typer.Option(help="The privacy budget to spend; a small part of the total is enough.")
]
Delta = Annotated[
    str,
    typer.Option(
        help="0 for pure differential privacy; above 0, such as 1e-6, for Gaussian noise."
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        help="refined, allocation_nk (alias kccm), average_nk, allocation_k or average_k.",
    ),
]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="A method option, such as rounds=12; may be repeated.",
    ),
]
RowsPerPerson = Annotated[int, whole_option(help="The maximum number of rows per person.")]
RangeShare = Annotated[
    str, typer.Option(help='The share of the budget for finding ranges, if any is "find".')
]
LedgerAddress = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        help="A SQLite file or a PostgreSQL URL; by default $HUSHMEANS_LEDGER, or a SQLite file "
        "in your data folder.",
    ),
]
LedgerDataset = Annotated[
    str | None,
    typer.Option("--dataset", help="The dataset's name in the ledger; by default the file's name."),
]
NoLedger = Annotated[
    bool,
    typer.Option("--no-ledger", help="Do not debit a ledger; the result will say so."),
]
DebitId = Annotated[
    str | None,
    typer.Option(
        "--release-id", help="An id for the debit; repeating it with the same id spends nothing."
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", help="A folder for encoded records beyond $HUSHMEANS_MEMORY."),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Refuse unless the ledger exists and has a limit for the dataset; "
        "also set by HUSHMEANS_STRICT=1.",
    ),
]
ReleaseFile = Annotated[Path, typer.Argument(help="A release written by hushmeans fit.")]
BoundsFile = Annotated[
    Path | None,
    typer.Option(help="A TOML file with the public range of each feature, such as age = [17, 90]."),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        help="Instead of --bounds: a TOML file with the kind of each feature (hushmeans schema)."
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        help="The columns to use as features, separated by commas; by default those in the bounds "
        "or the schema."
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        help=r"The character between the fields of a CSV file, such as ; or \t; by default a comma."
    ),
]
Encoding = Annotated[
    str | None, typer.Option(help="The encoding of a CSV file, such as latin-1; by default UTF-8.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def column_names(columns: str | None) -> list[str] | None:
    """The names in a list separated by commas, in quotes if they have any; None for all columns.

    Examples
    --------
    >>> column_names('age, body mass,"height, in cm"')
    ['age', 'body mass', 'height, in cm']
    """
    if columns is None:
        return None
    names = next(reader([columns], skipinitialspace=True), [])
    return [name.rstrip() for name in names]


def file_at(path: str, delimiter: str | None, encoding: str | None) -> str | CSV:
    """A file or a folder; with a delimiter or an encoding, it is CSV whatever its name.

    A tab may be written as shells leave it, as a backslash and a t.
    """
    if delimiter is None and encoding is None:
        return path
    from hushmeans.schema import CSV

    delimiter = "," if delimiter is None else delimiter.replace("\\t", "\t")
    return CSV(path, delimiter, encoding or "utf-8")


def settings_of(
    k: int,
    epsilon: str,
    delta: str,
    method: str,
    option: list[str] | None,
    rows_per_person: int,
    range_share: str,
) -> Settings:
    """The settings of a fit, from the options above."""
    from hushmeans.settings import Settings

    method_options = dict(_name_and_value(text) for text in option or ())
    return Settings.of(k, epsilon, delta, method, method_options, rows_per_person, range_share)


def _name_and_value(text: str) -> tuple[str, Any]:
    """The name and the value of a method option."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"the method option {text!r} is malformed; write it as name=value")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
