"""Forecasting the noise of a fit from public numbers alone, before any budget is spent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hushmeans.arguments import Amount, exact_amount, whole_number
from hushmeans.budget import LARGEST_EPSILON
from hushmeans.curator.curator import noise_within
from hushmeans.curator.door import Noise
from hushmeans.curator.questions import LARGEST_COUNT
from hushmeans.errors import InputError
from hushmeans.forecasting.expectation import expectation
from hushmeans.forecasting.mixed_population import mixed_population
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.solving import readable_above, smallest
from hushmeans.forecasting.steps import Expectation, Step
from hushmeans.methods.opening import is_much_weaker
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.registry import DEFAULT_METHOD
from hushmeans.release.numbers import percent
from hushmeans.release.verdict import Levels, NoiseVerdict
from hushmeans.schema import Box, Schema, declared_schema
from hushmeans.settings import RANGE_SHARE, Settings

OF_A_WIDTH = Levels(visible=0.1, dominates=0.5)
"""The standard error of a centre relative to the width of a cluster."""
SMALLEST_EPSILON = 1e-4
MOST_FEATURES = 10_000
EXPECTED_ERROR = "the standard error of a centre is about {part} of a typical cluster's width"
FORECAST_SENTENCES = {
    "negligible": f"Noise will be negligible: {EXPECTED_ERROR}.",
    "visible": f"Noise will be visible: {EXPECTED_ERROR}.",
    "dominates": (
        f"Noise will dominate: {EXPECTED_ERROR}. Do not spend the budget on this fit; use more "
        "records, fewer clusters or features, or a larger epsilon."
    ),
}


@dataclass(frozen=True)
class Forecast:
    """The expected noise of a release, as returned by `forecast`.

    The forecast error is the root mean square, over records and features, of the difference
    between the released centre of a record's cluster and the centre that would be released if the
    last round were answered without noise. It corresponds to `Release.standard_errors`. It does
    not include the effect of noise in earlier rounds on which clusters are found, or sampling
    error.

    Since nothing is known about the records, the forecast assumes spherical clusters of equal size
    with centres spread evenly over the box; `width` is their standard deviation in each feature.
    Narrower clusters have less noise with the refined method, and the same with the paper's
    methods.

    Attributes
    ----------
    rows, features, settings
        The fit that the forecast is for; a category counts as one feature per level.
    box
        The bounds, if given.
    width
        The standard deviation of a typical cluster in each feature, in units of half the range.
    centre_error
        The expected standard error of a centre in each feature due to noise, in units of half
        the range.
    size_error
        The expected standard error of a cluster's size due to noise.
    steps
        The questions that the fit will ask, with their shares of the budget and their noise.
    method_options
        The method's options, including the values that it would choose itself.

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
    method_options: Mapping[str, int | float | str] = field(hash=False)

    @property
    def cluster_size(self) -> float:
        """The number of records per cluster, assuming equal sizes."""
        return self.rows / self.settings.n_clusters

    @property
    def standard_errors(self) -> tuple[float, ...] | None:
        """The error of a centre in each column, in original units; None without bounds."""
        if self.box is None:
            return None
        middle = self.box.from_unit_box(np.zeros(self.box.n_columns))
        return tuple((self.centre_error * self.box.slope(middle)).tolist())

    @property
    def verdict(self) -> NoiseVerdict:
        """The effect of noise on the clusters.

        The standard error of a centre is compared with the width of a cluster. Up to one tenth of
        the width, noise is negligible: it adds at most 1% to the squared distances from records to
        centres. From one half on, it dominates: it adds at least 25%, and the noise of earlier
        rounds has usually kept most clusters from being found.
        """
        ratio = self.centre_error / self.width
        level = OF_A_WIDTH.level(ratio)
        return NoiseVerdict(level, FORECAST_SENTENCES[level].format(part=percent(ratio)))

    def rows_for(self, error: float) -> int:
        """Return roughly how many rows reduce `centre_error` to this value."""
        wanted = _wanted(error)
        most = LARGEST_COUNT
        found = smallest(
            lambda rows: self._at(rows=math.ceil(rows)).centre_error <= wanted,
            float(self.settings.n_clusters),
            float(most),
        )
        if found is None:
            raise InputError(
                f"no number of rows reduces the error of a centre to {wanted:g}; "
                "allow a larger error"
            )
        return math.ceil(found)

    def epsilon_for(self, error: float) -> float:
        """Return roughly which epsilon reduces `centre_error` to this value."""
        wanted = _wanted(error)
        found = smallest(
            lambda epsilon: self._at(epsilon=epsilon).centre_error <= wanted,
            SMALLEST_EPSILON,
            float(LARGEST_EPSILON),
        )
        if found is None:
            raise InputError(
                f"no epsilon up to {LARGEST_EPSILON:,} reduces the error of a centre to "
                f"{wanted:g}; allow a larger error"
            )
        return readable_above(found)

    def curve(self, epsilons: Iterable[Amount]) -> tuple[tuple[float, float], ...]:
        """Return pairs of an epsilon and its `centre_error`."""
        forecasts = [self._at(epsilon=epsilon) for epsilon in epsilons]
        return tuple((float(each.settings.budget.epsilon), each.centre_error) for each in forecasts)

    def _at(self, *, rows: int | None = None, epsilon: Amount | None = None) -> Forecast:
        """The forecast for another number of rows or another epsilon."""
        rows = self.rows if rows is None else rows
        settings = self.settings if epsilon is None else self.settings.with_epsilon(epsilon)
        population = _population(rows, self.features, self.box, settings)
        expected = _expected(population, _for_method(settings, self.box))
        return replace(self, rows=rows, settings=settings, **_errors(expected))


