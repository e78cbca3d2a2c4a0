"""
Synthetic records from a release
================================

A release can be turned into synthetic records with the same clusters, to try out code or to teach.
They cost no privacy, and they know nothing beyond the release.
"""

# %%
# Synthetic patients stand in for real ones. In the second group, age and blood pressure are
# correlated.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from hushmeans import DPKMeans

rng = np.random.default_rng(7)
young = rng.normal((28, 118), (5, 7), (8_000, 2))
old = rng.multivariate_normal((63, 145), ((81, 90), (90, 160)), 12_000)
people = pd.DataFrame(np.concatenate([young, old]), columns=["age", "systolic"])

bounds = {"age": (0, 110), "systolic": (70, 220)}
model = DPKMeans(n_clusters=2, epsilon=1.0, bounds=bounds, random_state=0).fit(people)

# %%
# ``sample`` draws a cluster by its size, then each feature by the cluster's centre and width.

sample = model.release_.sample(len(people), seed=1)
print(sample.slice(0, 3).to_pylist())

# %%
# Places, sizes and widths of the clusters agree. The correlation within the second cluster is
# lost: it is not part of a release.

figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharex=True, sharey=True, layout="constrained")
tables = {"records": people, "drawn from the release, ε = 1": sample.to_pandas()}
for (title, table), each in zip(tables.items(), axes, strict=True):
    each.plot(table["age"][::4], table["systolic"][::4], ".", ms=2, alpha=0.4)
    each.set(title=title, xlabel="age", ylabel="systolic pressure")
plt.show()
