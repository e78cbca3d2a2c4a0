"""Draw a release over the table it was made from, beside k-means without privacy.

    hushmeans demo --out demo
    python examples/draw_clusters.py demo clusters.png

Needs Matplotlib (`pip install 'hushmeans[plot]'`) and pandas. The picture shows records, so it is
for data that may be shown, such as the demo's synthetic patients.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from hushmeans import Release

mpl.use("agg")

from matplotlib import pyplot as plt

SHOWN = 3000
"""How many of the records to draw."""


def main(folder: Path, picture: Path) -> None:
    """Two panels, two features each."""
    table = pd.read_csv(folder / "patients.csv")
    release = Release.load(folder / "release.json")
    low, high = np.array(release.box.low), np.array(release.box.high)
    unit = (table.to_numpy() - low) / (high - low)
    model = KMeans(release.n_clusters, n_init=10, random_state=0).fit(unit)
    plain = low + model.cluster_centers_ * (high - low)
    private, sizes = np.array(release.centres), np.array(release.sizes)

    figure, panels = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    sample = table.sample(SHOWN, random_state=0).to_numpy()
    for panel, (x, y) in zip(panels, ((0, 1), (2, 3)), strict=True):
        panel.plot(
            sample[:, x], sample[:, y], ".", color="0.8", ms=4, zorder=0, label="synthetic patients"
        )
        discs = 4000 * sizes / sizes.sum()
        panel.scatter(private[:, x], private[:, y], discs, color="tab:blue", alpha=0.35, lw=0)
        panel.plot(private[:, x], private[:, y], "o", color="tab:blue", label="private centre")
        panel.plot(plain[:, x], plain[:, y], "x", color="tab:red", ms=10, label="not private")
        panel.set(xlabel=table.columns[x], ylabel=table.columns[y])
        panel.set(xlim=(low[x], high[x]), ylim=(low[y], high[y]))
    figure.suptitle(f"{release.n_clusters} clusters with ε = {float(release.budget.epsilon):g}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
