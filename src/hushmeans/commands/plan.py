"""The command that forecasts the noise of a fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.commands import options

if TYPE_CHECKING:
    from hushmeans.forecasting import Forecast
    from hushmeans.schema import Box
    from hushmeans.settings import Settings

EPSILON_FACTORS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
"""The curve shows epsilon times each of these."""
BAR_CHARACTERS = 40
"""The length of the longest bar."""
WIDER_COUNTS_LESS = (
    "The wider the range of a number, the less differences in it count; a weight of 2 makes them "
    "count 4 times as much in squared distance.\n"
)
DECADES = 3
"""A bar of length 0 means an error this many powers of ten below the longest."""


def plan(
    rows: Annotated[
        int,
        options.whole_option(
            help="The approximate number of records; with a person column, of those that count."
        ),
    ],
    k: options.ClusterNumber,
    epsilon: options.Epsilon,
    features: Annotated[
        int | None,
        options.whole_option(help="The number of features; not needed with --bounds or --schema."),
    ] = None,
    delta: options.Delta = "0",
    method: options.MethodName = "refined",
    option: options.MethodOptions = None,
    rows_per_person: options.RowsPerPerson = 1,
    range_share: options.RangeShare = "0.1",
    bounds: Annotated[
        Path | None,
        typer.Option(
            help="A TOML file with the public range of each feature, for errors in original units."
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            help="Instead of --bounds: a TOML file with the kind of each feature; also prints each "
            "feature's contribution to distances."
        ),
    ] = None,
    error: Annotated[
        float | None,
        options.number_option(
            help="A target for the error of a centre: prints the rows or the epsilon needed."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the forecast as JSON.")] = False,
) -> None:
    """Forecast the noise of a fit: no budget is spent and no record is read.

    Errors are in units of half a feature's range; with --bounds or --schema, also in original
    units.
    """
    from hushmeans.forecasting import forecast_of
    from hushmeans.schema import declared_schema

    settings = options.settings_of(k, epsilon, delta, method, option, rows_per_person, range_share)
    declared = None if bounds is None and schema is None else declared_schema(bounds, schema)
    expected = forecast_of(settings, rows, features, declared)
    if json:
        from json import dumps

        typer.echo(dumps(_as_json(expected, error), indent=2))
    else:
        _show(expected, error)


def _epsilons(expected: Forecast) -> list[float]:
    from hushmeans.budget import LARGEST_EPSILON

    epsilon = float(expected.settings.budget.epsilon)
    return [epsilon * factor for factor in EPSILON_FACTORS if epsilon * factor <= LARGEST_EPSILON]


def _show(expected: Forecast, error: float | None) -> None:
    from rich.console import Console

    needed = None if error is None else (expected.rows_for(error), expected.epsilon_for(error))
    console = Console()
    if expected.box is not None and expected.box.kinds is not None:
        console.print(_distances_table(expected.box))
        typer.echo(WIDER_COUNTS_LESS)
    if expected.box is not None and expected.box.unknown:
        typer.echo(_found_in_words(expected.settings, expected.box))
    console.print(_errors_table(expected))
    console.print(_steps_table(expected))
    typer.echo(f"{expected.verdict}\n")
    typer.echo("Standard error of a centre by epsilon (bars on a logarithmic scale):")
    for line in _drawn(expected):
        typer.echo(line)
    if needed is not None:
        rows, epsilon = needed
        typer.echo(
            f"\nTo reach an error of {error:g}: about {rows:,} rows at this epsilon, "
            f"or an epsilon of about {epsilon:g} with this many rows."
        )
    typer.echo(
        f"\nAssumptions: {expected.settings.n_clusters} spherical clusters of "
        f"{expected.cluster_size:,.0f} records each, with a standard deviation of "
        f"{expected.width:.2g} (in units of half a range). With bounds many times wider than the "
        "values, the errors for a few hundred records are larger than forecast."
        f"{_limit_in_words(expected.settings)} No budget was spent."
    )


def _limit_in_words(settings: Settings) -> str:
    """What the number of rows must leave out, if rows of a person are limited."""
    if settings.missing_person is None:
        return ""
    rows = settings.rows_per_person
    return (
        f" At most {'1 row' if rows == 1 else f'{rows:,} rows'} of each person count: --rows is the"
        " number of rows that are kept."
    )


def _found_in_words(settings: Settings, box: Box) -> str:
    names = ", ".join(box.label(feature) for feature in box.unknown)
    return (
        f"{100 * float(settings.range_share):g}% of the budget will be spent on finding the "
        f"range{'s'[: len(box.unknown) > 1]} of {names}. The forecast is for the rest of the "
        "budget. Errors of these features assume a range from -1 to 1: multiply them by "
        "half of the range that you expect."
    )


def _errors_table(expected: Forecast) -> Any:
    """The expected standard errors of centres and sizes."""
    from rich.table import Table
    from rich.text import Text

    from hushmeans.release.numbers import plain

    table = Table(title=f"Expected noise: {_method_in_words(expected)}")
    table.add_column("")
    table.add_column("standard error\ndue to noise", justify="right")
    table.add_row("centre (1 = half a range)", f"{expected.centre_error:.2g}")
    if expected.box is not None and expected.standard_errors is not None:
        for name, error in _feature_errors(expected.box, expected.standard_errors):
            table.add_row(Text(f"  {name}"), error)
    table.add_row(f"cluster size of {expected.cluster_size:,.0f}", plain(expected.size_error, 2))
    return table


def _feature_errors(box: Box, errors: Sequence[float]) -> Iterator[tuple[str, str]]:
    """The error of each feature, in its unit, and where on its scale it is that large."""
    import numpy as np

    from hushmeans.release.numbers import plain
    from hushmeans.schema import Category, Cycle, Date, Flag, Number

    middles = box.from_unit_box(np.zeros(box.n_columns))
    for feature, (block, kind) in enumerate(zip(box.layout.blocks, box.features, strict=True)):
        name, error = box.feature_name(feature), errors[block.first]
        match kind:
            case Category():
                yield f"{name}, each level", f"{plain(100 * error, 2)}%"
            case Flag():
                yield name, f"{plain(100 * error, 2)}%"
            case Date():
                yield name, f"{plain(error, 2)} days"
            case Cycle():
                turn = kind.period / (2 * math.pi)
                yield f"{name}, of values close together", plain(error * turn, 2)
            case Number(is_found=False) if kind.scale != "linear":
                yield f"{name}, near {plain(float(middles[block.first]), 2)}", plain(error, 2)
            case _:
                yield name, plain(error, 2)


def _distances_table(box: Box) -> Any:
    """What each feature contributes to the distance between two records."""
    from rich.table import Table

    from hushmeans.schema import contributions

    table = Table(title="What each feature contributes to distances")
    heads = ("feature", "kind", "weight", "largest squared\ndistance", "share of\nthe total")
    for column in heads:
        table.add_column(column, justify="left" if column in heads[:2] else "right")
    for each in contributions(box):
        part = f"{100 * each.part:.0f}%"
        table.add_row(each.name, each.kind, f"{each.weight:g}", f"{each.most:.3g}", part)
    return table


def _method_in_words(expected: Forecast) -> str:
    """The method, with the numbers of rounds and centroids that it would choose."""
    options = expected.method_options
    if not options["rounds"]:  # the method gives up on telling clusters apart
        return f"{expected.settings.method_name}, one point for all clusters: the mean"
    words = [expected.settings.method_name, _counted(options["rounds"], "round")]
    if "n" in options:
        words.append(f"{_counted(options['n'], 'centroid')} per cluster")
    return ", ".join(words)


def _counted(number: float | str, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _steps_table(expected: Forecast) -> Any:
    """The questions that the fit will ask."""
    from rich.table import Table

    from hushmeans.release.asked import asked
    from hushmeans.release.numbers import plain

    table = Table(title="Questions")
    for column in ("", "question", "share of\nthe budget", "noise (standard\ndeviation)"):
        table.add_column(column, justify="left" if column == "question" else "right")
    for number, step in enumerate(expected.steps, start=1):
        share = f"{100 * float(step.share):.1f}%"
        table.add_row(str(number), asked(step.question), share, plain(step.noise, 3))
    return table


def _drawn(expected: Forecast) -> list[str]:
    """The curve, one line per epsilon."""
    curve = expected.curve(_epsilons(expected))
    top = max(error for _, error in curve)
    lines = []
    for epsilon, error in curve:
        length = max(round(BAR_CHARACTERS * (1 + math.log10(error / top) / DECADES)), 0)
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
        "method_options": dict(expected.method_options),
        "rows_per_person": expected.settings.rows_per_person,
        "width": expected.width,
        "centre_error": expected.centre_error,
        "standard_errors": expected.standard_errors,
        "size_error": expected.size_error,
        "verdict": vars(expected.verdict),
        "steps": [{**vars(step), "share": str(step.share)} for step in expected.steps],
        "curve": expected.curve(_epsilons(expected)),
    }
    if expected.box is not None and expected.box.kinds is not None:
        from hushmeans.schema import contributions

        content["contributions"] = [vars(each) for each in contributions(expected.box)]
    if error is not None:
        content["wanted"] = {
            "error": error,
            "rows": expected.rows_for(error),
            "epsilon": expected.epsilon_for(error),
        }
    return content
