"""What leaves the curator: centres, sizes, their error, and the promise they come with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hushmeans.arguments import amount_text, exact_amount, whole_number
from hushmeans.budget import Booking, Budget, Spend
from hushmeans.document import (
    read_document,
    read_list,
    read_names,
    read_number,
    read_numbers,
    read_settings,
    read_table,
    read_text,
    read_truth,
    unread,
    write_document,
)
from hushmeans.domain import Box
from hushmeans.errors import InputError
from hushmeans.files import written_whole
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.merge import RULES, merge, merging_costs
from hushmeans.statement import statement
from hushmeans.types import FloatArray, GridArray, IntArray
from hushmeans.verdict import Verdict, verdict_on

Table = tuple[tuple[float, ...], ...]

LARGEST = 1e50
"""What no number of a fit reaches in the unit box; products of a few such numbers stay finite."""


@dataclass(frozen=True)
class ClusterTable:
    """Clusters in original units, as columns.

    Attributes
    ----------
    centres, standard_errors, sizes, size_standard_errors
        As in `Release`.
    """

    centres: Table
    standard_errors: Table
    sizes: tuple[float, ...]
    size_standard_errors: tuple[float, ...]

    def check(self, n_features: int) -> None:
        """Raise unless the columns fit each other and the number of features."""
        columns = (self.standard_errors, self.sizes, self.size_standard_errors)
        if not self.centres or any(len(column) != len(self.centres) for column in columns):
            raise InputError("a release needs a centre, an error and a size for every cluster")
        rows = (*self.centres, *self.standard_errors)
        if any(len(row) != n_features for row in rows):
            raise InputError("a release needs a coordinate for every feature")
        if not all(np.isfinite(row).all() for row in (*rows, *columns[1:])):
            raise InputError("a release holds finite numbers only")
        if any(min(row) < 0 for row in (*self.standard_errors, *columns[1:])):
            raise InputError("the sizes and errors of a release are not negative")


@dataclass(frozen=True)
class Release:
    """The result of a fit: all that is kept of it, and safe to publish.

    Attributes
    ----------
    centres
        One row per cluster, in original units.
    standard_errors
        For each coordinate of the centres, the standard error that the privacy noise causes.
    sizes
        Noisy numbers of records: not whole, never negative.
    size_standard_errors
        The standard error of each size that the privacy noise causes.
    box
        The public bounds, and the features' names.
    budget
        The epsilon and delta that were promised.
    rows_per_person
        The privacy unit: all rows of one person, at most this many.
    simulated
        Whether the noise came from a seed; then nothing is promised.
    spends
        What each question was given and what it cost.
    method, method_options
        How the clusters were found.
    versions
        The software that made the release.
    leaves
        The finer clusters that these were merged from; `cut` merges them to any other number.
    booking
        The debit in a ledger that paid for the release; None if no ledger was used.
    """

    centres: Table
    standard_errors: Table
    sizes: tuple[float, ...]
    size_standard_errors: tuple[float, ...]
    box: Box
    budget: Budget
    rows_per_person: int
    simulated: bool
    spends: tuple[Spend, ...]
    method: str
    method_options: tuple[tuple[str, int | float | str], ...]
    versions: tuple[tuple[str, str], ...]

    leaves: ClusterTable | None = None
    booking: Booking | None = None

    def __post_init__(self) -> None:
        for name in ("method_options", "versions"):
            object.__setattr__(self, name, tuple(sorted(getattr(self, name))))
        self.table.check(self.box.n_features)
        if self.leaves is not None:
            self.leaves.check(self.box.n_features)

    @property
    def table(self) -> ClusterTable:
        """The clusters alone."""
        return ClusterTable(
            self.centres, self.standard_errors, self.sizes, self.size_standard_errors
        )

    @property
    def n_clusters(self) -> int:
        return len(self.centres)

    @property
    def centroids(self) -> FloatArray:
        """The centres in the unit box, where distances are measured."""
        return _in_unit_box(self.table, self.box).centroids

    def cut(self, n_clusters: int) -> Release:
        """The release with another number of clusters, from the same noisy answers: free.

        Parameters
        ----------
        n_clusters
            From 1 to the number of leaves.
        """
        leaves = self.leaves or self.table
        number = whole_number("n_clusters", n_clusters, at_most=len(leaves.sizes))
        if number == self.n_clusters:
            return self
        merged = merge(_in_unit_box(leaves, self.box), number, self._merging_rule)
        return replace(self, **vars(in_original_units(merged, self.box)))

    def cost_curve(self) -> tuple[tuple[int, float], ...]:
        """For each number of clusters, the squared distance per record that merging has added.

        Noisy, and measured in the unit box between leaves and their merged centres. Where the curve
        bends upwards as clusters become fewer, real clusters are being joined.
        """
        leaves = _in_unit_box(self.leaves or self.table, self.box)
        costs = merging_costs(leaves)
        numbers = range(len(leaves.sizes), 0, -1)
        return tuple(zip(numbers, costs, strict=True))

    @property
    def _merging_rule(self) -> str:
        rule = str(dict(self.method_options).get("merge", "ward"))
        if rule not in RULES:
            raise InputError(f"the release was merged by {rule!r}, a rule that is not known here")
        return rule

    def predict(self, data: Any) -> IntArray:
        """The index of the nearest centre for each record of an array, a table or a file.

        Columns that the release does not have are ignored. Labels of records are not private:
        they are for those who may see the records.
        """
        return np.concatenate([np.empty(0, dtype=np.int64), *self.labels(data)])

    def labels(self, data: Any) -> Iterator[IntArray]:
        """As `predict`, some records at a time, so that a file is never held whole."""
        from hushmeans.curator.kernel import nearest

        centroids = self.box.grid.snap(self.centroids)
        return (nearest(records, centroids) for records in self._encoded(data))

    def transform(self, data: Any) -> FloatArray:
        """Each record's distance to each centre, in the unit box, where half of a range is 1.

        Values outside the bounds count as the nearest value inside, as in the fit.
        """
        from hushmeans.distances import distances

        unit, centroids = self.box.grid.unit, self.centroids
        parts = [distances(records / unit, centroids) for records in self._encoded(data)]
        return np.concatenate([np.empty((0, self.n_clusters)), *parts])

    def noise_verdict(self) -> Verdict:
        """Whether noise is negligible, visible or dominates, by the release's own errors."""
        return verdict_on(self.centroids, np.array(self.standard_errors) / self.box.half_width)

    def statement(self) -> str:
        """What was done and what is promised, in plain words."""
        return statement(self)

    def save(self, path: str | Path) -> None:
        """Write the release as JSON; `load` reads it back without loss."""
        with written_whole(Path(path)) as beside:
            beside.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Release:
        """Read a release that `save` wrote."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read the release {path}: {unread(error)}") from None
        try:
            return cls.from_json(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def to_json(self) -> str:
        """The release as JSON text, with a schema version and a checksum."""
        content = {
            **{name: getattr(self, name) for name in PLAIN_FIELDS},
            "leaves": None if self.leaves is None else vars(self.leaves),
            "ledger": None if self.booking is None else vars(self.booking),
            "method_options": dict(self.method_options),
            "versions": dict(self.versions),
            "bounds": {"low": self.box.low, "high": self.box.high, "names": self.box.names},
            "epsilon": amount_text(self.budget.epsilon),
            "delta": amount_text(self.budget.delta),
            "spends": [
                {"question": spend.question, "share": str(spend.share), "loss": spend.loss}
                for spend in self.spends
            ],
        }
        return write_document(content)

    @classmethod
    def from_json(cls, text: str) -> Release:
        """The release that `to_json` wrote; anything else is refused."""
        content = read_document(text)
        try:
            bounds = content["bounds"]
            leaves = content["leaves"]
            return cls(
                **vars(_cluster_table(content)),
                leaves=None if leaves is None else _cluster_table(leaves),
                booking=_booking(content.get("ledger")),
                box=Box(
                    read_numbers(bounds["low"]),
                    read_numbers(bounds["high"]),
                    read_names(bounds["names"]),
                ),
                budget=Budget.of(content["epsilon"], content["delta"]),
                rows_per_person=whole_number("rows_per_person", content["rows_per_person"]),
                simulated=read_truth(content["simulated"]),
                spends=tuple(_spend(spend) for spend in read_list(content["spends"])),
                method=read_text(content["method"]),
                method_options=read_settings(content["method_options"], int | float | str),
                versions=read_settings(content["versions"], str),
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise InputError("the release is incomplete or malformed") from None

    def _encoded(self, data: Any) -> Iterator[GridArray]:
        from hushmeans.curator.sources import open_new

        return open_new(data, self.box).encoded()


PLAIN_FIELDS = (
    "centres",
    "standard_errors",
    "sizes",
    "size_standard_errors",
    "rows_per_person",
    "simulated",
    "method",
)
"""The fields that JSON holds as they are."""


def in_original_units(clusters: Clusters, box: Box) -> ClusterTable:
    """A method's clusters as a release shows them."""
    return ClusterTable(
        centres=_rows(box.from_unit_box(clusters.centroids)),
        standard_errors=_rows(np.sqrt(clusters.variances) * box.half_width),
        sizes=tuple(clusters.sizes.tolist()),
        size_standard_errors=tuple(np.sqrt(clusters.size_variances).tolist()),
    )


