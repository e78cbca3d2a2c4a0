"""The command that clusters a table and writes a release."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.commands import options
from hushmeans.commands.booking import ledger_to_debit, show_total
from hushmeans.commands.places import dataset_at, place_of
from hushmeans.errors import NOTHING_SPENT, InputError, LedgerError, costing

if TYPE_CHECKING:
    from hushmeans.ledger import Ledger
    from hushmeans.release import Release
    from hushmeans.schema import CSV, SQL, Schema
    from hushmeans.settings import Settings


def fit(
    k: options.ClusterNumber,
    epsilon: options.Epsilon,
    file: options.RecordsOrQuery = None,
    bounds: options.BoundsFile = None,
    schema: options.SchemaFile = None,
    delta: options.Delta = "0",
    method: options.MethodName = "refined",
    option: options.MethodOptions = None,
    rows_per_person: options.RowsPerPerson = 1,
    range_share: options.RangeShare = "0.1",
    rows: Annotated[
        int | None,
        options.whole_option(
            help="The approximate number of records, if public: prints a forecast first."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        options.whole_option(help="Simulate the noise from a seed: reproducible and NOT private."),
    ] = None,
    simulate: Annotated[
        bool,
        typer.Option(
            "--simulate", help="Confirm --seed when there is a ledger; nothing is debited."
        ),
    ] = False,
    columns: options.Columns = None,
    sql: options.Query = None,
    database: options.DatabaseUrl = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    cache: options.Cache = None,
    spark: Annotated[
        str | None,
        typer.Option(
            metavar="MASTER",
            help="Read the records on this Spark cluster, such as local[2], yarn or sc://host.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Where to write the release; an existing file is not replaced.")
    ] = Path("release.json"),
    dataset: options.LedgerDataset = None,
    ledger: options.LedgerAddress = None,
    no_ledger: options.NoLedger = False,
    release_id: Annotated[
        str | None,
        typer.Option(
            help="An id for this release; repeating the fit with the same id spends nothing more "
            "and resumes an interrupted fit."
        ),
    ] = None,
    strict: options.Strict = False,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Fit even if the forecast says that noise will dominate."),
    ] = False,
    title: Annotated[str | None, typer.Option(help="A title for the release.")] = None,
    owner: Annotated[str | None, typer.Option(help="Who publishes the release.")] = None,
    contact: Annotated[str | None, typer.Option(help="Where to ask about the release.")] = None,
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="The day of the release.")
    ] = None,
    description: Annotated[
        str | None, typer.Option(help="What the records are, for readers of the release.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Cluster a table with differential privacy and write a release that may be published.

    The budget is spent only if the release can be written. It is debited in the ledger first; a
    fit that would exceed the dataset's limit is refused. With --rows, a forecast is printed before
    any budget is spent, and the fit stops if noise will dominate. The actual number of records is
    private and never used for the forecast.
    """
    from hushmeans.commands.progress import bar
    from hushmeans.fitting import fit_release
    from hushmeans.release.about import About
    from hushmeans.schema import declared_schema

    declared = declared_schema(bounds, schema)
    about = About(title, owner, contact, date, description)
    to_debit = ledger_to_debit(ledger, dataset, release_id, strict=strict, none=no_ledger)
    place = place_of(file, sql, database, delimiter, encoding)
    name = None if to_debit is None else dataset or dataset_at(place)
    features = options.column_names(columns)
    settings = options.settings_of(k, epsilon, delta, method, option, rows_per_person, range_share)
    if rows is not None:
        _announce(rows, settings, declared, features, anyway=anyway, quiet=json)
    cost = NOTHING_SPENT
    with (
        costing(lambda: cost),
        _output_for(out, to_debit, release_id) as beside,
        _records(place, features, declared, spark) as records,
        bar() as watch,
    ):
        release = fit_release(
            records,
            settings,
            schema=declared,
            seed=seed,
            columns=features,
            cache=cache,
            watch=watch,
            ledger=to_debit,
            dataset=name,
            release_id=release_id,
            simulate=simulate,
            about=about,
        )
        cost = _cost(release)
        if beside is not None:
            beside.write_text(release.to_json(), encoding="utf-8")
    if json:
        typer.echo(release.to_json(), nl=False)
    else:
        from hushmeans.commands.terminal import show_release, show_suggestion

        show_release(release)
        show_suggestion(release)
        if rows is None:
            _hint(release)
        typer.echo(f"\n{release.statement()}\n\nWritten to {out}.")
    if to_debit is not None and release.booking is not None:
        show_total(to_debit, release.booking, named_after_file=dataset is None, quiet=json)


def _cost(release: Release) -> str:
    """What was spent on a release, for errors while it is written."""
    if release.simulated:
        return NOTHING_SPENT
    from hushmeans.ledger.standing import Amounts

    spent = f"ε = {Amounts.of(release.budget)} was spent"
    if release.booking is None:
        return spent
    return (
        f"{spent}; repeat the fit with --release-id {release.booking.release_id} to get the "
        "release from the ledger"
    )


def _records(
    place: str | CSV | SQL, features: list[str] | None, declared: Schema, spark: str | None
) -> AbstractContextManager[Any]:
    """Where the records are, or their table on a Spark cluster."""
    if spark is None:
        return nullcontext(place)
    if not isinstance(place, str):
        raise InputError(
            "with --spark the records must be in files that the cluster can read, and CSV files "
            "must use commas and UTF-8; remove --sql, --database, --delimiter and --encoding, and "
            "convert other CSV files first, for example to Parquet"
        )
    from hushmeans.curator.owner import read_on_spark

    person = () if declared.person is None else (declared.person,)
    names = features or declared.names
    chosen = None if names is None else [*names, *person]
    return read_on_spark(spark, place, chosen, [*declared.texts, *person])


def _announce(
    rows: int,
    settings: Settings,
    declared: Schema,
    columns: list[str] | None,
    *,
    anyway: bool,
    quiet: bool,
) -> None:
    """Print the forecast before a fit; stop if it is noise alone, unless told to go on.

    The number of records is private, so there is no forecast unless the user gives one.
    """
    from hushmeans.forecasting import forecast_of
    from hushmeans.surveys.range_finding import check_enough

    chosen = declared if columns is None else declared.only(columns)
    unit, unknown = settings.with_unit_of(chosen).rows_per_person, chosen.box().unknown
    if unknown and not anyway:
        check_enough(rows, settings.budget, len(unknown), settings.range_share, unit)
    verdict = forecast_of(settings, rows, None, chosen).verdict
    if verdict.level == "dominates" and not anyway:
        raise InputError(
            f"{verdict} To choose a larger epsilon or fewer clusters, use "
            "hushmeans plan; to fit anyway, add --anyway"
        )
    if not quiet:
        typer.echo(f"Forecast: {verdict}")


def _hint(release: Release) -> None:
    """Print how to forecast the noise, if it is visible in the release."""
    if release.noise_verdict().level != "negligible":
        typer.echo(
            "To forecast the noise before spending any budget, use hushmeans plan or hushmeans fit "
            "with --rows APPROXIMATE_NUMBER."
        )


def _output_for(
    out: Path, ledger: Ledger | None, release_id: str | None
) -> AbstractContextManager[Path | None]:
    """The file for the release; None if it already holds the one with this id."""
    from hushmeans.documents import written_whole

    if ledger is not None and release_id is not None and out.is_file():
        with suppress(LedgerError, UnicodeError):
            if ledger.stored(release_id) == out.read_text(encoding="utf-8"):
                return nullcontext(None)
    return written_whole(out, replace=False)
