"""The entry point: registers the commands and reports errors and warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from hushmeans.commands import (
    budget,
    check,
    cut,
    demo,
    extras,
    fit,
    person_rows,
    plan,
    predict,
    ranges,
    report,
    sample,
    schema,
    show,
    studio,
)
from hushmeans.errors import (
    NOTHING_SPENT,
    BudgetError,
    DataError,
    HushmeansError,
    HushmeansWarning,
    LedgerError,
    UnknownDatasetError,
)
from hushmeans.version import __version__

app = typer.Typer(
    name="hushmeans",
    help="Differentially private k-means clustering.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.command(short_help="Draft a schema from the columns of a file; reads no value.")(schema.schema)
app.command(short_help="Count missing and out-of-range values. NOT PRIVATE.")(check.check)
app.command(short_help="Find unknown ranges privately.")(ranges.ranges)
app.command(short_help="Cluster a table privately and write a release.")(fit.fit)
app.command(short_help="Count rows per person privately.")(person_rows.person_rows)
app.command(short_help="Assign records to released clusters. NOT PRIVATE.")(predict.predict)
app.command(short_help="Forecast the noise of a fit; spends nothing.")(plan.plan)
app.add_typer(
    budget.budget_app,
    name="budget",
    short_help="Set and show the privacy budget of each dataset.",
)
app.command(short_help="Write an HTML report on a release.")(report.report)
app.command(short_help="Plan, spend and publish in your browser.")(studio.studio)
app.command(short_help="Print a release: clusters, noise, guarantee.")(show.show)
app.command("cut", short_help="Merge a release to another number of clusters; free.")(
    cut.cut_release
)
app.command(short_help="Draw synthetic records from a release.")(sample.sample)
app.command(short_help="Cluster synthetic patients with and without privacy.")(demo.demo)
extras.register(app)

EXIT_CODES: Mapping[type[BaseException], tuple[int, str]] = {
    UnknownDatasetError: (2, "wrong use"),
    BudgetError: (3, "budget refused"),
    DataError: (4, "data unreadable"),
    LedgerError: (5, "ledger unreachable"),
    Exception: (2, "wrong use"),
}
"""The exit code of an error and its name in JSON, by the first class that it is an instance of."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command; an error is reported in one sentence, with an exit code of `EXIT_CODES`."""
    given = sys.argv[1:] if arguments is None else arguments
    say = _say_as_json if "--json" in given else _say
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # some terminals cannot show ε or ±
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", HushmeansWarning)
            warnings.showwarning = partial(_show_warning, say)
            sys.exit(command()(args=arguments, prog_name="hushmeans", standalone_mode=False))
    except (HushmeansError, Warning, typer.TyperException) as error:
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        spends = given[:1] in (["fit"], ["person-rows"], ["ranges"])
        _fail(error, message, say, spends=spends)
    except MemoryError as error:
        message = "out of memory; use fewer clusters, features or records"
        _fail(error, message, say)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        _fail(error, f"{error.filename or 'input/output'}: {reason}", say)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)


@cache
def command() -> Any:
    """All commands as one; making them from their signatures takes a while."""
    return typer.main.get_command(app)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"hushmeans {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Say = Callable[[str, Mapping[str, object]], None]
"""Reports a line to the user, or its content to a program."""


def _show_warning(say: Say, message: Warning | str, *_: Any) -> None:
    say(f"warning: {message}", {"warning": str(message)})


def _fail(error: BaseException, message: str, say: Say, *, spends: bool = False) -> None:
    """Report an error, with what it cost, and exit with its code.

    In a command that spends, an error without a cost came before anything was spent.
    """
    cost: str | None = getattr(error, "cost", None) or (NOTHING_SPENT if spends else None)
    code, kind = next(found for known, found in EXIT_CODES.items() if isinstance(error, known))
    content = {"exit_code": code, "kind": kind, "message": message, "cost": cost}
    say(
        message if cost is None or cost in message else f"{message.removesuffix('.')}; {cost}",
        {"error": content},
    )
    sys.exit(code)


def _say(sentence: str, _: Mapping[str, object]) -> None:
    """Print one line on stderr; file and column names cannot break it."""
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in sentence)
    typer.echo(f"hushmeans: {line}", err=True)


def _say_as_json(_: str, content: Mapping[str, object]) -> None:
    """Print one line of JSON on stderr."""
    from json import dumps

    typer.echo(dumps(content), err=True)
