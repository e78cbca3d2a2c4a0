"""At most so many rows of each person, out of any number: in memory that does not grow with them.

Proof: ``proofs/people.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

import numpy as np
import pyarrow as pa

from hushmeans.curator.people.groups import (
    Group,
    LargeOwner,
    grouped,
    row_bytes,
    rows_from,
)
from hushmeans.curator.people.order import first_rows, ordered, person_keys, row_keys
from hushmeans.curator.readers.reading import OwnedRows
from hushmeans.schema.schema import MissingPerson
from hushmeans.types import GridArray, IntArray

STEP = 2**16
"""Rows of a large owner that are looked at a time."""

FIRST_LEVEL = 1000
"""So that the copies of a row are divided by other hashes than people are."""


@dataclass(frozen=True)
class RowLimit:
    """How many rows of a person count.

    Attributes
    ----------
    rows_per_person
        At most this many.
    missing
        Rows without an id: "drop" leaves them out, "own" takes each for a person of its own.
    """

    rows_per_person: int
    missing: MissingPerson = "drop"


def keep_limited(
    batches: Iterable[OwnedRows],
    limit: RowLimit,
    n_features: int,
    folder: str | PathLike[str],
    keep: Callable[[GridArray], None],
) -> None:
    """Hand over the rows that count, some at a time.

    Parameters
    ----------
    batches
        Encoded rows and the ids from `hushmeans.curator.readers.identity.person_ids`.
    folder
        Where to put nameless files, if memory does not hold all.
    """
    alone = keep if limit.missing == "own" else _leave_out
    most = limit.rows_per_person
    for group in grouped(_known(batches, alone), n_features, folder):
        if isinstance(group, Group):
            keep(group.rows[first_rows(group.rows, group.owners, group.ids, most)])
        elif group.n_rows <= most:
            for rows in group.parts():
                keep(rows)
        else:
            keep(_first_of_many(group, most, n_features, folder))


def numbers_of_rows(
    batches: Iterable[OwnedRows],
    missing: MissingPerson,
    n_features: int,
    folder: str | PathLike[str],
) -> Iterator[IntArray]:
    """How many rows each person has, some people at a time; people with missing ids last."""
    alone: list[int] = []
    known = _known(batches, lambda rows: alone.append(len(rows)))
    for group in grouped(known, n_features, folder):
        if isinstance(group, Group):
            yield np.bincount(group.owners)
        else:
            yield np.array([group.n_rows])
    if missing == "own":
        for number in alone:
            yield np.ones(number, dtype=np.int64)


def _leave_out(rows: GridArray) -> None:
    """Rows that do not count."""


def _known(batches: Iterable[OwnedRows], alone: Callable[[GridArray], None]) -> Iterator[OwnedRows]:
    """The rows with an id; those without one are handed over."""
    for rows, ids in batches:
        if not ids.null_count:
            yield rows, ids
            continue
        missing = ids.is_null().to_numpy(zero_copy_only=False)
        alone(rows[missing])
        yield rows[~missing], ids.drop_null()


def _first_of_many(
    person: LargeOwner, limit: int, n_features: int, folder: str | PathLike[str]
) -> GridArray:
    """The rows that count of one person whose rows do not fit into memory.

    To number identical rows they are brought together, as those of a person are: here each
    distinct row is the owner of its copies.
    """
    key = person_keys([person.id])
    copies = ((rows, row_bytes(rows).cast(pa.large_binary())) for rows in person.parts())
    best = _First(limit, n_features)
    for group in grouped(copies, n_features, folder, level=FIRST_LEVEL):
        if isinstance(group, Group):
            numbers = np.bincount(group.owners)
            rows = rows_from(group.ids.cast(pa.binary(4 * n_features)), n_features)
        else:
            numbers = np.array([group.n_rows])
            rows = next(group.parts())[:1]
        ends = np.cumsum(numbers)
        for start in range(0, int(ends[-1]), STEP):
            places = np.arange(start, min(start + STEP, int(ends[-1])))
            which = np.searchsorted(ends, places, side="right")
            repetitions = places - (ends - numbers)[which]
            keys = row_keys(rows[which], repetitions, np.broadcast_to(key, (len(which), 2)))
            best.add(keys, rows[which], repetitions)
    return best.rows


class _First:
    """The first rows of all that were added, in the order of `ordered`."""

    def __init__(self, limit: int, n_features: int) -> None:
        self._limit = limit
        self._keys = np.empty(0, dtype=np.int64)
        self._repetitions = np.empty(0, dtype=np.int64)
        self.rows = np.empty((0, n_features), dtype=np.int32)

    def add(self, keys: IntArray, rows: GridArray, repetitions: IntArray) -> None:
        if len(self._keys) == self._limit:
            near = keys <= self._keys[-1]
            keys, rows, repetitions = keys[near], rows[near], repetitions[near]
        keys = np.concatenate([self._keys, keys])
        rows = np.concatenate([self.rows, rows])
        repetitions = np.concatenate([self._repetitions, repetitions])
        first = ordered(keys, rows, repetitions)[: self._limit]
        self._keys, self.rows, self._repetitions = keys[first], rows[first], repetitions[first]
