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
    centres, standard_errors, sizes, size_standard_errors, widths, width_standard_errors
        As in `Release`.
    """

    centres: TableRows
    standard_errors: TableRows
    sizes: tuple[float, ...]
    size_standard_errors: tuple[float, ...]
    widths: TableRows | None = None
    width_standard_errors: TableRows | None = None

    def check(self, n_columns: int) -> None:
        """Raise an error unless the columns match each other and those of a record."""
        if (self.widths is None) != (self.width_standard_errors is None):
            raise InputError("a release must have a standard error for every width")
        tables = [self.centres, self.standard_errors]
        tables += [each for each in (self.widths, self.width_standard_errors) if each is not None]
        numbers = (self.sizes, self.size_standard_errors)
        lengths = {len(column) for column in (*tables, *numbers)}
        if lengths != {len(self.centres)} or not self.centres:
            raise InputError(
                "a release must have a centre, a standard error and a size for every cluster"
            )
        if any(len(row) != n_columns for table in tables for row in table):
            raise InputError("a release must have one coordinate per feature")
        positive = [*numbers, *(row for table in tables[1:] for row in table)]
        if not all(np.isfinite(row).all() for row in (*self.centres, *positive)):
            raise InputError("the numbers in a release must be finite")
        if any(min(row) < 0 for row in positive):
            raise InputError(
                "the sizes, widths and standard errors in a release must not be negative"
            )

    @classmethod
    def of_document(cls, content: Mapping[str, Any]) -> ClusterTable:
        """The table in a release's JSON."""
        return cls(
            centres=read_table(content["centres"]),
            standard_errors=read_table(content["standard_errors"]),
            sizes=read_numbers(content["sizes"]),
            size_standard_errors=read_numbers(content["size_standard_errors"]),
            widths=_optional_table(content.get("widths")),
            width_standard_errors=_optional_table(content.get("width_standard_errors")),
        )

    @property
    def in_document(self) -> dict[str, Any]:
        """The columns for a release's JSON: those that there are."""
        return {name: column for name, column in vars(self).items() if column is not None}


def in_original_units(clusters: Clusters, box: Box) -> ClusterTable:
    """A method's clusters, converted from the unit box."""
    centres = box.from_unit_box(clusters.centroids)
    return ClusterTable(
        centres=table_rows(centres),
        standard_errors=table_rows(np.sqrt(clusters.variances) * box.slope(centres)),
        sizes=tuple(clusters.sizes.tolist()),
        size_standard_errors=tuple(np.sqrt(clusters.size_variances).tolist()),
        widths=_scaled(clusters.widths, box.slope(centres)),
        width_standard_errors=_scaled(_roots(clusters.width_variances), box.slope(centres)),
    )


def in_unit_box(table: ClusterTable, box: Box) -> Clusters:
    """Released clusters, converted to the unit box."""
    slope = box.slope(np.array(table.centres))
    with np.errstate(over="ignore"):
        clusters = Clusters(
            centroids=box.to_unit_box(np.array(table.centres)),
            variances=errors_in_unit_box(table, box) ** 2,
            sizes=np.array(table.sizes),
            size_variances=np.array(table.size_standard_errors) ** 2,
            widths=_unscaled(table.widths, slope),
            width_variances=_squares(_unscaled(table.width_standard_errors, slope)),
        )
    columns = [column for column in vars(clusters).values() if column is not None]
    if any(np.abs(column).max() > LARGEST_IN_UNIT_BOX for column in columns):
        raise InputError("the release contains numbers that are too large to compute with")
    return clusters


def errors_in_unit_box(table: ClusterTable, box: Box) -> FloatArray:
    """The standard errors of the centres, converted to the unit box."""
    errors: FloatArray = np.array(table.standard_errors) / box.slope(np.array(table.centres))
    return errors


def _scaled(lengths: FloatArray | None, slope: FloatArray) -> TableRows | None:
    return None if lengths is None else table_rows(lengths * slope)


def _unscaled(lengths: TableRows | None, slope: FloatArray) -> FloatArray | None:
    return None if lengths is None else np.array(lengths) / slope


def _roots(squares: FloatArray | None) -> FloatArray | None:
    return None if squares is None else np.sqrt(squares)


def _squares(roots: FloatArray | None) -> FloatArray | None:
    return None if roots is None else roots**2


def _optional_table(rows: Any) -> TableRows | None:
    return None if rows is None else read_table(rows)


def table_rows(table: FloatArray) -> TableRows:
    """A table as a release holds it."""
    return tuple(tuple(row) for row in table.tolist())
