"""What a choice of clusters and budget would give, before anything is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from hushmeans.arguments import whole_number
from hushmeans.forecasting.forecast import Forecast, forecast_of
from hushmeans.release.numbers import plain
from hushmeans.release.verdict import NoiseVerdict
from hushmeans.schema import Schema
from hushmeans.settings import Settings

SMALLEST, LARGEST, STOPS = 0.05, 10.0, 24
"""The budgets that the slider offers: from the strictest to what is still defensible."""

EPSILONS = tuple(
    float(f"{SMALLEST * (LARGEST / SMALLEST) ** (step / (STOPS - 1)):.2g}") for step in range(STOPS)
)


@dataclass(frozen=True)
class Plan:
    """What a fit would be asked for, and the public guess of how many rows there are."""

    rows: int
    k: int
    epsilon: str
    delta: str

    def settings(self, schema: Schema) -> Settings:
        """The settings of the fit, which check themselves."""
        return Settings.of(self.k, self.epsilon, self.delta, rows_per_person=schema.rows_per_person)


@dataclass(frozen=True)
class Stop:
    """A budget on the slider, and what it would give."""

    epsilon: float
    error: float
    verdict: NoiseVerdict
    belief: int
    """What somebody who thought it a toss-up whether a person is in the table would think at
    most, in per cent."""


@dataclass(frozen=True)
class Outlook:
    """The forecast for a plan, and for the other budgets on the slider."""

    forecast: Forecast
    stops: tuple[Stop, ...]

    @classmethod
    def of(cls, schema: Schema, plan: Plan) -> Outlook:
        """The outlook of a plan; an InputError where it makes no sense."""
        rows = whole_number("the number of rows", plan.rows)
        settings = plan.settings(schema)
        n_features = len(schema.kinds)
        found = forecast_of(settings, rows, n_features)
        others = _stops(rows, n_features, settings.with_epsilon(1))
        return cls(found, others)

    @property
    def here(self) -> Stop:
        """What the plan itself would give."""
        return _stop(self.forecast)


@lru_cache(maxsize=64)
def _stops(rows: int, n_features: int, settings: Settings) -> tuple[Stop, ...]:
    """The stops of the slider; the error never rises with the budget, whatever a method chooses."""
    stops = []
    least = math.inf
    for epsilon in EPSILONS:
        stop = _stop(forecast_of(settings.with_epsilon(epsilon), rows, n_features))
        least = min(least, stop.error)
        stops.append(Stop(stop.epsilon, least, stop.verdict, stop.belief))
    return tuple(stops)


def _stop(expected: Forecast) -> Stop:
    epsilon = float(expected.settings.budget.epsilon)
    return Stop(epsilon, expected.centre_error, expected.verdict, belief(epsilon))


def belief(epsilon: float) -> int:
    """How sure anybody can become, in per cent, who was undecided before.

    Examples
    --------
    >>> belief(1.0), belief(0.1)
    (73, 52)
    """
    return round(100 / (1 + math.exp(-epsilon)))


def risk(epsilon: float) -> str:
    """What a budget means for one person, in a sentence."""
    return (
        "Suppose somebody who knows everything else thinks it a toss-up whether you are in this "
        f"table. After reading the release they can be at most about {belief(epsilon)} % sure. Any "
        f"result is at most {plain(math.exp(epsilon), 3)} times as likely with you as without you."
    )
