"""Which rows of each person count, written a second time: plainly, one row at a time."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from hashlib import blake2b

MASK = 2**64 - 1

Row = tuple[int, ...]


def counted_rows(rows: Iterable[tuple[bytes, Row]], limit: int) -> Counter[Row]:
    """The rows that count, of pairs of an id and an encoded row."""
    by_person: defaultdict[bytes, Counter[Row]] = defaultdict(Counter)
    for person, row in rows:
        by_person[person][row] += 1
    kept: Counter[Row] = Counter()
    for person, numbers in by_person.items():
        key = blake2b(person, digest_size=16, key=b"hushmeans: rows of a person, 1").digest()
        order = sorted(
            (place(row, repetition, key), struct.pack(f"<{len(row)}i", *row), repetition, row)
            for row, number in numbers.items()
            for repetition in range(number)
        )
        kept.update(row for *_, row in order[:limit])
    return kept


def place(row: Row, repetition: int, key: bytes) -> int:
    """A row's place in its person's order, as a signed number."""
    message = struct.pack(f"<q{len(row)}i", repetition, *row)
    hashed = siphash(message, key)
    return hashed - 2**64 if hashed >= 2**63 else hashed


def siphash(message: bytes, key: bytes) -> int:
    """SipHash-2-4, by Aumasson and Bernstein."""
    first, second = struct.unpack("<2Q", key)
    v = [
        first ^ 0x736F6D6570736575,
        second ^ 0x646F72616E646F6D,
        first ^ 0x6C7967656E657261,
        second ^ 0x7465646279746573,
    ]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        v = _rounds(v, 2)
        v[0] ^= word
    v[2] ^= 255
    v = _rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _rounds(v: Sequence[int], times: int) -> list[int]:
    a, b, c, d = v
    for _ in range(times):
        a = (a + b) & MASK
        b = _rotated(b, 13) ^ a
        a = _rotated(a, 32)
        c = (c + d) & MASK
        d = _rotated(d, 16) ^ c
        a = (a + d) & MASK
        d = _rotated(d, 21) ^ a
        c = (c + b) & MASK
        b = _rotated(b, 17) ^ c
        c = _rotated(c, 32)
    return [a, b, c, d]


def _rotated(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (64 - bits))) & MASK
