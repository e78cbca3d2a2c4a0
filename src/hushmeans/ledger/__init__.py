"""The budget ledger: what each dataset has spent, debited before any question is answered."""

from hushmeans.ledger.ledger import Ledger

__all__ = ["Ledger"]
