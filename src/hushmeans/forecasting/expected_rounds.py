"""The rounds that a fit of the refined method is expected to make."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Shifts
from hushmeans.forecasting.distances import (
    expected_calibration,
    expected_own,
    step_of_distances,
)
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.steps import Step
from hushmeans.methods.calibration import SharesOfDistances
from hushmeans.methods.gaps import Gaps, gaps_to_nearest
from hushmeans.methods.picture import Picture
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.shifting import LEAF_ROUNDS, calibrated, for_leaves
from hushmeans.types import FloatArray

SETTLING_ROUNDS = 2
"""The number of rounds after merging until the centroids of equal, round clusters have settled; if
the method chooses the rounds itself, the next one is the last. Higher values forecast more rounds
with less budget each."""


@dataclass(frozen=True)
class PlannedFit:
    """What is known about a fit of the refined method before its rounds.

    Attributes
    ----------
    start
        Where the clusters start.
    rounds, n
        The number of rounds that the noise allows, and of leaves per cluster.
    rest
        The share of the budget for rounds and distances.
    """

    method: RefinedMethod
    population: Population
    noise: Noise
    picture: Picture
    start: FloatArray
    rounds: int
    n: int
    rest: Fraction


@dataclass(frozen=True)
class ExpectedRounds:
    """The rounds of a fit, as a forecast expects them.

    Attributes
    ----------
    steps
        Their questions, including those for distances.
    last, gaps, noise
        The last round's question, the gaps by which it is clipped, and the noise of its answer.
    of_sizes
        The noise of a size in each round.
    """

    steps: list[Step]
    last: Shifts
    gaps: Gaps
    noise: float
    of_sizes: list[float]


def expected_rounds(fit: PlannedFit) -> ExpectedRounds:
    """The rounds of a fit whose questions are answered as the population would."""
    rounds, distances = _Rounds(fit), SharesOfDistances()
    if fit.rounds > 1:
        about_table = (fit.population.layout, fit.population.n_clusters)
        size = float(fit.population.size)
        distances = SharesOfDistances.of(fit.noise, *about_table, size, fit.rest)
    schedule = fit.method.schedule(fit.rest - distances.joint - distances.own, fit.rounds)
    schedule.finish_after(LEAF_ROUNDS + SETTLING_ROUNDS)
    merged = False
    while schedule.left:
        share, number = schedule.next(), len(rounds.of_sizes)
        before_merging = schedule.left > 0 and number < LEAF_ROUNDS
        if distances.own and not (before_merging or merged):
            rounds.ask_own_distances(distances.own)
        merged = not before_merging
        last = rounds.ask_shifts(share, more_for_sizes=before_merging and distances.joint > 0)
        if number == 0 and distances.joint and rounds.ask_distances(distances.joint):
            schedule.split_last()
    return ExpectedRounds(rounds.steps, last, rounds.gaps, rounds.deviation, rounds.of_sizes)


class _Rounds:
    """The rounds so far, and what is known after them.

    Attributes
    ----------
    of_shift, deviation
        The noise of a sum of shifts in the last round, in the unit box and in units of the clip.
    """

    def __init__(self, fit: PlannedFit) -> None:
        population, grid = fit.population, fit.population.grid
        self.fit, self.grid, self.clipping = fit, grid, fit.method.clipping
        self.points = grid.snap(population.centres if fit.rounds > 1 else fit.start)
        self.sizes = np.full(len(self.points), population.cluster_size)
        self.shown = gaps_to_nearest(fit.picture, grid.to_unit_box(self.points))
        self.gaps, self.of_shift, self.deviation = self.shown, 0.0, 0.0
        self.steps: list[Step] = []
        self.of_sizes: list[float] = []

    def ask_shifts(self, share: Fraction, *, more_for_sizes: bool) -> Shifts:
        """Ask for the shifts of one round."""
        noise = self.fit.noise
        clipping = for_leaves(self.clipping) if more_for_sizes else self.clipping
        question = clipping.question(self.grid, noise, self.points, self.sizes, self.gaps, share)
        sensitivity = question.sensitivity(noise.norm) / self.grid.unit
        self.deviation = noise.deviation(sensitivity, float(share))
        self.of_shift = float(np.median(question.clips)) / self.grid.unit * self.deviation
        self.steps.append(Step(question.name, share, self.of_shift))
        self.of_sizes.append(self.deviation * self.grid.unit / question.size_unit)
        return question

    def ask_distances(self, share: Fraction) -> bool:
        """Ask for the distances of all records; whether they call for another round."""
        population = self.fit.population
        step = step_of_distances(self.fit.noise, share)
        self.steps.append(step)
        relative = self.fit.n * self.of_shift / population.cluster_size
        error = self._limited(population.n_features * relative**2)
        found = expected_calibration(population, self.shown, error, step.noise)
        self.gaps, self.clipping = found.of(self.gaps), calibrated(self.clipping, found)
        return found.is_unsettled(error)

    def ask_own_distances(self, share: Fraction) -> None:
        """Ask for the distances from each cluster."""
        population = self.fit.population
        step = step_of_distances(self.fit.noise, share)
        self.steps.append(step)
        relative = self.of_shift / population.cluster_size
        error = self._limited(population.n_features * self.fit.n * relative**2)
        own = expected_own(population, self.shown, self.gaps, error, step.noise)
        self.gaps = self.gaps if own is None else own.of(self.shown)

    def _limited(self, error: float) -> float:
        """The squared error of a centroid, which follows noise only as far as clusters reach."""
        return error / (1 + error / self.gaps.square)
