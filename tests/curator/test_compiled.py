"""The fast kernel against the plain one, bit for bit, above all where they could part."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference import plain_answer, plain_nearest

import hushmeans
from hushmeans.curator import compiled, kernel
from hushmeans.curator.questions import Norm, Shifts, Totals
from hushmeans.domain import Grid
from hushmeans.types import GridArray, IntArray

UNIT = 2**20
BORDERS = (0, 1, 63, 64, 65, 128, 959, 960, 961, 2000)
"""Numbers of records around those at which tiles and blocks end."""


def questions(centroids: IntArray) -> list[Totals | Shifts]:
    """Every kind of question about centroids."""
    grid = Grid.for_features(centroids.shape[1])
    norms: tuple[Norm, ...] = ("l1", "l2")
    clips = (1, grid.unit // 3, centroids.shape[1] * grid.unit)
    shifts = [Shifts(grid, centroids, clip, norm, 7) for clip in clips for norm in norms]
    return [Totals(grid, centroids), *shifts]


def assert_same(centroids: IntArray, records: GridArray) -> None:
    for question in questions(centroids):
        found = kernel.answer(question, records, threads=1)
        np.testing.assert_array_equal(found, plain_answer(question, records))


@pytest.mark.parametrize("n_records", BORDERS)
@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5, 8, 9, 24, 130])
@pytest.mark.parametrize("n_centroids", [1, 2, 3, 4, 15, 46])
def test_any_shape(n_records: int, n_features: int, n_centroids: int) -> None:
    rng = np.random.default_rng([n_records, n_features, n_centroids])
    records = rng.integers(-UNIT, UNIT, (n_records, n_features), np.int32, endpoint=True)
    assert_same(rng.integers(-UNIT, UNIT, (n_centroids, n_features), endpoint=True), records)


@pytest.mark.parametrize("n_features", [1, 2, 7, 24, 128])
@pytest.mark.parametrize("apart", [0, 1, 2, 50])
def test_centroids_that_single_precision_cannot_tell_apart(n_features: int, apart: int) -> None:
    """Scores of about 2**44 that differ by little, or by nothing: the first must win."""
    rng = np.random.default_rng([n_features, apart])
    middle = rng.integers(-UNIT + 50, UNIT - 50, n_features)
    centroids = middle + rng.integers(-apart, apart, (9, n_features), endpoint=True)
    records = rng.integers(-UNIT, UNIT, (3000, n_features), np.int32, endpoint=True)
    assert_same(centroids, records)


@pytest.mark.parametrize("n_features", [2, 5, 24])
def test_records_on_the_border_between_two_centroids(n_features: int) -> None:
    """Exactly between, one step to the left and one step to the right."""
    rng = np.random.default_rng(n_features)
    centroids = rng.integers(-UNIT // 4, UNIT // 4, (2, n_features)) * 2
    between = (centroids[0] + centroids[1]) // 2
    records = between + rng.integers(-1, 1, (2000, n_features), endpoint=True)
    assert len(np.unique(plain_nearest(records.astype(np.int32), centroids))) == 2
    assert_same(centroids, records.astype(np.int32))


def test_the_largest_sums_do_not_overflow() -> None:
    """Every record in one corner, its centroid in the opposite one: 2**21 to each entry."""
    records = np.full((5000, 3), UNIT, dtype=np.int32)
    assert_same(np.full((1, 3), -UNIT), records)
    assert_same(np.full((2, 3), UNIT), -records)


def test_the_filter_leaves_few_records_to_the_exact_check() -> None:
    """Or it would be of no use: of well-spread centroids fewer than one record in 200."""
    rng = np.random.default_rng(0)
    centroids = rng.integers(-UNIT, UNIT, (15, 24)).astype(np.float64)
    among, room = compiled.targets(centroids, UNIT), compiled.scores(24)
    doubted = 0
    for seed in range(200):
        records = np.random.default_rng(seed).integers(-UNIT, UNIT, (64, 24), np.int32)
        room.columns[:] = records.T
        compiled._score(among.points, among.norms, room)
        doubted += int(np.count_nonzero(room.top - room.second <= among.doubt))
    assert doubted < 200 * 64 / 200


def test_single_precision_is_off_by_less_than_half_the_doubt() -> None:
    """The bound that the filter relies on, for each record's best score, at its tightest."""
    rng = np.random.default_rng(1)
    for n_features in (1, 4, 24, 128):
        centroids = rng.integers(-UNIT, UNIT, (3, n_features)).astype(np.float64)
        among, room = compiled.targets(centroids, UNIT), compiled.scores(n_features)
        records = rng.choice([-UNIT, UNIT], (64, n_features)).astype(np.int32)
        room.columns[:n_features] = records.T
        compiled._score(among.points, among.norms, room)
        exact = records @ centroids.T - (centroids**2).sum(axis=1) / 2
        assert np.max(np.abs(room.top - exact.max(axis=1))) <= among.doubt / 2


def test_without_a_place_for_compiled_code_it_warns_once_and_works(tmp_path: Path) -> None:
    """As in a read-only install: a file stands where each folder for compiled code would be."""
    code = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("default")
    from hushmeans.curator import compiled
print([str(each.message) for each in caught])
import numpy as np
print(compiled.nearest(np.zeros((3, 2), np.int32), np.ones((1, 2)), 2**20))
"""
    package = tmp_path / "hushmeans"
    shutil.copytree(
        Path(hushmeans.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / "curator" / "__pycache__").touch()
    environment = {name: os.environ[name] for name in os.environ if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": str(tmp_path), "HOME": os.devnull, "XDG_CACHE_HOME": os.devnull}
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    messages, found = done.stdout.splitlines()
    assert messages.count("compiled code cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in messages
    assert found == "[0 0 0]"
