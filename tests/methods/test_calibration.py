"""The picture's distances, corrected by those of real records."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Noise
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.source import open_store
from hushmeans.methods.calibration import (
    LEAST_FOR_DISTANCES,
    LEAST_FOR_OWN,
    LEAST_OWN_SIGNAL,
    MOST_FOR_DISTANCES,
    MOST_FOR_OWN,
    SHAPE_RECORDS,
    SIGNAL_OF_DISTANCES,
    WIDEST_TAIL,
    Calibration,
    SharesOfDistances,
    _with_tail,
    ask_distances,
    ask_own_distances,
    share_of_distances,
    share_of_own_distances,
    with_borrowed_offsets,
)
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import FEWEST, Gaps
from hushmeans.methods.moments import Moments
from hushmeans.methods.picture import MANY_FEATURES, Picture
from hushmeans.methods.place import Place
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Bounds, Box, Category, Layout, Number
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
    offsets = np.random.default_rng(0).normal(size=(1000, 3))
    found = halved(np.linalg.norm(offsets, axis=1)).of(Gaps(offsets, np.zeros(1000, np.int64)))
    np.testing.assert_allclose(found.offsets, offsets / 2)


def test_each_rank_has_a_factor_of_its_own() -> None:
    offsets = np.array([[length, 0.0] for length in (0.1, 0.2, 0.3, 0.4, 0.5)])
    calibration = Calibration(
        np.array([0.3, 0.5, 0.7]), np.array([0.02, 0.15, 0.4]), offsets[1:4, 0]
    )
    lengths = calibration.of(Gaps(offsets, np.zeros(5, np.int64))).offsets[:, 0]
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


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_distances_of_each_cluster_are_asked_for_what_they_are_worth(norm: str) -> None:
    noise = Noise("l1" if norm == "l1" else "l2", 5.0)
    shares = [share_of_own_distances(noise, 10, 10.0**power) for power in range(1, 9)]
    asked = [share for share in shares if share]
    assert asked == sorted(asked, reverse=True)
    assert asked[-1] == Fraction(LEAST_FOR_OWN).limit_denominator(1000)
    assert max(asked) <= Fraction(MOST_FOR_OWN).limit_denominator(1000)
    hidden = LEAST_OWN_SIGNAL * noise.deviation(1, MOST_FOR_OWN)  # for each of ten clusters
    assert share_of_own_distances(noise, 10, 9.9 * hidden) == 0
    assert share_of_own_distances(noise, 10, 10.1 * hidden) > 0


def test_distances_take_a_quarter_and_an_eighth_of_what_is_left_at_the_most() -> None:
    about = (Noise("l1", 5.0), Layout.of_numbers(MANY_FEATURES), 2, 10_000.0)
    plenty = SharesOfDistances.of(*about, Fraction(1))
    assert plenty.joint == share_of_distances(Noise("l1", 5.0), MANY_FEATURES, 10_000.0)
    assert plenty.own == share_of_own_distances(Noise("l1", 5.0), 2, 10_000.0)
    little = SharesOfDistances.of(*about, Fraction(1, 1000))
    assert little == SharesOfDistances(Fraction(1, 4000), Fraction(1, 8000))


def test_a_table_with_categories_is_not_asked_for_the_distances_of_each_cluster() -> None:
    layout = Box.of([Number(0, 100), Category(["f", "m"])]).layout
    shares = SharesOfDistances.of(Noise("l1", 5.0), layout, 2, 10_000.0, Fraction(1))
    assert shares.own == 0


def two_widths(sizes: tuple[int, ...], narrow: float, wide: float) -> tuple[FloatArray, FloatArray]:
    """Records of two clusters of other widths than one another, and of a third as the second."""
    generator = np.random.default_rng(2)
    centres = np.array([[-0.6, 0.0], [0.6, 0.0], [0.0, 0.9]])
    widths = np.repeat([narrow, wide, wide], sizes)[:, None]
    labels = np.repeat(np.arange(3), sizes)
    return centres[labels] + widths * generator.normal(size=(len(labels), 2)), centres


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_distances_of_each_cluster_are_found_unless_noise_hides_them(delta: float) -> None:
    """In the picture all clusters are equally wide; a third has hardly any records."""
    records, centres = two_widths((10_000, 10_000, 5), 0.02, 0.08)
    shown, _ = two_widths((1500, 1500, 50), 0.05, 0.05)
    moments = Moments(20_000.0, Place.whole(2), shown.mean(axis=0), shown.var(axis=0))
    clusters = Clusters(centres, np.zeros_like(centres), np.ones(3), np.ones(3))
    door = curator(records, 1.0, delta, 0).door
    about = (door, Picture(shown, moments, Fraction(0)), clusters, Fraction(1, 25))
    narrow, wide, hidden = ask_own_distances(*about, None)
    assert narrow is not None
    assert wide is not None
    assert hidden is None
    for found, width in ((narrow, 0.02), (wide, 0.08)):
        exact = width * np.sqrt(-2 * np.log(1 - found.levels))  # lengths in two dimensions
        within = (found.levels >= 0.25) & (found.levels <= 0.9)
        # Each edge is twice the one before: between them a quantile is interpolated.
        np.testing.assert_allclose(found.found[within], exact[within], rtol=0.25)
        np.testing.assert_allclose(found.shown[within], exact[within] * 0.05 / width, rtol=0.15)


def test_quantiles_that_noise_hides_continue_a_log_normal_distribution() -> None:
    """Of a median of 0.1 and a logarithm that deviates by 0.5."""
    levels = np.array([0.25, 0.5, 0.75])
    normal = np.array([NormalDist().inv_cdf(each) for each in (0.25, 0.5, 0.75, 0.9, 0.96, 0.99)])
    all_levels, found = _with_tail(levels, 0.1 * np.exp(0.5 * normal[:3]))
    assert all_levels.tolist() == [0.25, 0.5, 0.75, 0.9, 0.96, 0.99]
    np.testing.assert_allclose(found, 0.1 * np.exp(0.5 * normal))


def test_quantiles_far_out_are_no_farther_than_the_widest_tail() -> None:
    normal = NormalDist().inv_cdf(0.9)
    levels, found = _with_tail(np.array([0.1, 0.5, 0.9]), np.array([0.001, 0.1, 100.0]))
    assert levels.tolist() == [0.1, 0.5, 0.9, 0.96, 0.99]
    assert found[:3].tolist() == pytest.approx([0.001, 0.1, 0.1 * np.exp(WIDEST_TAIL * normal)])


def test_a_median_alone_has_no_tail() -> None:
    levels, found = _with_tail(np.array([0.5]), np.array([0.1]))
    assert (levels.tolist(), found.tolist()) == ([0.5], pytest.approx([0.1]))


def test_a_cluster_that_the_picture_hardly_shows_borrows_ways_of_all() -> None:
    number = 2 * SHAPE_RECORDS
    offsets = np.arange(2.0 * number).reshape(number, 2)
    nearest = np.where(np.arange(number) < FEWEST - 1, 1, 0)
    found = with_borrowed_offsets(Gaps(offsets, nearest), 3)
    np.testing.assert_array_equal(found.offsets[:number], offsets)
    np.testing.assert_array_equal(found.nearest[:number], nearest)
    for cluster in (1, 2):
        borrowed = found.offsets[number:][found.nearest[number:] == cluster]
        np.testing.assert_array_equal(borrowed, offsets[::2])


def test_clusters_that_the_picture_shows_borrow_nothing() -> None:
    gaps = Gaps(np.ones((2 * FEWEST, 2)), np.repeat([0, 1], FEWEST))
    found = with_borrowed_offsets(gaps, 2)
    np.testing.assert_array_equal(found.offsets, gaps.offsets)
    np.testing.assert_array_equal(found.nearest, gaps.nearest)
