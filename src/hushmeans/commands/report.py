"""The command that makes a page of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushmeans.commands import options
from hushmeans.errors import HushmeansWarning, InputError, LedgerError, LedgerWarning, warn

if TYPE_CHECKING:
    from hushmeans.report import Source

SUFFIXES = (".html", ".htm")


def report(
    release: options.ReleaseFile,
    out: Annotated[
        Path, typer.Option(help="Where to write the page; an older one is replaced.")
    ] = Path("report.html"),
    compare: Annotated[
        Path | None, typer.Option(help="Another release of the same features, to set beside it.")
    ] = None,
    ledger: options.LedgerAddress = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Make one HTML page of a release: clusters, errors, what was spent, how to load it.

    The page needs no network and shows only what the release contains, and what is left in its
    ledger if that can be read.
    """
    from hushmeans.documents import written_whole
    from hushmeans.report import Report, page

    if out.suffix.lower() not in SUFFIXES:
        raise InputError(f"the page {out} needs a name that ends in .html")
    other = None if compare is None else _read(compare, ledger)
    content = page(Report.of(_read(release, ledger), other))
    with written_whole(out) as beside:
        beside.write_text(content, encoding="utf-8")
    typer.echo(f"Written to {out}.")
    if show:
        _open(out)


def _read(path: Path, place: str | None) -> Source:
    """A release and its account; a ledger that cannot be read is a warning and no more."""
    from dataclasses import replace

    from hushmeans.report import Source
    from hushmeans.report.gather import standing_of

    source = Source.read(path)
    try:
        return replace(source, standing=standing_of(source.release, place))
    except LedgerError as error:
        warn(f"what is left is not shown: {error}", LedgerWarning)
        return source


def _open(page: Path) -> None:
    from webbrowser import open as open_in_browser

    if not open_in_browser(page.absolute().as_uri()):
        warn("no browser could be started", HushmeansWarning)
