"""The command that forecasts the noise of a fit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.commands import options

if TYPE_CHECKING:
    from hushmeans.forecasting import Forecast

FACTORS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
"""The curve is drawn for epsilon times these."""
BAR = 40
"""Characters of the longest bar."""
DECADES = 3
"""A bar of no length stands for an error this many powers of ten below the longest."""


def plan(
    rows: Annotated[int, typer.Option(help="Roughly how many records there are.")],
    features: Annotated[int, typer.Option(help="How many features they have.")],
    k: options.Clusters,
    epsilon: options.Epsilon,
    delta: options.Delta = "0",
    method: options.MethodName = "refined",
    option: options.MethodOptions = None,
    rows_per_person: options.RowsPerPerson = 1,
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
    from hushmeans.forecasting import forecast_of

    settings = options.settings_of(k, epsilon, delta, method, option, rows_per_person)
    expected = forecast_of(settings, rows, features, bounds)
    if json:
        from json import dumps

        typer.echo(dumps(_as_json(expected, error), indent=2))
    else:
        _show(expected, error)


def _epsilons(expected: Forecast) -> list[float]:
    from hushmeans.budget import LARGEST_EPSILON

    epsilon = float(expected.settings.budget.epsilon)
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
        f"\nAssumed: {expected.settings.n_clusters} round clusters of "
        f"{expected.cluster_size:,.0f} records, "
        f"each of width {expected.width:.2g} where half of a range is 1. Nothing was spent."
    )


def _errors_table(expected: Forecast) -> Any:
    """What noise will do to centres and sizes."""
    from rich.table import Table

    table = Table(title=f"Expected noise of {expected.settings.method_name}")
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
        here = "  <- this plan" if epsilon == float(expected.settings.budget.epsilon) else ""
        lines.append(f"{epsilon:>10.4g}  {error:>8.2g}  {'#' * length}{here}")
    return lines


def _as_json(expected: Forecast, error: float | None) -> dict[str, Any]:
    from hushmeans.arguments import amount_text

    content: dict[str, Any] = {
        "rows": expected.rows,
        "features": expected.features,
        "n_clusters": expected.settings.n_clusters,
        "epsilon": amount_text(expected.settings.budget.epsilon),
        "delta": amount_text(expected.settings.budget.delta),
        "method": expected.settings.method_name,
        "method_options": expected.settings.method_options,
        "rows_per_person": expected.settings.rows_per_person,
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
