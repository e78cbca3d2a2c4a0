"""Cells count as occupied with their neighbours; what noise alone shows does not."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans.curator.door import Noise
from hushmeans.methods.occupied import alarm_threshold, clear_groups, occupied, thin_counts

ALONE = 4.5


def squares(rows: list[list[float]]) -> np.ndarray:
    return np.array(rows).ravel()


def test_a_cell_that_stands_out_a_little_counts_only_with_its_neighbours() -> None:
    counts = squares(
        [
            [9.0, 2.1, 0.0, 0.0],
            [0.0, 0.0, 0.0, 3.0],
            [2.6, 0.0, 0.0, 0.0],
            [2.6, 2.7, 0.0, 4.6],
        ]
    )
    expected = squares([[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1]])
    assert occupied(counts, [4, 4], ALONE).tolist() == expected.astype(bool).tolist()


def test_beside_an_occupied_cell_less_is_enough() -> None:
    counts = squares([[9.0, 1.2, 1.2], [0.9, 1.2, 0.0]])
    expected = squares([[1, 1, 0], [0, 0, 0]])
    assert occupied(counts, [2, 3], ALONE).tolist() == expected.astype(bool).tolist()


def test_groups_that_stand_out_are_numbered() -> None:
    counts = squares([[3.5, 3.5, 0.0, 6.0], [0.0, 0.0, 0.0, 0.0], [2.1, 0.0, 3.0, 3.2]])
    expected = squares([[1, 1, 0, 2], [0, 0, 0, 0], [0, 0, 3, 3]])
    found = clear_groups(counts, [3, 4], ALONE)
    assert (found > 0).tolist() == (expected > 0).tolist()
    pairs = set(zip(found.tolist(), expected.tolist(), strict=True))
    assert len(pairs) == 4, "one number for each group"
    assert set(found.tolist()) == {0, 1, 2, 3}


def test_features_that_are_not_divided_change_nothing() -> None:
    counts = np.random.default_rng(0).laplace(0.5, 1.5, 64)
    many = [1] * 70 + [8, 1, 8]
    assert (occupied(counts, many, ALONE) == occupied(counts, [8, 8], ALONE)).all()


@pytest.mark.parametrize(("parts", "most"), [([64, 32], 0.15), ([2] * 11, 0.4)])
def test_empty_cells_hardly_ever_count(parts: list[int], most: float) -> None:
    """Of 200 empty tables whose single cells would pass in 5 %, few have an occupied cell.

    They are more where a cell has eleven neighbours. Seeds are fixed, so there are no false alarms.
    """
    rng = np.random.default_rng(1)
    noise = rng.laplace(0, np.sqrt(0.5), (200, 2048))
    alone = alarm_threshold(Noise("l1", 1.0), 2048, 0.05)
    assert np.mean([occupied(each, parts, alone).any() for each in noise]) <= most


def test_a_block_that_stands_out_is_spread_over_its_cells() -> None:
    counts = squares([[9.0, 0.0, 1.6, 1.6], [0.0, 0.0, 1.6, 1.6]])
    kept = counts > 4
    found = thin_counts(counts, [2, 4], kept).reshape(2, 4)
    np.testing.assert_allclose(found, [[0, 0, 1.6, 1.6], [0, 0, 1.6, 1.6]])


def test_a_long_tail_shows_though_no_cell_of_it_does() -> None:
    """Half a deviation in each of 64 cells: 4 deviations in all of them, 2.8 in a half."""
    counts = np.full(64, 0.5)
    nothing = np.zeros(64, dtype=np.bool_)
    np.testing.assert_allclose(thin_counts(counts, [64], nothing), 0.5)
    assert not thin_counts(counts[:32], [32], nothing[:32]).any(), "2.8 is less than 3"


def test_cells_of_others_are_neither_counted_nor_filled() -> None:
    counts = np.array([50.0, 50.0, 3.1, 3.1, 0.0])
    others = np.array([True, True, False, False, False])
    np.testing.assert_allclose(thin_counts(counts, [1, 5], others), [0, 0, 3.1, 3.1, 0])
    assert not thin_counts(counts, [5], np.ones(5, dtype=np.bool_)).any()


@pytest.mark.parametrize("parts", [[64, 32], [2] * 11])
def test_noise_alone_shows_few_thin_records(parts: list[int]) -> None:
    """On average over 100 empty tables, at most the deviation of the sum of all cells."""
    rng = np.random.default_rng(2)
    tables = rng.laplace(0, 2**-0.5, (100, 2048))
    held = [thin_counts(each, parts, each > ALONE).sum() for each in tables]
    assert 0 < np.mean(held) < np.sqrt(len(tables[0]))
