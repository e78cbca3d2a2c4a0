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

from hushmeans import DPKMeans, Number, Schema, forecast

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
# How many rows each limit would keep, and the error to expect. The exact numbers are known here
# because the data are synthetic; for real people, ``hushmeans person-rows`` estimates them with
# privacy.

limits = [1, 2, 3, 4, 6, 8, 12]
kept = [int(np.minimum(visits_of, limit).sum()) for limit in limits]
errors = [
    forecast(rows, features=2, n_clusters=2, epsilon=1.0, rows_per_person=limit).centre_error
    for rows, limit in zip(kept, limits, strict=True)
]

# %%
# Three visits of each patient keep most of the data. The limit is enforced: which rows count
# depends on that patient's rows alone.

schema = Schema(
    {"pulse": Number(30, 220), "temperature": Number(34, 43)},
    person="patient_id",
    rows_per_person=3,
)
release = DPKMeans(2, epsilon=1.0, schema=schema, random_state=0).fit(visits).release_
print(next(line for line in release.statement().splitlines() if "enforced" in line))

# %%
# Left: rows that count against noise. Right: the release.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(limits, 100 * np.array(kept) / len(visits), "o-", color="tab:blue")
left.set(xlabel="rows_per_person", ylabel="rows that count, %", ylim=(0, 105))
left.yaxis.label.set_color("tab:blue")
beside = left.twinx()
beside.plot(limits, errors, "s--", color="tab:orange")
beside.set(ylabel="expected error of a centre, in half ranges", ylim=(0, None))
beside.yaxis.label.set_color("tab:orange")
release.plot(ax=right)
plt.show()
