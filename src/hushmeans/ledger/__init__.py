"""The ledger: what each dataset has spent, debited before anything is asked."""

from hushmeans.ledger.ledger import Ledger

__all__ = ["Ledger"]
