"""How good a clustering is. NOT PRIVATE: these numbers are exact functions of the records.

They are for experiments on data that may be shown. Publishing them beside a release breaks
the release's promise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushmeans.curator.sources import open_source
from hushmeans.distances import distances
from hushmeans.domain import Bounds
from hushmeans.errors import InputError
from hushmeans.release import Release

CHUNK = 65_536
"""Records whose distances are held at a time."""


def nicv(data: Any, centres: Any, bounds: Any = None) -> float:
    """Normalised intra-cluster variance as the paper prints it. NOT PRIVATE.

    The mean distance, not squared, from a record to its nearest centre. Distances are
    measured in the unit box, where every feature's range is [-1, 1].

    Parameters
    ----------
    data
        The records, in original units.
    centres
        A release, or an array of centres in original units.
    bounds
        The public range of every feature; not needed with a release.

    Examples
    --------
    >>> round(nicv([[0.0], [2.0], [10.0]], [[1.0], [10.0]], bounds=(0, 10)), 4)
    0.1333
    """
    return _mean_power(data, centres, bounds, power=1)


def nicv_squared(data: Any, centres: Any, bounds: Any = None) -> float:
    """The mean squared distance to the nearest centre, which k-means minimises. NOT PRIVATE.

    As `nicv`, with squared distances.

    Examples
    --------
    >>> round(nicv_squared([[0.0], [2.0], [10.0]], [[1.0], [10.0]], bounds=(0, 10)), 4)
    0.0267
    """
    return _mean_power(data, centres, bounds, power=2)


def _mean_power(data: Any, centres: Any, bounds: Any, power: int) -> float:
    release = centres if isinstance(centres, Release) else None
    source = open_source(data, Bounds(bounds if release is None else release.box))
    table = np.array(centres if release is None else release.centres, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != source.box.n_features:
        raise InputError("centres must be a table with a column for every feature")
    if not len(source.records):
        raise InputError("there are no records to measure the distance of")
    centroids = source.box.to_unit_box(table)
    total = 0.0
    for start in range(0, len(source.records), CHUNK):
        points = source.records[start : start + CHUNK] / source.box.grid.unit
        total += float((distances(points, centroids).min(axis=1) ** power).sum())
    return total / len(source.records)
