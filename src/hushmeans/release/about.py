"""What a publisher says about a release: title, owner, contact, date and description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date as day
from typing import Any

from hushmeans.errors import InputError
from hushmeans.release.document import read_text

LONGEST_TEXT = 10_000
"""Characters of a text."""


@dataclass(frozen=True)
class About:
    """Texts from the publisher; all are optional, and the guarantee does not depend on them.

    Attributes
    ----------
    title, owner, contact, description
        Text, up to 10,000 characters each.
    date
        A day as YYYY-MM-DD, without a time of day, which could reveal who was there.
    """

    title: str | None = None
    owner: str | None = None
    contact: str | None = None
    date: str | None = None
    description: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_TEXT:
                raise InputError(
                    f"the release's {field.name} must be text of 1 to {LONGEST_TEXT:,} characters"
                )
        if self.date is not None and not _is_day(self.date):
            raise InputError("the release's date must be a day, such as 2026-11-17")

    @property
    def in_document(self) -> dict[str, str]:
        """The texts for a release's JSON: those that there are."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @classmethod
    def of_document(cls, texts: Any) -> About:
        """The texts in a release's JSON; unknown ones are refused."""
        if texts is None:
            return cls()
        if not isinstance(texts, Mapping):
            raise TypeError
        return cls(**{name: read_text(text) for name, text in texts.items()})


def _is_day(text: str) -> bool:
    try:
        return day.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
