"""A release as tables: Arrow, pandas and CSV, one row per cluster or one per number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hushmeans.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from hushmeans.release import Release

Form = Literal["wide", "long"]
"""One row per cluster, or one row per cluster and feature."""


def clusters_as_table(release: Release, form: str) -> pa.Table:
    """The clusters of a release."""
    import pyarrow as pa

    if form not in get_args(Form):
        raise InputError(f"form is {form!r}; choose one of {', '.join(get_args(Form))}")
    columns = _wide(release) if form == "wide" else _long(release)
    return pa.table(columns)


def _wide(release: Release) -> dict[str, Any]:
    """One row per cluster: its size, then each feature's centre, error and width."""
    noise = set(release.noise_clusters)
    columns: dict[str, Any] = {
        "cluster": list(range(release.n_clusters)),
        "is_noise": [cluster in noise for cluster in range(release.n_clusters)],
        "size": list(release.sizes),
        "size_error": list(release.size_standard_errors),
    }
    for index in range(release.box.n_columns):
        name = release.box.name(index)
        columns[name] = [row[index] for row in release.centres]
        columns[f"{name} error"] = [row[index] for row in release.standard_errors]
        if release.widths is not None and release.width_standard_errors is not None:
            columns[f"{name} width"] = [row[index] for row in release.widths]
            errors = release.width_standard_errors
            columns[f"{name} width error"] = [row[index] for row in errors]
    return columns


def _long(release: Release) -> dict[str, Any]:
    """One row per cluster and feature."""
    number, n_features = release.n_clusters, release.box.n_columns
    noise = set(release.noise_clusters)

    def repeated(column: tuple[Any, ...]) -> list[Any]:
        return [each for each in column for _ in range(n_features)]

    def flat(table: tuple[tuple[float, ...], ...] | None) -> list[float | None]:
        if table is None:
            return [None] * (number * n_features)
        return np.array(table).ravel().tolist()

    return {
        "cluster": repeated(tuple(range(number))),
        "is_noise": repeated(tuple(cluster in noise for cluster in range(number))),
        "size": repeated(release.sizes),
        "size_error": repeated(release.size_standard_errors),
        "feature": [release.box.name(index) for index in range(n_features)] * number,
        "low": list(release.box.low) * number,
        "high": list(release.box.high) * number,
        "centre": flat(release.centres),
        "centre_error": flat(release.standard_errors),
        "width": flat(release.widths),
        "width_error": flat(release.width_standard_errors),
    }


def as_csv(table: pa.Table) -> str:
    """A table as CSV text, numbers without loss."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    writer.writerows([["" if value is None else value for value in row] for row in rows])
    return text.getvalue()


def as_frame(table: pa.Table) -> pd.DataFrame:
    """A table as a pandas DataFrame."""
    try:
        frame: pd.DataFrame = table.to_pandas()
    except ModuleNotFoundError:
        raise InputError(
            "to_frame needs pandas, which is not installed; run pip install pandas, or use "
            "to_table, which gives an Arrow table"
        ) from None
    return frame
