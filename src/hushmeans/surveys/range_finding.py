"""Unknown ranges: found in a fit, or once for all later fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import Any

from hushmeans.arguments import Amount, amount_text
from hushmeans.budget import WHOLE_PERSON, Booking, Budget
from hushmeans.curator.curator import noise_within, open_curator
from hushmeans.curator.door import Door
from hushmeans.curator.watching import Watch
from hushmeans.errors import InputError
from hushmeans.ledger import Ledger
from hushmeans.methods.ranges import MOST_LOOKS, find_ranges, records_needed
from hushmeans.methods.search import FoundRange
from hushmeans.schema import Box, Number, Schema
from hushmeans.schema.toml_text import toml_entry, toml_line, toml_value
from hushmeans.surveys.debit import SurveyDebit
from hushmeans.version import versions

RANGES_KIND = "hushmeans ranges"


@dataclass(frozen=True)
class FoundRanges:
    """A schema in which all ranges are known, and which of them were found.

    Attributes
    ----------
    schema
        The schema, for all fits that follow.
    found
        The ranges that were found, by feature.
    budget
        What that cost.
    rows_per_person
        The privacy unit: all rows of one person, at most this many.
    booking
        The ledger entry that paid for it; None if no ledger was used.
    """

    schema: Schema
    found: dict[str, FoundRange]
    budget: Budget
    rows_per_person: int
    booking: Booking | None = None

    def to_document(self) -> dict[str, Any]:
        """All that was found, for JSON."""
        return {
            "kind": RANGES_KIND,
            "epsilon": amount_text(self.budget.epsilon),
            "rows_per_person": self.rows_per_person,
            "ranges": {name: vars(each) for name, each in self.found.items()},
            "versions": versions(),
            "ledger": None if self.booking is None else vars(self.booking),
        }

    def to_toml(self) -> str:
        """The schema as a TOML file, with a comment at each range that was found."""
        schema = self.schema
        heads = []
        if schema.person is not None:
            heads.append(f"person = {toml_value(schema.person)}")
        if schema.rows_per_person != 1:
            heads.append(f"rows_per_person = {schema.rows_per_person}")
        if schema.missing_person != "drop":
            heads.append(f"missing_person = {toml_value(schema.missing_person)}")
        lines = [toml_line(name, toml_entry(kind)) for name, kind in schema.features.items()]
        notes = [self._note(name) for name in schema.features]
        body = [line + note for line, note in zip(lines, notes, strict=True)]
        return "\n".join([*heads, *([""] if heads else []), "[features]", *body]) + "\n"

    def _note(self, name: str) -> str:
        if name not in self.found:
            return ""
        if not self.found[name].is_sure:
            return "  # too few records to find this range: declare it, or spend more"
        return f"  # found with epsilon = {amount_text(self.budget.epsilon)}"


def ranges_for(
    door: Door, box: Box, share: Fraction, *, laplace: bool = False
) -> tuple[FoundRange, ...]:
    """The ranges of the unknown features of a box, for a share of the budget.

    Parameters
    ----------
    laplace
        Whether to use Laplace noise where the budget leaves a choice.
    """
    if laplace and door.turn_to is not None:
        door = door.turn_to("l1")
    kinds = [box.features[feature] for feature in box.unknown]
    logarithmic = [isinstance(kind, Number) and kind.scale == "log" for kind in kinds]
    return find_ranges(door, logarithmic, share)


def check_enough(
    rows: int, budget: Budget, n_unknown: int, share: Fraction, rows_per_person: int = 1
) -> None:
    """Raise an error if this public guess of the number of records is too small."""
    needed = records_needed(noise_within(budget, rows_per_person), n_unknown, share)
    if n_unknown and rows < needed:
        step = 10 ** max(len(str(needed)) - 2, 0)  # two digits are enough
        about = math.ceil(needed / step) * step
        raise InputError(
            f"{rows:,} records are too few to find {n_unknown} range{'s'[: n_unknown > 1]} with "
            f"this budget; about {about:,} are needed: declare ranges as [low, high], or spend "
            "more on finding them"
        )


def find_table_ranges(
    data: Any,
    schema: Schema,
    epsilon: Amount,
    *,
    rows_per_person: int = 1,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    release_id: str | None = None,
) -> FoundRanges:
    """Find all unknown ranges of a schema, with a separate epsilon.

    A ledger, if there is one, is debited before anything is counted. Reusing a release id with the
    same settings spends nothing and gives the same ranges.
    """
    budget, watch = Budget.of(epsilon), watch or Watch()
    chosen = schema if columns is None else schema.only(columns)
    unknown = [name for name, kind in chosen.features.items() if kind.is_found]
    if not unknown:
        raise InputError(
            'all ranges are declared, so there is nothing to find; write range = "find" for a '
            "number whose range is unknown"
        )
    most = max(rows_per_person, schema.rows_per_person)
    unit = most if schema.person is None else WHOLE_PERSON
    parameters = {"features": unknown, "rows_per_person": most, **_person_of(schema)}
    debit = SurveyDebit(ledger, dataset, release_id, budget, "ranges", parameters, unit)
    with (
        debit.stated(),
        open_curator(
            data,
            chosen.only(unknown),
            budget,
            rows_per_person=most,
            cache=cache,
            watch=watch,
            pay=debit.pay,
            journal=debit.journal,
        ) as curator,
    ):
        debit.check()
        watch.planned(MOST_LOOKS)
        ranges = ranges_for(curator.door, curator.box, Fraction(1))
        curator.settle()
    found = dict(zip(curator.box.names or (), ranges, strict=True))
    kinds = {
        name: curator.box.found([(each.low, each.high) for each in ranges]).features[place]
        for place, (name, each) in enumerate(found.items())
    }
    return FoundRanges(chosen.replaced(kinds), found, budget, most, debit.booking)


def _person_of(schema: Schema) -> dict[str, Any]:
    if schema.person is None:
        return {}
    return {"person": schema.person, "missing_person": schema.missing_person}
