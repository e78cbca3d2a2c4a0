"""Materials: one way to the records of every dataset."""

from __future__ import annotations

import numpy as np

from hushmeans.curator.source import open_store
from hushmeans.schema import Bounds
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.materials import UNIT_BOX, points_of
from hushmeans_experiments.standins import stand_in


def test_encoding_points_of_encoded_records_gives_the_same_records() -> None:
    source = stand_in(DATASETS["ratings"])
    again = open_store(points_of(source), Bounds(UNIT_BOX))
    assert again.box.grid == source.box.grid
    assert np.array_equal(again.records, source.records)
