"""The command that writes an HTML report on a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushmeans.commands import options
from hushmeans.errors import HushmeansWarning, InputError, LedgerError, LedgerWarning, warn

if TYPE_CHECKING:
    from hushmeans.report import LoadedRelease

PAGE_SUFFIXES = (".html", ".htm")


def report(
    release: options.ReleaseFile,
    out: Annotated[
        Path, typer.Option(help="The HTML file to write; an existing file is replaced.")
    ] = Path("report.html"),
    compare: Annotated[
        Path | None,
        typer.Option(help="A second release, to compare on the features that both have."),
    ] = None,
    ledger: options.LedgerAddress = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write an HTML report on a release: clusters, standard errors, budget and how to load it.

    The page is one self-contained file. It shows only what the release contains and, if the ledger
    can be read, the remaining budget.
    """
    from hushmeans.documents import write_text_file
    from hushmeans.report import Report, report_page

    if out.suffix.lower() not in PAGE_SUFFIXES:
        raise InputError(
            f"cannot write the report to {out}: the name of the file must end in .html"
        )
    other = None if compare is None else _read(compare, ledger)
    content = report_page(Report.of(_read(release, ledger), other))
    write_text_file(out, content)
    typer.echo(f"Written to {out}.")
    if show:
        _open(out)


def _read(path: Path, place: str | None) -> LoadedRelease:
    """A release and its account; without it, and with a warning, if the ledger cannot be read."""
    from dataclasses import replace

    from hushmeans.report import LoadedRelease
    from hushmeans.report.gather import standing_of

    loaded = LoadedRelease.read(path)
    try:
        return replace(loaded, standing=standing_of(loaded.release, place))
    except LedgerError as error:
        warn(f"the report does not show the remaining budget: {error}", LedgerWarning)
        return loaded


def _open(page: Path) -> None:
    from webbrowser import open as open_in_browser

    if not open_in_browser(page.absolute().as_uri()):
        warn(f"no browser could be started; open {page} yourself", HushmeansWarning)
