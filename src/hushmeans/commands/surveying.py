"""What commands that count something once, for all fits that follow, have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hushmeans.commands.booking import ledger_to_debit, show_total
from hushmeans.commands.places import dataset_at
from hushmeans.errors import NOTHING_SPENT, costing

if TYPE_CHECKING:
    from hushmeans.budget import Booking
    from hushmeans.curator.watching import Watch
    from hushmeans.ledger import Ledger
    from hushmeans.schema import CSV, SQL


@dataclass
class Survey:
    """Whom a survey debits, who watches it, and where its result is written."""

    ledger: Ledger | None
    dataset: str | None
    watch: Watch | None = None
    beside: Path | None = None
    cost: str = NOTHING_SPENT

    def written(self, epsilon: str, text: str) -> None:
        """What was found is paid for, and written where a file was asked for."""
        self.cost = f"ε = {epsilon} was spent"
        if self.beside is not None:
            self.beside.write_text(text, encoding="utf-8")

    def show_total(self, booking: Booking | None, *, named_after_file: bool, quiet: bool) -> None:
        """Print the dataset's total, if a ledger was debited."""
        if self.ledger is not None and booking is not None:
            show_total(self.ledger, booking, named_after_file=named_after_file, quiet=quiet)


@contextmanager
def surveying(
    place: str | CSV | SQL,
    out: Path | None,
    ledger: str | None,
    dataset: str | None,
    release_id: str | None,
    *,
    strict: bool,
    no_ledger: bool,
) -> Iterator[Survey]:
    """A survey of records; an error in the block says what was spent."""
    from hushmeans.commands.progress import bar
    from hushmeans.documents import written_whole

    to_debit = ledger_to_debit(ledger, dataset, release_id, strict=strict, none=no_ledger)
    survey = Survey(to_debit, None if to_debit is None else dataset or dataset_at(place))
    with (
        costing(lambda: survey.cost),
        nullcontext() if out is None else written_whole(out, replace=False) as survey.beside,
        bar() as survey.watch,
    ):
        yield survey
