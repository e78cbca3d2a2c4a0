"""The command line: thin commands over the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans import budget_command, command_options, plan_command, report_command
from hushmeans.errors import HushmeansError
from hushmeans.version import __version__

if TYPE_CHECKING:
    from hushmeans.types import IntArray

app = typer.Typer(
    name="hushmeans",
    help="Differentially private k-means clustering.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.add_typer(budget_command.app, name="budget")
app.command()(plan_command.plan)
app.command()(report_command.report)

USERS_MISTAKE = 2


def main(arguments: list[str] | None = None) -> None:
    """Run a command; a user's mistake ends in one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # some terminals cannot show ε or ±
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            sys.exit(app(args=arguments, prog_name="hushmeans", standalone_mode=False))
    except (HushmeansError, Warning, typer.TyperException) as error:
        _fail(error.format_message() if isinstance(error, typer.TyperException) else str(error))
    except MemoryError:
        _fail("this takes more memory than there is; ask for fewer clusters or less data")
    except OSError as error:
        _fail(f"{error.filename or 'input/output'}: {error.strerror or type(error).__name__}")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"hushmeans {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def fit(
    file: Annotated[
        str, typer.Argument(help="The records: a CSV, Parquet or Arrow file, or a folder of them.")
    ],
    k: command_options.Clusters,
    epsilon: command_options.Epsilon,
    bounds: Annotated[
        Path | None,
        typer.Option(help="The public range of every feature: a TOML file, age = [17, 90]."),
    ] = None,
    delta: command_options.Delta = "0",
    method: command_options.Method = "refined",
    option: command_options.MethodOption = None,
    rows_per_person: command_options.RowsPerPerson = 1,
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
    ledger: budget_command.Place = None,
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
    from hushmeans.fitting import fit_release
    from hushmeans.progress import bar

    books = budget_command.ledger_for_fit(ledger, dataset, release_id, none=no_ledger)
    name = None if books is None else dataset or budget_command.named_after(file)
    features = None if columns is None else columns.split(",")
    options = dict(plan_command.setting(text) for text in option or ())
    plan_command.announce(
        rows,
        k,
        epsilon,
        delta,
        method,
        options,
        rows_per_person,
        bounds,
        columns=features,
        quiet=json,
    )
    with (
        budget_command.place_for(out, books, release_id) as beside,
        _records(file, features, spark) as records,
        bar(show_nonprivate=show_nonprivate_progress) as watch,
    ):
        release = fit_release(
            records,
            n_clusters=k,
            bounds=bounds,
            epsilon=epsilon,
            delta=delta,
            method=method,
            method_options=options,
            rows_per_person=rows_per_person,
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
        from hushmeans.terminal import show_release

        show_release(release)
        plan_command.hint(release, rows)
        typer.echo(f"\n{release.statement()}\n\nWritten to {out}.")
    if books is not None and release.booking is not None:
        budget_command.show_total(
            books, release.booking, named_after_file=dataset is None, quiet=json
        )


@app.command()
def predict(
    release: Annotated[Path, typer.Argument(help="A release that fit has written.")],
    file: Annotated[
        Path, typer.Argument(help="New records: a CSV, Parquet or Arrow file, or a folder of them.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where to write the clusters, as CSV; else printed.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of CSV.")] = False,
) -> None:
    """Say which released cluster each record of a table belongs to.

    The labels are not private: they are for those who may see the records.
    """
    from hushmeans.files import written_whole
    from hushmeans.release import Release

    pieces = _listed(Release.load(release).labels(file), json)
    if out is None:
        for piece in pieces:
            typer.echo(piece, nl=False)
        return
    with (
        written_whole(out, replace=False) as beside,
        beside.open("w", encoding="utf-8", newline="\n") as text,
    ):
        text.writelines(pieces)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The folder for the files of the demo.")] = Path("demo"),
    rows: Annotated[int, typer.Option(help="How many patients to make up.")] = 40_000,
    epsilon: Annotated[str, typer.Option(help="The privacy budget.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Make up a table of patients, cluster it with and without privacy, and draw both."""
    from pyarrow import csv

    from hushmeans.arguments import whole_number
    from hushmeans.demo import BOUNDS, compare, draw, patients
    from hushmeans.files import written_whole
    from hushmeans.fitting import fit_release
    from hushmeans.progress import bar

    table = patients(whole_number("rows", rows, at_least=100))
    with bar() as watch:
        release = fit_release(table, n_clusters=5, bounds=BOUNDS, epsilon=epsilon, watch=watch)
    out.mkdir(parents=True, exist_ok=True)
    with written_whole(out / "patients.csv") as beside:
        csv.write_csv(table, beside)
    with written_whole(out / "bounds.toml") as beside:
        lines = (f"{name} = [{low:g}, {high:g}]\n" for name, (low, high) in BOUNDS.items())
        beside.write_text("".join(lines), encoding="utf-8")
    release.save(out / "release.json")
    comparison = compare(table, release)
    with written_whole(out / "clusters.png") as beside:
        draw(comparison, beside)
    if json:
        typer.echo(release.to_json(), nl=False)
        return
    from hushmeans.terminal import show_comparison

    show_comparison(comparison)
    names = ("patients.csv", "bounds.toml", "release.json", "clusters.png")
    typer.echo(f"\n{release.statement()}\n\nWritten to {out}: {', '.join(names)}.")


@app.command()
def reproduce(
    out: Annotated[Path, typer.Option(help="The folder for results; it can be continued.")] = Path(
        "reproduction"
    ),
    runs: Annotated[int, typer.Option(help="Runs per point of a curve.")] = 1000,
    ablation_runs: Annotated[
        int, typer.Option(help="Runs per point of the ablations; 0 for none.")
    ] = 200,
    quick: Annotated[
        bool, typer.Option("--quick", help="60 runs a point, no ablations: about two minutes.")
    ] = False,
    datasets: Annotated[
        str, typer.Option(help="Which datasets, separated by commas.")
    ] = "blood,adult,tripadvisor,electrical,ratings,credit",
    figures: Annotated[str, typer.Option(help="Which figures, such as 1-6,8.")] = "1-12",
    jobs: Annotated[
        int | None, typer.Option(help="Processes to use; all processors if not given.")
    ] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Use made-up stand-ins for the datasets.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
) -> None:
    """Run the paper's experiments and say which of its observations hold.

    Stopped or killed, it continues where it was when called again with the same folder.
    """
    from hushmeans.arguments import whole_number
    from hushmeans.experiments import commands

    request = commands.request(
        datasets=datasets,
        figures=figures,
        runs=60 if quick else whole_number("runs", runs),
        ablation_runs=0 if quick else whole_number("ablation-runs", ablation_runs, at_least=0),
    )
    jobs = None if jobs is None else whole_number("jobs", jobs)
    commands.reproduce(request, out, jobs, synthetic=synthetic, as_json=json)


@app.command()
def compare(
    out: Annotated[Path, typer.Option(help="The folder for results; it can be continued.")] = Path(
        "comparison"
    ),
    runs: Annotated[int, typer.Option(help="Runs per cell.")] = 30,
    datasets: Annotated[
        str,
        typer.Option(help="Datasets, separated by commas: the paper's, iris, s-style-1, ..."),
    ] = "blood,adult,tripadvisor,electrical,ratings,credit",
    families: Annotated[
        bool, typer.Option("--families", help="Also scikit-learn's datasets and made-up ones.")
    ] = False,
    methods: Annotated[
        str, typer.Option(help="Methods, separated by commas; targets are held to the first.")
    ] = "refined,allocation_nk,average_k",
    epsilons: Annotated[str, typer.Option(help="Privacy budgets, separated by commas.")] = "0.2,1",
    delta: command_options.Delta = "0",
    k: Annotated[
        str, typer.Option("--k", help="Numbers of clusters; each dataset's own if not given.")
    ] = "",
    peers: Annotated[bool, typer.Option(help="Install other packages apart and run them.")] = True,
    jobs: Annotated[
        int | None, typer.Option(help="Processes to use; all processors if not given.")
    ] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Use made-up stand-ins for the paper's datasets.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Compare our methods with others and with k-means without privacy, and draw the result.

    Stopped or killed, it continues where it was when called again with the same folder.
    """
    from hushmeans.arguments import whole_number
    from hushmeans.experiments import compare_command

    wanted = compare_command.request(
        datasets=datasets,
        families=families,
        methods=methods,
        epsilons=epsilons,
        delta=delta,
        clusters=k,
        runs=runs,
    )
    jobs = None if jobs is None else whole_number("jobs", jobs)
    compare_command.compare(wanted, out, jobs=jobs, peers=peers, synthetic=synthetic, as_json=json)


def _records(
    file: str, features: list[str] | None, spark: str | None
) -> AbstractContextManager[Any]:
    """The file itself, or a table of it in a Spark cluster."""
    if spark is None:
        return nullcontext(file)
    from hushmeans.curator.sources.spark_files import read_on_spark

    return read_on_spark(spark, file, features)


def _listed(labels: Iterator[IntArray], as_json: bool) -> Iterator[str]:
    """The labels as a CSV column or a JSON list, piece by piece."""
    joint = ", " if as_json else "\n"
    between = "" if as_json else joint
    yield '{"cluster": [' if as_json else "cluster"
    for some in labels:
        if len(some):
            yield between + joint.join(map(str, some.tolist()))
            between = joint
    yield "]}\n" if as_json else "\n"


def _show_warning(message: Warning | str, *_: Any) -> None:
    _say(f"warning: {message}")


def _fail(sentence: str) -> None:
    _say(sentence)
    sys.exit(USERS_MISTAKE)


def _say(sentence: str) -> None:
    """One line on stderr, whatever names of files and columns are in it."""
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in sentence)
    typer.echo(f"hushmeans: {line}", err=True)
