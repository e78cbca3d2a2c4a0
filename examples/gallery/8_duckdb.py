"""
A table in DuckDB
=================

Anything that exports an Arrow stream can be fitted: DuckDB, Polars, Ibis, pandas, PyArrow. Only the
columns that the bounds name are read, in batches, once.
"""

# %%
# A table with a column that is not a feature.

import duckdb
from matplotlib import pyplot as plt

from hushmeans import DPKMeans

connection = duckdb.connect()
connection.execute("select setseed(0.5)")
connection.execute(
    """
    create table people as
    select
        'person ' || i as name,
        25 + 20 * (i % 3) + 8 * (random() + random() + random() - 1.5) as age,
        1 + 6 * (i % 3) + 3 * (random() + random() - 1) as visits
    from range(30_000) as rows(i)
    """
)

# %%
# A query is one step away; it must keep people apart (no aggregates, no sampling, no limit).

adults = connection.sql("select * from people where age >= 18")
bounds = {"age": (0, 110), "visits": (0, 30)}
model = DPKMeans(n_clusters=3, epsilon=1.0, bounds=bounds, random_state=0).fit(adults)

# %%
# The centres with intervals of two standard errors.

release = model.release_
figure, axes = plt.subplots(layout="constrained")
for centre, error, size in zip(
    release.centres, release.standard_errors, release.sizes, strict=True
):
    axes.errorbar(*centre, xerr=2 * error[0], yerr=2 * error[1], fmt="o", capsize=3, ms=size / 1000)
axes.set(xlabel="age", ylabel="visits", xlim=(0, 110), ylim=(0, 30))
plt.show()
