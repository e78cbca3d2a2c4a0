"""How often values are present, for features that may be missing.

Ignored missing values add nothing to a shift, so the mean over all records of a cluster is too
short: it is divided by the noisy fraction of the records that have a value.
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
"""The target for the noise of a rate. A lower target spends more of the budget on rates."""
LEAST_PRESENCE_SHARE, LARGEST_PRESENCE_SHARE = 0.01, 0.05
"""Limits on the share of the budget for rates."""
LEAST_RATE = 0.05
"""The smallest rate to divide by: noise is not multiplied by more than 20."""


@dataclass(frozen=True)
class Presence:
    """How often the values of features are present.

    Attributes
    ----------
    columns
        The first column of each feature that may be missing.
    rates, variances
        The fraction of the records that have a value, and its variance due to noise.
    of_columns
        For each column of a record, the rate by which its sums are divided: 1 unless missing
        values of the feature are ignored.
    """

    columns: tuple[int, ...]
    rates: FloatArray
    variances: FloatArray
    of_columns: FloatArray


def ask_presence(purse: Purse, size: float) -> Presence:
    """Ask for the rates among this many records; nothing is asked if no feature may be missing."""
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
    """The share of the budget for the rates among this many records."""
    wanted = noise.share_for(question.sensitivity(noise.norm), PRESENCE_ERROR * size)
    return min(max(wanted, LEAST_PRESENCE_SHARE), LARGEST_PRESENCE_SHARE)


def corrected_for_missing(moves: Moves, presence: Presence) -> Moves:
    """The moves corrected to means over the records that have a value."""
    if not presence.columns:
        return moves
    rates = presence.of_columns
    return replace(moves, shifts=moves.shifts / rates, variances=moves.variances / rates**2)


def without_filled(counts: FloatArray, filled_part: int, rate: float) -> FloatArray:
    """Counts by the parts of a feature, which is the last axis, as if no value were missing.

    Records without a value are all counted in one part. They are distributed over all parts in
    proportion, as if their values were like those of the others.
    """
    found = counts.copy()
    found[..., filled_part] -= (1 - rate) * counts.sum(axis=-1)
    return np.maximum(found, 0.0) / rate
