"""Which of a person's rows count: the first ones in an order that depends on that person alone.

A row's place in the order is its key: SipHash-2-4 of its repetition number and its encoded values,
under a key that BLAKE2b derives from a public salt and the person's id. Identical rows of a person
are numbered from 0, so that each has a key of its own. Equal keys of different rows are ordered by
the rows themselves. Privacy does not rest on the hash: any order would do that looks at one person
alone. A hash makes the choice fair. Proof: ``proofs/people.md``.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.types import GridArray, IntArray

SALT = b"hushmeans: rows of a person, 1"
"""Public and fixed: the same table always gives the same rows."""

CHUNK = 2**14
"""Rows hashed at a time, so that the words of all fit into a processor's caches."""

WordArray = np.ndarray[Any, np.dtype[np.uint64]]
"""Words of 64 bits, whose sums wrap around."""

START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
"""The constants of SipHash."""


def first_rows(rows: GridArray, people: IntArray, ids: pa.Array, limit: int) -> IntArray:
    """The positions, ascending, of the rows that count: at most `limit` of each person.

    Parameters
    ----------
    people
        For each row the position of its person's id in `ids`, where all ids are distinct.
    """
    numbers = np.bincount(people, minlength=len(ids))
    many = numbers > limit
    kept = np.flatnonzero(~many[people])
    if len(kept) == len(rows):
        return kept
    places = np.flatnonzero(many[people])
    hash_keys = np.zeros((len(ids), 2), dtype=np.uint64)
    hash_keys[many] = person_keys(ids.filter(pa.array(many)).to_pylist())
    found, whose = rows[places], people[places]
    keys = row_keys(found, np.zeros(len(found), dtype=np.int64), hash_keys[whose])
    order = ordered(keys, found, whose=whose)
    repetitions = np.empty(len(found), dtype=np.int64)
    repetitions[order] = _places_in_runs(_same_as_before(order, keys, whose, found))
    again = np.flatnonzero(repetitions)
    if len(again):
        keys[again] = row_keys(found[again], repetitions[again], hash_keys[whose[again]])
        order = ordered(keys, found, repetitions, whose)
    same_person = np.zeros(len(order), dtype=bool)
    same_person[1:] = whose[order[1:]] == whose[order[:-1]]
    first = order[_places_in_runs(same_person) < limit]
    return np.sort(np.concatenate([kept, places[first]]))


def person_keys(ids: Iterable[bytes]) -> WordArray:
    """The two words that key the hash of each person's rows."""
    digests = b"".join(blake2b(each, digest_size=16, key=SALT).digest() for each in ids)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64).reshape(-1, 2)


def row_keys(rows: GridArray, repetitions: IntArray, keys: WordArray) -> IntArray:
    """The place of each row in its person's order, as signed numbers.

    Parameters
    ----------
    keys
        As from `person_keys`, a row for each row.
    """
    hashed = np.empty(len(rows), dtype=np.uint64)
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        hashed[part] = _siphash(_message(rows[part], repetitions[part]), keys[part].T)
    return hashed.view(np.int64)


def ordered(
    keys: IntArray,
    rows: GridArray,
    repetitions: IntArray | None = None,
    whose: IntArray | None = None,
) -> IntArray:
    """The order of rows by person and key; equal keys by the bytes of the rows, then repetition."""
    people = np.zeros(len(keys), dtype=np.int64) if whose is None else whose
    order = np.lexsort((keys, people))
    tied = (keys[order[1:]] == keys[order[:-1]]) & (people[order[1:]] == people[order[:-1]])
    differ = (rows[order[1:][tied]] != rows[order[:-1][tied]]).any()
    if not differ and (repetitions is None or not tied.any()):
        return order
    width = rows.shape[1] * 4
    signs = rows.astype("<i4").view(np.uint8).reshape(len(rows), width)
    last = np.zeros(len(keys), dtype=np.int64) if repetitions is None else repetitions
    return np.lexsort((last, *signs.T[::-1], keys, people))


def _same_as_before(
    order: IntArray, keys: IntArray, whose: IntArray, rows: GridArray
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether each row, in this order, is identical to the one before it, of the same person."""
    same = np.zeros(len(order), dtype=bool)
    before, after = order[:-1], order[1:]
    same[1:] = (whose[before] == whose[after]) & (keys[before] == keys[after])
    pairs = np.flatnonzero(same[1:])
    same[1 + pairs] = (rows[before[pairs]] == rows[after[pairs]]).all(axis=1)
    return same


def _places_in_runs(goes_on: np.ndarray[Any, np.dtype[np.bool_]]) -> IntArray:
    """The position of each element in its run, from 0; a run begins where it does not go on."""
    positions = np.arange(len(goes_on))
    return positions - np.maximum.accumulate(np.where(goes_on, 0, positions))


def _message(rows: GridArray, repetitions: IntArray) -> WordArray:
    """What is hashed, a column per row: the repetition number, the values, and the length."""
    n_bytes = 8 + 4 * rows.shape[1]
    words = np.zeros((len(rows), n_bytes // 8 + 1), dtype="<u8")
    words[:, 0] = repetitions.view(np.uint64)
    words.view("<i4")[:, 2 : 2 + rows.shape[1]] = rows
    words[:, -1] |= np.uint64((n_bytes & 255) << 56)
    return np.ascontiguousarray(words.T).astype(np.uint64, copy=False)


def _siphash(words: WordArray, keys: WordArray) -> WordArray:
    """SipHash-2-4 of messages of equal length, a column each."""
    v0, v1, v2, v3 = (
        np.bitwise_xor(keys[place % 2], np.uint64(start)) for place, start in enumerate(START)
    )
    for word in words:
        v3 ^= word
        _round(v0, v1, v2, v3, 2)
        v0 ^= word
    v2 ^= np.uint64(255)
    _round(v0, v1, v2, v3, 4)
    hashed: WordArray = v0 ^ v1 ^ v2 ^ v3
    return hashed


def _round(v0: WordArray, v1: WordArray, v2: WordArray, v3: WordArray, times: int) -> None:
    for _ in range(times):
        v0 += v1
        _rotate(v1, 13)
        v1 ^= v0
        _rotate(v0, 32)
        v2 += v3
        _rotate(v3, 16)
        v3 ^= v2
        v0 += v3
        _rotate(v3, 21)
        v3 ^= v0
        v2 += v1
        _rotate(v1, 17)
        v1 ^= v2
        _rotate(v2, 32)


def _rotate(words: WordArray, bits: int) -> None:
    words[:] = (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))
