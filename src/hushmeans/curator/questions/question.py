"""What every question is: a bounded integer contribution of each record, added up."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol, cast

from hushmeans.curator.checks import Norm
from hushmeans.schema import Box

LARGEST_COUNT = 2**40
"""The promise is made for datasets of up to this many records, whose totals fit into 64 bits."""


class Question(Protocol):
    """A sum over records that the curator can answer."""

    @property
    def name(self) -> str:
        """What is asked, in a word."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the answer."""

    def sensitivity(self, norm: Norm) -> int:
        """A whole number that the norm of one record's contribution never exceeds."""

    def check(self, box: Box) -> None:
        """Raise unless the question is about records of this box."""


def made_anew(question: Question) -> Question:
    """The question again, from its fields alone: they are checked once more, and are its own."""
    kind: Any = type(question)
    return cast("Question", kind(*(getattr(question, field.name) for field in fields(kind))))
