"""The compiled loop that puts public values where records have none."""

from __future__ import annotations

import numpy as np

from hushmeans.curator.compiled.caching import compiled


@compiled()
def fill(records, points, hole, filled):
    """Copy the records; a hole becomes the value of the point that is nearest in all else."""
    n_features = records.shape[1]
    for i in range(len(records)):
        holes = 0
        for f in range(n_features):
            filled[i, f] = records[i, f]
            holes += records[i, f] == hole
        if holes == 0:
            continue
        best, least = 0, np.int64(-1)
        for j in range(len(points)):
            square = np.int64(0)
            for f in range(n_features):
                if records[i, f] != hole:
                    way = records[i, f] - points[j, f]
                    square += way * way
            if least < 0 or square < least:
                best, least = j, square
        for f in range(n_features):
            if records[i, f] == hole:
                filled[i, f] = points[best, f]
