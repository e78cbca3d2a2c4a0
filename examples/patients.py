"""Cluster a table of made-up patients and publish the result, step by step."""

from __future__ import annotations

from pathlib import Path

from hushmeans import DPKMeans
from hushmeans.commands.patients import BOUNDS, patients


def main() -> None:
    """Fit, look at the centres, save what may be published."""
    table = patients(40_000)

    model = DPKMeans(n_clusters=5, epsilon=1.0, bounds=BOUNDS).fit(table)

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
