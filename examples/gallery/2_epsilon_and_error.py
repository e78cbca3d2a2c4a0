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

rows, features, clusters = 20_000, 4, 5
epsilons = np.geomspace(0.05, 5, 25)
expected = forecast(rows, features, clusters, epsilon=1)
print(expected.verdict)
curve = np.array(expected.curve(epsilons))

# %%
# Simulated fits of synthetic records: the standard errors that the releases state.

rng = np.random.default_rng(1)
centres = rng.uniform(-0.85, 0.85, (clusters, features))
people = np.clip(
    centres[rng.integers(clusters, size=rows)] + rng.normal(0, 0.15, (rows, features)), -1, 1
)


def stated_error(epsilon: float, seed: int) -> float:
    """The root mean square of a release's standard errors."""
    model = DPKMeans(clusters, epsilon=epsilon, bounds=(-1, 1), random_state=seed).fit(people)
    return float(np.sqrt(np.mean(np.square(model.release_.standard_errors))))


tried = [0.1, 0.3, 1.0, 3.0]
stated = [[stated_error(epsilon, seed) for seed in range(5)] for epsilon in tried]

# %%
# Ten times the budget buys roughly a tenth of the noise.

figure, axes = plt.subplots(layout="constrained")
axes.loglog(*curve.T, color="tab:blue", label="forecast")
axes.loglog(tried, stated, "o", color="tab:orange", alpha=0.6)
axes.plot([], [], "o", color="tab:orange", alpha=0.6, label="stated by simulated releases")
axes.set(xlabel="ε", ylabel="standard error of a centre, in half ranges")
axes.legend()
plt.show()
