"""Exceptions, warnings and the one way to warn. No message ever contains a record's value."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NOTHING_SPENT = "nothing was spent"


class HushmeansError(Exception):
    """Base class of the errors that hushmeans raises; the message is one sentence for the user.

    Attributes
    ----------
    cost
        What a fit had spent when it failed, in words; None for errors outside a fit.
    """

    cost: str | None = None

    def __str__(self) -> str:
        said = super().__str__()
        return said if self.cost is None or self.cost in said else f"{said}; {self.cost}"


class InputError(HushmeansError, ValueError):
    """An invalid argument, file or table; the message names it and says how to fix it."""


class InputTypeError(HushmeansError, TypeError):
    """An argument or a column of the wrong type."""


class DataError(InputError):
    """The records cannot be read: a file is missing, damaged or of the wrong type."""


class BudgetError(HushmeansError):
    """The privacy budget does not cover the request; nothing was answered."""


class PrivacyError(HushmeansError):
    """The privacy loss does not match the guarantee; nothing is released."""


class LedgerError(HushmeansError):
    """The ledger cannot be read, written or trusted; the message never contains a password."""


class UnknownDatasetError(LedgerError, InputError):
    """The ledger has no dataset of this name."""


class HushmeansWarning(UserWarning):
    """Base class of the warnings that hushmeans issues; the message is one sentence."""


class SimulationWarning(HushmeansWarning):
    """Seeded noise can be reproduced and subtracted: the result is a simulation, not private."""


class WeakGuaranteeWarning(HushmeansWarning):
    """The budget is so large that the guarantee is weak."""


class LedgerWarning(HushmeansWarning):
    """A fit succeeded, but something about its ledger needs attention."""


class RepeatedSpendingWarning(HushmeansWarning):
    """A budget is spent again, as by a loop that fits once for each setting."""


def warn(message: str, category: type[HushmeansWarning] = HushmeansWarning) -> None:
    """Issue a warning that points to the line that called into hushmeans.

    The command line prints each warning as one line on stderr.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("hushmeans."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def costing(spent: Callable[[], str]) -> Iterator[None]:
    """Give every exception that leaves the block its `cost`, unless it has one."""
    try:
        yield
    except BaseException as error:
        if getattr(error, "cost", None) is None:
            vars(error)["cost"] = spent()
        raise
