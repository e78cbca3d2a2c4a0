"""How the error of the centres would change with epsilon, and where a release lies on it."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from hushmeans.budget import LARGEST_EPSILON
from hushmeans.curator.questions import LARGEST_COUNT
from hushmeans.errors import HushmeansError
from hushmeans.forecasting import forecast_of
from hushmeans.release import Release
from hushmeans.release.clusters import errors_in_unit_box
from hushmeans.release.numbers import percent, plain
from hushmeans.report.gather import Report

TABULATED = (0.25, 0.5, 1.0, 2.0, 4.0)
"""The multiples of a release's epsilon that the table names."""

EPSILON_REACH = 6
"""The curve goes this many times below and above a release's epsilon."""

N_POINTS = 25
"""How many points it is drawn with."""

ROOM_FOR_LABELS, SMALLEST_ROOM = 0.15, 1.1
"""What an axis of errors is longer than the errors, at each end: a power of their ratio."""

SMALLEST = 1e-300
"""Stands in for an epsilon so small that it is 0 as a float."""

TOO_FAR = "There is no curve because a standard error in the release is 0 or too large to be drawn."

ALL_NOISE = (
    "There is no curve because noise hides every group, so the release does not tell how many "
    "records there are. hushmeans plan shows the expected error for a public number of rows."
)

NO_FORECAST = "There is no curve because no forecast is available for the settings of the release."


@dataclass(frozen=True)
class Tick:
    """A labelled line of the grid; `at` is in per cent of the plot's width or height."""

    at: float
    label: str


@dataclass(frozen=True)
class PlottedCurve:
    """A release's curve in the plot, whose coordinates are in per cent from the upper left.

    Attributes
    ----------
    name
        What the page calls the release.
    points
        The forecast, scaled to the release.
    x, y
        The release itself.
    epsilon, error
        The same in words.
    rows
        A few points in words: epsilon, forecast, and whether it is the release's own epsilon.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    x: float
    y: float
    epsilon: str
    error: str
    rows: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True)
class ErrorPlot:
    """Standard errors against epsilon; both axes are logarithmic.

    Attributes
    ----------
    curves
        One for each release.
    epsilons, errors
        The grid.
    missing
        Why there is nothing to draw; empty if there is.
    """

    curves: tuple[PlottedCurve, ...] = ()
    epsilons: tuple[Tick, ...] = ()
    errors: tuple[Tick, ...] = ()
    missing: str = ""

    @classmethod
    def of(cls, report: Report) -> ErrorPlot:
        """The plot for a report; none where noise hides what the forecast would start from."""
        if any(len(each.noise_clusters) == each.release.n_clusters for each in report.releases):
            return cls(missing=ALL_NOISE)
        try:
            lines = _lines(report)
            tables = [_rows(line) for line in lines]
        except HushmeansError:
            return cls(missing=NO_FORECAST)
        errors = [error for line in lines for error in (*line.errors, *line.own)]
        if not all(0 < error < math.inf for error in errors):
            return cls(missing=TOO_FAR)
        return _drawn(lines, tables)


@dataclass(frozen=True)
class _Line:
    """A release and the forecast for it; errors are in the unit box."""

    release: Release
    name: str
    epsilons: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def own(self) -> tuple[float, float]:
        """The release's own epsilon and error."""
        return float(self.release.budget.epsilon), own_error(self.release)


def own_error(release: Release) -> float:
    """The root of the mean square of a release's standard errors, in the unit box."""
    with np.errstate(over="ignore"):
        unit = errors_in_unit_box(release.table, release.box)
        return float(np.sqrt(np.mean(unit**2)))


def expected_errors(release: Release, epsilons: Sequence[float]) -> tuple[float, ...]:
    """The forecast of a centre's standard error, in the unit box, at each epsilon.

    Made of what the release says: its settings, and its noisy sizes for the number of records.

    Raises
    ------
    HushmeansError
        Where there is no forecast for such numbers.
    """
    rows = min(max(sum(release.sizes), release.n_clusters), LARGEST_COUNT)
    expected = forecast_of(release.settings, round(rows), release.box.n_columns)
    return tuple(error for _, error in expected.curve(epsilons))


