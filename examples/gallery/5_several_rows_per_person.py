"""
Several rows per person
=======================

In a table of visits, the guarantee should cover a person with all of their visits. Counting more
rows of each person keeps more data and adds more noise.
"""

# %%
# Five thousand synthetic patients with a few visits each. One of them comes almost every day.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from hushmeans import DPKMeans, Number, Schema

rng = np.random.default_rng(5)
visits_of = np.append(rng.geometric(0.4, 5_000), 300)
patient = np.repeat(np.arange(visits_of.size), visits_of)
sick = np.repeat(rng.random(visits_of.size) < 0.4, visits_of)
visits = pd.DataFrame(
    {
        "patient_id": patient,
        "pulse": rng.normal(np.where(sick, 95, 70), 6),
        "temperature": rng.normal(np.where(sick, 38.6, 36.8), 0.3),
    }
)

# %%
# The limit is enforced: which rows count depends on that person's rows alone.


def release_with(limit: int, seed: int = 0):
    """A simulated release that counts at most so many rows of each patient."""
    schema = Schema(
        {"pulse": Number(30, 220), "temperature": Number(34, 43)},
        person="patient_id",
        rows_per_person=limit,
    )
    return DPKMeans(2, epsilon=1.0, schema=schema, random_state=seed).fit(visits).release_


limits = [1, 2, 3, 5, 8, 12]
kept = [np.minimum(visits_of, limit).sum() / len(visits) for limit in limits]
errors = [
    np.median([np.array(release_with(limit, seed).standard_errors)[:, 0] for seed in range(9)])
    for limit in limits
]

# %%
# Left: rows that count against noise. The exact shares are known here because the data are
# synthetic; for real people, ``hushmeans person-rows`` estimates them with privacy. Right: the
# release that counts at most three visits of each patient.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(limits, 100 * np.array(kept), "o-", color="tab:blue")
left.set(xlabel="rows_per_person", ylabel="rows that count, %", ylim=(0, 105))
left.yaxis.label.set_color("tab:blue")
beside = left.twinx()
beside.plot(limits, errors, "s--", color="tab:orange")
beside.set(ylabel="standard error of the mean pulse", ylim=(0, None))
beside.yaxis.label.set_color("tab:orange")
release_with(3).plot(ax=right)
plt.show()
