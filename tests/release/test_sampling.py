"""Synthetic records: the clusters of the release, within the public ranges, of every kind."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from helpers.groups import fitted
from helpers.releases import made
from hushmeans import InputError
from hushmeans.schema import Box
from hushmeans.schema.kinds import Category, Cycle, Date, Flag, Number, Ordinal

KINDS = (
    Number(0, 10),
    Category(("a", "b")),
    Ordinal(("low", "middle", "high")),
    Flag(),
    Date(datetime.date(2020, 1, 1), datetime.date(2020, 12, 31)),
    Cycle(24),
)
NAMES = ("n", "c", "o", "f", "d", "h")


def test_a_sample_has_the_sizes_centres_and_widths_of_the_clusters() -> None:
    release = fitted(4, 3, 4, 1)
    sample = np.column_stack(release.sample(20_000, seed=1).columns)
    labels = release.predict(sample)
    shares = np.bincount(labels, minlength=4) / len(labels)
    np.testing.assert_allclose(shares, np.array(release.sizes) / sum(release.sizes), atol=0.02)
    for cluster in range(4):
        own = sample[labels == cluster]
        np.testing.assert_allclose(own.mean(axis=0), release.centres[cluster], atol=0.01)
        np.testing.assert_allclose(own.std(axis=0), np.array(release.widths)[cluster], atol=0.01)
    assert sample.min() >= 0
    assert sample.max() <= 1


def test_a_seed_draws_the_same_records_again() -> None:
    release = fitted(4, 3, 4, 1)
    assert release.sample(5, seed=1).equals(release.sample(5, seed=1))
    assert not release.sample(5, seed=1).equals(release.sample(5, seed=2))
    assert release.sample(7).num_rows == 7


def test_every_kind_of_feature_is_drawn_as_a_table_would_have_it() -> None:
    box = Box.of(KINDS, NAMES)
    unit = np.zeros((1, box.n_columns))
    for block in box.layout.blocks:
        if block.kind == "category":
            unit[0, block.columns] = np.array([0.25, 0.75, 0.0]) * block.high
        if block.kind == "cycle":
            unit[0, block.columns] = np.array([0.0, 0.8]) * block.high  # around 6 o'clock
    centres = tuple(map(tuple, box.from_unit_box(unit).tolist()))
    errors = ((0.01,) * box.n_columns,)
    release = made(
        1,
        box.n_columns,
        centres=centres,
        standard_errors=errors,
        sizes=(5000.0,),
        widths=((0.5,) * box.n_columns,),
        width_standard_errors=errors,
        box=box,
    )
    table = release.sample(2000, seed=0)
    assert tuple(table.column_names) == NAMES
    levels = table["c"].to_pylist()
    assert set(levels) == {"a", "b"}
    assert levels.count("b") / 2000 == pytest.approx(0.75, abs=0.05)
    assert set(table["o"].to_pylist()) <= {"low", "middle", "high"}
    assert table["f"].to_pylist().count(True) / 2000 == pytest.approx(0.5, abs=0.05)
    days = table["d"].to_pylist()
    assert min(days) >= datetime.date(2020, 1, 1)
    assert max(days) <= datetime.date(2020, 12, 31)
    hours = np.array(table["h"].to_pylist())
    assert 5 < np.median(hours) < 7
    assert 0 <= hours.min() <= hours.max() < 24


def test_a_sample_needs_widths_and_a_number() -> None:
    with pytest.raises(InputError, match="has no widths, which a sample needs"):
        made(3, 2).sample(10)
    with pytest.raises(InputError, match=r"n \(--rows\) is 0"):
        fitted(4, 3, 4, 1).sample(0)
