"""A hundred million records, generated and encoded in chunks, and clustered in memory."""

from __future__ import annotations

import resource
import sys
import time
from fractions import Fraction

import numpy as np

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.encode import encode
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.store import Store
from hushmeans.curator.watching import Watch
from hushmeans.forecasting.mixture import scattered
from hushmeans.methods.registry import chosen_method
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Box
from sections import Section

N_RECORDS, N_FEATURES, N_CLUSTERS, CHUNK = 100_000_000, 6, 5, 1_000_000


class Counting(Watch):
    """Counts the questions."""

    count = 0

    def answered(self, spent: Fraction) -> None:
        self.count += 1


def make(n_records: int) -> Store:
    """Records of five clusters, of which only the encoded form is kept."""
    box = Box((0.0,) * N_FEATURES, (100.0,) * N_FEATURES)
    records = np.empty((n_records, N_FEATURES), dtype=np.int32)
    rng = np.random.default_rng(0)
    centres = rng.uniform(20, 80, (N_CLUSTERS, N_FEATURES)).astype(np.float32)
    for start in range(0, n_records, CHUNK):
        chunk = records[start : start + CHUNK]
        labels = rng.integers(N_CLUSTERS, size=len(chunk))
        chunk[:] = encode(scattered(rng, centres, 5.0, labels), box)
    return Store.of(box, records)


def section(n_records: int = N_RECORDS) -> Section:
    """Time, memory, and records a second and question."""
    make(CHUNK)
    begun = time.perf_counter()
    source = make(n_records)
    made = time.perf_counter()
    questions = Counting()
    budget = Budget.of(1, 0)
    curator = Curator(source, mechanism_for(budget, None), budget, watch=questions)
    chosen_method("refined", None).find(curator.door, N_CLUSTERS, public_randomness(None))
    curator.settle()
    seconds = time.perf_counter() - made
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    row = (
        f"{made - begun:.0f}",
        f"{seconds:.1f}",
        str(questions.count),
        f"{n_records * questions.count / seconds / 1e6:.0f} million",
        f"{peak / 1e9:.2f}",
        f"{4 * n_records * N_FEATURES / 1e9:.2f}",
    )
    return Section(
        "A large run",
        f"{n_records:,} x {N_FEATURES}, k = {N_CLUSTERS}, refined; generated and encoded in "
        "chunks.",
        (
            "generate and encode, s",
            "fit, s",
            "questions",
            "records per second and question",
            "peak of the process, GB",
            "encoded data, GB",
        ),
        [row],
    )


if __name__ == "__main__":
    section(int(sys.argv[1]) if len(sys.argv) > 1 else N_RECORDS).show()
