"""Small groups of records far from the rest are seen, and noise alone is not."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Noise
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.source import open_store
from hushmeans.methods.far import put_far_records
from hushmeans.methods.occupied import alarm_threshold
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray, IntArray

PLACE = Place(np.zeros(6), half=0.1, reach=0.8)
SIDES = np.array([1, -1, 0, 1, 1, -1])


def put(points: FloatArray, place: Place) -> tuple[Purse, FloatArray, IntArray]:
    """What becomes of 3,000 synthetic records near the middle, and which were put on a side."""
    budget = Budget.of(1)
    asked = Curator(open_store(points, Bounds((-1, 1))), mechanism_for(budget, 0), budget)
    purse = Purse(asked.door)
    near = public_randomness(0).normal(0, 0.03, (3000, 6))
    return purse, *put_far_records(purse, place, len(points), near, public_randomness(1))


def table(n_far: int) -> FloatArray:
    rng = np.random.default_rng(0)
    points = rng.normal(0, 0.03, (20_000, 6))
    points[:n_far] += 0.5 * SIDES
    return points


def test_a_far_group_is_put_on_its_side_with_its_weight() -> None:
    _, records, groups = put(table(1000), PLACE)
    far = groups == 1
    assert set(groups.tolist()) == {0, 1}
    assert far[np.abs(records).max(axis=1) > PLACE.half + 0.05].all()
    assert far.mean() == pytest.approx(1000 / 20_000, rel=0.2)
    assert (np.sign(records[far][:, SIDES != 0]) == SIDES[SIDES != 0]).all()
    assert np.abs(records[far][:, SIDES == 0]).max() < 0.15
    assert np.abs(records).max() <= PLACE.reach


def test_without_far_records_nothing_is_put_there() -> None:
    _, records, groups = put(table(0), PLACE)
    assert np.abs(records).max() < 0.2
    assert not groups.any()


def test_nothing_is_asked_where_lengths_saw_no_one_far_out() -> None:
    purse, *_ = put(table(1000), Place(np.zeros(6), half=0.5, reach=0.8))
    assert purse.spent == 0


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_noise_alone_hardly_ever_passes(norm: str) -> None:
    """In 100 tables of 729 empty cells; at most 10 false alarms are expected, the seed is fixed."""
    rng = np.random.default_rng(0)
    draw = rng.laplace(0, 0.5**0.5, (100, 729)) if norm == "l1" else rng.normal(0, 1, (100, 729))
    limit = alarm_threshold(Noise("l1" if norm == "l1" else "l2", 1.0), 729)
    assert (draw.max(axis=1) < limit).mean() > 0.85
    assert limit < 8


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_many_false_alarms_that_may_be_borne_leave_a_threshold_at_noise(norm: str) -> None:
    """With hundreds of clusters and few cells more may be borne than there are cells."""
    noise = Noise("l1" if norm == "l1" else "l2", 1.0)
    assert 0 <= alarm_threshold(noise, 2, 0.06 * 400) <= alarm_threshold(noise, 2, 0.1)
