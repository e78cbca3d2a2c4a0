"""The command that assigns new records to the clusters of a release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushmeans.commands import options

if TYPE_CHECKING:
    from hushmeans.types import IntArray


def predict(
    release: options.ReleaseFile,
    file: Annotated[
        str,
        typer.Argument(
            help="New records: a CSV, Parquet or Arrow file, a folder of such files, or a URL."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the clusters, as CSV; by default they are printed."),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of CSV.")] = False,
) -> None:
    """Assign each record of a table to its nearest released cluster.

    The output has one line per record, in the order of the file.
    It is NOT private: it is for people who may see the records.
    """
    from hushmeans.documents import written_whole
    from hushmeans.release import Release

    place = options.file_at(file, delimiter, encoding)
    pieces = _listed(Release.load(release).labels(place), json)
    if out is None:
        for piece in pieces:
            typer.echo(piece, nl=False)
        return
    with (
        written_whole(out, replace=False) as beside,
        beside.open("w", encoding="utf-8", newline="\n") as text,
    ):
        text.writelines(pieces)
    if not json:
        typer.echo(f"Written to {out}.")


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
