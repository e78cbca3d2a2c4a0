"""Labels, distances and scores for those who may see the records. NOT PRIVATE.

These functions describe individual records, or return exact functions of them. They are for the
owner of the records and for experiments; nothing that a fit publishes comes from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hushmeans.curator.kernel import fill, nearest, squared_distances
from hushmeans.curator.readers import is_place, open_reading, open_reading_for_box
from hushmeans.curator.readers.arrays import as_numeric_array, is_plain_list
from hushmeans.curator.readers.files import declared_types
from hushmeans.curator.readers.folders import FORMAT_BY_SUFFIX, named
from hushmeans.curator.readers.tables import is_table, known_columns
from hushmeans.curator.spark.cluster import is_spark
from hushmeans.curator.spark.files import read_on_spark
from hushmeans.curator.tally import ColumnTally, tally_columns
from hushmeans.distances import distances
from hushmeans.errors import InputError
from hushmeans.schema import Box, Grid, Schema
from hushmeans.schema.grid import ABSENT
from hushmeans.types import FloatArray, GridArray, IntArray

__all__ = [
    "FORMAT_BY_SUFFIX",
    "ColumnTally",
    "as_numeric_array",
    "declared_types",
    "distances_to",
    "encoded_squares",
    "is_place",
    "is_plain_list",
    "is_spark",
    "is_table",
    "known_columns",
    "labels",
    "named",
    "nearest_squares",
    "read_on_spark",
    "tally_columns",
]


def labels(data: Any, box: Box, centroids: FloatArray) -> Iterator[IntArray]:
    """The index of each record's nearest centroid, in batches.

    Parameters
    ----------
    data
        An array, a table or a path; columns that are not in the box are ignored.
    centroids
        In the unit box.
    """
    snapped = box.grid.snap(centroids)
    return (
        nearest(fill(records, snapped) if box.layout.has_holes else records, snapped)
        for records in open_reading_for_box(_checked(data), box).encoded(whole=True)
    )


def distances_to(data: Any, box: Box, centroids: FloatArray) -> FloatArray:
    """The distance from each record to each centroid, in the unit box."""
    parts = [
        _distances(records, box, centroids)
        for records in open_reading_for_box(_checked(data), box).encoded(whole=True)
    ]
    return np.concatenate([np.empty((0, len(centroids))), *parts])


def _distances(records: GridArray, box: Box, centroids: FloatArray) -> FloatArray:
    """The distances of encoded records; a missing value that is ignored adds nothing to them."""
    points = records / box.grid.unit
    if not box.layout.has_holes:
        return distances(points, centroids)
    absent = records == ABSENT
    each = (np.where(absent, centroid, points) - centroid for centroid in centroids)
    return np.column_stack([np.linalg.norm(gaps, axis=1) for gaps in each])


def nearest_squares(data: Any, where: Box | Schema, centres: Any) -> FloatArray:
    """The squared distance from each record to its nearest centre, in the unit box.

    Parameters
    ----------
    where
        The box of a release, or the schema of the data.
    centres
        A table of centres in original units.
    """
    reading = (
        open_reading_for_box(_checked(data), where)
        if isinstance(where, Box)
        else open_reading(_checked(data), where)
    )
    box = reading.box
    table = as_numeric_array(centres, "the centres").astype(np.float64)
    if not len(table) or table.shape[1] != box.n_columns or not np.isfinite(table).all():
        raise InputError("centres must be a table of finite numbers with one column per feature")
    records = np.concatenate([*reading.encoded()] or [np.empty((0, 1), dtype=np.int32)])
    centroids = box.to_unit_box(table)
    if box.layout.has_holes:
        records = fill(records, box.grid.snap(centroids))
    return encoded_squares(records, box.grid, centroids)


def encoded_squares(records: GridArray, grid: Grid, centroids: FloatArray) -> FloatArray:
    """As `nearest_squares`, for encoded records and centroids in the unit box."""
    return squared_distances(records, centroids * grid.unit) / grid.unit**2


def _checked(data: Any) -> Any:
    """The data; a list as an array, whose shape and types its owner may learn from an error."""
    return as_numeric_array(data) if is_plain_list(data) else data
