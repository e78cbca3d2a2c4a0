"""What can go wrong, and the warnings. No message ever contains a record's value."""


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


class SimulationWarning(UserWarning):
    """Seeded noise can be subtracted again: the result is a simulation, not private."""


class LedgerWarning(UserWarning):
    """A release is paid for, but the ledger did not take the usual course."""
