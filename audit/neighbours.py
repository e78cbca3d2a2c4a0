"""Pairs of tables that differ in the rows of one person: the pairs on which a leak shows most."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hushmeans.curator.encode import encode
from hushmeans.curator.unencoded import with_values
from hushmeans.schema import Box, Number
from hushmeans.types import FloatArray, GridArray


@dataclass(frozen=True)
class Neighbours:
    """Two tables in the box from -1 to 1.

    Attributes
    ----------
    name
        What the person's rows do.
    fewer
        The records that both have.
    person
        The rows of the person that only one has: one, unless a fit is told otherwise.
    """

    name: str
    fewer: FloatArray = field(repr=False)
    person: FloatArray = field(repr=False)

    @cached_property
    def box(self) -> Box:
        n_features = self.person.shape[1]
        return Box((-1.0,) * n_features, (1.0,) * n_features)

    @property
    def rows_per_person(self) -> int:
        return len(self.person)

    def table(self, more: bool) -> FloatArray:
        """One of the two."""
        return np.concatenate([self.fewer, self.person]) if more else self.fewer

    def encoded(self, more: bool) -> GridArray:
        """The same, on the grid."""
        return self._encoded[more]

    @cached_property
    def _encoded(self) -> tuple[GridArray, GridArray]:
        fewer, more = (encode(self.table(more), self.box) for more in (False, True))
        return fewer, more


@dataclass(frozen=True)
class Unranged(Neighbours):
    """Two tables of features whose ranges have yet to be found."""

    @cached_property
    def box(self) -> Box:
        return Box.of((Number.find(),) * self.person.shape[1])

    @cached_property
    def _encoded(self) -> tuple[GridArray, GridArray]:
        fewer, more = (
            with_values(np.zeros(table.shape, dtype=np.int32), [*table.T])
            for table in (self.table(False), self.table(True))
        )
        return fewer, more


def _pair(name: str, fewer: list[list[float]], *person: list[float]) -> Neighbours:
    return Neighbours(name, np.array(fewer).reshape(-1, len(person[0])), np.array(person))


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
SEVERAL = _pair("all three rows of one person, in a corner", [], [1.0], [1.0], [1.0])
SCATTERED = _pair(
    "all three rows of one person, in three clusters",
    [[-0.9, -0.9]] * 10 + [[0.9, -0.9]] * 10,
    [-1.0, -1.0],
    [1.0, -1.0],
    [0.0, 1.0],
)
EIGHT = _pair("alone in a corner of 8 features", [[-1.0] * 8] * 50, [1.0] * 8)
WIDE = _pair("alone in a corner of 24 features", [[-1.0] * 24] * 50, [1.0] * 24)
FAR = Unranged(
    "far from all others, in 3 features without ranges",
    np.array([[1.0, 20.0, 1990.0]] * 20),
    np.array([[1e300, -1e300, 5e-324]]),
)
