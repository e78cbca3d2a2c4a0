"""The fast kernel against the plain one, bit for bit, above all where they could part."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import hushmeans
from hushmeans.curator import kernel, reference
from hushmeans.curator.compiled import scoring
from hushmeans.curator.compiled.scoring import TILE
from hushmeans.curator.compiled.vectors import LANES, ZERO, store
from hushmeans.curator.questions import Distances, Norm, Question, Shifts, Spreads, Totals
from hushmeans.schema import Grid
from hushmeans.types import FloatArray, GridArray, IntArray

UNIT = 2**20
BORDERS = (0, 1, 15, 31, 32, 33, 64, 255, 256, 257, 768, 2000)
"""Numbers of records around those at which tiles and blocks end."""


def questions(centroids: IntArray) -> list[Totals | Shifts | Distances]:
    """Every kind of question about centroids."""
    grid = Grid.for_features(centroids.shape[1])
    norms: tuple[Norm, ...] = ("l1", "l2")
    widest = centroids.shape[1] * grid.unit
    shifts = []
    for clip in (1, grid.unit // 3, widest):
        clips = tuple(min(clip + j, widest) for j in range(len(centroids)))
        shifts += [Shifts(grid, centroids, clips, norm, 7) for norm in norms]
    edges = (0, 1, grid.unit // 3, grid.unit, 2 * grid.unit)
    counts = [Distances(grid, centroids, edges, apart) for apart in (False, True)]
    return [Totals(grid, centroids), *counts, *shifts]


def expected(question: Question, records: GridArray) -> IntArray:
    return reference.REFERENCE.add_up[type(question)](question, records)


def assert_same(centroids: IntArray, records: GridArray) -> None:
    for question in questions(centroids):
        found = kernel.answer(question, records, threads=1)
        np.testing.assert_array_equal(found, expected(question, records))


@pytest.mark.parametrize("n_records", BORDERS)
@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5, 8, 9, 24, 130])
@pytest.mark.parametrize("n_centroids", [1, 2, 3, 4, 15, 46])
def test_any_shape(n_records: int, n_features: int, n_centroids: int) -> None:
    rng = np.random.default_rng([n_records, n_features, n_centroids])
    records = rng.integers(-UNIT, UNIT, (n_records, n_features), np.int32, endpoint=True)
    assert_same(rng.integers(-UNIT, UNIT, (n_centroids, n_features), endpoint=True), records)


def test_records_that_nobody_may_write_to() -> None:
    """As they come out of another process: the answers are the same."""
    records = np.arange(-600, 600, dtype=np.int32).reshape(400, 3)
    records.flags.writeable = False
    assert_same(np.array([[-300, 0, 200], [100, -5, 17]]), records)


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
    assert len(np.unique(reference.nearest(records.astype(np.int32), centroids))) == 2
    assert_same(centroids, records.astype(np.int32))


@pytest.mark.parametrize("n_records", [799, 815, 1023, 1535, 5000])
def test_the_largest_sums_do_not_overflow(n_records: int) -> None:
    """Every record in one corner, its centroid in the opposite one: 2**21 to each entry."""
    records = np.full((n_records, 3), UNIT, dtype=np.int32)
    assert_same(np.full((1, 3), -UNIT), records)
    assert_same(np.full((2, 3), UNIT), -records)


@pytest.mark.parametrize("clip", [1, 3, 1023, 2**19 + 1, UNIT])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_parts_of_a_clip_that_are_whole_numbers_are_not_cut(norm: Norm, clip: int) -> None:
    """A shift as long as its clip counts as a whole unit, though a factor for it is rounded."""
    grid = Grid(20)
    records = np.arange(1, UNIT, 11, dtype=np.int32)[:, np.newaxis]
    parts = UNIT * records.astype(np.int64) // np.maximum(records, clip)
    whole = int(parts.sum())
    question = Shifts(grid, np.array([[0]]), (clip,), norm, 0)
    assert kernel.answer(question, records, threads=1).tolist() == [[whole, 0]]
    assert kernel.answer(question, -records, threads=1).tolist() == [[-whole, 0]]
    spreads = Spreads(grid, np.array([[-UNIT]]), (4 * clip,), norm)
    found = kernel.answer(spreads, records, threads=1)
    np.testing.assert_array_equal(found, expected(spreads, records))


@njit
def best_two(flat, among, room, top, second):  # type: ignore[no-untyped-def]
    """The best two scores, in single precision, of a tile of records."""
    n_features = np.uint64(among.exact.shape[1])
    scoring.turn(flat, ZERO, n_features, room.columns)
    best, next_best = scoring._score(
        among.points, among.norms, n_features, room.columns, room.best, ZERO
    )
    for half in range(2):
        store(best[half], top, np.uint64(LANES * half))
        store(next_best[half], second, np.uint64(LANES * half))


def scored(records: GridArray, centroids: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """The best two scores of a tile of records, and the doubt about their difference."""
    among = scoring.targets(centroids, UNIT)
    top, second = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    flat = np.concatenate([records.ravel(), np.zeros(8, np.int32)])
    best_two(flat, among, scoring.scoring_room(records.shape[1]), top, second)
    return top.astype(np.float64), second.astype(np.float64), float(among.doubt)


def test_the_filter_leaves_few_records_to_the_exact_check() -> None:
    """Or it would be of no use: of well-spread centroids fewer than one record in 200."""
    rng = np.random.default_rng(0)
    centroids = rng.integers(-UNIT, UNIT, (15, 24)).astype(np.float64)
    doubted = 0
    for seed in range(400):
        records = np.random.default_rng(seed).integers(-UNIT, UNIT, (TILE, 24), np.int32)
        top, second, doubt = scored(records, centroids)
        doubted += int(np.count_nonzero(top - second <= doubt))
    assert doubted < 400 * TILE / 200


def test_single_precision_is_off_by_less_than_half_the_doubt() -> None:
    """The bound that the filter relies on, for each record's best two scores, at its tightest."""
    rng = np.random.default_rng(1)
    for n_features in (1, 4, 24, 128):
        centroids = rng.integers(-UNIT, UNIT, (3, n_features)).astype(np.float64)
        records = rng.choice([-UNIT, UNIT], (TILE, n_features)).astype(np.int32)
        top, second, doubt = scored(records, centroids)
        exact = np.sort(records @ centroids.T - (centroids**2).sum(axis=1) / 2)
        assert np.max(np.abs((top - second) - (exact[:, -1] - exact[:, -2]))) <= doubt


