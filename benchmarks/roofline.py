"""What the machine can do at most: multiply and add in single precision, and read memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from hushmeans.curator.kernel import available_threads
from timing import best_times

PRODUCT = 1024
"""Rows and columns of the matrices multiplied to find the rate of arithmetic."""

READ = 128 * 2**20
"""Bytes that each thread reads to find the bandwidth: more than any cache holds."""


@dataclass(frozen=True)
class Machine:
    """Rates with all processors at work.

    Attributes
    ----------
    flops
        Single-precision operations a second, in a matrix product of the best library at hand.
    bandwidth
        Bytes read from memory a second.
    """

    flops: float
    bandwidth: float

    @classmethod
    def measured(cls) -> Machine:
        """The machine at hand."""
        left = np.random.default_rng(0).random((PRODUCT, PRODUCT), dtype=np.float32)
        threads = available_threads()
        blocks = [np.ones(READ // 8, dtype=np.int64) for _ in range(threads)]
        with ThreadPoolExecutor(threads) as pool:
            best = best_times(
                {
                    "product": lambda: left @ left,
                    "read": lambda: list(pool.map(np.bitwise_or.reduce, blocks)),
                }
            )
        return cls(2 * PRODUCT**3 / best["product"], threads * READ / best["read"])

    def __str__(self) -> str:
        return f"{self.flops / 1e9:.0f} GFLOP/s, {self.bandwidth / 1e9:.0f} GB/s, both measured"


def reached(machine: Machine, shape: tuple[int, int, int], seconds: float) -> tuple[str, str]:
    """The shares of the machine's arithmetic and bandwidth that a round of this shape reaches."""
    n_records, n_features, n_centroids = shape
    operations = 2 * n_records * n_features * n_centroids
    read = 4 * n_records * n_features
    return (
        f"{operations / seconds / machine.flops:.0%}",
        f"{read / seconds / machine.bandwidth:.0%}",
    )
