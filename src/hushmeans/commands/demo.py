"""The demonstration: a synthetic table, clustered with and without privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hushmeans.commands.patients import Comparison

N_CLUSTERS = 5
"""As many as there are kinds of synthetic patients."""


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write the files to.")] = Path("demo"),
    rows: Annotated[int, typer.Option(help="The number of synthetic patients.")] = 40_000,
    epsilon: Annotated[str, typer.Option(help="The privacy budget.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Generate a table of synthetic patients and cluster it with and without privacy.

    The folder then holds the table, its bounds, the private release and an HTML report on it; if
    Matplotlib is installed, also a picture of both clusterings.
    """
    from hushmeans.arguments import whole_number
    from hushmeans.commands.patients import BOUNDS, Comparison, patients
    from hushmeans.commands.progress import bar
    from hushmeans.fitting import fit_release
    from hushmeans.settings import Settings

    table = patients(whole_number("rows", rows, at_least=100))
    with bar() as watch:
        release = fit_release(table, Settings.of(N_CLUSTERS, epsilon), bounds=BOUNDS, watch=watch)
    comparison = Comparison.of(table, release)
    out.mkdir(parents=True, exist_ok=True)
    names = _write(comparison, out)
    if json:
        typer.echo(release.to_json(), nl=False)
        return
    from hushmeans.commands.terminal import show_comparison

    typer.echo(f"Generated {rows:,} synthetic patients.\n")
    show_comparison(comparison)
    typer.echo(f"\n{release.statement()}\n")
    typer.echo(f"Written to {out}: {', '.join(names)}.")
    typer.echo(f"Open {out / 'report.html'} in a browser to see the clusters.")


def _write(comparison: Comparison, folder: Path) -> tuple[str, ...]:
    """Write every file of the demonstration and return their names."""
    from pyarrow import csv

    from hushmeans.commands.patients import BOUNDS
    from hushmeans.documents import written_whole
    from hushmeans.report import LoadedRelease, Report, report_page

    with written_whole(folder / "patients.csv") as beside:
        csv.write_csv(comparison.table, beside)
    with written_whole(folder / "bounds.toml") as beside:
        lines = (f"{name} = [{low:g}, {high:g}]\n" for name, (low, high) in BOUNDS.items())
        beside.write_text("".join(lines), encoding="utf-8")
    comparison.release.save(folder / "release.json")
    page = report_page(Report.of(LoadedRelease.read(folder / "release.json")))
    with written_whole(folder / "report.html") as beside:
        beside.write_text(page, encoding="utf-8")
    names = ("patients.csv", "bounds.toml", "release.json", "report.html")
    return (*names, "clusters.png") if _drawn(comparison, folder / "clusters.png") else names


def _drawn(comparison: Comparison, path: Path) -> bool:
    """Draw both clusterings; False if Matplotlib is not installed."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        return False
    from hushmeans.commands.demo_picture import draw
    from hushmeans.documents import written_whole

    with written_whole(path) as beside:
        draw(comparison, beside)
    return True
