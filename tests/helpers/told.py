"""A watch that keeps what it hears."""

from __future__ import annotations

from fractions import Fraction

from hushmeans.curator.watching import Watch


class Told(Watch):
    """What was planned, the bytes read of how many, and what was spent after each answer."""

    def __init__(self) -> None:
        self.most = 0
        self.reading: list[tuple[int, int]] = []
        self.spent: list[Fraction] = []

    def planned(self, questions: int) -> None:
        self.most = questions

    def read(self, n_bytes: int, total: int) -> None:
        self.reading.append((n_bytes, total))

    def answered(self, spent: Fraction) -> None:
        self.spent.append(spent)
