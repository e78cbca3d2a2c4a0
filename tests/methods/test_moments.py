"""Where the records are and how wide they lie, as far as their number allows to ask."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.questions import Question
from hushmeans.curator.source import open_store
from hushmeans.methods.moments import Moments, ask_moments, lengths_come_first
from hushmeans.methods.opening import Purse
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray


class Noting(Purse):
    """A purse that notes the kinds of questions it pays for."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self.asked: list[str] = []

    def spend(self, question: Question, share: Fraction) -> NoisyTotals:
        self.asked.append(question.name)
        return super().spend(question, share)


def asked(points: FloatArray, epsilon: float, seed: int = 0) -> tuple[Moments, list[str]]:
    """The moments, and the kinds of questions that were asked for them."""
    budget = Budget.of(epsilon)
    curator = Curator(open_store(points, Bounds((-1, 1))), mechanism_for(budget, seed), budget)
    purse = Noting(curator.door)
    return ask_moments(purse, len(points)), purse.asked


def normal(n_records: int, n_features: int, width: float, middle: float = 0.0) -> FloatArray:
    rng = np.random.default_rng(0)
    return np.clip(rng.normal(middle, width, (n_records, n_features)), -1, 1)


@pytest.mark.parametrize(("n_records", "first"), [(1000, True), (100_000, True), (40, False)])
def test_lengths_come_before_the_spread_unless_they_cost_more(n_records: int, first: bool) -> None:
    assert lengths_come_first(Noise("l1", 1.0), 2, n_records) == first


def test_lengths_replace_a_spread_that_would_be_noise() -> None:
    points = normal(1000, 10, 0.005, 0.02)
    assert "spread" in asked(points, epsilon=5)[1]
    found = [asked(points, epsilon=0.2, seed=seed) for seed in range(12)]
    by_lengths = [moments for moments, names in found if "spread" not in names]
    assert len(by_lengths) >= 8
    assert all(np.ptp(moments.variance) < 1e-4 for moments in by_lengths)
    deviations = [np.sqrt(moments.variance.mean()) for moments in by_lengths]
    assert 0.003 < np.median(deviations) < 0.03


def test_a_distance_that_noise_explains_does_not_replace_the_spread() -> None:
    """The records fill the box, and noise may have put their mean as far from them."""
    found = [asked(normal(1000, 10, 0.4), epsilon=0.2, seed=seed) for seed in range(8)]
    assert all("spread" in names for _, names in found)
