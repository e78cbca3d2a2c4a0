"""How the error of the centres would change with epsilon, and where a release stands on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hushmeans.budget import LARGEST_EPSILON
from hushmeans.curator.questions import LARGEST_COUNT
from hushmeans.errors import HushmeansError
from hushmeans.forecasting import forecast_of
from hushmeans.release import Release
from hushmeans.report.charts import svg
from hushmeans.report.gather import Report
from hushmeans.report.markup import text
from hushmeans.report.numbers import percent, plain

STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""The multiples of a release's epsilon that the table names."""

HEIGHT = 260
"""Pixels."""

REACH = 6
"""The curve goes this many times below and above a release's epsilon."""

POINTS = 41
"""How many points it is drawn with."""

SMALLEST = 1e-300
"""Stands in for an epsilon so small that it is 0 as a float."""

LAW = (
    "The curve is the forecast for as many records as the released sizes add up to, clusters of "
    "equal size and the same settings: the noise to expect at each epsilon. The mark is the error "
    "that the release itself states."
)


def own_error(release: Release) -> float:
    """The root of the mean square of a release's standard errors, in the unit box."""
    with np.errstate(over="ignore"):
        unit = np.array(release.standard_errors) / release.box.half_width
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
    expected = forecast_of(release.settings, round(rows), release.box.n_features)
    return tuple(error for _, error in expected.curve(epsilons))


def curve(report: Report) -> str:
    """The curve with each release marked on it, and a few of its points as a table."""
    try:
        lines = _lines(report)
        tables = "".join(_table(line) for line in lines)
    except HushmeansError:
        return "<p>There is no forecast for a release with these numbers.</p>"
    drawn = [error for line in lines for error in (*line.errors, *line.here)]
    if not all(0 < error < math.inf for error in drawn):
        return "<p>A release states no error that could be drawn.</p>"
    return f"{_drawing(lines)}<p class='note'>{LAW}</p><div class='tables'>{tables}</div>"


@dataclass(frozen=True)
class Line:
    """A release's curve.

    Attributes
    ----------
    release
        Whose it is.
    name
        What the page calls it.
    epsilons, errors
        The points; the errors are in the unit box.
    """

    release: Release
    name: str
    epsilons: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def here(self) -> tuple[float, float]:
        """The release's own epsilon and error."""
        return float(self.release.budget.epsilon), own_error(self.release)


def _lines(report: Report) -> list[Line]:
    """Over the same epsilons for all releases."""
    owns = [max(float(source.release.budget.epsilon), SMALLEST) for source in report.sources]
    ends = min(owns) / REACH, min(max(owns) * REACH, LARGEST_EPSILON)
    epsilons = tuple(np.geomspace(*ends, POINTS).tolist())
    return [
        Line(
            source.release,
            report.name(number) or "this release",
            epsilons,
            expected_errors(source.release, epsilons),
        )
        for number, source in enumerate(report.sources)
    ]


def _table(line: Line) -> str:
    own, _ = line.here
    epsilons = [step * own for step in STEPS if step * own <= LARGEST_EPSILON]
    rows = "".join(
        f"<tr{' class=here' if epsilon == own else ''}><th scope='row'>{plain(epsilon)}</th>"
        f"<td class='number'>{percent(error / 2)}</td></tr>"
        for epsilon, error in zip(epsilons, expected_errors(line.release, epsilons), strict=True)
    )
    return (
        f"<table><caption>{text(line.name)}</caption><thead><tr><th scope='col'>ε</th>"
        f"<th scope='col'>forecast</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _drawing(lines: Sequence[Line]) -> str:
    """Both axes are logarithmic."""
    epsilons = lines[0].epsilons
    errors = [error for line in lines for error in (*line.errors, line.here[1])]
    low, high = min(errors), max(errors)

    def x(epsilon: float) -> float:
        return 100 * _part(epsilon, epsilons[0], epsilons[-1])

    def y(error: float) -> float:
        return 100 - 100 * _part(error, low, high)

    drawn = [_grid_line(x(value), plain(value)) for value in ticks(epsilons[0], epsilons[-1])]
    drawn += [_level(y(2 * value), percent(value)) for value in ticks(low / 2, high / 2)]
    words = []
    for number, line in enumerate(lines):
        points = zip(map(x, epsilons), map(y, line.errors), strict=True)
        drawn.append(_polyline(points, number))
        epsilon, error = line.here
        drawn.append(_standpoint(x(epsilon), y(error), number, line.name))
        words.append(f"{line.name} at epsilon {plain(epsilon)}: {percent(error / 2)}")
    about = f"Typical error of a centre against epsilon; {'; '.join(words)} of the range"
    return (
        "<figure class='plot'><figcaption>typical standard error of a centre, in % of a feature's "
        f"range</figcaption><div class='inner'>{svg(HEIGHT, about, drawn)}</div>"
        "<figcaption class='under'>ε</figcaption></figure>"
    )


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


def _grid_line(x: float, label: str) -> str:
    return (
        f"<line class='rule' x1='{x:.2f}%' x2='{x:.2f}%' y1='0' y2='100%'/>"
        f"<text class='tick' x='{x:.2f}%' y='{HEIGHT + 16}'>{text(label)}</text>"
    )


def _level(y: float, label: str) -> str:
    return (
        f"<line class='rule' x1='0' x2='100%' y1='{y:.2f}%' y2='{y:.2f}%'/>"
        f"<svg x='-6' y='{y:.2f}%' overflow='visible'>"
        f"<text class='level' y='4'>{text(label)}</text></svg>"
    )


def _polyline(points: Iterable[tuple[float, float]], number: int) -> str:
    places = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    return (
        "<svg viewBox='0 0 100 100' preserveAspectRatio='none' width='100%' height='100%'>"
        f"<polyline class='curve side{number}' points='{places}'/></svg>"
    )


def _standpoint(x: float, y: float, number: int, name: str) -> str:
    """The first release's name stands above the curve and the second's below."""
    if number == 0:
        drawn = f"<circle r='7'/><text x='12' y='-8'>{text(name)}</text>"
    else:
        drawn = (
            "<rect x='-6' y='-6' width='12' height='12'/>"
            f"<text x='-12' y='18' text-anchor='end'>{text(name)}</text>"
        )
    return f"<svg class='stand' x='{x:.2f}%' y='{y:.2f}%' overflow='visible'>{drawn}</svg>"