def falling(errors: Sequence[float]) -> tuple[float, ...]:
    """The error that each epsilon and every larger one keep.

    A forecast rises in places, because with a larger budget the refined method takes one more
    round, which leaves less for the last. The larger of both errors is what one may count on.

    Examples
    --------
    >>> falling([4.0, 2.0, 3.0, 1.0])
    (4.0, 3.0, 3.0, 1.0)
    """
    return tuple(accumulate(reversed(errors), max))[::-1]


def _lines(report: Report) -> list[_Line]:
    """Over the same epsilons for all releases."""
    owns = [max(float(each.release.budget.epsilon), SMALLEST) for each in report.releases]
    ends = min(owns) / EPSILON_REACH, min(max(owns) * EPSILON_REACH, LARGEST_EPSILON)
    named = {step * own for own in owns for step in TABULATED if step * own <= LARGEST_EPSILON}
    epsilons = tuple(sorted({*np.geomspace(*ends, N_POINTS).tolist(), *named}))
    return [
        _Line(
            each.release,
            report.name(number) or "this release",
            epsilons,
            through_own(each.release, owns[number], epsilons),
        )
        for number, each in enumerate(report.releases)
    ]


def through_own(release: Release, own: float, epsilons: Sequence[float]) -> tuple[float, ...]:
    """The forecast, scaled so that at the release's own epsilon it is the release's own error.

    A forecast knows neither how wide the clusters are nor how unequal; the release does.
    """
    errors = falling(expected_errors(release, epsilons))
    scale = own_error(release) / errors[epsilons.index(own)]
    return tuple(scale * error for error in errors)


def _rows(line: _Line) -> tuple[tuple[str, str, bool], ...]:
    own = max(line.own[0], SMALLEST)
    known = dict(zip(line.epsilons, line.errors, strict=True))
    return tuple(
        (plain(epsilon), percent(known[epsilon] / 2), epsilon == own)
        for epsilon in (step * own for step in TABULATED)
        if epsilon in known
    )


def _drawn(
    lines: Sequence[_Line], tables: Sequence[tuple[tuple[str, str, bool], ...]]
) -> ErrorPlot:
    epsilons = lines[0].epsilons
    left, right = epsilons[0], epsilons[-1]
    errors = [error for line in lines for error in (*line.errors, line.own[1])]
    low, high = _with_room(min(errors), max(errors))

    def x(epsilon: float) -> float:
        return 100 * _part(epsilon, left, right)

    def y(error: float) -> float:
        return 100 - 100 * _part(error, low, high)

    def drawn(line: _Line, rows: tuple[tuple[str, str, bool], ...]) -> PlottedCurve:
        epsilon, error = line.own
        return PlottedCurve(
            name=line.name,
            points=tuple(zip(map(x, epsilons), map(y, line.errors), strict=True)),
            x=x(epsilon),
            y=y(error),
            epsilon=plain(epsilon),
            error=percent(error / 2),
            rows=rows,
        )

    return ErrorPlot(
        curves=tuple(map(drawn, lines, tables)),
        epsilons=tuple(Tick(x(value), plain(value)) for value in ticks(left, right)),
        # Half of the width of the unit box is 1, so that a part of the range is half as much.
        errors=tuple(Tick(y(2 * value), percent(value)) for value in ticks(low / 2, high / 2)),
    )


def _with_room(low: float, high: float) -> tuple[float, float]:
    """The ends of a logarithmic axis: a little further out, so that labels have room."""
    room = max((high / low) ** ROOM_FOR_LABELS, SMALLEST_ROOM)
    return low / room, min(high * room, sys.float_info.max)


def _part(value: float, low: float, high: float) -> float:
    """Where a value lies between two others on a logarithmic scale, from 0 to 1."""
    return math.log(value / low) / math.log(high / low) if high > low else 0.5


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two others, few enough to label.

    Examples
    --------
    >>> ticks(0.09, 2.5)
    [0.1, 0.2, 0.5, 1.0, 2.0]
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= 4 else (1,)
    values = [float(f"{step}e{decade}") for decade in decades for step in steps]
    inside = [value for value in values if low <= value <= high]
    return inside[:: math.ceil(len(inside) / 8)] if inside else []
