"""Small groups of records far from the rest: asked for by the sides on which they lie.

A picture of nearly all records leaves out the few that lie far from them, and a cluster that it
does not show is rarely found by the rounds. Where lengths saw records far out, one more
question counts them by side: below, within or above the place in each feature.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Cells
from hushmeans.methods.lengths import FAR_AWAY
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.types import FloatArray, IntArray

FAR_SHARE = 0.05
MOST_FAR_FEATURES = 8
"""Features by whose sides they are told apart: 3**8 counts."""
FALSE_ALARM = 0.1
"""The chance that any count is believed that is noise alone."""
EVEN_CHANCES = 2.0
"""However many false alarms may be borne, no more than half of the empty cells are believed."""


def put_far_records(
    purse: Purse, place: Place, size: float, records: FloatArray, generator: Generator
) -> tuple[FloatArray, IntArray]:
    """The synthetic records, some of them moved to where real ones lie far from the place.

    The features with the widest records tell the sides; within a side nothing is known, and
    records are spread evenly as far as lengths saw any. The second array says which side each
    record was moved to, from 1 on; 0 if it was not.
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
    """The counts that stand out of the noise, and for each its sides: -1, 0 or 1 per feature."""
    grid = purse.door.grid
    borders: list[tuple[int, ...]] = [()] * purse.door.n_columns
    for feature in features:
        ends = np.array([place.low[feature], place.high[feature]])
        borders[feature] = tuple(np.unique(grid.snap(ends)).tolist())
    answer = purse.ask(Cells(grid, tuple(borders)), FAR_SHARE)
    parts = [len(borders[feature]) + 1 for feature in features]
    counts = answer.values.reshape(parts)
    sides = np.argwhere(counts > surely(purse.door.noise, counts.size) * math.sqrt(answer.variance))
    sides = sides[(sides != 1).any(axis=1)]
    return counts[tuple(sides.T)].astype(np.float64), sides - 1


def surely(noise: Noise, number: int, false_alarm: float = FALSE_ALARM) -> float:
    """Deviations of noise that so many empty cells, all together, hardly ever exceed."""
    chances = max(max(number, 1) / false_alarm, EVEN_CHANCES)
    if noise.norm == "l1":
        return math.log(chances / 2) / math.sqrt(2)
    return math.sqrt(2 * math.log(chances))
