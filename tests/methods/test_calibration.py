"""The picture's distances, corrected by those of real records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Noise
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.source import open_store
from hushmeans.methods.calibration import (
    LEAST_FOR_DISTANCES,
    MOST_FOR_DISTANCES,
    SIGNAL_OF_DISTANCES,
    Calibration,
    ask_distances,
    share_of_distances,
)
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import Gaps
from hushmeans.methods.moments import Moments
from hushmeans.methods.picture import MANY_FEATURES, Picture
from hushmeans.methods.place import Place
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray

WIDTH = 0.03
N_FEATURES, N_CLUSTERS = 8, 6


def narrow_clusters(n_records: int) -> tuple[FloatArray, FloatArray]:
    """Records in clusters much narrower than any cell, and their centres."""
    generator = np.random.default_rng(5)
    centres = generator.uniform(-0.8, 0.8, (N_CLUSTERS, N_FEATURES))
    labels = generator.integers(N_CLUSTERS, size=n_records)
    return centres[labels] + generator.normal(0, WIDTH, (n_records, N_FEATURES)), centres


def curator(records: FloatArray, epsilon: float, delta: float, seed: int) -> Curator:
    budget = Budget.of(epsilon, delta)
    return Curator(open_store(records, Bounds((-1, 1))), mechanism_for(budget, seed), budget)


def halved(lengths: FloatArray) -> Calibration:
    """Real records are half as far away as those of the picture."""
    levels = np.array([0.25, 0.5, 0.75])
    return Calibration(levels, np.quantile(lengths, levels) / 2, np.quantile(lengths, levels))


def test_ways_keep_their_direction_and_become_as_long_as_those_of_real_records() -> None:
    ways = np.random.default_rng(0).normal(size=(1000, 3))
    found = halved(np.linalg.norm(ways, axis=1)).of(Gaps(ways, np.zeros(1000, np.int64)))
    np.testing.assert_allclose(found.ways, ways / 2)


def test_each_rank_has_a_factor_of_its_own() -> None:
    ways = np.array([[length, 0.0] for length in (0.1, 0.2, 0.3, 0.4, 0.5)])
    calibration = Calibration(np.array([0.3, 0.5, 0.7]), np.array([0.02, 0.15, 0.4]), ways[1:4, 0])
    lengths = calibration.of(Gaps(ways, np.zeros(5, np.int64))).ways[:, 0]
    np.testing.assert_allclose(lengths, [0.01, 0.02, 0.15, 0.4, 0.5])


def test_a_typical_way_is_never_longer_than_in_the_picture() -> None:
    """So that clips let in more only where distances turn out shorter."""
    levels, shown = np.array([0.25, 0.5, 0.75]), np.array([0.1, 0.2, 0.4])
    assert Calibration(levels, shown * [4, 0.25, 4], shown).factor == pytest.approx(0.25)
    assert Calibration(levels, shown * [0.1, 1.5, 0.1], shown).factor == 1


def test_centroids_are_unsettled_where_their_errors_explain_the_distances() -> None:
    calibration = Calibration(np.array([0.5]), np.array([0.2]), np.array([0.9]))
    assert calibration.is_unsettled(0.03)
    assert not calibration.is_unsettled(0.02)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_distances_are_asked_for_what_they_are_worth(norm: str) -> None:
    noise = Noise("l1" if norm == "l1" else "l2", 5.0)
    shares = [share_of_distances(noise, MANY_FEATURES, 10.0**power) for power in range(1, 9)]
    asked = [share for share in shares if share]
    assert asked == sorted(asked, reverse=True)
    assert asked[-1] == Fraction(LEAST_FOR_DISTANCES).limit_denominator(1000)
    assert max(asked) <= Fraction(MOST_FOR_DISTANCES).limit_denominator(1000)
    hidden = SIGNAL_OF_DISTANCES * noise.deviation(1, MOST_FOR_DISTANCES)
    assert share_of_distances(noise, MANY_FEATURES, 0.99 * hidden) == 0
    assert share_of_distances(noise, MANY_FEATURES, 1.01 * hidden) > 0
    assert share_of_distances(noise, MANY_FEATURES - 1, 1.01 * hidden) == 0, "cells show enough"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_distances_of_real_records_are_found(delta: float) -> None:
    records, centres = narrow_clusters(20_000)
    generator = np.random.default_rng(1)
    shown = centres[generator.integers(N_CLUSTERS, size=3000)]
    shown = shown + generator.normal(0, 8 * WIDTH, shown.shape)
    moments = Moments(20_000.0, Place.whole(N_FEATURES), shown.mean(axis=0), shown.var(axis=0))
    clusters = Clusters(centres, np.zeros_like(centres), np.ones(6), np.ones(6))
    door = curator(records, 1.0, delta, 0).door
    found = ask_distances(door, Picture(shown, moments, Fraction(0)), clusters, Fraction(1, 50))
    assert 0.5 in found.levels.tolist()
    truth = np.quantile(np.sqrt(((records[:, None] - centres) ** 2).sum(axis=2)).min(axis=1), 0.5)
    assert np.interp(0.5, found.levels, found.found) == pytest.approx(truth, rel=0.1)
    assert np.interp(0.5, found.levels, found.shown) > 4 * truth


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_clusters_narrower_than_cells_are_found_in_more_rounds(delta: float) -> None:
    """Without distances the squared cost is 7 to 13 % above that of the true centres."""
    records, _ = narrow_clusters(20_000)
    costs = []
    for seed in range(5):
        asked = curator(records, 0.3, delta, seed)
        found = RefinedMethod().find(asked.door, N_CLUSTERS, public_randomness(seed)).clusters
        names = [spend.question for spend in asked.settle()]
        rounds = names[names.index("cells") + 1 :]
        assert rounds[:5] == ["shifts", "distances", "shifts", "distances", "shifts"]
        squares = ((records[:, None] - found.centroids) ** 2).sum(axis=2).min(axis=1)
        costs.append(squares.mean() / (N_FEATURES * WIDTH**2))
    assert np.median(costs) < 1.03


@pytest.mark.parametrize("n_features", [1023, 1024, 2000, 2730, 5000])
def test_wide_tables_have_edges_that_a_question_may_have(n_features: int) -> None:
    """Their corners may be farther apart than any edge."""
    generator = np.random.default_rng(3)
    records = generator.choice([-1.0, 1.0], (40, n_features))
    moments = Moments(40.0, Place.whole(n_features), records.mean(axis=0), records.var(axis=0))
    clusters = Clusters(-records[:2], np.zeros((2, n_features)), np.ones(2), np.ones(2))
    door = curator(records, 10.0, 0.0, 0).door
    found = ask_distances(door, Picture(records, moments, Fraction(0)), clusters, Fraction(1, 2))
    assert np.isfinite(found.found).all()
