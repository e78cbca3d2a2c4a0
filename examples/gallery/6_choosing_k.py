"""
Choosing the number of clusters
===============================

Trying several k on the records would cost a budget for each. Fit once with more clusters than you
expect, and merge: that is free, because it uses the release alone.
"""

# %%
# Twenty thousand synthetic customers in four groups, fitted with ten clusters.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from hushmeans import DPKMeans

rng = np.random.default_rng(6)
groups = np.array([(25, 4, 30), (40, 20, 55), (62, 6, 120), (70, 15, 20)])
people = pd.DataFrame(
    groups[rng.integers(4, size=20_000)] + rng.normal(0, [4, 1.5, 8], (20_000, 3)),
    columns=["age", "orders", "basket"],
)
bounds = {"age": (0, 110), "orders": (0, 40), "basket": (0, 200)}
model = DPKMeans(n_clusters=10, epsilon=1.0, bounds=bounds, random_state=0).fit(people)

# %%
# The suggestion comes with its reason.

suggestion = model.release_.suggest_k()
print(suggestion)
release = model.release_.cut(suggestion.n_clusters)

# %%
# Left: what merging costs. Right: the clusters that remain, in the two directions in which they
# differ most.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
model.release_.plot("costs", ax=left)
release.plot("map", ax=right)
plt.show()
