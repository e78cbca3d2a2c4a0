"""The self-test: passed by both kernels, failed by every wrong one, before anything is spent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushmeans import DPKMeans
from hushmeans.budget import Budget
from hushmeans.curator import kernel, reference, selftest
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.questions import (
    Cells,
    Distances,
    Lengths,
    Question,
    Shifts,
    Size,
    Sizes,
    Spread,
    Spreads,
    Totals,
)
from hushmeans.curator.reference import REFERENCE, Kernel
from hushmeans.curator.store import Store
from hushmeans.errors import InputError, PrivacyError
from hushmeans.methods.registry import METHODS
from hushmeans.schema import Axes, Box
from hushmeans.types import FloatArray, GridArray, IntArray

CLIPPED = (Shifts, Spread, Spreads)
"""The kinds of question that clip, in either norm."""


@pytest.fixture
def new_process() -> Iterator[None]:
    """As in a process that has not answered yet."""
    kernel.chosen_kernel.cache_clear()
    yield
    kernel.chosen_kernel.cache_clear()


@pytest.mark.parametrize("right", [kernel.COMPILED, REFERENCE])
def test_a_right_kernel_passes(right: Kernel) -> None:
    selftest.check_kernel(right)


def test_every_kind_of_question_is_asked_and_every_clip_in_both_norms() -> None:
    asked = [question for question, _ in selftest.known_questions()]
    asked += [question for question, _ in selftest.known_histograms()]
    assert {type(question) for question in asked} == set(kernel.KERNELS) == set(REFERENCE.add_up)
    norms = {(type(each), each.norm) for each in asked if isinstance(each, CLIPPED)}
    assert norms == {(kind, norm) for kind in CLIPPED for norm in ("l1", "l2")}


def test_the_known_records_are_where_kernels_could_part() -> None:
    """Ties, records that single precision puts elsewhere, records at the clip and beyond it."""
    ties = swapped = 0
    for question, records in selftest.known_questions():
        if isinstance(question, Totals) and len(question.centroids) > 1:
            squares = np.sort(reference._squares(records, question.centroids), axis=0)
            ties += int(np.count_nonzero(squares[0] == squares[1]))
            best = reference.nearest(records, question.centroids)
            single = nearest_in_float32(records, question.centroids)
            swapped += int(np.count_nonzero(best != single))
        if isinstance(question, Shifts) and question.clips[0] == question.grid.unit // 3:
            best = reference.nearest(records, question.centroids)
            sizes = np.abs(records - question.centroids[best]).sum(axis=1)
            clips = np.array(question.clips)[best]
            assert np.count_nonzero(sizes > clips)
            assert np.count_nonzero(sizes <= clips)
    assert min(ties, swapped) > 20


def nearest_in_float32(records: GridArray, centroids: IntArray) -> IntArray:
    points = centroids.astype(np.float32)
    scores = records.astype(np.float32) @ points.T - (points**2).sum(axis=1) / 2
    indices: IntArray = np.argmax(scores, axis=1)
    return indices


def backwards(question: Totals, records: GridArray) -> IntArray:
    """Of two centroids equally near, the last."""
    turned = Totals(question.grid, question.centroids[::-1].copy())
    return kernel.totals(turned, records)[::-1]


def without_the_exact_check(question: Totals, records: GridArray) -> IntArray:
    best = nearest_in_float32(records, question.centroids)
    return reference._row_by_row(question.shape, best, records, question.grid.unit)


def in_32_bits(question: Totals, records: GridArray) -> IntArray:
    return kernel.totals(question, records).astype(np.int32).astype(np.int64)


def five_times(question: Shifts, records: GridArray) -> IntArray:
    widest = question.centroids.shape[1] * question.grid.unit
    clips = tuple(min(5 * clip, widest) for clip in question.clips)
    return kernel.shifts(replace(question, clips=clips), records)


def the_first_clip(question: Shifts, records: GridArray) -> IntArray:
    """One clip for all centroids."""
    clips = question.clips[:1] * len(question.clips)
    return kernel.shifts(replace(question, clips=clips), records)


def all_of_one_width(question: Spreads, records: GridArray) -> IntArray:
    """Scaled by the first clip, whichever centroid is nearest."""
    clips = (question.clips[0],) * len(question.clips)
    return reference.spreads(replace(question, clips=clips), records)


def not_clipped(question: Spread, records: GridArray) -> IntArray:
    widest = 3 * question.centre.shape[1] * question.grid.unit // 4
    return kernel.spread(replace(question, clip=widest), records)


def in_the_other_norm(question: Any, records: GridArray) -> IntArray:
    other = replace(question, norm="l1" if question.norm == "l2" else "l2")
    return kernel.KERNELS[type(question)](other, records)


def cut_upwards(question: Shifts, records: GridArray) -> IntArray:
    """Scaled entries rounded away from zero."""
    best = reference.nearest(records, question.centroids)
    away = records - question.centroids[best]
    over = np.maximum(reference._norms(away, question.norm), np.array(question.clips)[best])
    longer = -(-np.abs(away) * question.grid.unit // over[:, np.newaxis])
    return reference._row_by_row(question.shape, best, np.sign(away) * longer, question.size_unit)


def in_another_feature(question: Lengths, records: GridArray) -> IntArray:
    """The distance in the first feature, not the largest."""
    first = records[:, :1], question.centre[:, :1]
    beyond = np.searchsorted(question.edges, np.abs(first[0] - first[1])[:, 0], side="left")
    return np.bincount(beyond, minlength=question.shape[0])


def from_the_first(question: Distances, records: GridArray) -> IntArray:
    """From the first centroid, whichever is nearest."""
    return kernel.distances(replace(question, centroids=question.centroids[:1].copy()), records)


def at_the_edge(question: Distances, records: GridArray) -> IntArray:
    """A distance at an edge counts as beyond it."""
    squares = reference._squares(records, question.centroids).min(axis=0)
    beyond = np.searchsorted(np.array(question.edges) ** 2, squares, side="right")
    return np.bincount(beyond, minlength=question.shape[0])


def in_the_farthest_feature(question: Distances, records: GridArray) -> IntArray:
    """As lengths are measured."""
    best = reference.nearest(records, question.centroids)
    farthest = np.abs(records - question.centroids[best]).max(axis=1)
    beyond = np.searchsorted(question.edges, farthest, side="left")
    return np.bincount(beyond, minlength=question.shape[0])


def squares_in_32_bits(question: Distances, records: GridArray) -> IntArray:
    gaps = records - question.centroids[reference.nearest(records, question.centroids)]
    squares = (gaps**2).sum(axis=1).astype(np.int32).astype(np.int64)
    beyond = np.searchsorted(np.array(question.edges) ** 2, squares, side="left")
    return np.bincount(beyond, minlength=question.shape[0])


def in_the_next_row(question: Distances, records: GridArray) -> IntArray:
    """Records counted apart, but for the centroid after theirs."""
    return np.roll(kernel.distances(question, records), int(question.apart), axis=0)


def in_the_last_row(question: Distances, records: GridArray) -> IntArray:
    """Records as near to several centroids counted for the last of these."""
    backwards = replace(question, centroids=question.centroids[::-1].copy())
    counts = kernel.distances(backwards, records)
    return counts[::-1].copy() if question.apart else counts


def in_the_first_row(question: Distances, records: GridArray) -> IntArray:
    """All records counted together, in the row of the first centroid."""
    counts = np.zeros(question.shape, dtype=np.int64)
    counts.reshape(-1, question.shape[-1])[0] = kernel.distances(
        replace(question, apart=False), records
    )
    return counts


def on_the_border(question: Cells, records: GridArray) -> IntArray:
    """A value on a border counts as above it."""
    return kernel.cells(question, records + np.int32(1))


def one_more(question: Size, records: GridArray) -> IntArray:
    return kernel.size(question, records) + 1


def to_the_next(question: Sizes, records: GridArray) -> IntArray:
    """Records counted for the centroid after theirs."""
    return np.roll(kernel.sizes(question, records), 1)


def one_less(question: Any, records: GridArray) -> IntArray:
    return kernel.KERNELS[type(question)](question, records[:-1])


def truncated(points: FloatArray, box: Box | Axes) -> GridArray:
    places = np.nan_to_num((points - box.middle) / box.half_width, posinf=1, neginf=-1)
    return (np.clip(places, -1, 1) * box.grid.unit).astype(np.int32)


def missing_at_the_border(points: FloatArray, box: Box | Axes) -> GridArray:
    return kernel._snap(np.where(np.isnan(points), box.middle + box.half_width, points), box)


def adding_up(kind: type[Question], wrong: Callable[[Any, GridArray], IntArray]) -> Kernel:
    return replace(kernel.COMPILED, add_up={**kernel.KERNELS, kind: wrong})


WRONG = [
    adding_up(Totals, backwards),
    adding_up(Totals, without_the_exact_check),
    adding_up(Totals, in_32_bits),
    adding_up(Totals, one_less),
    adding_up(Shifts, five_times),
    adding_up(Shifts, the_first_clip),
    adding_up(Shifts, in_the_other_norm),
    adding_up(Shifts, cut_upwards),
    adding_up(Shifts, one_less),
    adding_up(Spread, not_clipped),
    adding_up(Spreads, all_of_one_width),
    adding_up(Spread, in_the_other_norm),
    adding_up(Cells, on_the_border),
    adding_up(Cells, one_less),
    adding_up(Lengths, in_another_feature),
    adding_up(Lengths, one_less),
    adding_up(Distances, from_the_first),
    adding_up(Distances, at_the_edge),
    adding_up(Distances, in_the_farthest_feature),
    adding_up(Distances, squares_in_32_bits),
    adding_up(Distances, in_the_next_row),
    adding_up(Distances, in_the_last_row),
    adding_up(Distances, in_the_first_row),
    adding_up(Distances, one_less),
    adding_up(Size, one_more),
    adding_up(Sizes, one_less),
    adding_up(Sizes, to_the_next),
    replace(kernel.COMPILED, snap=truncated),
    replace(kernel.COMPILED, snap=missing_at_the_border),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of casts that a wrong kernel makes
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_kernel_is_refused_before_anything_is_spent(
    wrong: Kernel, monkeypatch: pytest.MonkeyPatch, new_process: None
) -> None:
    monkeypatch.setattr(kernel, "COMPILED", wrong)
    paid: list[Box] = []
    box = Box((0.0,), (1.0,))
    source = Store.of(box, np.zeros((5, 1), dtype=np.int32))
    curator = Curator(source, Laplace(), Budget.of(1), pay=paid.append)
    with pytest.raises(PrivacyError, match="wrong answer to a known question"):
        curator.ask(Size(), Fraction(1))
    assert paid == []
    with pytest.raises(PrivacyError):
        source.answer(Size())
    monkeypatch.undo()
    curator.ask(Size(), Fraction(1))
    assert paid == [box]


def test_no_record_is_encoded_by_a_wrong_kernel(
    monkeypatch: pytest.MonkeyPatch, new_process: None
) -> None:
    monkeypatch.setattr(kernel, "COMPILED", WRONG[0])
    with pytest.raises(PrivacyError):
        DPKMeans(2, bounds=(0, 1)).fit(np.zeros((5, 2)))


def test_a_kernel_is_tested_once_in_a_process(
    monkeypatch: pytest.MonkeyPatch, new_process: None
) -> None:
    tested: list[Kernel] = []
    monkeypatch.setattr(selftest, "check_kernel", tested.append)
    for _ in range(2):
        DPKMeans(2, bounds=(0, 1)).fit(np.zeros((5, 2))).predict(np.zeros((5, 2)))
    assert tested == [kernel.COMPILED]


def test_only_the_two_kernels_can_be_chosen(
    monkeypatch: pytest.MonkeyPatch, new_process: None
) -> None:
    monkeypatch.setenv("HUSHMEANS_KERNEL", "fastest")
    with pytest.raises(InputError, match="HUSHMEANS_KERNEL is 'fastest'; set it to compiled or"):
        DPKMeans(2, bounds=(0, 1)).fit(np.zeros((5, 2)))


@pytest.mark.parametrize("name", ["", "compiled"])
def test_the_compiled_kernel_is_the_usual_one(
    name: str, monkeypatch: pytest.MonkeyPatch, new_process: None
) -> None:
    monkeypatch.setenv("HUSHMEANS_KERNEL", name)
    assert kernel.chosen_kernel() is kernel.COMPILED


FITS = """
import json, sys, warnings
import numpy as np
from hushmeans import DPKMeans, nicv
from hushmeans.curator import compiled
from hushmeans.methods.registry import METHODS

warnings.simplefilter("ignore")
if sys.argv[1] == "reference":
    for name in compiled.__all__:
        setattr(compiled, name, None)
points = np.random.default_rng(0).normal(0, 0.5, (1000, 3)).astype(np.float32)
points[::50, 1] = np.nan
said = []
for method in METHODS:
    for delta in (0, 1e-6):
        model = DPKMeans(3, delta=delta, bounds=(-1, 1), method=method, random_state=7).fit(points)
        said.append([model.release_.to_json(), model.predict(points).tolist()])
        said.append(nicv(points, model.cluster_centers_, bounds=(-1, 1)))
print(json.dumps(said))
"""


def test_a_fit_has_the_same_bits_on_both_kernels() -> None:
    """Every method with both kinds of noise; the plain kernel's process has no compiled one."""
    said = []
    for name in ("compiled", "reference"):
        done = subprocess.run(
            [sys.executable, "-c", FITS, name],
            env={**os.environ, "HUSHMEANS_KERNEL": name},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        said.append(json.loads(done.stdout))
    assert len(said[0]) == 4 * len(METHODS)
    assert said[0][::2] == said[1][::2]
    np.testing.assert_allclose(said[0][1::2], said[1][1::2], rtol=1e-12)
