"""Which ledger a command debits, under which name, and the total afterwards."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import typer

from hushmeans.errors import InputError, LedgerError, LedgerWarning, warn

if TYPE_CHECKING:
    from hushmeans.budget import Booking
    from hushmeans.ledger import Ledger


def named_after(file: str) -> str:
    """The default name of a dataset: the file's name without its extension."""
    from hushmeans.curator.owner import FORMAT_BY_SUFFIX, named

    name = Path(named(file)).absolute().name
    ending = next((each for each in FORMAT_BY_SUFFIX if name.lower().endswith(each)), "")
    name = name.removesuffix(name[len(name) - len(ending) :]).strip()
    if not name.isprintable() or not name:
        raise InputError(
            f"{file!a}: the file name cannot be used as a dataset name; give one with --dataset"
        )
    return name


def ledger_to_debit(
    place: str | None, dataset: str | None, release_id: str | None, *, strict: bool, none: bool
) -> Ledger | None:
    """The ledger to debit; None only with --no-ledger."""
    if not none:
        from hushmeans.ledger import Ledger

        return Ledger(place, strict=strict or None)
    if strict:
        raise InputError("--no-ledger cannot be combined with --strict; remove one of them")
    if place is not None or dataset is not None or release_id is not None:
        raise InputError(
            "--no-ledger cannot be combined with --ledger, --dataset or --release-id; "
            "remove one or the other"
        )
    return None


def show_total(ledger: Ledger, booking: Booking, *, named_after_file: bool, quiet: bool) -> None:
    """Print the dataset's total after a debit, and warn if it has no limit.

    The result is already written, so a ledger that cannot be read is only a warning.
    """
    try:
        standing = ledger.standing(booking.dataset)
    except LedgerError as error:
        warn(str(error), LedgerWarning)
        return
    if not quiet:
        typer.echo(f"Ledger: {standing}; release id {booking.release_id}.")
        if named_after_file:
            typer.echo("The dataset takes the file's name because --dataset was not given.")
    if standing.limit is None:
        warn(
            f"the dataset {booking.dataset!r} has no budget limit; set one with "
            f"hushmeans budget set {quote(booking.dataset)} --epsilon TOTAL",
            LedgerWarning,
        )
