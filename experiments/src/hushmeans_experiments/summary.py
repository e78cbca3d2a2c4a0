"""From runs to numbers: means, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from scipy import stats

from hushmeans.types import FloatArray

SETTING = (
    "dataset",
    "method",
    "merge",
    "n_clusters",
    "epsilon",
    "n",
    "rounds",
    "smallest_size",
)
"""The columns that say what was run."""


@dataclass(frozen=True)
class MeanInterval:
    """A mean with its 95 % confidence interval."""

    mean: float
    low: float
    high: float


def interval(values: FloatArray) -> MeanInterval:
    """Student's interval for the mean of independent values.

    Runs from the same start are not independent, so the values to give are means per start.

    Examples
    --------
    >>> interval(np.array([1.0, 2.0, 3.0]))
    MeanInterval(mean=2.0, low=-0.48..., high=4.48...)
    """
    mean = float(values.mean())
    if len(values) < 2:
        return MeanInterval(mean, mean, mean)
    error = float(values.std(ddof=1)) / len(values) ** 0.5
    reach = float(stats.t.ppf(0.975, len(values) - 1)) * error
    return MeanInterval(mean, mean - reach, mean + reach)


def per_start(runs: pa.Table) -> pa.Table:
    """The mean scores of each setting from each start."""
    columns = [("nicv", "mean"), ("nicv_squared", "mean"), ("run", "count")]
    grouped = runs.group_by([*SETTING, "start"]).aggregate(columns)
    names = {"nicv_mean": "nicv", "nicv_squared_mean": "nicv_squared", "run_count": "runs"}
    renamed = grouped.rename_columns([names.get(name, name) for name in grouped.column_names])
    return renamed.sort_by([(name, "ascending") for name in (*SETTING, "start")])


def summarise(starts: pa.Table) -> pa.Table:
    """One row per setting: the number of runs, and both scores with their intervals."""
    rows = []
    for setting, part in _groups(starts):
        row = {**setting, "runs": int(np.sum(part["runs"]))}
        for score in ("nicv", "nicv_squared"):
            found = interval(part[score])
            row |= {score: found.mean, f"{score}_low": found.low, f"{score}_high": found.high}
        rows.append(row)
    return pa.Table.from_pylist(rows)


def _groups(starts: pa.Table) -> list[tuple[dict[str, object], dict[str, FloatArray]]]:
    """The rows of each setting; the table is sorted by setting."""
    columns = {name: starts[name].to_numpy(zero_copy_only=False) for name in starts.column_names}
    keys = list(zip(*(columns[name].tolist() for name in SETTING), strict=True))
    edges = [0, *(i for i in range(1, len(keys)) if keys[i] != keys[i - 1]), len(keys)]
    return [
        (
            dict(zip(SETTING, keys[low], strict=True)),
            {name: column[low:high] for name, column in columns.items()},
        )
        for low, high in pairwise(edges)
        if high > low
    ]
