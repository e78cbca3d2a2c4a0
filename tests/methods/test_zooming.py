"""The cube that holds the records, found within bounds that are too wide."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.source import open_store
from hushmeans.methods import lengths
from hushmeans.methods.mean import NoisyMean
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.methods.zooming import zoom_in
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray


def found(points: FloatArray, seed: int = 0) -> Place:
    budget = Budget.of(1)
    curator = Curator(open_store(points, Bounds((-1, 1))), mechanism_for(budget, seed), budget)
    somewhere = NoisyMean(np.zeros(points.shape[1]), variance=0.01, shift=0.0)
    return zoom_in(Purse(curator.door), len(points), somewhere).place


def table(apart: float) -> FloatArray:
    """Records within 0.1 of the middle, one in twenty of them so many times as far out."""
    points = np.random.default_rng(0).uniform(-0.1, 0.1, (20_000, 5))
    points[:1000] *= apart
    return points


@pytest.mark.parametrize("narrower", [1, 10, 100])
def test_records_a_little_further_out_lie_in_the_place(narrower: float) -> None:
    points = table(apart=1.3) / narrower
    place = found(points)
    assert (np.abs(points - place.centre) <= place.half).all()
    assert place.half < 3 * np.abs(points).max()


def test_a_few_records_far_out_are_left_outside_and_remembered() -> None:
    place = found(table(apart=8))
    assert place.half < 0.3
    assert place.reach > 0.6


def test_a_false_alarm_far_out_does_not_hide_where_the_others_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Records a hundred times as far out seem to stand out, but not clearly."""
    monkeypatch.setattr(lengths, "CLEARLY", 100.0)
    points = table(apart=1.0) / 100
    points[:20] *= 900
    assert found(points).half < 0.01


@pytest.mark.parametrize("times", [64, 1000])
def test_a_small_table_is_found_in_very_loose_bounds(times: int) -> None:
    """A thousand records in ten features, where half of the budget goes into finding them."""
    points = np.random.default_rng(1).uniform(-1, 1, (1000, 10)) / times + 0.3
    halves = [found(points, seed).half * times for seed in range(8)]
    assert np.median(halves) < 8
    assert max(halves) < 0.1 * times
