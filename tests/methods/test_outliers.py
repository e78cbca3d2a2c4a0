"""Outliers: what counts tell about them, and what clipping cuts off."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Noise
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.source import open_store
from hushmeans.methods.clipping import Clipping
from hushmeans.methods.gaps import FEWEST, Gaps
from hushmeans.methods.outliers import CLEAR_BEYOND, Outliers
from hushmeans.methods.picture import MANY_FEATURES
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Bounds, Grid
from hushmeans.types import FloatArray

EDGES = np.array([1.0, 2.0, 4.0])


def test_what_is_cut_is_a_mean_length_up_to_the_last_edge() -> None:
    """Of 100 records, 10 lie beyond 1, and 5 of these beyond 4."""
    outliers = Outliers.seen(np.array([90, 5, 0, 5]), EDGES, noise=0.01, size=100.0)
    assert outliers.beyond.tolist() == [0.1, 0.05, 0.05]
    cut = outliers.cut_by(np.array([[0.5], [1.0], [1.5], [3.0], [9.0]]), np.array([100]))
    np.testing.assert_allclose(cut[:, 0], [0.2, 0.2, 0.15, 0.05, 0.0])


def test_noise_alone_is_not_taken_for_outliers() -> None:
    """Beyond the last edge is one count, beyond the one before two, and so on."""
    limits = CLEAR_BEYOND * 10 * np.sqrt([1, 2, 3])
    for above in (False, True):
        last = limits[0] + (1 if above else -1)
        outliers = Outliers.seen(np.array([900, 0, 0, round(last)]), EDGES, 10.0, 1000.0)
        assert (outliers.beyond[2] > 0) == above
        assert (outliers.beyond[:2] == 0).all()


def test_outliers_are_spread_over_clusters_or_over_records_whichever_is_more() -> None:
    outliers = Outliers(EDGES, np.array([0.1, 0.1, 0.0]))
    small, large = outliers.cut_by(np.ones((1, 2)), np.array([10, 190]))[0]
    assert large == pytest.approx(0.3)
    assert small == pytest.approx(10 * large)


def test_ordinary_records_of_wide_clusters_are_no_outliers() -> None:
    outliers = Outliers(EDGES, np.array([0.6, 0.1, 0.05])).farther_than(1.0)
    assert (outliers.edges.tolist(), outliers.beyond.tolist()) == ([2.0, 4.0], [0.1, 0.05])
    none = Outliers(EDGES, np.ones(3)).farther_than(9.0)
    assert none.cut_by(np.ones((1, 2)), np.array([1, 1])).tolist() == [[0.0, 0.0]]


def test_outliers_count_where_the_picture_shows_none() -> None:
    offsets = np.full((2 * FEWEST, 2), 0.1)
    nearest = np.repeat([0, 1], FEWEST)
    clips, outliers = np.array([[0.5, 0.5]]), Outliers(EDGES, np.array([0.1, 0.1, 0.0]))
    assert Gaps(offsets, nearest).cut_by(clips, "l2").tolist() == [[0.0, 0.0]]
    np.testing.assert_allclose(Gaps(offsets, nearest, outliers).cut_by(clips, "l2"), 0.3)


@pytest.mark.parametrize(("n_features", "widens"), [(2, True), (MANY_FEATURES, False)])
def test_clips_widen_for_outliers_only_with_few_features(n_features: int, widens: bool) -> None:
    """What clipping cuts off them is a part of the errors in any case."""
    rng, number = np.random.default_rng(0), 50 * FEWEST
    gaps = Gaps(rng.normal(0, 0.01, (number, n_features)), np.repeat([0, 1], number // 2))
    seen = replace(gaps, outliers=Outliers(np.array([0.1, 0.4]), np.array([0.1, 0.0])))
    clipping, steps = Clipping(0.5, 0.12), np.zeros((2, n_features), np.int64)
    about = Grid(20), Noise("l2", 10.0), steps, np.full(2, 5000.0)
    without, known = (clipping.question(*about, each, Fraction(1, 2)) for each in (gaps, seen))
    assert (known.clips > without.clips) == widens
    clips = np.array([known.clips]) / known.grid.unit
    assert (seen.cut_by(clips, "l2") > gaps.cut_by(clips, "l2")).all()


def towns(seed: int) -> FloatArray:
    """Twelve towns of very different size, and one person in 25 somewhere between them."""
    rng = np.random.default_rng(seed)
    places, weights = rng.uniform(-0.8, 0.8, (12, 2)), 1 / np.arange(1, 13)
    people = rng.choice(12, 20_000, p=weights / weights.sum())
    homes = rng.normal(places[people], 0.02)
    alone = rng.random(len(homes)) < 0.04
    homes[alone] = rng.uniform(-1, 1, (np.count_nonzero(alone), 2))
    return homes


def test_intervals_hold_the_means_of_towns_among_people_who_live_alone() -> None:
    """Four seeded fits; if outliers are not looked for, 74 % are covered."""
    records = towns(0)
    store = open_store(records, Bounds((-1, 1)))
    held = []
    for seed in range(4):
        budget = Budget.of(1)
        curator = Curator(store, mechanism_for(budget, seed), budget)
        found = RefinedMethod().find(curator.door, 12, public_randomness(seed)).clusters
        squares = ((records[:, None] - found.centroids) ** 2).sum(axis=2)
        nearest = squares.argmin(axis=1)
        means = np.array([records[nearest == cluster].mean(axis=0) for cluster in range(12)])
        held.append(np.abs(found.centroids - means) < 1.96 * np.sqrt(found.variances))
    assert np.mean(held) > 0.9
