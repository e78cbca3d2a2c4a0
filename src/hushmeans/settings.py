"""The settings of one fit: checked once, then passed on as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hushmeans.arguments import Amount, exact_amount, whole_number
from hushmeans.budget import WHOLE_PERSON, Budget
from hushmeans.errors import InputError, InputTypeError
from hushmeans.methods.method import Method
from hushmeans.methods.registry import DEFAULT_METHOD, canonical_name, chosen_method
from hushmeans.schema import Schema
from hushmeans.schema.schema import MissingPerson

RANGE_SHARE = Fraction(1, 10)
"""The default share of the budget for finding ranges."""

MOST_CLUSTERS = 10_000
"""With more, placing the starting centroids alone takes hours."""


@dataclass(frozen=True)
class Settings:
    """The clusters, the budget, the method with its options and the privacy unit of a fit.

    Attributes
    ----------
    n_clusters
        How many clusters to release.
    budget
        The epsilon and delta of the whole fit.
    method_name
        The method's name, aliases resolved.
    method
        The method, with its options set.
    rows_per_person
        The privacy unit: all rows of one person, at most this many.
    range_share
        The share of the budget for finding ranges, if a schema asks for any.
    person
        The column that identifies the person; None without one.
    missing_person
        How to treat rows without an id, if a person column enforces the limit; None without one.

    Examples
    --------
    >>> settings = Settings.of(5, epsilon=1, method="kccm")
    >>> settings.method_name, settings.method_options
    ('allocation_nk', {'n': 3, 'rounds': 12, 'merge': 'ward'})
    """

    n_clusters: int
    budget: Budget
    method_name: str
    method: Method
    rows_per_person: int = 1
    range_share: Fraction = RANGE_SHARE
    person: str | None = None
    missing_person: MissingPerson | None = None

    def __post_init__(self) -> None:
        if not 0 < self.range_share <= Fraction(1, 2):
            raise InputError(
                f"range_share is {float(self.range_share):g}; give a share of the budget above 0 "
                "and up to 0.5"
            )
        n_clusters = whole_number("n_clusters (--k)", self.n_clusters, at_most=MOST_CLUSTERS)
        object.__setattr__(self, "n_clusters", n_clusters)
        rows_per_person = whole_number("rows_per_person", self.rows_per_person)
        object.__setattr__(self, "rows_per_person", rows_per_person)

    @classmethod
    def of(
        cls,
        n_clusters: int,
        epsilon: Amount,
        delta: Amount = 0,
        method: str = DEFAULT_METHOD,
        method_options: Mapping[str, Any] | None = None,
        rows_per_person: int = 1,
        range_share: Amount = RANGE_SHARE,
    ) -> Settings:
        """The settings from a user's arguments, which `DPKMeans` documents."""
        if not isinstance(method_options, Mapping | None):
            raise InputTypeError(
                'method_options must be a mapping from names to values, such as {"rounds": 4}'
            )
        return cls(
            n_clusters=n_clusters,
            budget=Budget.of(epsilon, delta),
            method_name=canonical_name(method),
            method=chosen_method(method, method_options),
            rows_per_person=rows_per_person,
            range_share=exact_amount("range_share", range_share),
        )

    @property
    def method_options(self) -> dict[str, int | float | str]:
        """The method's options, including those left at their defaults."""
        return self.method.options

    @property
    def unit(self) -> int:
        """The privacy unit in which a ledger counts."""
        return self.rows_per_person if self.missing_person is None else WHOLE_PERSON

    def with_unit_of(self, schema: Schema) -> Settings:
        """The settings with the privacy unit that a schema declares, if it declares one.

        Raises
        ------
        InputError
            If these settings declare another.
        """
        declared = schema.rows_per_person
        if schema.person is not None and self.missing_person is None:
            limited = replace(self, person=schema.person, missing_person=schema.missing_person)
            return limited.with_unit_of(schema)
        if declared == 1 or declared == self.rows_per_person:
            return self
        if self.rows_per_person != 1:
            raise InputError(
                f"rows_per_person is {self.rows_per_person}, but {declared} in the schema; "
                "set it in one place only"
            )
        return replace(self, rows_per_person=declared)

    def with_epsilon(self, epsilon: Amount) -> Settings:
        """The same settings with another epsilon."""
        return replace(self, budget=Budget.of(epsilon, self.budget.delta))
