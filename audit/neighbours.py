"""Pairs of tables that differ in the rows of one person: the pairs on which a leak shows most."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from tempfile import gettempdir
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.curator.encode import encode
from hushmeans.curator.people.limiting import RowLimit, keep_limited
from hushmeans.curator.source import open_store
from hushmeans.curator.unencoded import with_values
from hushmeans.schema import Box, Category, Flag, Number, Schema
from hushmeans.schema.grid import ABSENT
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
    def declared(self) -> dict[str, Any]:
        """What a fit is told about the columns."""
        return {"bounds": (list(self.box.low), list(self.box.high))}

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


@dataclass(frozen=True)
class LimitedNeighbours(Neighbours):
    """Two tables with a column of ids, of which at most so many rows of each person count.

    Attributes
    ----------
    owners
        Whose rows the records are that both have.
    limit
        At most so many rows of a person count.
    """

    owners: tuple[str, ...] = field(default=(), repr=False)
    limit: int = 1

    @property
    def rows_per_person(self) -> int:
        return self.limit

    def table(self, more: bool) -> FloatArray:
        """One of the two; the person's rows come first, where they could crowd others out."""
        return np.concatenate([self.person, self.fewer]) if more else self.fewer

    def ids(self, more: bool) -> pa.Array:
        """Whose rows they are."""
        names = ("person",) * len(self.person) + self.owners if more else self.owners
        return pa.array(names, pa.string())

    @cached_property
    def _encoded(self) -> tuple[GridArray, GridArray]:
        return self._counted(more=False), self._counted(more=True)

    def _counted(self, more: bool) -> GridArray:
        """The rows that count, as a fit chooses them."""
        kept: list[GridArray] = []
        owned = encode(self.table(more), self.box), self.ids(more).cast(pa.large_binary())
        keep_limited([owned], RowLimit(self.limit), self.box.n_features, gettempdir(), kept.append)
        return np.concatenate(kept)


@dataclass(frozen=True)
class MixedNeighbours:
    """Two tables with features of several kinds; as `Neighbours`.

    Attributes
    ----------
    both
        The rows that both tables have: a value per feature, None where it is missing.
    own
        The row of the person that only one has.
    """

    name: str
    schema: Schema
    both: tuple[tuple[Any, ...], ...] = field(repr=False)
    own: tuple[Any, ...] = field(repr=False)
    rows_per_person: int = 1

    @cached_property
    def box(self) -> Box:
        return self.schema.box()

    @property
    def declared(self) -> dict[str, Any]:
        return {"schema": self.schema}

    @property
    def person(self) -> FloatArray:
        """The person's row as a centre would lie there; what is missing is in the middle."""
        row = self.encoded(more=True)[-1:]
        return self.box.from_unit_box(np.where(row == ABSENT, 0, row) / self.box.grid.unit)

    def table(self, more: bool) -> pa.Table:
        """One of the two."""
        rows = [*self.both, self.own] if more else self.both
        names = list(self.schema.features)
        return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))

    def encoded(self, more: bool) -> GridArray:
        """The same, on the grid."""
        return self._encoded[more]

    @cached_property
    def _encoded(self) -> tuple[GridArray, GridArray]:
        fewer, more = (open_store(self.table(more), self.schema).records for more in (False, True))
        return fewer, more


AnyNeighbours = Neighbours | MixedNeighbours


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
MANY_ROWS = LimitedNeighbours(
    "a person with 1,000 rows, of which 3 count",
    fewer=np.array([[-1.0], [-0.5], [0.0], [0.5], [-1.0]] * 20),
    person=np.array([[1.0]] * 900 + [[0.9]] * 100),
    owners=tuple(f"other {row // 5}" for row in range(100)),
    limit=3,
)
EIGHT = _pair("alone in a corner of 8 features", [[-1.0] * 8] * 50, [1.0] * 8)
WIDE = _pair("alone in a corner of 24 features", [[-1.0] * 24] * 50, [1.0] * 24)
FAR = Unranged(
    "far from all others, in 3 features without ranges",
    np.array([[1.0, 20.0, 1990.0]] * 20),
    np.array([[1e300, -1e300, 5e-324]]),
)

KINDS = Schema(
    {
        "number": Number(-1, 1, missing="ignore"),
        "level": Category(["a", "b", "c"]),
        "flag": Flag(missing="ignore"),
    }
)
LEVEL = MixedNeighbours(
    "the only one of its level, in a corner",
    KINDS,
    ((-1.0, "a", False),) * 30,
    (1.0, "c", True),
)
HOLES = MixedNeighbours(
    "with missing values that are ignored, and a level of its own",
    KINDS,
    ((-1.0, "a", False),) * 15 + ((None, "b", True),) * 15,
    (None, "c", None),
)
