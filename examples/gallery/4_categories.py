"""
Categories and flags
====================

A schema declares more than numbers. A release with categories says how frequent each level is in
each cluster, and how far noise may have moved that share.
"""

# %%
# Thirty thousand synthetic employees in three groups that differ in age, job and working hours.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from hushmeans import Category, DPKMeans, Flag, Number, Schema

rng = np.random.default_rng(4)
rows = 30_000
group = rng.choice(3, size=rows, p=[0.5, 0.3, 0.2])
jobs = ["nurse", "teacher", "driver", "engineer"]
mixes = np.array([[0.7, 0.2, 0.05, 0.05], [0.1, 0.7, 0.1, 0.1], [0.05, 0.05, 0.5, 0.4]])
job = [jobs[int(choice)] for choice in (rng.random((rows, 1)) > mixes[group].cumsum(1)).sum(1)]
people = pd.DataFrame(
    {
        "age": rng.normal([25, 45, 65], 5, (rows, 3))[np.arange(rows), group],
        "job": job,
        "part_time": rng.random(rows) < np.array([0.7, 0.1, 0.05])[group],
    }
)

# %%
# The schema lists the levels from a code book, not from the table. A value that is not listed
# counts as "other".

schema = Schema({"age": Number(16, 80), "job": Category(jobs), "part_time": Flag()})
model = DPKMeans(n_clusters=3, epsilon=1.0, schema=schema, random_state=0).fit(people)
release = model.release_
for profile in release.profiles:
    print(profile.feature, profile.levels)

# %%
# Where a cluster differs from the whole table by more than its error, in percentage points.

profile = next(each for each in release.profiles if each.feature == "job")
for each in profile.differences()[:4]:
    print(f"cluster {each.cluster}: {each.level} {100 * each.difference:+.0f} points")

# %%
# The shares of the jobs in each cluster, with 95 % intervals.

shares, errors = np.array(profile.shares), np.array(profile.half_widths)
places = np.arange(len(profile.levels))
figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
for cluster, centre in enumerate(np.array(release.centres)):
    axes.bar(
        places + 0.27 * (cluster - 1),
        shares[cluster],
        width=0.25,
        yerr=errors[cluster],
        capsize=2,
        label=f"cluster {cluster}: mean age {centre[0]:.0f}",
    )
axes.set_xticks(places, labels=profile.levels)
axes.set(ylabel="share of the cluster", title="Jobs in each cluster, ε = 1")
axes.legend()
plt.show()
