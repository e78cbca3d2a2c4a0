"""The command that draws synthetic records from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushmeans.commands import options


def sample(
    release: options.ReleaseFile,
    rows: Annotated[int, typer.Option(help="How many synthetic records to draw.")] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(help="Draw the same records again; they are public either way."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write them, as CSV; by default they are printed.")
    ] = None,
) -> None:
    """Draw synthetic records with the clusters of a release, at no privacy cost.

    They have the release's cluster structure only: a cluster by its size, then each feature on its
    own, by centre and width. Correlations within clusters and anything finer are not there.
    The release needs widths, which tables of numbers and dates have.
    """
    from hushmeans.documents import write_text_file
    from hushmeans.release import Release
    from hushmeans.release.tables import as_csv

    text = as_csv(Release.load(release).sample(rows, seed))
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text_file(out, text, replace=False)
    typer.echo(f"{rows:,} synthetic records written to {out}: cluster structure only.")
