"""What a choice of clusters and budget would give, before anything is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from hushmeans.forecasting.forecast import Forecast, forecast_of
from hushmeans.release.numbers import percent, plain
from hushmeans.release.verdict import NoiseVerdict
from hushmeans.schema import Box, Category, Cycle, Date, Flag, Number, Ordinal, Schema
from hushmeans.settings import Settings
from hushmeans.surveys.range_finding import check_enough

EPSILON_STOPS = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
"""The budgets that the slider offers: from the strictest to what is still defensible."""

DELTAS = ("0", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5")
"""The deltas that the slider offers."""

RANGE_TO_FIND = 2.0
"""The length of a range before it is found, from -1 to 1."""

MOST_ON_SLIDER = 30
"""Clusters that the slider offers; more can be typed."""


@dataclass(frozen=True)
class FitPlan:
    """What a fit would be asked for, and the public guess of how many rows there are."""

    rows: int
    k: int
    epsilon: str
    delta: str

    def settings(self, schema: Schema) -> Settings:
        """The settings of the fit, which check themselves."""
        return Settings.of(self.k, self.epsilon, self.delta).with_unit_of(schema)


@dataclass(frozen=True)
class Stop:
    """A budget, and what it would give.

    Attributes
    ----------
    epsilon
        The budget.
    error
        The expected standard error of a centre, in units of half a feature's range.
    verdict
        What that means for the clusters.
    errors
        The same for each feature, in its own units.
    """

    epsilon: float
    error: float
    verdict: NoiseVerdict
    errors: tuple[str, ...]

    @property
    def belief(self) -> int:
        return belief(self.epsilon)


@dataclass(frozen=True)
class Outlook:
    """The forecast for a plan, and for the other budgets on the slider."""

    forecast: Forecast
    stops: tuple[Stop, ...]

    @classmethod
    def of(cls, schema: Schema, plan: FitPlan) -> Outlook:
        """The outlook of a plan; an InputError where it makes no sense."""
        settings = plan.settings(schema)
        unknown, unit = schema.box().unknown, settings.rows_per_person
        check_enough(plan.rows, settings.budget, len(unknown), settings.range_share, unit)
        found = forecast_of(settings, plan.rows, None, schema)
        return cls(found, _stops(plan.rows, settings.with_epsilon(1), schema))

    @property
    def here(self) -> Stop:
        """What the plan itself would give."""
        return _stop(self.forecast, self.forecast.centre_error)


@lru_cache(maxsize=64)
def _stops(rows: int, settings: Settings, schema: Schema) -> tuple[Stop, ...]:
    """The stops of the slider; the error never rises with the budget, whatever a method chooses."""
    found = [
        forecast_of(settings.with_epsilon(epsilon), rows, None, schema) for epsilon in EPSILON_STOPS
    ]
    least = accumulate((each.centre_error for each in found), min)
    return tuple(_stop(each, error) for each, error in zip(found, least, strict=True))


def _stop(expected: Forecast, error: float) -> Stop:
    epsilon = float(expected.settings.budget.epsilon)
    return Stop(epsilon, error, expected.verdict, _in_own_units(expected))


def _in_own_units(expected: Forecast) -> tuple[str, ...]:
    """The expected error of each feature, with its unit."""
    box, errors = expected.box, expected.standard_errors
    if box is None or errors is None:
        return ()
    return tuple(_with_unit(box, feature, errors) for feature in range(box.n_features))


def _with_unit(box: Box, feature: int, errors: tuple[float, ...]) -> str:
    kind, error = box.features[feature], errors[box.layout.blocks[feature].first]
    match kind:
        case Number(is_found=True):
            return f"{percent(error / RANGE_TO_FIND)} of its range"
        case Category() | Flag():
            return f"{plain(100 * error, 2)} percentage points"
        case Date():
            return f"{plain(error, 2)} days"
        case Ordinal():
            return f"{plain(error, 2)} of a level"
        case Cycle():
            return plain(error * kind.period / math.tau, 2)
        case _:
            return plain(error, 2)


def belief(epsilon: float) -> int:
    """How sure anybody can become, in per cent, who was undecided before.

    Examples
    --------
    >>> belief(1.0), belief(0.1)
    (73, 52)
    """
    return round(100 / (1 + math.exp(-epsilon)))


def risk(epsilon: float) -> str:
    """What a budget means for one person, in two sentences."""
    sure = belief(epsilon)
    return (
        "Suppose someone thinks it 50:50 whether you are in this table. After reading the release, "
        f"they can be {'almost certain' if sure > 99 else f'at most about {sure}% sure'}, even if "
        "they know everybody else in it. No result becomes more than "
        f"{plain(math.exp(epsilon), 3)} times as likely because you take part."
    )
