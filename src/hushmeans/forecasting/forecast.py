"""What to expect of a fit before anything is spent: from public numbers alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hushmeans.arguments import Amount, exact_amount, whole_number
from hushmeans.budget import LARGEST_EPSILON
from hushmeans.curator.curator import noise_within
from hushmeans.curator.questions import LARGEST_COUNT
from hushmeans.errors import InputError
from hushmeans.forecasting.expectation import Expectation, Step, expectation
from hushmeans.forecasting.population import Population
from hushmeans.methods.registry import DEFAULT_METHOD
from hushmeans.release.verdict import Levels, NoiseVerdict, percent
from hushmeans.schema import Bounds, Box
from hushmeans.settings import Settings

OF_A_WIDTH = Levels(visible=0.1, dominates=0.5)
"""The error of a centre, as a part of the width of a cluster."""
SMALLEST_EPSILON = 1e-4
MOST_FEATURES = 10_000
FORECAST_SENTENCES = {
    "negligible": "Noise will be negligible: {part} of a typical cluster's width.",
    "visible": "Noise will be visible: it moves a centre by {part} of a typical cluster's width.",
    "dominates": (
        "Noise will dominate: it moves a centre by {part} of a typical cluster's width. "
        "Do not spend the budget on this; more records, fewer clusters or features, or a larger "
        "epsilon would help."
    ),
}


@dataclass(frozen=True)
class Forecast:
    """The noise to expect of a release; `forecast` makes one.

    The error that is forecast is that of the centre of a typical record: the root mean square, over
    records and features, of the difference between the released centre of a record's cluster
    and what would be released had the last round been answered without noise. It is what
    `Release.standard_errors` says of noise. Not included: what the noise of earlier rounds
    does to the choice of clusters, and that records are a sample.

    Taken for granted, as nothing is known of the records: clusters of equal size, round, with
    centres scattered evenly in the box; in each feature a cluster's standard deviation is
    `width`. Narrower clusters have less noise with the refined method, and the same with the
    paper's.

    Attributes
    ----------
    rows, features, settings
        What the forecast is for.
    box
        The bounds, where they were given.
    width
        The standard deviation of a typical cluster in a feature, where half of the range is 1.
    centre_error
        The expected standard error from noise of a centre in each feature, where half of the
        range is 1.
    size_error
        The expected standard error from noise of a cluster's size.
    steps
        The questions that will be asked, with their share of the budget and their noise.

    Examples
    --------
    >>> expected = forecast(rows=30_000, features=24, n_clusters=5, epsilon=1)
    >>> expected.verdict.level
    'negligible'
    >>> forecast(rows=300, features=24, n_clusters=5, epsilon=1).verdict.level
    'dominates'
    >>> expected.centre_error < 0.01
    True
    >>> expected.rows_for(0.001) > 30_000
    True
    """

    rows: int
    features: int
    settings: Settings
    box: Box | None
    width: float
    centre_error: float
    size_error: float
    steps: tuple[Step, ...]

    @property
    def cluster_size(self) -> float:
        """The number of records in a cluster, were all equal."""
        return self.rows / self.settings.n_clusters

    @property
    def standard_errors(self) -> tuple[float, ...] | None:
        """The error of a centre in each feature, in original units; None without bounds."""
        if self.box is None:
            return None
        return tuple((self.centre_error * self.box.half_width).tolist())

    @property
    def verdict(self) -> NoiseVerdict:
        """What noise will do to the clusters.

        The error of a centre is compared with the width of a cluster. Up to a tenth of it, squared
        distances to the centre grow by one per cent at the most: negligible. From half of it
        on they grow by a quarter and more, and the noise of earlier rounds, which comes on
        top, has kept most clusters from being found: it dominates.
        """
        ratio = self.centre_error / self.width
        level = OF_A_WIDTH.level(ratio)
        return NoiseVerdict(level, FORECAST_SENTENCES[level].format(part=percent(ratio)))

    def rows_for(self, error: float) -> int:
        """About how many rows bring the error of a centre down to this, all else the same."""
        wanted = _wanted(error)
        most = LARGEST_COUNT
        found = _smallest(
            lambda rows: self._at(rows=math.ceil(rows)).centre_error <= wanted,
            float(self.settings.n_clusters),
            float(most),
        )
        if found is None:
            raise InputError(f"no number of rows brings the error of centres to {wanted:g}")
        return math.ceil(found)

    def epsilon_for(self, error: float) -> float:
        """About which epsilon brings the error of a centre down to this, all else the same."""
        wanted = _wanted(error)
        found = _smallest(
            lambda epsilon: self._at(epsilon=epsilon).centre_error <= wanted,
            SMALLEST_EPSILON,
            float(LARGEST_EPSILON),
        )
        if found is None:
            raise InputError(
                f"no epsilon up to {LARGEST_EPSILON:,} brings the error of centres to {wanted:g}"
            )
        return _rounded_up(found)

    def curve(self, epsilons: Iterable[Amount]) -> tuple[tuple[float, float], ...]:
        """Pairs of an epsilon and the error of a centre at it, all else the same."""
        forecasts = [self._at(epsilon=epsilon) for epsilon in epsilons]
        return tuple((float(each.settings.budget.epsilon), each.centre_error) for each in forecasts)

    def _at(self, *, rows: int | None = None, epsilon: Amount | None = None) -> Forecast:
        """The forecast for other rows or another epsilon."""
        rows = self.rows if rows is None else rows
        settings = self.settings if epsilon is None else self.settings.with_epsilon(epsilon)
        expected = _expected(rows, self.features, settings)
        return replace(self, rows=rows, settings=settings, **_errors(expected))


def forecast(
    rows: int,
    features: int,
    n_clusters: int,
    epsilon: Amount,
    delta: Amount = 0,
    method: str = DEFAULT_METHOD,
    method_options: Mapping[str, Any] | None = None,
    rows_per_person: int = 1,
    bounds: Any = None,
) -> Forecast:
    """What a fit will give for its budget: nothing is spent and no record is looked at.

    Parameters
    ----------
    rows
        Roughly how many records there are. A number that may be known: the exact one is private.
    features
        How many features they have.
    n_clusters, epsilon, delta, method, method_options, rows_per_person
        As in `DPKMeans`.
    bounds
        The public range of every feature, as anything that `Bounds` takes, for errors in original
        units; not needed otherwise.

    Examples
    --------
    >>> expected = forecast(100_000, 2, 4, epsilon=1, bounds={"age": (0, 100), "visits": (0, 20)})
    >>> age, visits = expected.standard_errors
    >>> round(age / visits, 3)
    5.0
    """
    settings = Settings.of(n_clusters, epsilon, delta, method, method_options, rows_per_person)
    return forecast_of(settings, rows, features, bounds)


def forecast_of(settings: Settings, rows: int, features: int, bounds: Any = None) -> Forecast:
    """As `forecast`, for settings that are checked already."""
    features = whole_number("features", features, at_most=MOST_FEATURES)
    rows = whole_number("rows", rows, at_most=LARGEST_COUNT)
    n_clusters = settings.n_clusters
    if rows < n_clusters:
        raise InputError(f"{rows} rows cannot make {n_clusters} clusters; ask for fewer clusters")
    return Forecast(
        rows=rows,
        features=features,
        settings=settings,
        box=None if bounds is None else _box(bounds, features),
        width=Population.assumed(rows, features, n_clusters).width,
        **_errors(_expected(rows, features, settings)),
    )


def _expected(rows: int, features: int, settings: Settings) -> Expectation:
    noise = noise_within(settings.budget, settings.rows_per_person)
    population = Population.assumed(rows, features, settings.n_clusters)
    return expectation(settings.method, population, noise)


def _errors(expected: Expectation) -> dict[str, Any]:
    return {
        "centre_error": math.sqrt(expected.centre_variance),
        "size_error": math.sqrt(expected.size_variance),
        "steps": expected.steps,
    }


def _box(bounds: Any, features: int) -> Box:
    """The bounds of so many features, whether they have names or not."""
    declared = Bounds(bounds)
    box = declared.box()
    if box.n_features == 1 and features > 1 and box.names is None:
        box = declared.box(features)
    if box.n_features != features:
        raise InputError(
            f"the bounds have {box.n_features} features and the forecast is for {features}; "
            "give one range per feature"
        )
    return box


def _wanted(error: float) -> float:
    wanted = float(exact_amount("error", error))
    if not 0 < wanted < 1:
        raise InputError(
            f"error is {wanted:g}; it must be above 0 and below 1, which is half of the range"
        )
    return wanted


def _smallest(enough: Callable[[float], bool], low: float, high: float) -> float | None:
    """About the smallest number between the ends from which on there is enough.

    Where a method changes its settings, more of something can for a moment give a larger error: so
    the search comes from above, in halves, and ends at the first half that is not enough.
    """
    if not enough(high):
        return None
    least = high
    while least > low and enough(below := max(least / 2, low)):
        least = below
    if least == low:
        return low
    while least - below > 1e-3 * least:
        middle = (least + below) / 2
        least, below = (middle, below) if enough(middle) else (least, middle)
    return least


def _rounded_up(number: float) -> float:
    """To three digits, upwards."""
    digits = 2 - math.floor(math.log10(number))
    return math.ceil(number * 10**digits) / 10**digits if digits >= 0 else float(math.ceil(number))
