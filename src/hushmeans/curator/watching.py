"""Progress reports of a running fit."""

from __future__ import annotations

from fractions import Fraction


class Watch:
    """Receives the progress of a fit and ignores it; override the methods you need.

    Methods may be called from several threads.
    """

    def planned(self, questions: int) -> None:
        """The fit will ask at most this many questions: public."""

    def read(self, n_bytes: int, total: int) -> None:
        """So many bytes of files are read, of so many: for the terminal of their owner."""

    def answered(self, spent: Fraction) -> None:
        """Another question was answered, and this share of the budget is spent: public."""
