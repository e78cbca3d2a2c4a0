"""The demonstration: a synthetic table, clustered with and without privacy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushmeans.commands import options

N_CLUSTERS = 5
"""As many as there are kinds of synthetic patients."""

TITLE = "Groups among the patients of a clinic (synthetic data)"

FILES = ("patients.csv", "bounds.toml", "release.json", "report.html")
"""What the demonstration writes: the table, its bounds, the release and the report on it."""


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write the files to.")] = Path("demo"),
    rows: Annotated[int, options.whole_option(help="The number of synthetic patients.")] = 40_000,
    epsilon: Annotated[str, typer.Option(help="The privacy budget.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Generate a table of synthetic patients and cluster it with and without privacy.

    It writes the table, its bounds, the private release and an HTML report to the folder.
    """
    from datetime import date as day

    from pyarrow import csv

    from hushmeans.arguments import whole_number
    from hushmeans.commands.patients import BOUNDS, Comparison, patients
    from hushmeans.commands.progress import bar
    from hushmeans.documents import write_text_file, written_whole
    from hushmeans.errors import InputError
    from hushmeans.fitting import fit_release
    from hushmeans.release.about import About
    from hushmeans.report import LoadedRelease, Report, report_page
    from hushmeans.settings import Settings

    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; name a folder with --out")
    table = patients(whole_number("rows", rows, at_least=100))
    with bar() as watch:
        release = fit_release(
            table,
            Settings.of(N_CLUSTERS, epsilon),
            bounds=BOUNDS,
            watch=watch,
            about=About(title=TITLE, date=day.today().isoformat()),
        )
    out.mkdir(parents=True, exist_ok=True)
    patients_file, bounds_file, release_file, report_file = (out / name for name in FILES)
    with written_whole(patients_file) as beside:
        csv.write_csv(table, beside)
    lines = (f"{name} = [{low:g}, {high:g}]\n" for name, (low, high) in BOUNDS.items())
    write_text_file(bounds_file, "".join(lines))
    release.save(release_file)
    write_text_file(report_file, report_page(Report.of(LoadedRelease.read(release_file))))
    if json:
        typer.echo(release.to_json(), nl=False)
        return
    from hushmeans.commands.terminal import show_comparison

    typer.echo(f"Generated {rows:,} synthetic patients.\n")
    show_comparison(Comparison.of(table, release))
    typer.echo(f"\n{release.statement()}\n\nWritten to {out}: {', '.join(FILES)}.")
    typer.echo(f"Open {report_file} in a browser to see the clusters.")
