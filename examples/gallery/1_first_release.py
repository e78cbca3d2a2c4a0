"""
A first release
===============

Cluster synthetic patients with differential privacy, and compare the result with ordinary k-means.
"""

# %%
# Ten thousand synthetic patients in three groups. Each feature needs a public range: what is
# plausible, not the smallest and largest value of the table.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.cluster import KMeans

from hushmeans import DPKMeans

rng = np.random.default_rng(0)
groups = [(30, 2), (55, 9), (78, 18)]
people = np.concatenate([rng.normal(group, (6, 1.5), (3333, 2)) for group in groups])

# %%
# A seed makes this a simulation, which is right for an example and wrong for real people.

bounds = ([0, 0], [110, 30])
model = DPKMeans(n_clusters=3, epsilon=1.0, bounds=bounds, random_state=0).fit(people)
print(model.release_.noise_verdict())

# %%
# The private centres lie almost on top of those that k-means finds without privacy.

plain = KMeans(3, n_init=10, random_state=0).fit(people / (110, 30)).cluster_centers_ * (110, 30)

figure, axes = plt.subplots(layout="constrained")
axes.plot(*people[::5].T, ".", color="0.85", ms=3, label="synthetic patients")
axes.plot(*plain.T, "x", color="tab:red", ms=11, mew=2, label="k-means, not private")
axes.plot(*model.cluster_centers_.T, "o", color="tab:blue", ms=7, label="hushmeans, ε = 1")
axes.set(xlabel="age", ylabel="visits")
axes.legend()
plt.show()
