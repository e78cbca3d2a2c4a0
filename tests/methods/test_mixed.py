"""Mixed tables: the geometry of blocks, the picture, shares of levels, missing values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans import DPKMeans, SimulationWarning
from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Door, NoisyTotals
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.questions import Norm, Question
from hushmeans.curator.store import Store
from hushmeans.methods.blocks import onto_simplex, within_blocks
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.columns import MixedColumns, clip_of_columns
from hushmeans.methods.cutting import Cutting
from hushmeans.methods.method import Clustering
from hushmeans.methods.moments import Moments
from hushmeans.methods.place import Place
from hushmeans.methods.presence import without_filled
from hushmeans.methods.profile import PROFILE_SHARE, counted_profiles, has_profiles
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Block, Box, Category, Cycle, Flag, Layout, Number, Ordinal
from hushmeans.schema.grid import ABSENT
from hushmeans.types import FloatArray, GridArray, IntArray

BOX = Box.of(
    [Number(-1, 1, missing="ignore"), Category(["a", "b", "c"]), Flag(), Cycle(24), Number(-1, 1)]
)
K, ROWS = 3, 6000
EXACT = 1e4
"""An epsilon at which noise is next to nothing."""


def mixed_records(seed: int = 0, missing: float = 0.0) -> tuple[GridArray, IntArray]:
    """Three clusters that differ in every feature, and which record is of which."""
    rng = np.random.default_rng(seed)
    unit, blocks = BOX.grid.unit, BOX.layout.blocks
    labels = rng.integers(K, size=ROWS)
    records = np.zeros((ROWS, BOX.n_columns), dtype=np.int32)
    for block, centres in ((blocks[0], (-0.6, 0.0, 0.6)), (blocks[4], (0.5, -0.5, 0.2))):
        points = np.array(centres)[labels] + 0.1 * rng.standard_normal(ROWS)
        records[:, block.first] = np.rint(unit * np.clip(points, -1, 1))
    levels = np.where(rng.random(ROWS) < 0.8, labels, rng.integers(3, size=ROWS))
    records[np.arange(ROWS), blocks[1].first + levels] = round(blocks[1].high * unit)
    raised = rng.random(ROWS) < np.array([0.9, 0.5, 0.1])[labels]
    records[:, blocks[2].first] = np.where(raised, 1, -1) * round(blocks[2].high * unit)
    angles = 2 * np.pi * labels / 3 + 0.3 * rng.standard_normal(ROWS)
    circle = blocks[3].high * unit * np.column_stack([np.cos(angles), np.sin(angles)])
    records[:, blocks[3].columns] = circle.astype(np.int32)
    records[rng.random(ROWS) < missing, blocks[0].first] = ABSENT
    return records, labels


def fitted(records: GridArray, epsilon: float, delta: float = 0.0, seed: int = 0) -> Clustering:
    budget = Budget.of(epsilon, delta)
    curator = Curator(Store.of(BOX, records), mechanism_for(budget, seed), budget)
    found = RefinedMethod().find(curator.door, K, public_randomness(seed))
    curator.settle()
    return found


@given(arrays(np.float64, (3, 4), elements=st.floats(-3, 3)))
def test_the_nearest_shares_are_found(rows: FloatArray) -> None:
    found = onto_simplex(rows)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    # The nearest point of a convex set: no corner lies in the direction of the rest.
    rest = rows - found
    corners = rest - (rest * found).sum(axis=1, keepdims=True)
    assert (corners <= 1e-9).all()


def test_points_are_put_between_what_records_can_hold() -> None:
    layout = Layout(
        (
            Block("category", 0, 2, 0.0, 0.5),
            Block("flag", 2, 1, -0.25, 0.25),
            Block("cycle", 3, 2, -0.5, 0.5),
            Block("number", 5),
        )
    )
    found = within_blocks(layout, np.array([[0.6, 0.2, 0.4, 3.0, 4.0, -2.0]]))
    np.testing.assert_allclose(found, [[0.45, 0.05, 0.25, 0.3, 0.4, -1.0]])


def test_numbers_alone_are_left_as_they_are() -> None:
    points = np.array([[1.5, -2.0]])
    assert within_blocks(Layout.of_numbers(2), points) is points


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (1.0, 1e-6)])
def test_clusters_of_a_mixed_table_are_found(epsilon: float, delta: float) -> None:
    records, labels = mixed_records()
    found = fitted(records, epsilon, delta).clusters
    points = records / BOX.grid.unit
    truth = np.array([points[labels == j].mean(axis=0) for j in range(K)])
    gaps = np.linalg.norm(found.centroids[:, None] - truth, axis=2)
    assert sorted(gaps.argmin(axis=0).tolist()) == [0, 1, 2]
    assert gaps.min(axis=0).max() < 0.1


def test_centres_are_shares_flags_and_points_of_a_disc() -> None:
    records, _ = mixed_records()
    found = fitted(records, 0.1).clusters.centroids
    np.testing.assert_allclose(within_blocks(BOX.layout, found), found, atol=1e-12)


def test_shares_without_noise_are_those_of_the_nearest_records() -> None:
    records, _ = mixed_records()
    found = fitted(records, EXACT)
    snapped = BOX.grid.snap(found.clusters.centroids)
    labels = ((records[:, None].astype(float) - snapped) ** 2).sum(axis=2).argmin(axis=1)
    category, flag = found.profiles
    block = BOX.layout.blocks[1]
    for j in range(K):
        own = records[labels == j]
        levels = np.bincount(own[:, block.columns].argmax(axis=1), minlength=4) / len(own)
        np.testing.assert_allclose(category.shares[j], levels, atol=1e-3)
        raised = (own[:, BOX.layout.blocks[2].first] > 0).mean()
        np.testing.assert_allclose(flag.shares[j], raised, atol=1e-3)
    whole = np.bincount(records[:, block.columns].argmax(axis=1), minlength=4) / ROWS
    np.testing.assert_allclose(category.whole, whole, atol=1e-3)


class Heard:
    """A door whose answers are exact but for the noise that a test draws."""

    def __init__(self, records: GridArray, norm: Norm, seed: int) -> None:
        budget = Budget.of(1) if norm == "l1" else Budget.of(1, 1e-6)
        self.curator = Curator(Store.of(BOX, records), mechanism_for(budget, seed), budget)

    def ask(self, question: Question, share: Fraction) -> NoisyTotals:
        return self.curator.ask(question, share)

    @property
    def door(self) -> Door:
        return self.curator.door


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_errors_of_shares_are_those_of_the_noise(norm: Norm) -> None:
    """Over 300 answers, squared errors average to their variance within 15 %.

    The mean of 12 squared errors of Laplace noise has a relative deviation of 0.65, that of 300
    such means one of 0.04: a false alarm once in ten thousand times.
    """
    records, labels = mixed_records()
    points = records / BOX.grid.unit
    centroids = np.array([points[labels == j].mean(axis=0) for j in range(K)])
    clusters = Clusters(centroids, centroids, np.ones(K), np.ones(K))
    rates = np.ones(BOX.n_columns)

    def shares(seed: int) -> tuple[FloatArray, FloatArray]:
        door = Heard(records, norm, seed).door
        _, profiles = counted_profiles(door, rates, clusters, Fraction(1, 5))
        return (
            np.concatenate([each.shares[:, :3] for each in profiles], axis=1),
            np.concatenate([each.variances[:, :3] for each in profiles], axis=1),
        )

    drawn = [shares(seed) for seed in range(300)]
    found = np.array([each for each, _ in drawn])
    claimed = np.array([each for _, each in drawn]).mean(axis=0)
    ratio = found.var(axis=0) / claimed
    assert 0.85 < float(ratio.mean()) < 1.15


def test_missing_values_do_not_draw_centres_to_the_middle() -> None:
    records, labels = mixed_records(missing=0.3)
    complete, _ = mixed_records()
    found = fitted(records, 20.0)
    assert found.presence is not None
    np.testing.assert_allclose(found.presence.rates, [0.7], atol=0.03)
    truth = [complete[labels == j, 0].mean() / BOX.grid.unit for j in range(K)]
    np.testing.assert_allclose(sorted(found.clusters.centroids[:, 0]), sorted(truth), atol=0.06)


def test_numbers_with_missing_values_are_found_in_bounds_far_wider_than_they_are() -> None:
    """Two clusters 0.04 apart in a box of 2; seeded, so there is no false alarm."""
    box = Box.of([Number(-1, 1, missing="ignore")] * 2)
    rng = np.random.default_rng(0)
    centres = np.where(rng.random((ROWS, 1)) < 0.5, 0.02, -0.02)
    points = 0.3 + centres + 0.004 * rng.standard_normal((ROWS, 2))
    records = np.rint(points * box.grid.unit).astype(np.int32)
    records[rng.random((ROWS, 2)) < 0.1] = ABSENT
    budget = Budget.of(2)
    curator = Curator(Store.of(box, records), mechanism_for(budget, 0), budget)
    found = RefinedMethod().find(curator.door, 2, public_randomness(0)).clusters.centroids
    assert "lengths" in [spend.question for spend in curator.settle()]
    np.testing.assert_allclose(np.sort(found, axis=0), [[0.28] * 2, [0.32] * 2], atol=0.01)


@pytest.mark.parametrize("budget", [Budget.of(1), Budget.of(1, 1e-6)])
def test_numbers_beside_a_flag_and_levels_are_found_in_ranges_far_wider_than_they_are(
    budget: Budget,
) -> None:
    """Two clusters of numbers, 1/60 of the range apart, for each flag; seeded."""
    kinds = [Number(-1, 1), Flag(), Number(-1, 1), Ordinal(["a", "b"]), Number(-1, 1, weight=0.5)]
    box = Box.of(kinds)
    rng = np.random.default_rng(0)
    sides = rng.choice([-1, 1], (ROWS, 2))
    points = -0.9 + sides[:, :1] / 60 + 0.003 * rng.standard_normal((ROWS, 3))
    reach = [block.high for block in box.layout.blocks]
    flags, levels = sides[:, 1] * reach[1], np.full(ROWS, -reach[3])
    columns = [points[:, 0], flags, points[:, 1], levels, points[:, 2] * reach[4]]
    records = np.rint(np.column_stack(columns) * box.grid.unit).astype(np.int32)
    curator = Curator(Store.of(box, records), mechanism_for(budget, 0), budget)
    found = RefinedMethod().find(curator.door, 4, public_randomness(0)).clusters.centroids
    asked = [spend.question for spend in curator.settle()]
    assert "lengths" in asked
    assert len(asked) <= RefinedMethod().most_questions
    ordered = found[np.lexsort((found[:, 0], found[:, 1] > 0))]
    np.testing.assert_allclose(ordered[:, 1], np.repeat([-1, 1], 2) * reach[1], atol=0.01)
    np.testing.assert_allclose(ordered[:, 0], np.tile([-1, 1], 2) / 60 - 0.9, atol=0.005)
    np.testing.assert_allclose(ordered[:, 4], ordered[:, 0] * reach[4], atol=0.005)


def test_cells_are_not_divided_by_numbers_that_hardly_count_beside_levels() -> None:
    """Numbers are, where there are more clusters than levels."""
    box = Box.of([Category(["a", "b", "c"]), Number(-1, 1)])
    high = box.layout.blocks[0].high
    mean = np.array([*(high * np.array([0.4, 0.3, 0.3, 0.0])), 0.0])
    moments = Moments(1e4, Place.whole(5), mean, np.array([*(mean[:4] * (high - mean[:4])), 1e-4]))
    columns = MixedColumns.of(box.layout)
    few, many = (Cutting.of(columns, moments, 2e3, box.grid, k) for k in (2, 16))
    assert [len(each) for each in few.borders[:4]] == [1, 1, 0, 0]
    assert (len(few.borders[4]), len(many.borders[4])) == (1, 15)


def test_nothing_is_asked_about_missing_values_that_count() -> None:
    box = Box.of([Number(-1, 1), Category(["a", "b"])])
    records = np.zeros((100, 4), dtype=np.int32)
    budget = Budget.of(1)
    curator = Curator(Store.of(box, records), mechanism_for(budget, 0), budget)
    RefinedMethod().find(curator.door, 2, public_randomness(0))
    asked = [spend.question for spend in curator.settle()]
    assert "present" not in asked
    assert asked[-1] == "profiles"


def test_profiles_get_a_fifth_of_the_budget_where_there_are_categories() -> None:
    records, _ = mixed_records()
    budget = Budget.of(1)
    curator = Curator(Store.of(BOX, records), mechanism_for(budget, 0), budget)
    RefinedMethod().find(curator.door, K, public_randomness(0))
    assert curator.settle()[-1].share == PROFILE_SHARE
    assert not has_profiles(Layout.of_numbers(3))


def test_filled_values_are_given_back_to_the_parts_they_come_from() -> None:
    """Of 100 records in four parts a fifth is counted in the third."""
    counts = 0.8 * np.array([10.0, 20.0, 30.0, 40.0])
    counts[2] += 20
    np.testing.assert_allclose(without_filled(counts, 2, 0.8), [10, 20, 30, 40])


def test_levels_have_the_same_clip_however_many_there_are() -> None:
    few, many = (
        MixedColumns.of(Box.of([Category([str(i) for i in range(m)])]).layout) for m in (2, 1000)
    )
    for norm in ("l1", "l2"):
        assert clip_of_columns(few, norm) == pytest.approx(clip_of_columns(many, norm), rel=1e-4)
        assert clip_of_columns(few, norm) == pytest.approx(1 / math.sqrt(8), rel=1e-4)


def test_cells_split_off_the_levels_that_explain_most() -> None:
    box = Box.of([Category(["a", "b", "c", "d"]), Number(-1, 1)])
    high = box.layout.blocks[0].high
    mean = np.array([*(high * np.array([0.5, 0.3, 0.1, 0.1, 0.0])), 0.0])
    variance = np.array([*(mean[:5] * (high - mean[:5])), 1e-4])
    moments = Moments(1000.0, Place.whole(6), mean, variance)
    cutting = Cutting.of(MixedColumns.of(box.layout), moments, 4.0, box.grid, 2)
    assert cutting.splits == {0: [0, 1, 2]}  # three levels and the rest: twice doubled
    assert [len(each) for each in cutting.borders] == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("seed", range(6))
def test_records_that_are_all_the_same_are_no_reason_to_fail(seed: int) -> None:
    table = pa.table({"flag": [True] * 3000})
    with pytest.warns(SimulationWarning):
        model = DPKMeans(2, epsilon=1, schema={"flag": {"flag": True}}, random_state=seed).fit(
            table
        )
    assert model.release_.n_clusters == 2


@pytest.mark.parametrize("seed", [0, 11, 12, 16])
def test_a_number_that_is_nearly_always_missing_and_hardly_counts_does_not_stop_a_fit(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    known = np.where(rng.random(1000) < 0.95, np.nan, rng.normal(50, 15, 1000))
    table = pa.table({"f": rng.random(1000) < 0.5, "x": rng.normal(50, 10, 1000), "y": known})
    rare = Number(0, 100, weight=0.1, missing="ignore")
    model = DPKMeans(3, schema={"f": Flag(), "x": Number(0, 100), "y": rare}, random_state=seed)
    with pytest.warns(SimulationWarning):
        centres = model.fit(table).cluster_centers_
    assert len(centres) == 3


def test_a_column_of_which_noise_put_the_place_outside_keeps_its_range() -> None:
    columns = MixedColumns.of(Box.of([Flag(), Number(0, 1, weight=0.01)]).layout)
    outside = Place(np.array([0.7]), 0.2, 0.2)
    np.testing.assert_array_equal(columns.within(outside).ends, columns.ends)
