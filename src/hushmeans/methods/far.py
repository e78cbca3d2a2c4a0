"""Small groups of records far from the rest: counted by the sides on which they lie.

A picture of nearly all records leaves out the few that lie far away, and the rounds rarely find a
cluster that the picture does not show. If lengths saw records far out, one more question counts
them by side: below, within or above the place in each of several features.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from hushmeans.curator.questions import Cells
from hushmeans.methods.lengths import FAR_AWAY
from hushmeans.methods.occupied import alarm_threshold
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.types import FloatArray, IntArray

FAR_SHARE = 0.05
"""The share of the budget for this question. A higher share finds smaller groups."""
MOST_FAR_FEATURES = 8
"""The number of features whose sides are distinguished, at most: 3**8 counts."""


def put_far_records(
    purse: Purse, place: Place, size: float, records: FloatArray, generator: Generator
) -> tuple[FloatArray, IntArray]:
    """Move some of the synthetic records to where real ones lie far from the place.

    The features with the widest records distinguish the sides. Nothing is known about where on a
    side the records lie, so they are spread evenly, as far out as lengths saw any. The second array
    numbers the side to which each record was moved, from 1; 0 for the others.
    """
    groups = np.zeros(len(records), dtype=np.int64)
    if place.reach < FAR_AWAY * place.half:
        return records, groups
    features = np.sort(np.argsort(-records.var(axis=0), kind="stable")[:MOST_FAR_FEATURES])
    counts, sides = _ask_sides(purse, place, features)
    numbers = np.rint(np.clip(counts / size, 0, 1) * len(records)).astype(np.int64)
    moved = generator.permutation(len(records))[: numbers.sum()]
    groups[moved] = np.repeat(np.arange(len(sides)) + 1, numbers)[: len(moved)]
    signs = sides[groups[moved] - 1]
    far = generator.uniform(place.half, place.reach, signs.shape)
    there = np.clip(place.centre[features] + signs * far, -1.0, 1.0)
    records = records.copy()
    records[np.ix_(moved, features)] = np.where(signs == 0, records[np.ix_(moved, features)], there)
    return records, groups


def _ask_sides(purse: Purse, place: Place, features: IntArray) -> tuple[FloatArray, IntArray]:
    """The counts that stand out of the noise, and the sides of each: -1, 0 or 1 per feature."""
    grid = purse.door.grid
    borders: list[tuple[int, ...]] = [()] * purse.door.n_columns
    for feature in features:
        ends = np.array([place.low[feature], place.high[feature]])
        borders[feature] = tuple(np.unique(grid.snap(ends)).tolist())
    answer = purse.ask(Cells(grid, tuple(borders)), FAR_SHARE)
    parts = [len(borders[feature]) + 1 for feature in features]
    counts = answer.values.reshape(parts)
    threshold = alarm_threshold(purse.door.noise, counts.size) * math.sqrt(answer.variance)
    sides = np.argwhere(counts > threshold)
    sides = sides[(sides != 1).any(axis=1)]
    return counts[tuple(sides.T)].astype(np.float64), sides - 1
