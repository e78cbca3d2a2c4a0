"""
Loose and tight bounds
======================

Public ranges are usually wider than the data. The default method first finds the part of the range
that the records fill; the methods of the DP-KCCM paper do not.
"""

# %%
# The same table, with ranges that are 1, 4, 16, 64 and 256 times as wide as it is.

import numpy as np
from matplotlib import pyplot as plt

from hushmeans import DPKMeans, nicv_squared

rng = np.random.default_rng(2)
centres = rng.uniform(-0.7, 0.7, (4, 3))
people = centres[rng.integers(4, size=20_000)] + rng.normal(0, 0.08, (20_000, 3))
widths = [1, 4, 16, 64, 256]


def cost(method: str, width: int, seed: int) -> float:
    """The mean squared distance to the nearest released centre, in the data's own units."""
    model = DPKMeans(4, epsilon=1.0, bounds=(-width, width), method=method, random_state=seed)
    return nicv_squared(people, model.fit(people).release_) * width**2


costs = {
    method: [np.median([cost(method, width, seed) for seed in range(5)]) for width in widths]
    for method in ("refined", "allocation_nk")
}

# %%
# The median of five runs. A single point, the mean of all records, is what one gets without any
# clustering.

one_point = float(np.var(people, axis=0).sum())

figure, axes = plt.subplots(layout="constrained")
axes.loglog(widths, costs["refined"], "o-", label="refined, the default")
axes.loglog(widths, costs["allocation_nk"], "s-", label="DP-KCCM (allocation_nk)")
axes.axhline(one_point, color="0.6", ls="--", label="a single point")
axes.set(xlabel="range, relative to the data", ylabel="mean squared distance")
axes.set_xticks(widths, labels=[f"{width}x" for width in widths])
axes.legend()
plt.show()
