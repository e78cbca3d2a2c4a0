"""Releases as tables on the terminal: a row per cluster, or a line per value if it is too wide."""

from __future__ import annotations

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from hushmeans.commands.patients import Comparison
from hushmeans.release import Release
from hushmeans.release.numbers import measured, plain
from hushmeans.release.readable import readable_rows
from hushmeans.release.summary import in_order

WIDER_THAN_ANY = 100_000
"""Characters; a table is measured as if the terminal had so many."""


def show_release(release: Release) -> None:
    """Print the clusters, each number with its standard error due to noise, and the verdict.

    The largest cluster comes first; those that are indistinguishable from noise come last.
    """
    console = Console()
    table = _row_per_cluster(release)
    unlimited = console.options.update(max_width=WIDER_THAN_ANY)
    if Measurement.get(console, unlimited, table).maximum > console.width:
        table = _line_per_value(release)
    console.print(table)
    _show_noise(release)


def show_suggestion(release: Release) -> None:
    """Print the suggested number of clusters, if it is another one than the release has."""
    suggestion = release.suggest_k()
    if suggestion.clear and suggestion.n_clusters != release.n_clusters:
        Console().print(
            f"Suggested number of clusters: {suggestion.reason} hushmeans cut merges to that "
            "number at no privacy cost."
        )


def _row_per_cluster(release: Release) -> Table:
    table = Table(title="Private clusters, ± standard error due to noise")
    table.add_column("cluster", justify="right")
    table.add_column("size", justify="right", no_wrap=True)
    for name, _ in readable_rows(release, 0):
        table.add_column(Text(name), justify="right", no_wrap=True)
    for cluster in in_order(release):
        size = " ± ".join(measured(release.sizes[cluster], release.size_standard_errors[cluster]))
        cells = [Text(str(value)) for _, value in readable_rows(release, cluster)]
        table.add_row(str(cluster), size, *cells, style=_style(release, cluster))
    return table


def _line_per_value(release: Release) -> Table:
    table = _table("Private clusters")
    for cluster in in_order(release):
        for row in _rows(release, cluster):
            table.add_row(*map(Text, row), style=_style(release, cluster))
        table.add_section()
    return table


def _style(release: Release, cluster: int) -> str:
    return "dim" if cluster in release.noise_clusters else ""


def show_comparison(comparison: Comparison) -> None:
    """Print the clusters beside those of non-private k-means."""
    table = _table("Private clusters beside non-private k-means")
    table.add_column("non-private", justify="right", style="dim")
    for cluster in range(comparison.release.n_clusters):
        exact = [f"{comparison.sizes[cluster]:,.0f}"]
        exact += [plain(value) for value in comparison.centres[cluster]]
        for row, counterpart in zip(_rows(comparison.release, cluster), exact, strict=True):
            table.add_row(*map(Text, row), counterpart)
        table.add_section()
    Console().print(table)
    _show_noise(comparison.release)


def _show_noise(release: Release) -> None:
    """Print what noise does, and name the clusters whose size noise alone could explain."""
    Console().print(release.noise_verdict().sentence)
    if drowned := release.noise_clusters:
        clusters = "cluster" if len(drowned) == 1 else "clusters"
        Console().print(
            f"Indistinguishable from noise: {clusters} {', '.join(map(str, drowned))}. Do not rely "
            "on their centres or standard errors. More records, fewer clusters or features, "
            "tighter bounds or a larger epsilon would help."
        )


def _table(title: str) -> Table:
    table = Table(title=title)
    table.add_column("cluster", justify="right")
    table.add_column("feature")
    table.add_column("private", justify="right", style="bold")
    table.add_column("± standard error\ndue to noise", justify="right")
    return table


def _rows(release: Release, cluster: int) -> list[tuple[str, ...]]:
    size = measured(release.sizes[cluster], release.size_standard_errors[cluster])
    return [
        (str(cluster), "size", *size),
        *(("", name, each.value, each.error) for name, each in readable_rows(release, cluster)),
    ]
