"""A question about some columns of the records, as if they had no others."""

from __future__ import annotations

from dataclasses import dataclass

from hushmeans.curator.checks import Norm, whole
from hushmeans.curator.questions.cells import Lengths, Spread
from hushmeans.curator.questions.centroids import Shifts
from hushmeans.curator.questions.question import made_anew
from hushmeans.schema import Box

AskedAmong = Shifts | Spread | Lengths


@dataclass(frozen=True, slots=True)
class Among:
    """What another question asks, of some columns of each record.

    A record contributes what a record that consists of these columns alone would contribute.

    Attributes
    ----------
    columns
        Ascending columns of the records.
    asked
        A question whose points have as many columns.
    """

    columns: tuple[int, ...]
    asked: AskedAmong

    def __post_init__(self) -> None:
        if type(self.asked) not in (Shifts, Spread, Lengths):
            raise TypeError("only shifts, spreads and lengths are asked of some columns alone")
        object.__setattr__(self, "asked", made_anew(self.asked))
        object.__setattr__(self, "columns", tuple(whole(column) for column in self.columns))
        if list(self.columns) != sorted(set(self.columns)) or min(self.columns, default=-1) < 0:
            raise ValueError("the columns of a question must ascend, from 0 on")
        points = self.asked.centroids if isinstance(self.asked, Shifts) else self.asked.centre
        if points.shape[1] != len(self.columns):
            raise ValueError("the question is about another number of columns")

    @property
    def name(self) -> str:
        return self.asked.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self.asked.shape

    def sensitivity(self, norm: Norm) -> int:
        return self.asked.sensitivity(norm)

    def check(self, box: Box) -> None:
        if self.asked.grid != box.grid or self.columns[-1] >= box.n_columns:
            raise ValueError("the columns are not columns of these records")
