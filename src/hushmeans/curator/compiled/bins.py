"""The compiled loop over values as they were read: which bin each of them belongs to."""

from __future__ import annotations

from hushmeans.curator.compiled.caching import compiled


@compiled()
def add_up_histograms(values, borders, ends, unit, counts):
    """Add a unit to a bin of each feature. Feature f's borders end before `ends[f + 1]`.

    Bins are found by comparison alone; what is no number is in none.
    """
    first_bin = 0
    for f in range(values.shape[1]):
        first, end = ends[f], ends[f + 1]
        if first == end:
            continue
        for i in range(len(values)):
            value = values[i, f]
            if value != value:
                continue
            low, high = first, end
            while low < high:
                middle = (low + high) // 2
                if value > borders[middle]:
                    low = middle + 1
                else:
                    high = middle
            counts[first_bin + low - first] += unit
        first_bin += end - first + 1
