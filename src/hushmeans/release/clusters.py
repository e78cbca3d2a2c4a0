"""Clusters in original units, and the conversion to and from the unit box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushmeans.errors import InputError
from hushmeans.methods.clusters import Clusters
from hushmeans.release.document import read_numbers, read_table
from hushmeans.schema import Box
from hushmeans.types import FloatArray

TableRows = tuple[tuple[float, ...], ...]

LARGEST_IN_UNIT_BOX = 1e50
"""No number of a fit reaches this in the unit box; products of a few such numbers stay finite."""


@dataclass(frozen=True)
class ClusterTable:
    """Clusters in original units, as columns.

    Attributes
    ----------
    centres, standard_errors, sizes, size_standard_errors
        As in `Release`.
    """

    centres: TableRows
    standard_errors: TableRows
    sizes: tuple[float, ...]
    size_standard_errors: tuple[float, ...]

    def check(self, n_columns: int) -> None:
        """Raise an error unless the columns match each other and those of a record."""
        columns = (self.standard_errors, self.sizes, self.size_standard_errors)
        if not self.centres or any(len(column) != len(self.centres) for column in columns):
            raise InputError(
                "a release must have a centre, a standard error and a size for every cluster"
            )
        rows = (*self.centres, *self.standard_errors)
        if any(len(row) != n_columns for row in rows):
            raise InputError("a release must have one coordinate per feature")
        if not all(np.isfinite(row).all() for row in (*rows, *columns[1:])):
            raise InputError("the numbers in a release must be finite")
        if any(min(row) < 0 for row in (*self.standard_errors, *columns[1:])):
            raise InputError("the sizes and standard errors in a release must not be negative")

    @classmethod
    def of_document(cls, content: Mapping[str, Any]) -> ClusterTable:
        """The table in a release's JSON."""
        return cls(
            centres=read_table(content["centres"]),
            standard_errors=read_table(content["standard_errors"]),
            sizes=read_numbers(content["sizes"]),
            size_standard_errors=read_numbers(content["size_standard_errors"]),
        )


def in_original_units(clusters: Clusters, box: Box) -> ClusterTable:
    """A method's clusters, converted from the unit box."""
    centres = box.from_unit_box(clusters.centroids)
    return ClusterTable(
        centres=_rows(centres),
        standard_errors=_rows(np.sqrt(clusters.variances) * box.slope(centres)),
        sizes=tuple(clusters.sizes.tolist()),
        size_standard_errors=tuple(np.sqrt(clusters.size_variances).tolist()),
    )


def in_unit_box(table: ClusterTable, box: Box) -> Clusters:
    """Released clusters, converted to the unit box."""
    with np.errstate(over="ignore"):
        clusters = Clusters(
            centroids=box.to_unit_box(np.array(table.centres)),
            variances=errors_in_unit_box(table, box) ** 2,
            sizes=np.array(table.sizes),
            size_variances=np.array(table.size_standard_errors) ** 2,
        )
    if any(np.abs(column).max() > LARGEST_IN_UNIT_BOX for column in vars(clusters).values()):
        raise InputError("the release contains numbers that are too large to compute with")
    return clusters


def errors_in_unit_box(table: ClusterTable, box: Box) -> FloatArray:
    """The standard errors of the centres, converted to the unit box."""
    errors: FloatArray = np.array(table.standard_errors) / box.slope(np.array(table.centres))
    return errors


def _rows(table: FloatArray) -> TableRows:
    return tuple(tuple(row) for row in table.tolist())