ON_ANOTHER_PROCESSOR = """
import numpy as np
from hushmeans.curator.compiled.vectors import LANES
from test_compiled import UNIT, assert_same

rng = np.random.default_rng(0)
for n_features in (1, 4, 5, 24, 70):
    for n_records in (0, 1, 15, 16, 17, 300, 2000):
        records = rng.integers(-UNIT, UNIT, (n_records, n_features), np.int32, endpoint=True)
        assert_same(rng.integers(-UNIT, UNIT, (7, n_features), endpoint=True), records)
        assert_same(rng.integers(-2, 2, (7, n_features), endpoint=True), records)
print(LANES)
"""


def test_a_processor_with_small_registers(pytestconfig: pytest.Config) -> None:
    """Compiled for the plainest one of its kind: shorter vectors, the same answers.

    What is compiled is kept for the next run, as it is for this processor, until a source changes.
    """
    kept = pytestconfig.cache.mkdir("generic")
    environment = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(kept)}
    environment |= {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", ON_ANOTHER_PROCESSOR],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "8\n"), done.stderr


GUARDED = """
import ctypes, mmap, sys
import numpy as np
from hushmeans.curator import kernel, reference
from hushmeans.curator.questions import Distances, Shifts, Spread, Totals
from hushmeans.schema import Grid

pages = mmap.mmap(-1, 64 * mmap.PAGESIZE)
end = 63 * mmap.PAGESIZE
start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.mprotect(ctypes.c_void_p(start + end), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
for n_features in (1, 2, 3, 7, 8, 9, 15, 16, 17, 33):
    grid = Grid.for_features(n_features)
    centroids = np.arange(5 * n_features).reshape(5, n_features)
    clips = (3,) * len(centroids)
    asked = [Totals(grid, centroids), Distances(grid, centroids, (3, 9))]
    asked += [Distances(grid, centroids, (3, 9), apart=True)]
    asked += [Shifts(grid, centroids, clips, "l1", 1)]
    asked += [Shifts(grid, centroids, clips, "l2", 1), Spread(grid, centroids[:1], 3, "l1")]
    for n_records in (1, 31, 32, 33, 63, 64, 257):
        size = n_records * n_features
        flat = np.frombuffer(pages, np.int32, size, end - 4 * size)
        records = flat.reshape(n_records, n_features)
        for question in asked:
            kernel.answer(question, records)
        kernel.squared_distances(records, centroids)
print("read nothing behind the records")
if "--fail" in sys.argv:
    np.frombuffer(pages, np.int32, 1, end)[0] + 1
"""


@pytest.mark.parametrize("fail", [False, True])
def test_nothing_behind_the_records_is_read(fail: bool) -> None:
    """They end where a page ends that nobody may read; a process that reads on is killed."""
    command = [sys.executable, "-c", GUARDED, *(["--fail"] if fail else [])]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode == -signal.SIGSEGV) == fail
    assert fail or "read nothing" in done.stdout, done.stderr


def test_without_a_place_for_compiled_code_it_warns_once_and_works(tmp_path: Path) -> None:
    """As in a read-only install: a file stands where each folder for compiled code would be."""
    code = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("default")
    from hushmeans.curator import compiled
print([str(each.message) for each in caught])
import numpy as np
counts, edges = np.zeros(2, np.int64), np.zeros(1, np.float32)
compiled.add_up_lengths(np.zeros((3, 2), np.int32), np.ones((1, 2)), edges, counts)
print(counts)
"""
    package = tmp_path / "hushmeans"
    shutil.copytree(
        Path(hushmeans.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / "curator" / "compiled" / "__pycache__").touch()
    environment = {name: os.environ[name] for name in os.environ if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": str(tmp_path), "HOME": os.devnull, "XDG_CACHE_HOME": os.devnull}
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    messages, found = done.stdout.splitlines()
    assert messages.count("compiled code cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in messages
    assert found == "[0 3]"