def _in_unit_box(table: ClusterTable, box: Box) -> Clusters:
    with np.errstate(over="ignore"):
        clusters = Clusters(
            centroids=box.to_unit_box(np.array(table.centres)),
            variances=(np.array(table.standard_errors) / box.half_width) ** 2,
            sizes=np.array(table.sizes),
            size_variances=np.array(table.size_standard_errors) ** 2,
        )
    if any(np.abs(column).max() > LARGEST for column in vars(clusters).values()):
        raise InputError("the release holds numbers too large to be computed with")
    return clusters


def _rows(table: FloatArray) -> Table:
    return tuple(tuple(row) for row in table.tolist())


def _cluster_table(content: Mapping[str, Any]) -> ClusterTable:
    return ClusterTable(
        centres=read_table(content["centres"]),
        standard_errors=read_table(content["standard_errors"]),
        sizes=read_numbers(content["sizes"]),
        size_standard_errors=read_numbers(content["size_standard_errors"]),
    )


def _booking(ledger: Any) -> Booking | None:
    """Where it was paid for; releases from before there was a ledger do not say."""
    if ledger is None:
        return None
    return Booking(read_text(ledger["dataset"]), read_text(ledger["release_id"]))


def _spend(spend: Mapping[str, Any]) -> Spend:
    share = exact_amount("share", spend["share"])
    if not 0 < share <= 1:
        raise ValueError
    return Spend(read_text(spend["question"]), share, read_number(spend["loss"]))
