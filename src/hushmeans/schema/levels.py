"""Levels of categories and ordinals, as they are declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema.feature_kind import finite
from hushmeans.schema.texts import BLANK, MISSING_TEXTS, WHITESPACE

DeclaredLevel = str | float
"""A level as it is declared: a text, or a number."""


def distinct_levels(levels: Any, what: str) -> tuple[DeclaredLevel, ...]:
    """Levels that a value can be compared with, each of them once."""
    if isinstance(levels, str | Mapping) or not isinstance(levels, Iterable):
        raise InputTypeError(f"{what} must be a list of texts or numbers")
    if isinstance(levels, set | frozenset):  # of texts, it changes with every process
        raise InputTypeError(f"{what} is a set, which has no order; give a list")
    found = tuple(_level(level, what) for level in levels)
    if not found:
        raise InputError(f"{what} is empty; name at least one level")
    if not are_numbers(found):
        found = tuple(map(level_text, found))
    seen: set[DeclaredLevel] = set()
    for level in found:
        if level in seen:
            raise InputError(f"the level {level!r} is listed twice in {what}; remove one of them")
        seen.add(level)
    return found


def are_numbers(levels: Sequence[DeclaredLevel]) -> bool:
    """Whether values are compared with the levels as numbers."""
    return not any(isinstance(level, str) for level in levels)


def level_text(level: DeclaredLevel) -> str:
    """A level as text: a whole number without a decimal point."""
    if isinstance(level, str):
        return level
    return str(int(level)) if level.is_integer() else repr(level)


def _level(level: Any, what: str) -> DeclaredLevel:
    if isinstance(level, bool):
        raise InputTypeError(f"{what} has a boolean; declare true and false as a flag")
    if isinstance(level, Real):
        return finite(level, f"a level in {what}")
    if not isinstance(level, str):
        raise InputTypeError(f"{what} must be a list of texts or numbers")
    text = level.strip(WHITESPACE)
    if text in MISSING_TEXTS:
        raise InputError(
            f"the level {level!r} in {what} stands for a missing value; remove it and set missing"
        )
    if text == BLANK:
        raise InputError(f"the level {level!r} in {what} stands for a blank; name the level")
    return text
