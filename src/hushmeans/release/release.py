"""The result of a fit: centres, sizes, their standard errors, and the privacy guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from hushmeans.arguments import amount_text, exact_amount, whole_number
from hushmeans.budget import Booking, Budget, NoiseKind, Spend
from hushmeans.documents import read_text_file, written_whole
from hushmeans.errors import InputError
from hushmeans.methods.merge import RULES, merge, merging_costs
from hushmeans.release.clusters import (
    ClusterTable,
    TableRows,
    errors_in_unit_box,
    in_original_units,
    in_unit_box,
)
from hushmeans.release.document import (
    read_document,
    read_list,
    read_names,
    read_number,
    read_numbers,
    read_settings,
    read_text,
    read_truth,
    write_document,
)
from hushmeans.release.statement import statement
from hushmeans.release.verdict import NoiseVerdict, verdict_on
from hushmeans.schema import Box
from hushmeans.schema.declaring import declared_kind, written_kinds
from hushmeans.settings import Settings
from hushmeans.types import FloatArray, IntArray


@dataclass(frozen=True)
class Release:
    """The result of a fit, safe to publish. Nothing else is kept of the records.

    Attributes
    ----------
    centres
        One row per cluster, in original units.
    standard_errors
        The standard error of each coordinate of the centres, due to the privacy noise.
    sizes
        The noisy number of records in each cluster: not a whole number, never negative.
    size_standard_errors
        The standard error of each size, due to the privacy noise.
    box
        The public bounds and the features' names.
    budget
        The epsilon and delta of the guarantee.
    rows_per_person
        The privacy unit: all rows of one person, at most this many.
    simulated
        Whether the noise was generated from a seed; if so, there is no privacy guarantee.
    spends
        The share of the budget and the privacy loss of each question.
    method, method_options
        The method and its options, as requested; 0 stands for "chosen by the method".
    versions
        The versions of the software that made the release.
    leaves
        The finer clusters that these were merged from; `cut` merges them into any other number.
    booking
        The ledger entry that paid for the release; None if no ledger was used.
    """

    centres: TableRows
    standard_errors: TableRows
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
        self.table.check(self.box.n_columns)
        if self.leaves is not None:
            self.leaves.check(self.box.n_columns)

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
    def settings(self) -> Settings:
        """The settings of the fit.

        Raises
        ------
        InputError
            If the release was made with a method or option that this version does not know.
        """
        return Settings.of(
            self.n_clusters,
            self.budget.epsilon,
            self.budget.delta,
            self.method,
            dict(self.method_options),
            self.rows_per_person,
        )

    @property
    def centroids(self) -> FloatArray:
        """The centres in the unit box, where distances are measured."""
        return in_unit_box(self.table, self.box).centroids

    def cut(self, n_clusters: int) -> Release:
        """The release with another number of clusters, at no privacy cost (post-processing).

        Parameters
        ----------
        n_clusters
            From 1 to the number of leaves.
        """
        leaves = self.leaves or self.table
        number = whole_number("n_clusters", n_clusters, at_most=len(leaves.sizes))
        if number == self.n_clusters:
            return self
        merged = merge(in_unit_box(leaves, self.box), number, self._merging_rule)
        return replace(self, **vars(in_original_units(merged, self.box)))

    def cost_curve(self) -> tuple[tuple[int, float], ...]:
        """For each number of clusters, the squared distance per record that merging adds.

        The values are noisy, and measured in the unit box between leaves and merged centres. A
        steep rise towards fewer clusters means that distinct clusters are being merged.
        """
        leaves = in_unit_box(self.leaves or self.table, self.box)
        costs = merging_costs(leaves)
        numbers = range(len(leaves.sizes), 0, -1)
        return tuple(zip(numbers, costs, strict=True))

    @property
    def _merging_rule(self) -> str:
        rule = str(dict(self.method_options).get("merge", "ward"))
        if rule not in RULES:
            raise InputError(
                f"the release was merged by the rule {rule!r}, which this hushmeans does not know; "
                "upgrade hushmeans"
            )
        return rule

    def predict(self, data: Any) -> IntArray:
        """The index of the nearest centre for each record of an array, a table or a file.

        Columns that are not features of the release are ignored. Labels are NOT PRIVATE: they
        are for those who may see the records.
        """
        return np.concatenate([np.empty(0, dtype=np.int64), *self.labels(data)])

    def labels(self, data: Any) -> Iterator[IntArray]:
        """As `predict`, in batches, so that a file need not fit into memory."""
        from hushmeans.curator.owner import labels

        return labels(data, self.box, self.centroids)

    def transform(self, data: Any) -> FloatArray:
        """The distance from each record to each centre, in the unit box. NOT PRIVATE.

        In the unit box every feature's range is [-1, 1]. Values outside the bounds are clipped, as
        in the fit.
        """
        from hushmeans.curator.owner import distances_to

        return distances_to(data, self.box, self.centroids)

    def noise_verdict(self) -> NoiseVerdict:
        """Whether noise is negligible, visible or dominates, judged by the standard errors."""
        return verdict_on(self.centroids, errors_in_unit_box(self.table, self.box))

    def statement(self) -> str:
        """What was done and what is guaranteed, in plain words."""
        return statement(self)

    def save(self, path: str | Path) -> None:
        """Write the release as JSON, without loss; `load` reads it."""
        with written_whole(Path(path)) as beside:
            beside.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Release:
        """Read a release that `save` wrote."""
        text = read_text_file(Path(path), "the release")
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
            **written_kinds(self.box),
            "epsilon": amount_text(self.budget.epsilon),
            "delta": amount_text(self.budget.delta),
            "spends": [{**vars(spend), "share": str(spend.share)} for spend in self.spends],
        }
        return write_document(content)

    @classmethod
    def from_json(cls, text: str) -> Release:
        """Read the JSON that `to_json` wrote; anything else is refused."""
        content = read_document(text)
        try:
            bounds = content["bounds"]
            budget = Budget.of(content["epsilon"], content["delta"])
            leaves = content["leaves"]
            return cls(
                **vars(ClusterTable.of_document(content)),
                leaves=None if leaves is None else ClusterTable.of_document(leaves),
                booking=_booking(content.get("ledger")),
                box=_box(bounds, content.get("features")),
                budget=budget,
                rows_per_person=whole_number("rows_per_person", content["rows_per_person"]),
                simulated=read_truth(content["simulated"]),
                spends=_spends(content["spends"], "gaussian" if budget.delta else "laplace"),
                method=read_text(content["method"]),
                method_options=read_settings(content["method_options"], int | float | str),
                versions=read_settings(content["versions"], str),
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise InputError("the release is incomplete or malformed") from None


PLAIN_FIELDS = (
    "centres",
    "standard_errors",
    "sizes",
    "size_standard_errors",
    "rows_per_person",
    "simulated",
    "method",
)
"""The fields that are stored in JSON unchanged."""


def _box(bounds: Mapping[str, Any], features: Any) -> Box:
    """The box; releases of plain numbers write down their bounds alone."""
    names = read_names(bounds["names"])
    ends = read_numbers(bounds["low"]), read_numbers(bounds["high"])
    if features is None:
        return Box(*ends, names)
    box = Box.of([declared_kind(each) for each in read_list(features)], names)
    if (box.low, box.high) != ends:
        raise ValueError
    return box


def _booking(ledger: Any) -> Booking | None:
    """The ledger entry; releases made before ledgers existed have none."""
    if ledger is None:
        return None
    return Booking(read_text(ledger["dataset"]), read_text(ledger["release_id"]))


def _spends(spends: Any, usual: NoiseKind) -> tuple[Spend, ...]:
    """Version 0.1 did not write down the noise, which was then the usual one."""
    return tuple(_spend({"noise": usual, **spend}) for spend in read_list(spends))


def _spend(spend: Mapping[str, Any]) -> Spend:
    share, noise = exact_amount("share", spend["share"]), spend["noise"]
    if not 0 < share <= 1 or noise not in get_args(NoiseKind):
        raise ValueError
    return Spend(read_text(spend["question"]), share, read_number(spend["loss"]), noise)
