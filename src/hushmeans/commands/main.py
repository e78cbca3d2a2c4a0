"""The entry point: registers the commands and reports errors and warnings."""

from __future__ import annotations

import sys
import warnings
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from hushmeans.commands import budget, check, demo, extras, fit, plan, predict, report
from hushmeans.errors import HushmeansError, HushmeansWarning
from hushmeans.version import __version__

app = typer.Typer(
    name="hushmeans",
    help="Differentially private k-means clustering.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.command()(check.check)
app.command()(fit.fit)
app.command()(predict.predict)
app.command()(plan.plan)
app.add_typer(budget.budget_app, name="budget")
app.command()(report.report)
app.command()(demo.demo)
extras.register(app)

USERS_MISTAKE = 2


def main(arguments: list[str] | None = None) -> None:
    """Run a command; a user's mistake is reported in one sentence with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # some terminals cannot show ε or ±
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", HushmeansWarning)
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            sys.exit(app(args=arguments, prog_name="hushmeans", standalone_mode=False))
    except (HushmeansError, Warning, typer.TyperException) as error:
        _fail(error.format_message() if isinstance(error, typer.TyperException) else str(error))
    except MemoryError:
        _fail("out of memory; ask for fewer clusters, or use fewer features or records")
    except OSError as error:
        _fail(f"{error.filename or 'input/output'}: {error.strerror or type(error).__name__}")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)


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


def _show_warning(message: Warning | str, *_: Any) -> None:
    _say(f"warning: {message}")


def _fail(sentence: str) -> None:
    _say(sentence)
    sys.exit(USERS_MISTAKE)


def _say(sentence: str) -> None:
    """Print one line on stderr; file and column names cannot break it."""
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in sentence)
    typer.echo(f"hushmeans: {line}", err=True)
