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
# A query is one step away. It must work row by row: no aggregates, no sampling, no limit.

adults = connection.sql("select * from people where age >= 18")
bounds = {"age": (0, 110), "visits": (0, 30)}
model = DPKMeans(n_clusters=3, epsilon=1.0, bounds=bounds, random_state=0).fit(adults)
release = model.release_

# %%
# The release goes back into DuckDB as a table.

clusters = release.to_table()
print(connection.sql("select cluster, size, age, visits from clusters order by age"))

# %%
# The centres on their public ranges, and the clusters as a map with areas by size.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
release.plot(ax=left)
release.plot("map", ax=right)
plt.show()
