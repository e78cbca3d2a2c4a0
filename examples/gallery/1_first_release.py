"""
A first release
===============

Cluster synthetic patients with differential privacy, and compare the result with ordinary k-means.
"""

# %%
# Ten thousand synthetic patients in three groups. Each feature needs a public range: what is
# plausible, not the smallest and largest value of the table.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.cluster import KMeans

from hushmeans import DPKMeans

rng = np.random.default_rng(0)
groups = [(30, 2), (55, 9), (78, 18)]
people = pd.DataFrame(
    np.concatenate([rng.normal(group, (6, 1.5), (3333, 2)) for group in groups]),
    columns=["age", "visits"],
)

# %%
# A seed makes this a simulation, which is right for an example and wrong for real people.

bounds = {"age": (0, 110), "visits": (0, 30)}
model = DPKMeans(n_clusters=3, epsilon=1.0, bounds=bounds, random_state=0).fit(people)
release = model.release_
print(release.noise_verdict())

# %%
# A release prints as a table and shows itself as one in a notebook.

release

# %%
# Left: the private centres lie almost on top of those that k-means finds without privacy. Right:
# what is published, on the public ranges. The bars are two standard errors.

scale = np.array([110, 30])
plain = KMeans(3, n_init=10, random_state=0).fit(people.to_numpy() / scale).cluster_centers_ * scale

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(people["age"][::5], people["visits"][::5], ".", color="0.85", ms=3, label="patients")
left.plot(*plain.T, "x", color="tab:red", ms=11, mew=2, label="k-means, not private")
left.plot(*np.array(release.centres).T, "o", color="tab:blue", ms=7, label="hushmeans, ε = 1")
left.set(xlabel="age", ylabel="visits")
left.legend()
release.plot(ax=right)
plt.show()
