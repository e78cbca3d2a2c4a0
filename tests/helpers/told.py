"""A watch that keeps what it hears."""

from __future__ import annotations

from fractions import Fraction

from hushmeans.curator.watching import Watch


class Told(Watch):
    """What was planned, how many records each pass read, and what was spent after each answer."""

    def __init__(self) -> None:
        self.most = 0
        self.passes = [0]
        self.spent: list[Fraction] = []

    def planned(self, questions: int) -> None:
        self.most = questions

    def read(self, n_records: int) -> None:
        self.passes[-1] += n_records

    def answered(self, spent: Fraction) -> None:
        self.spent.append(spent)
        self.passes.append(0)
