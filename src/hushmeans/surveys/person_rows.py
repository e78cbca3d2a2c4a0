"""How many rows people have, as a private histogram, and what each limit on them would keep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np

from hushmeans.arguments import Amount, amount_text
from hushmeans.budget import WHOLE_PERSON, Booking, Budget
from hushmeans.curator.curator import open_people_curator
from hushmeans.curator.questions import Cells
from hushmeans.curator.watching import Watch
from hushmeans.errors import InputError
from hushmeans.ledger import Ledger
from hushmeans.schema import Box, Schema
from hushmeans.surveys.debit import SurveyDebit
from hushmeans.version import versions

BEYOND_NOISE = 6
"""Counts below this many scales of the noise are taken for 0. Noise alone exceeds it in one of the
17 bins with a probability of 2 %, and a bin of large numbers of rows would outweigh all others."""

PERSON_ROWS_KIND = "hushmeans person rows"


@dataclass(frozen=True)
class RowChoice:
    """What a limit on the rows per person would keep.

    Attributes
    ----------
    rows_per_person
        The limit.
    complete
        The share of people all of whose rows count.
    kept
        The share of rows that count.
    noise_factor
        The noise relative to that with a limit of 1.
    """

    rows_per_person: int
    complete: float
    kept: float
    noise_factor: int


@dataclass(frozen=True)
class PersonRows:
    """A private histogram of the number of rows per person: 1, 2, 3 to 4, 5 to 8 and so on.

    Attributes
    ----------
    counts
        The noisy number of people in each bin; it can be negative.
    standard_error
        The standard error of each count, due to the privacy noise.
    budget
        The guarantee: adding or removing all rows of one person changes the probability of any
        outcome by a factor of at most exp(epsilon).
    booking
        The ledger entry that paid for it; None if no ledger was used.
    """

    counts: tuple[int, ...]
    standard_error: float
    budget: Budget
    booking: Booking | None = None

    @property
    def bins(self) -> tuple[tuple[int, int | None], ...]:
        """The smallest and the largest number of rows of each bin; the last has no largest."""
        ends = [2**power for power in range(len(self.counts) - 1)]
        starts = [1, *(end + 1 for end in ends)]
        return tuple(zip(starts, [*ends, None], strict=True))

    @property
    def threshold(self) -> float:
        """Counts below this may be noise alone."""
        return BEYOND_NOISE / float(self.budget.epsilon)

    def choices(self) -> tuple[RowChoice, ...]:
        """What each limit would keep, up to the first that keeps all rows of everybody.

        Counts that may be noise alone are set to 0, and the people in a bin are assumed to have as
        many rows as the middle of the bin.
        """
        people = np.array([count if count >= self.threshold else 0 for count in self.counts])
        rows = np.array([_middle(low, high) for low, high in self.bins])
        if not people.any():
            return ()
        found = []
        for power in range(len(people) - 1):
            limit = 2**power
            found.append(
                RowChoice(
                    limit,
                    float(people[: power + 1].sum() / people.sum()),
                    float((people * np.minimum(rows, limit)).sum() / (people * rows).sum()),
                    limit,
                )
            )
            if not people[power + 1 :].any():
                break
        return tuple(found)

    def to_document(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "kind": PERSON_ROWS_KIND,
            "epsilon": amount_text(self.budget.epsilon),
            "unit": "all rows of one person",
            "standard_error": self.standard_error,
            "threshold": self.threshold,
            "bins": [
                {"from": low, "to": high, "people": count}
                for (low, high), count in zip(self.bins, self.counts, strict=True)
            ],
            "choices": [vars(choice) for choice in self.choices()],
            "versions": versions(),
            "ledger": None if self.booking is None else vars(self.booking),
        }


def count_person_rows(
    data: Any,
    schema: Schema,
    epsilon: Amount,
    *,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    release_id: str | None = None,
) -> PersonRows:
    """The private histogram; with a ledger, the budget is debited before it is computed.

    Repeating it with the same release id spends nothing and gives the same counts.
    """
    budget = Budget.of(epsilon)
    if schema.person is None:
        raise InputError(
            "the schema names no person column, so rows cannot be counted per person; add a line "
            'such as person = "patient_id" at its top'
        )
    debit = SurveyDebit(
        ledger,
        dataset,
        release_id,
        budget,
        "person rows",
        {"person": schema.person, "missing_person": schema.missing_person},
        WHOLE_PERSON,
    )
    with (
        debit.stated(),
        open_people_curator(
            data,
            schema,
            budget,
            cache=cache,
            watch=watch,
            pay=debit.pay,
            journal=debit.journal,
        ) as curator,
    ):
        debit.check()
        answer = curator.ask(question_about(curator.box), Fraction(1))
        curator.settle()
    counts = tuple(answer.values.tolist())
    return PersonRows(counts, math.sqrt(answer.variance), budget, debit.booking)


def question_about(box: Box) -> Cells:
    """How many people are in each bin: the bins are numbered in the one feature of the box."""
    between = np.arange(box.high[0])[:, None] + 0.5
    borders = box.grid.snap(box.to_unit_box(between))
    return Cells(box.grid, (tuple(borders[:, 0].tolist()),))


def _middle(low: int, high: int | None) -> float:
    """A number of rows for the people of a bin; those of the last may have more."""
    return float(low) if high is None else (low + high) / 2
