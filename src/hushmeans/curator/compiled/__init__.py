"""The compiled kernel: the loops over records, and all that Numba compiles into them.

What is compiled is kept on disk, and depends on every file of this folder (`caching`).
"""

from hushmeans.curator.compiled.bins import add_up_histograms
from hushmeans.curator.compiled.holes import fill
from hushmeans.curator.compiled.loops import (
    add_up_cells,
    add_up_distances,
    add_up_lengths,
    add_up_shifts,
    add_up_spread,
    add_up_spreads,
    add_up_totals,
    nearest,
    snap,
    squared_distances,
)

__all__ = [
    "add_up_cells",
    "add_up_distances",
    "add_up_histograms",
    "add_up_lengths",
    "add_up_shifts",
    "add_up_spread",
    "add_up_spreads",
    "add_up_totals",
    "fill",
    "nearest",
    "snap",
    "squared_distances",
]
