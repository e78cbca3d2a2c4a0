"""
How much privacy costs
======================

The forecast tells how much noise a release will have, from public numbers alone. Here it is held
against simulated fits.
"""

# %%
# What is public: roughly how many people there are, how many features, and how many clusters are
# asked for. Nothing is spent, and no record is read.

import numpy as np
from matplotlib import pyplot as plt

from hushmeans import DPKMeans, forecast

rows, features, clusters = 5_000, 4, 5
epsilons = np.geomspace(0.05, 5, 25)
expected = forecast(rows, features, clusters, epsilon=1)
print(expected.verdict)
curve = np.array(expected.curve(epsilons))

# %%
# Simulated fits of synthetic records: how far each centre lies from the mean of its records. With
# real records that is private; a release states standard errors instead.

rng = np.random.default_rng(1)
centres = np.array([(-1, -1, 1, 1), (-1, 1, -1, 1), (1, -1, -1, -1), (1, 1, 1, -1), (0, 0, 0, 0)])
people = np.clip(
    0.7 * centres[rng.integers(clusters, size=rows)] + rng.normal(0, 0.15, (rows, features)), -1, 1
)


def errors(epsilon: float, seed: int) -> tuple[float, float]:
    """What a release says about its error, and its error (both as root mean squares)."""
    model = DPKMeans(clusters, epsilon=epsilon, bounds=(-1, 1), random_state=seed).fit(people)
    labels = model.predict(people)
    means = [
        people[labels == i].mean(axis=0) if np.any(labels == i) else model.cluster_centers_[i]
        for i in range(clusters)
    ]
    stated = np.array(model.release_.standard_errors)
    actual = model.cluster_centers_ - means
    return float(np.sqrt(np.mean(stated**2))), float(np.sqrt(np.mean(actual**2)))


tried = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2]
found = np.array([[errors(epsilon, seed) for seed in range(8)] for epsilon in tried])
stated, actual = np.median(found, axis=1).T

# %%
# Twice the budget, about half the error. The forecast assumes typical clusters and is close to the
# actual errors; the stated errors also cover clipping, and err on the safe side.

figure, axes = plt.subplots(layout="constrained")
axes.loglog(*curve.T, color="tab:blue", label="forecast, before the fit")
axes.loglog(tried, stated, "s--", color="tab:orange", label="standard error stated by the release")
axes.loglog(tried, actual, "o", color="tab:green", label="actual error (median of 8 fits)")
axes.set(xlabel="ε", ylabel="error of a centre, in half ranges")
axes.set_xticks(tried, labels=map(str, tried))
axes.legend()
plt.show()
