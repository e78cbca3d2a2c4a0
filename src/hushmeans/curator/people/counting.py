"""How many rows people have: a store with one record per person.

All rows of a person are one record of this store, so a question about it that counts each record
once counts each person once. Proof: ``proofs/people.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike

import numpy as np
import pyarrow as pa

from hushmeans.curator.encode import encode
from hushmeans.curator.people.limiting import numbers_of_rows
from hushmeans.curator.readers.reading import OwnedRows
from hushmeans.schema import Box
from hushmeans.schema.schema import MissingPerson
from hushmeans.types import GridArray, IntArray

POWERS = 2 ** np.arange(16)
"""The largest numbers of rows of each bin but the last, which has no end."""

ROWS_BOX = Box((0.0,), (float(len(POWERS)),), ("bin of the number of rows",))
"""What is recorded of a person: the number of a bin, from 0."""


def people_counted(
    owners: Iterable[pa.Array], missing: MissingPerson, folder: str | PathLike[str]
) -> Iterator[GridArray]:
    """A record for each person, some people at a time.

    Parameters
    ----------
    owners
        For each row the id from `hushmeans.curator.readers.identity.person_ids`.
    """
    for numbers in numbers_of_rows(_without_values(owners), missing, 1, folder):
        yield encode(bin_of(numbers)[:, None], ROWS_BOX)


def bin_of(numbers: IntArray) -> IntArray:
    """The bin of each number of rows: 1, 2, 3 to 4, 5 to 8 and so on."""
    return np.searchsorted(POWERS, numbers)


def _without_values(owners: Iterable[pa.Array]) -> Iterator[OwnedRows]:
    for ids in owners:
        yield np.zeros((len(ids), 1), dtype=np.int32), ids
