"""What a fit tells while it runs, for those who wait."""

from __future__ import annotations

from fractions import Fraction


class Watch:
    """Hears what a fit does, and does nothing about it; override what you need.

    Methods may be called from several threads.
    """

    def planned(self, questions: int) -> None:
        """At most so many questions will be asked: public."""

    def read(self, n_records: int) -> None:
        """So many more records were read: exact, and NOT private.

        Told by sources that take their time (files), not by all.
        """

    def answered(self, spent: Fraction) -> None:
        """Another question is answered, and this part of the budget spent: public."""
