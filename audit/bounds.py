"""Lower bounds from outcomes on two neighbours, each right with a stated probability.

Half of the outcomes choose what to look for: a statistic, a side and a threshold for each of the
two directions (likelier with the record, likelier without). The other half is counted, so that
however many statistics were tried, two events are measured, and two only. Each direction gets
half of the alarm rate, and each of its two exact (Clopper-Pearson) limits half of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.stats import beta, norm

from hushmeans.types import FloatArray, IntArray

ALARM = 1e-6
"""The chance that the bound for a mechanism that keeps its promise exceeds the promise."""

THRESHOLDS = 256
"""How many thresholds of each statistic are tried."""

LEARNED = "learned"
"""The statistic that is a weighted sum of all others."""


@dataclass(frozen=True)
class Event:
    """That a statistic, or its negative, is at least the threshold."""

    column: int
    sign: int
    threshold: float

    def hits(self, outcomes: FloatArray) -> int:
        """In how many of the outcomes it happened."""
        return int((self.sign * outcomes[:, self.column] >= self.threshold).sum())


@dataclass(frozen=True)
class LowerBound:
    """What the outcomes prove.

    Attributes
    ----------
    value
        The true value, an epsilon or a mu, is at least this.
    told_by
        The statistic that proved it.
    """

    value: float
    told_by: str


class Proof(Protocol):
    """The value, at least 0, that numbers of hits in so many runs prove."""

    def __call__(
        self, likely: IntArray, unlikely: IntArray, runs: int, alarm: float
    ) -> FloatArray: ...


def lower_bound(
    fewer: FloatArray,
    more: FloatArray,
    columns: tuple[str, ...],
    proof: Proof,
    alarm: float = ALARM,
) -> LowerBound:
    """The largest value that as many outcomes on each of two neighbours prove.

    Parameters
    ----------
    fewer, more
        One row per run, one column per statistic: without the record, and with it.
    """
    half = len(fewer) // 2
    score = linear_score(fewer[:half], more[:half])
    fewer, more = (np.column_stack([each, score(each)]) for each in (fewer, more))
    names = (*columns, LEARNED)
    bounds = []
    for likely, unlikely in ((more, fewer), (fewer, more)):
        event = most_telling(likely[:half], unlikely[:half], proof, alarm / 2)
        hits = np.array([event.hits(likely[half:])]), np.array([event.hits(unlikely[half:])])
        value = proof(*hits, len(likely) - half, alarm / 2)
        bounds.append(LowerBound(float(value[0]), names[event.column]))
    return max(bounds, key=lambda bound: bound.value)


def proven_epsilon(delta: float) -> Proof:
    """Of (epsilon, delta)-privacy: p is at most e**epsilon q + delta, whatever the mechanism."""

    def proof(likely: IntArray, unlikely: IntArray, runs: int, alarm: float) -> FloatArray:
        low, _ = clopper_pearson(likely, runs, alarm / 2)
        _, high = clopper_pearson(unlikely, runs, alarm / 2)
        epsilon: FloatArray = np.log(np.maximum((low - delta) / high, 1.0))
        return epsilon

    return proof


def proven_mu(likely: IntArray, unlikely: IntArray, runs: int, alarm: float) -> FloatArray:
    """Of Gaussian noise whose standard deviation is sensitivity / mu, in one answer or in several.

    No event is easier to tell by than by a normal variable that moves by mu.
    """
    low, _ = clopper_pearson(likely, runs, alarm / 2)
    _, high = clopper_pearson(unlikely, runs, alarm / 2)
    mu: FloatArray = np.maximum(norm.ppf(low) - norm.ppf(high), 0.0)
    return mu


def clopper_pearson(hits: IntArray, runs: int, alarm: float) -> tuple[FloatArray, FloatArray]:
    """Exact limits of a probability; each is wrong with at most the probability `alarm`."""
    low, high = _all_limits(runs, alarm)
    return low[hits], high[hits]


@lru_cache(maxsize=32)
def _all_limits(runs: int, alarm: float) -> tuple[FloatArray, FloatArray]:
    """The limits for every number of hits, which many statistics look up."""
    hits = np.arange(runs + 1)
    low = np.where(hits > 0, beta.ppf(alarm, np.maximum(hits, 1), runs - hits + 1), 0.0)
    high = np.where(hits < runs, beta.isf(alarm, hits + 1, np.maximum(runs - hits, 1)), 1.0)
    return low, high


def most_telling(likely: FloatArray, unlikely: FloatArray, proof: Proof, alarm: float) -> Event:
    """The event that would prove most if these outcomes were the ones that count."""

    def proven(events: list[Event], hits: tuple[IntArray, IntArray]) -> tuple[float, Event]:
        values = proof(*hits, len(likely), alarm)
        best = int(np.argmax(values))
        return float(values[best]), events[best]

    candidates = [proven(*some) for some in _candidates(likely, unlikely)]
    return max(candidates, key=lambda candidate: candidate[0])[1]


def _candidates(
    likely: FloatArray, unlikely: FloatArray
) -> Iterator[tuple[list[Event], tuple[IntArray, IntArray]]]:
    """For each statistic and side, events and how often they happened on each neighbour."""
    for column in range(likely.shape[1]):
        for sign in (1, -1):
            samples = np.sort(sign * likely[:, column]), np.sort(sign * unlikely[:, column])
            thresholds = _spread_out(np.concatenate(samples))
            yield (
                [Event(column, sign, float(threshold)) for threshold in thresholds],
                (_reaching(samples[0], thresholds), _reaching(samples[1], thresholds)),
            )


def _spread_out(values: FloatArray) -> FloatArray:
    """Some of the values, as many in the tails as in the middle."""
    ordered = np.sort(values)
    tail = np.geomspace(1, len(ordered) / 2, THRESHOLDS // 2).astype(np.int64) - 1
    ranks = np.concatenate([tail, len(ordered) - 1 - tail])
    return np.unique(ordered[ranks])


def _reaching(ordered: FloatArray, thresholds: FloatArray) -> IntArray:
    """For each threshold, how many values are not below it."""
    counts: IntArray = len(ordered) - np.searchsorted(ordered, thresholds, side="left")
    return counts


def linear_score(fewer: FloatArray, more: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """The weighted sum of the statistics that by least squares tells neighbours apart best."""
    both = np.concatenate([fewer, more])
    middle, width = np.median(both, axis=0), both.std(axis=0)
    width[width == 0] = 1.0

    def scaled(outcomes: FloatArray) -> FloatArray:
        bounded = np.clip((outcomes - middle) / width, -3, 3)
        return np.column_stack([bounded, np.ones(len(outcomes))])

    sides = np.concatenate([-np.ones(len(fewer)), np.ones(len(more))])
    weights = np.linalg.lstsq(scaled(both), sides, rcond=None)[0]

    def score(outcomes: FloatArray) -> FloatArray:
        weighed: FloatArray = scaled(outcomes) @ weights
        return weighed

    return score
