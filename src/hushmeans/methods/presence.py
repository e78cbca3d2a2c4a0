"""How often values are present, for features that are declared to be missing at times.

Where missing values are ignored they add nothing to a shift, so a mean over all records of a
cluster is too short: it is divided by the noisy part of the records that have a value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Present
from hushmeans.methods.moves import Moves
from hushmeans.methods.opening import Purse
from hushmeans.types import FloatArray

PRESENCE_ERROR = 0.02
"""The noise of a rate that is good enough."""
LEAST_PRESENCE_SHARE, LARGEST_PRESENCE_SHARE = 0.01, 0.05
LEAST_RATE = 0.05
"""The smallest rate to divide by: noise is not multiplied by more than 20."""


@dataclass(frozen=True)
class Presence:
    """How much of each feature that may be missing is there.

    Attributes
    ----------
    columns
        The first column of each such feature.
    rates, variances
        The part of all records that have a value, and its variance due to noise.
    of_columns
        For each column of a record, the rate by which its sums are divided: 1 unless missing
        values are ignored.
    """

    columns: tuple[int, ...]
    rates: FloatArray
    variances: FloatArray
    of_columns: FloatArray


def ask_presence(purse: Purse, size: float) -> Presence:
    """The rates among so many records; nothing is asked where no feature may be missing."""
    layout, noise = purse.door.layout, purse.door.noise
    blocks = layout.may_be_missing
    of_columns = np.ones(layout.n_columns)
    if not blocks:
        return Presence((), np.empty(0), np.empty(0), of_columns)
    question = Present.about(purse.door.grid, layout)
    answer = purse.ask(question, share_for_presence(noise, question, size))
    rates = np.clip(answer.values / size, 0.0, 1.0)
    for block, rate in zip(blocks, rates, strict=True):
        if block.ignores_missing:
            of_columns[block.columns] = max(rate, LEAST_RATE)
    variances = np.full(len(rates), answer.variance / size**2)
    return Presence(tuple(block.first for block in blocks), rates, variances, of_columns)


def share_for_presence(noise: Noise, question: Present, size: float) -> float:
    """The share that the rates among so many records get."""
    wanted = noise.share_for(question.sensitivity(noise.norm), PRESENCE_ERROR * size)
    return min(max(wanted, LEAST_PRESENCE_SHARE), LARGEST_PRESENCE_SHARE)


def lengthened(moves: Moves, presence: Presence) -> Moves:
    """The moves of means over the records that have a value."""
    if not presence.columns:
        return moves
    whole, variances = moves.whole / presence.of_columns, moves.variances / presence.of_columns**2
    return replace(moves, whole=whole, variances=variances)


def without_filled(counts: FloatArray, filled_part: int, rate: float) -> FloatArray:
    """Counts by the parts of a feature, the last axis, as if no value were missing.

    Records without a value are all counted in one part. As far as they are like the others, they
    belong to the parts in proportion.
    """
    found = counts.copy()
    found[..., filled_part] -= (1 - rate) * counts.sum(axis=-1)
    return np.maximum(found, 0.0) / rate
