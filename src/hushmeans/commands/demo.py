"""The demonstration: a synthetic table, clustered with and without privacy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the files of the demo.")] = Path("demo"),
    rows: Annotated[int, typer.Option(help="How many patients to make up.")] = 40_000,
    epsilon: Annotated[str, typer.Option(help="The privacy budget.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Make up a table of patients, cluster it with and without privacy, and draw both."""
    from pyarrow import csv

    from hushmeans.arguments import whole_number
    from hushmeans.commands.patients import BOUNDS, beside_plain, draw, patients
    from hushmeans.commands.progress import bar
    from hushmeans.documents import written_whole
    from hushmeans.fitting import fit_release
    from hushmeans.settings import Settings

    table = patients(whole_number("rows", rows, at_least=100))
    with bar() as watch:
        release = fit_release(table, Settings.of(5, epsilon), bounds=BOUNDS, watch=watch)
    out.mkdir(parents=True, exist_ok=True)
    with written_whole(out / "patients.csv") as beside:
        csv.write_csv(table, beside)
    with written_whole(out / "bounds.toml") as beside:
        lines = (f"{name} = [{low:g}, {high:g}]\n" for name, (low, high) in BOUNDS.items())
        beside.write_text("".join(lines), encoding="utf-8")
    release.save(out / "release.json")
    comparison = beside_plain(table, release)
    with written_whole(out / "clusters.png") as beside:
        draw(comparison, beside)
    if json:
        typer.echo(release.to_json(), nl=False)
        return
    from hushmeans.commands.terminal import show_comparison

    show_comparison(comparison)
    names = ("patients.csv", "bounds.toml", "release.json", "clusters.png")
    typer.echo(f"\n{release.statement()}\n\nWritten to {out}: {', '.join(names)}.")
