"""Records in chunks that are worth a thread each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hushmeans.types import FloatArray, GridArray

SMALLEST_CHUNK = 16_384
"""Records worth a thread: fewer are added up sooner than they are handed over."""

CHUNKS_PER_THREAD = 8
"""So that a thread whose processor is busy with something else holds up little."""


def in_chunks(
    blocks: Iterable[GridArray | FloatArray], threads: int, chunk: int | None
) -> Iterator[GridArray | FloatArray]:
    """The records of all blocks, one chunk after the other."""
    most = 1 if threads == 1 else threads * CHUNKS_PER_THREAD
    for block in blocks:
        parts = min(most, max(1, len(block) // SMALLEST_CHUNK))
        rows = chunk or max(1, -(-len(block) // parts))
        yield from (block[start : start + rows] for start in range(0, len(block), rows))
