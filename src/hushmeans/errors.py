"""What can go wrong, and the one way to warn. No message ever contains a record's value."""

import sys
import warnings


class HushmeansError(Exception):
    """Anything hushmeans raises on purpose; the message is one sentence for the user."""


class InputError(HushmeansError, ValueError):
    """Something the caller gave cannot work; the message names it and the fix."""


class InputTypeError(HushmeansError, TypeError):
    """Something the caller gave is of a kind that cannot work."""


class BudgetError(HushmeansError):
    """A question would cost more than what is left; nothing was answered."""


class PrivacyError(HushmeansError):
    """What was spent does not match what was promised; nothing is released."""


class LedgerError(HushmeansError):
    """The ledger cannot be read, written or trusted; the message names it, never a password."""


class HushmeansWarning(UserWarning):
    """Anything hushmeans warns of; the message is one sentence for the user."""


class SimulationWarning(HushmeansWarning):
    """Seeded noise can be subtracted again: the result is a simulation, not private."""


class LedgerWarning(HushmeansWarning):
    """A release is paid for, but the ledger did not take the usual course."""


def warn(message: str, category: type[HushmeansWarning] = HushmeansWarning) -> None:
    """Warn, and point to the line that called into hushmeans.

    The command line prints each warning as one line on stderr.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("hushmeans."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
