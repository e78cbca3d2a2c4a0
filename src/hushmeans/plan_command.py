"""The forecast as a command, and what `hushmeans fit` says of it before it spends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans import command_options
from hushmeans.errors import InputError

if TYPE_CHECKING:
    from hushmeans.forecasting import Forecast
    from hushmeans.release import Release

FACTORS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
"""The curve is drawn for epsilon times these."""
BAR = 40
"""Characters of the longest bar."""
DECADES = 3
"""A bar of no length stands for an error this many powers of ten below the longest."""


def plan(
    rows: Annotated[int, typer.Option(help="Roughly how many records there are.")],
    features: Annotated[int, typer.Option(help="How many features they have.")],
    k: command_options.Clusters,
    epsilon: command_options.Epsilon,
    delta: command_options.Delta = "0",
    method: command_options.Method = "refined",
    option: command_options.MethodOption = None,
    rows_per_person: command_options.RowsPerPerson = 1,
    bounds: Annotated[
        Path | None,
        typer.Option(help="The public range of every feature, for errors in original units."),
    ] = None,
    error: Annotated[
        float | None,
        typer.Option(help="A wanted error of centres: which rows or epsilon give it?"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the forecast as JSON.")] = False,
) -> None:
    """Say what noise a fit will have: nothing is spent, no record is looked at.

    Errors are in the unit box, where half of a feature's range is 1.
    """
    from hushmeans.forecasting import forecast

    expected = forecast(
        rows,
        features,
        k,
        epsilon,
        delta,
        method,
        dict(setting(text) for text in option or ()),
        rows_per_person,
        bounds,
    )
    if json:
        from json import dumps

        typer.echo(dumps(_as_json(expected, error), indent=2))
    else:
        _show(expected, error)


def announce(
    rows: int | None,
    k: int,
    epsilon: str,
    delta: str,
    method: str,
    options: Mapping[str, Any],
    rows_per_person: int,
    bounds: Path | None,
    *,
    columns: Sequence[str] | None,
    quiet: bool,
) -> None:
    """The forecast's verdict before a fit, and a warning if noise will dominate.

    The number of records is private, so without the user's word for it there is no forecast.
    """
    if rows is None:
        return
    from hushmeans.domain import Bounds
    from hushmeans.forecasting import forecast

    declared = Bounds(bounds)
    box = (declared if columns is None else declared.only(columns)).box()
    verdict = forecast(
        rows, box.n_features, k, epsilon, delta, method, options, rows_per_person
    ).verdict
    if verdict.level == "dominates":
        typer.echo(f"hushmeans: warning: {verdict}", err=True)
    elif not quiet:
        typer.echo(f"Forecast: {verdict}")


def hint(release: Release, rows: int | None) -> None:
    """After a fit whose noise shows: how to see that before the next one."""
    if rows is None and release.noise_verdict().level != "negligible":
        typer.echo(
            "To see beforehand what noise will do: hushmeans fit --rows ROUGHLY_HOW_MANY, or "
            "hushmeans plan, which spends nothing."
        )


def setting(text: str) -> tuple[str, Any]:
    """A method option as it is written on the command line, name=value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"the option {text!r} is not of the form name=value")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _epsilons(expected: Forecast) -> list[float]:
    from hushmeans.budget import LARGEST_EPSILON

    epsilon = float(expected.budget.epsilon)
    return [epsilon * factor for factor in FACTORS if epsilon * factor <= LARGEST_EPSILON]


def _show(expected: Forecast, error: float | None) -> None:
    from rich.console import Console

    needed = None if error is None else (expected.rows_for(error), expected.epsilon_for(error))
    console = Console()
    console.print(_errors_table(expected))
    console.print(_steps_table(expected))
    typer.echo(f"{expected.verdict}\n")
    typer.echo("Error of a centre against epsilon (bars on a logarithmic scale):")
    for line in _drawn(expected):
        typer.echo(line)
    if needed is not None:
        rows, epsilon = needed
        typer.echo(
            f"\nFor an error of {error:g}: about {rows:,} rows at this "
            f"epsilon, or an epsilon of about {epsilon:g} with these rows."
        )
    typer.echo(
        f"\nAssumed: {expected.n_clusters} round clusters of {expected.cluster_size:,.0f} records, "
        f"each of width {expected.width:.2g} where half of a range is 1. Nothing was spent."
    )


def _errors_table(expected: Forecast) -> Any:
    """What noise will do to centres and sizes."""
    from rich.table import Table

    table = Table(title=f"Expected noise of {expected.method}")
    table.add_column("")
    table.add_column("standard error\nfrom noise", justify="right")
    table.add_row("a centre, half of a range being 1", f"{expected.centre_error:.2g}")
    if expected.box is not None and expected.standard_errors is not None:
        for index, each in enumerate(expected.standard_errors):
            name = expected.box.names[index] if expected.box.names else f"feature {index}"
            table.add_row(f"  {name}", f"{each:.2g}")
    table.add_row(f"a size of {expected.cluster_size:,.0f}", f"{expected.size_error:,.2g}")
    return table


def _steps_table(expected: Forecast) -> Any:
    """What will be asked."""
    from rich.table import Table

    table = Table(title="Questions")
    for column in ("", "asked for", "share of the budget", "noise on a total"):
        table.add_column(column, justify="left" if column == "asked for" else "right")
    for number, step in enumerate(expected.steps, start=1):
        share = f"{100 * float(step.share):.1f} %"
        table.add_row(str(number), step.question, share, f"{step.noise:,.3g}")
    return table


def _drawn(expected: Forecast) -> list[str]:
    """The curve, one line an epsilon."""
    curve = expected.curve(_epsilons(expected))
    top = max(error for _, error in curve)
    lines = []
    for epsilon, error in curve:
        length = max(round(BAR * (1 + math.log10(error / top) / DECADES)), 0)
        here = "  <- this plan" if epsilon == float(expected.budget.epsilon) else ""
        lines.append(f"{epsilon:>10.4g}  {error:>8.2g}  {'#' * length}{here}")
    return lines


def _as_json(expected: Forecast, error: float | None) -> dict[str, Any]:
    from hushmeans.arguments import amount_text

    content: dict[str, Any] = {
        "rows": expected.rows,
        "features": expected.features,
        "n_clusters": expected.n_clusters,
        "epsilon": amount_text(expected.budget.epsilon),
        "delta": amount_text(expected.budget.delta),
        "method": expected.method,
        "method_options": expected.settings.options,
        "rows_per_person": expected.rows_per_person,
        "width": expected.width,
        "centre_error": expected.centre_error,
        "standard_errors": expected.standard_errors,
        "size_error": expected.size_error,
        "verdict": vars(expected.verdict),
        "steps": [{**vars(step), "share": str(step.share)} for step in expected.steps],
        "curve": expected.curve(_epsilons(expected)),
    }
    if error is not None:
        content["wanted"] = {
            "error": error,
            "rows": expected.rows_for(error),
            "epsilon": expected.epsilon_for(error),
        }
    return content
