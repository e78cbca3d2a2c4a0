"""The command that draws synthetic records from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushmeans.commands import options


def sample(
    release: options.ReleaseFile,
    rows: Annotated[int, options.whole_option(help="How many synthetic records to draw.")] = 1000,
    seed: Annotated[
        int | None,
        options.whole_option(
            help="A seed, to draw the same records again; sampling costs no privacy."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write them, as CSV; by default they are printed.")
    ] = None,
) -> None:
    """Draw synthetic records with the clusters of a release, at no privacy cost.

    They have the release's cluster structure only: each record's cluster is drawn by size, then
    each feature independently, from the cluster's centre and width. Correlations within clusters
    and finer structure are lost. The release needs widths, which only tables of numbers and dates
    have.
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
