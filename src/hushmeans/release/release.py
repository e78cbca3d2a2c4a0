"""The result of a fit: centres, sizes, their standard errors, and the privacy guarantee."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushmeans.budget import Booking, Budget, Spend
from hushmeans.documents import read_text_file, write_text_file
from hushmeans.errors import InputError
from hushmeans.methods.merge import RULES
from hushmeans.release.about import About
from hushmeans.release.clusters import ClusterTable, TableRows, errors_in_unit_box, in_unit_box
from hushmeans.release.comparison import ReleaseComparison, compared
from hushmeans.release.content import content_of, fields_of
from hushmeans.release.decoding import as_records
from hushmeans.release.document import document_schema, read_document, write_document
from hushmeans.release.found import Found, check_found
from hushmeans.release.noisy import indistinguishable
from hushmeans.release.plotting import plotted
from hushmeans.release.profiles import LevelShares, MissingRate, check_profiles
from hushmeans.release.quality import QualityScores, quality_of
from hushmeans.release.sampling import sampled
from hushmeans.release.statement import statement
from hushmeans.release.summary import as_html, summary
from hushmeans.release.tables import as_csv, as_frame, clusters_as_table
from hushmeans.release.tree import SuggestedK, costs_of_merging, cut_to, suggested
from hushmeans.release.verdict import NoiseVerdict, verdict_on
from hushmeans.schema import Box
from hushmeans.schema.schema import MissingPerson
from hushmeans.settings import Settings
from hushmeans.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Release:
    """The result of a fit, safe to publish. Nothing else about the records is kept.

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
    widths, width_standard_errors
        How wide each cluster is in each feature, in original units: the root of the mean squared
        distance of its records from its centre, and its standard error. None if the fit did not
        ask for widths, and for tables with kinds of features other than numbers and dates.
    leaves
        The finer clusters that these were merged from; `cut` merges them into any other number.
    booking
        The ledger entry that paid for the release; None if no ledger was used.
    about
        Title, owner, contact, date and description, if the publisher gave them.
    missing_person
        How rows without an id were treated, "drop" or "own", if a person column limited the rows
        of each person; None if `rows_per_person` was declared and not enforced.
    profiles
        For each category and flag, how often each level occurs in each cluster.
    missing_rates
        How often each feature is missing, where the schema has a rule that states it.
    found
        The features whose ranges were found with part of the budget.
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

    widths: TableRows | None = None
    width_standard_errors: TableRows | None = None
    leaves: ClusterTable | None = None
    booking: Booking | None = None
    about: About = field(default_factory=About)
    missing_person: MissingPerson | None = None
    profiles: tuple[LevelShares, ...] = ()
    missing_rates: tuple[MissingRate, ...] = ()
    found: tuple[Found, ...] = ()

    def __post_init__(self) -> None:
        for name in ("method_options", "versions"):
            object.__setattr__(self, name, tuple(sorted(getattr(self, name))))
        self.table.check(self.box.n_columns)
        if self.leaves is not None:
            self.leaves.check(self.box.n_columns)
        check_profiles(self.profiles, self.n_clusters)
        check_found(self.found, self.box)

    @property
    def table(self) -> ClusterTable:
        """The clusters alone."""
        return ClusterTable(
            self.centres,
            self.standard_errors,
            self.sizes,
            self.size_standard_errors,
            self.widths,
            self.width_standard_errors,
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
        settings = Settings.of(
            self.n_clusters,
            self.budget.epsilon,
            self.budget.delta,
            self.method,
            dict(self.method_options),
            self.rows_per_person,
        )
        return replace(settings, missing_person=self.missing_person)

    @property
    def centroids(self) -> FloatArray:
        """The centres in the unit box, where distances are measured."""
        return in_unit_box(self.table, self.box).centroids

    def cut(self, n_clusters: int) -> Release:
        """The release with another number of clusters, at no privacy cost (post-processing).

        The new release has no `profiles`, because levels were counted in the original clusters.

        Parameters
        ----------
        n_clusters
            From 1 to the number of leaves.
        """
        table = cut_to(n_clusters, self.table, self.leaves, self.box, self._merging_rule)
        return self if table == self.table else replace(self, **vars(table), profiles=())

    def cost_curve(self) -> tuple[tuple[int, float], ...]:
        """For each number of clusters, the squared distance per record added by merging.

        The values are noisy, and measured in the unit box between leaves and merged centres. A
        steep rise towards fewer clusters means that distinct clusters are being merged. For fewer
        clusters than the release has, its own clusters are merged.
        """
        return costs_of_merging(self.table, self.leaves, self.box)

    def suggest_k(self) -> SuggestedK:
        """Suggest a number of clusters that stands out in the cost curve, with the reason.

        Fit with more clusters than you expect, then `cut` to the suggestion's `n_clusters`.
        """
        return suggested(self.table, self.cost_curve())

    def quality(self) -> QualityScores:
        """How well the clusters are separated, from sizes and widths, with standard errors.

        Raises
        ------
        InputError
            If the release has no widths, or fewer than two clusters that are not noise.
        """
        return quality_of(self.table, self.box)

    def sample(self, n: int, seed: int | None = None) -> pa.Table:
        """Draw synthetic records with the clusters of the release: cluster structure only.

        Each record's cluster is drawn by size, then every feature independently, from the
        cluster's centre and width within the public range. Correlations within clusters and finer
        structure are lost. Sampling costs no privacy. It needs `widths`, which only releases of
        numbers and dates have.
        """
        return as_records(sampled(self.table, self.box, n, seed), self.box)

    def to_table(self, form: str = "wide") -> pa.Table:
        """The clusters as an Arrow table.

        Parameters
        ----------
        form
            "wide" for one row per cluster, "long" for one row per cluster and feature.
        """
        return clusters_as_table(self, form)

    def to_frame(self, form: str = "wide") -> pd.DataFrame:
        """As `to_table`, as a pandas DataFrame; needs pandas, which hushmeans does not install."""
        return as_frame(self.to_table(form))

    def to_csv(self, path: str | Path | None = None, form: str = "wide") -> str:
        """As `to_table`, as CSV text, which is also written to the path if there is one."""
        text = as_csv(self.to_table(form))
        if path is not None:
            write_text_file(Path(path), text)
        return text

    def plot(self, kind: str = "centres", ax: Axes | None = None) -> Axes:
        """Draw the release; needs Matplotlib (``pip install "hushmeans[plot]"``).

        Parameters
        ----------
        kind
            "centres": the centres on the public ranges, with intervals of two standard errors.
            "map": the clusters in two dimensions, area by size, ellipses by width.
            "costs": the cost of merging to each number of clusters.
        ax
            The axes to draw on; None for a new figure.
        """
        return plotted(self, kind, ax)

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    @property
    def noise_clusters(self) -> tuple[int, ...]:
        """The clusters whose size cannot be distinguished from 0: they may be noise alone."""
        return indistinguishable(self.sizes, self.size_standard_errors)

    def compare(self, other: Release) -> ReleaseComparison:
        """Compare this release with another: the differences that exceed the combined error.

        Clusters are matched. The errors allow for the choice of clusters: two fits of the same
        records may divide them differently. Only features in both releases are compared.
        """
        return compared(self, other)

    @property
    def _merging_rule(self) -> str:
        rule = str(dict(self.method_options).get("merge", "ward"))
        if rule not in RULES:
            raise InputError(
                f"the release was merged by the rule {rule!r}, which this version of hushmeans "
                "does not know; upgrade hushmeans"
            )
        return rule

    def predict(self, data: Any) -> IntArray:
        """Return the index of the nearest centre for each record of an array, a table or a file.

        Columns that are not features of the release are ignored. Labels are NOT PRIVATE: they
        are for people who may see the records.
        """
        return np.concatenate([np.empty(0, dtype=np.int64), *self.labels(data)])

    def labels(self, data: Any) -> Iterator[IntArray]:
        """As `predict`, in batches, so that a file need not fit into memory."""
        from hushmeans.curator.owner import labels

        return labels(data, self.box, self.centroids)

    def transform(self, data: Any) -> FloatArray:
        """Return the distance from each record to each centre, in the unit box. NOT PRIVATE.

        In the unit box the range of every number is [-1, 1]. Values outside the bounds are
        clipped, as in the fit.
        """
        from hushmeans.curator.owner import distances_to

        return distances_to(data, self.box, self.centroids)

    def noise_verdict(self) -> NoiseVerdict:
        """Whether noise is negligible, visible or dominates, judged by the standard errors."""
        errors = errors_in_unit_box(self.table, self.box)
        return verdict_on(self.centroids, errors, self.noise_clusters)

    def with_about(self, **texts: str | None) -> Release:
        """Return the release with title, owner, contact, date or description set; None removes."""
        try:
            return replace(self, about=replace(self.about, **texts))
        except TypeError:
            known = ", ".join(vars(About()))
            raise InputError(f"a release has no such text; use {known}") from None

    def statement(self) -> str:
        """What was done and what is guaranteed, in plain words."""
        return statement(self)

    def save(self, path: str | Path) -> None:
        """Write the release as JSON, without loss; `load` reads it."""
        write_text_file(Path(path), self.to_json())

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
        return write_document(content_of(self))

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of the files that `save` writes, for other programs."""
        return document_schema()

    @classmethod
    def from_json(cls, text: str) -> Release:
        """Read the JSON that `to_json` wrote; anything else is refused."""
        content = read_document(text)
        try:
            return cls(**fields_of(content))
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise InputError("the release is incomplete or malformed") from None
