"""Pairs of tables, one of which has one record more: the pairs on which a leak shows most."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hushmeans.curator.encode import encode
from hushmeans.schema import Box
from hushmeans.types import FloatArray, GridArray


@dataclass(frozen=True)
class Neighbours:
    """Two tables in the box from -1 to 1.

    Attributes
    ----------
    name
        What the record does.
    fewer
        The records that both have.
    record
        The record that only one has, in one row.
    """

    name: str
    fewer: FloatArray = field(repr=False)
    record: FloatArray = field(repr=False)

    @cached_property
    def box(self) -> Box:
        n_features = self.record.shape[1]
        return Box((-1.0,) * n_features, (1.0,) * n_features)

    def table(self, more: bool) -> FloatArray:
        """One of the two."""
        return np.concatenate([self.fewer, self.record]) if more else self.fewer

    def encoded(self, more: bool) -> GridArray:
        """The same, on the grid."""
        return self._encoded[more]

    @cached_property
    def _encoded(self) -> tuple[GridArray, GridArray]:
        fewer, more = (encode(self.table(more), self.box) for more in (False, True))
        return fewer, more


def _pair(name: str, fewer: list[list[float]], record: list[float]) -> Neighbours:
    return Neighbours(name, np.array(fewer).reshape(-1, len(record)), np.array([record]))


NOBODY = _pair("the only record, in a corner", [], [1.0])
SECOND = _pair("the second record, in the other corner", [[-1.0]], [1.0])
ISOLATED = _pair("alone in a corner, 50 far away", [[-1.0, -1.0]] * 50, [1.0, 1.0])
FOUNDING = _pair(
    "founds a third cluster (its absence empties it)",
    [[-0.9, -0.9]] * 10 + [[0.9, -0.9]] * 10,
    [0.0, 1.0],
)
DUPLICATE = _pair("one more of 500 copies", [[0.5, 0.5]] * 500, [0.5, 0.5])
BORDER = _pair("on the clip border", [[0.0, 0.0]] * 5, [0.5, 0.0])
OUTSIDE = _pair("far outside the bounds", [[0.0]] * 2, [1e300])
PLAIN = _pair("in the middle", [[0.0]], [0.0])
