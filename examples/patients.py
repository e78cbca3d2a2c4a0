"""Cluster a table of synthetic patients and publish the result, step by step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from hushmeans import DPKMeans

BOUNDS = {"age": (0, 100), "visits_per_year": (0, 30)}
"""Public ranges: what is possible, not what is in the table."""


def patients(rows: int) -> pa.Table:
    """Three groups: the young, the old, and the chronically ill."""
    rng = np.random.default_rng(0)
    kind = rng.choice(3, rows, p=[0.5, 0.35, 0.15])
    ages, visits = np.array([30, 68, 55])[kind], np.array([3, 8, 20])[kind]
    return pa.table({"age": rng.normal(ages, 9), "visits_per_year": rng.poisson(visits)})


def main() -> None:
    """Fit, look at the centres, save what may be published."""
    table = patients(40_000)

    model = DPKMeans(n_clusters=3, epsilon=1.0, bounds=BOUNDS).fit(table)

    for centre, size in zip(model.cluster_centers_, model.cluster_sizes_, strict=True):
        features = ", ".join(
            f"{name} {value:.1f}" for name, value in zip(BOUNDS, centre, strict=True)
        )
        print(f"about {size:6.0f} patients: {features}")

    path = Path("patients-release.json")
    model.release_.save(path)
    print(f"\n{model.release_.statement()}\n\nSaved as {path}.")


if __name__ == "__main__":
    main()
