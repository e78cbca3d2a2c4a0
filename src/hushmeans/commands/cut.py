"""The command that merges the clusters of a release to another number of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushmeans.commands import options


def cut_release(
    release: options.ReleaseFile,
    k: Annotated[
        int | None,
        options.whole_option("--k", help="The number of clusters; by default the suggested one."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the new release; by default it is only printed."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the new release as JSON.")] = False,
) -> None:
    """Merge the clusters of a release to another number, at no privacy cost.

    Without --k, the number is suggested from the cost of merging, and the reason is printed.
    """
    from hushmeans.documents import write_text_file
    from hushmeans.release import Release

    loaded = Release.load(release)
    suggestion = loaded.suggest_k()
    merged = loaded.cut(suggestion.n_clusters if k is None else k)
    if out is not None:
        write_text_file(out, merged.to_json(), replace=False)
    if json:
        typer.echo(merged.to_json(), nl=False)
        return
    from hushmeans.commands.terminal import show_release

    if k is None or suggestion.clear:
        typer.echo(f"Suggested: {suggestion.reason}")
    show_release(merged)
    if out is not None:
        typer.echo(f"Written to {out}.")
