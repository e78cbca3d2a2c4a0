"""The command that clusters a table and writes what may be published."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.commands import options
from hushmeans.errors import HushmeansWarning, InputError, LedgerError, LedgerWarning, warn

if TYPE_CHECKING:
    from hushmeans.budget import Booking
    from hushmeans.ledger import Ledger
    from hushmeans.release import Release
    from hushmeans.settings import Settings


def fit(
    file: Annotated[
        str, typer.Argument(help="The records: a CSV, Parquet or Arrow file, or a folder of them.")
    ],
    k: options.Clusters,
    epsilon: options.Epsilon,
    bounds: Annotated[
        Path | None,
        typer.Option(help="The public range of every feature: a TOML file, age = [17, 90]."),
    ] = None,
    delta: options.Delta = "0",
    method: options.MethodName = "refined",
    option: options.MethodOptions = None,
    rows_per_person: options.RowsPerPerson = 1,
    rows: Annotated[
        int | None,
        typer.Option(help="Roughly how many records, if that is public: for a forecast first."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Simulate the noise: reproducible and NOT private.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="The features, separated by commas; all columns if not given."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="A folder for the encoded records: faster, takes disk space."),
    ] = None,
    spark: Annotated[
        str | None,
        typer.Option(metavar="MASTER", help="Read and add up in this Spark cluster, or local[2]."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Where to write the release.")] = Path("release.json"),
    dataset: Annotated[
        str | None,
        typer.Option(help="What the ledger calls these records; the file's name if not given."),
    ] = None,
    ledger: options.LedgerPlace = None,
    no_ledger: Annotated[
        bool, typer.Option("--no-ledger", help="Count this nowhere; the release will say so.")
    ] = False,
    release_id: Annotated[
        str | None,
        typer.Option(help="Your id for this release: asked for again, it is spent only once."),
    ] = None,
    show_nonprivate_progress: Annotated[
        bool,
        typer.Option(
            "--show-nonprivate-progress",
            help="Show how many records are read: exact, NOT private.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Cluster a table and write what may be published.

    The budget is spent only if the release can be written: an existing file is not replaced.
    It is debited in the ledger first, which refuses what is above the dataset's limit. With --rows
    the forecast's verdict comes before that; the number of records is never taken from the file.
    """
    from hushmeans.commands.progress import bar
    from hushmeans.fitting import fit_release

    books = _ledger(ledger, dataset, release_id, none=no_ledger)
    name = None if books is None else dataset or named_after(file)
    features = None if columns is None else columns.split(",")
    settings = options.settings_of(k, epsilon, delta, method, option, rows_per_person)
    if rows is not None:
        _announce(rows, settings, bounds, features, quiet=json)
    with (
        _place_for(out, books, release_id) as beside,
        _records(file, features, spark) as records,
        bar(show_nonprivate=show_nonprivate_progress) as watch,
    ):
        release = fit_release(
            records,
            settings,
            bounds=bounds,
            seed=seed,
            columns=features,
            cache=cache,
            watch=watch,
            ledger=books,
            dataset=name,
            release_id=release_id,
        )
        if beside is not None:
            beside.write_text(release.to_json(), encoding="utf-8")
    if json:
        typer.echo(release.to_json(), nl=False)
    else:
        from hushmeans.commands.terminal import show_release

        show_release(release)
        if rows is None:
            _hint(release)
        typer.echo(f"\n{release.statement()}\n\nWritten to {out}.")
    if books is not None and release.booking is not None:
        _show_total(books, release.booking, named_after_file=dataset is None, quiet=json)


def _records(
    file: str, features: list[str] | None, spark: str | None
) -> AbstractContextManager[Any]:
    """The file itself, or a table of it in a Spark cluster."""
    if spark is None:
        return nullcontext(file)
    from hushmeans.curator.owner import read_on_spark

    return read_on_spark(spark, file, features)


def _announce(
    rows: int,
    settings: Settings,
    bounds: Path | None,
    columns: list[str] | None,
    *,
    quiet: bool,
) -> None:
    """The forecast's verdict before a fit, and a warning if noise will dominate.

    The number of records is private, so without the user's word for it there is no forecast.
    """
    from hushmeans.forecasting import forecast_of
    from hushmeans.schema import Bounds

    declared = Bounds(bounds)
    box = (declared if columns is None else declared.only(columns)).box()
    verdict = forecast_of(settings, rows, box.n_features).verdict
    if verdict.level == "dominates":
        warn(str(verdict), HushmeansWarning)
    elif not quiet:
        typer.echo(f"Forecast: {verdict}")


def _hint(release: Release) -> None:
    """After a fit whose noise shows: how to see that before the next one."""
    if release.noise_verdict().level != "negligible":
        typer.echo(
            "To see beforehand what noise will do: hushmeans fit --rows ROUGHLY_HOW_MANY, or "
            "hushmeans plan, which spends nothing."
        )


def _place_for(
    out: Path, books: Ledger | None, release_id: str | None
) -> AbstractContextManager[Path | None]:
    """Where to write a release; None if the file holds the one with this id already."""
    from hushmeans.documents import written_whole

    if books is not None and release_id is not None and out.is_file():
        with suppress(LedgerError, UnicodeError):
            if books.stored(release_id) == out.read_text(encoding="utf-8"):
                return nullcontext(None)
    return written_whole(out, replace=False)


def named_after(file: str) -> str:
    """What a dataset is called that has no name of its own: like its file, without the ending."""
    from hushmeans.curator.owner import FORMAT_BY_SUFFIX

    name = Path(file).absolute().name
    ending = next((each for each in FORMAT_BY_SUFFIX if name.lower().endswith(each)), "")
    name = name.removesuffix(name[len(name) - len(ending) :]).strip()
    if not name.isprintable() or not name:
        raise InputError(f"{file!a}: no dataset can be called like this file; use --dataset")
    return name


def _ledger(
    place: str | None, dataset: str | None, release_id: str | None, *, none: bool
) -> Ledger | None:
    """The ledger a fit is to use; None only where that was said aloud."""
    if not none:
        from hushmeans.ledger import Ledger

        return Ledger(place)
    if place is not None or dataset is not None or release_id is not None:
        raise InputError(
            "--no-ledger contradicts --ledger, --dataset and --release-id; choose one or the other"
        )
    return None


def _show_total(ledger: Ledger, booking: Booking, *, named_after_file: bool, quiet: bool) -> None:
    """The running total after a fit, and a warning where nothing limits it.

    The release is written by now, so that a ledger that fails is no more than a warning.
    """
    try:
        standing = ledger.standing(booking.dataset)
    except LedgerError as error:
        warn(str(error), LedgerWarning)
        return
    if not quiet:
        source = " (named after the file, for want of --dataset)" if named_after_file else ""
        typer.echo(f"Ledger: {standing}{source}; release id {booking.release_id}.")
    if standing.limit is None:
        warn(
            f"the dataset {booking.dataset!r} has no limit; set one with "
            f"hushmeans budget set {quote(booking.dataset)} --epsilon TOTAL",
            LedgerWarning,
        )