def forecast(
    rows: int,
    features: int | None,
    n_clusters: int,
    epsilon: Amount,
    delta: Amount = 0,
    method: str = DEFAULT_METHOD,
    method_options: Mapping[str, Any] | None = None,
    rows_per_person: int = 1,
    bounds: Any = None,
    schema: Any = None,
    range_share: Amount = RANGE_SHARE,
) -> Forecast:
    """Forecast the noise of a fit. No budget is spent and no record is read.

    Parameters
    ----------
    rows
        The approximate number of records. Use a public figure: the exact number is private.
    features
        The number of features; None to take it from the bounds or the schema.
    n_clusters, epsilon, delta, method, method_options, rows_per_person, range_share
        As in `DPKMeans`.
    bounds
        Optional: the public range of every feature, in any form that `Bounds` accepts, for
        errors in original units.
    schema
        Optional, instead of bounds: the kinds of features, in any form that `Schema` accepts.

    Examples
    --------
    >>> expected = forecast(100_000, 2, 4, epsilon=1, bounds={"age": (0, 100), "visits": (0, 20)})
    >>> age, visits = expected.standard_errors
    >>> round(age / visits, 3)
    5.0
    """
    settings = Settings.of(
        n_clusters, epsilon, delta, method, method_options, rows_per_person, range_share
    )
    declared = None if bounds is None and schema is None else declared_schema(bounds, schema)
    return forecast_of(settings, rows, features, declared)


def forecast_of(
    settings: Settings, rows: int, features: int | None, declared: Schema | None = None
) -> Forecast:
    """As `forecast`, for `Settings` and, if there is one, the schema."""
    box = None if declared is None else _box(declared, features)
    if declared is not None:
        settings = settings.with_unit_of(declared)
    if box is not None:
        features = box.n_columns
    elif features is None:
        raise InputError(
            "the number of features is missing; give it (--features), or give bounds or a schema"
        )
    features = whole_number("features", features, at_most=MOST_FEATURES)
    rows = whole_number("rows", rows, at_most=LARGEST_COUNT)
    n_clusters = settings.n_clusters
    if rows < n_clusters:
        raise InputError(
            f"rows is {rows}; it must be at least the number of clusters, {n_clusters}"
        )
    population = _population(rows, features, box, settings)
    return Forecast(
        rows=rows,
        features=features,
        settings=settings,
        box=box,
        width=population.width,
        **_errors(_expected(population, _for_method(settings, box))),
    )


def _population(rows: int, features: int, box: Box | None, settings: Settings) -> Population:
    """The records that are assumed: as the schema has them, or numbers."""
    if box is None or box.layout.is_numeric:
        numbers = Population.assumed(rows, features, settings.n_clusters)
        return numbers if box is None else replace(numbers, layout=box.layout)
    return mixed_population(rows, box.layout, settings.n_clusters)


def _for_method(settings: Settings, box: Box | None) -> Settings:
    """The settings with what is left of epsilon where a part of it is spent on finding ranges."""
    if box is None or not box.unknown:
        return settings
    return settings.with_epsilon((1 - settings.range_share) * settings.budget.epsilon)


def _expected(population: Population, settings: Settings) -> Expectation:
    noise = _noise(population.layout.n_directions, settings)
    return expectation(settings.method, population, noise)


def _noise(features: int, settings: Settings) -> Noise:
    """The noise that a fit will choose, given the number of directions in which records lie."""
    budget, per_person = settings.budget, settings.rows_per_person
    usual = noise_within(budget, per_person)
    if budget.delta == 0 or not isinstance(settings.method, RefinedMethod):
        return usual
    laplace = noise_within(budget, per_person, norm="l1")
    return laplace if is_much_weaker(laplace, usual, features) else usual


def _errors(expected: Expectation) -> dict[str, Any]:
    return {
        "centre_error": math.sqrt(expected.centre_variance),
        "size_error": math.sqrt(expected.size_variance),
        "steps": expected.steps,
        "method_options": expected.method_options,
    }


def _box(declared: Schema, features: int | None) -> Box:
    """The box of this many features, named or not."""
    if features is not None:
        features = whole_number("features", features, at_most=MOST_FEATURES)
    box = declared.box()
    if features is not None and box.n_features == 1 and features > 1 and box.names is None:
        box = declared.box(features)
    if features is not None and box.n_features != features:
        raise InputError(
            f"the {declared.has} {box.n_features} features, but the forecast is for {features}; "
            "leave out features (--features), or correct it"
        )
    return box


def _wanted(error: float) -> float:
    wanted = float(exact_amount("error", error))
    if not 0 < wanted < 1:
        raise InputError(
            f"error is {wanted:g}; it must be between 0 and 1 (1 is half of a feature's range)"
        )
    return wanted
