"""What all kinds of features have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields
from numbers import Real
from typing import Any, ClassVar

from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema.layout import BlockKind
from hushmeans.types import FloatArray

MISSING_RULES = ("middle", "drop", "ignore")
"""What may become of a missing value: the middle of the range, no record, or no part in it."""

BEST_RULE = "ignore"
"""The rule that ``missing=True`` stands for: in measurements it does the least harm."""


@dataclass(frozen=True, kw_only=True, repr=False)
class FeatureKind:
    """What all kinds of features have.

    Attributes
    ----------
    weight
        A factor for distances in this feature, relative to the default for its kind.
    missing
        How to treat a missing value: "middle", "drop" (the record) or "ignore". True stands for
        the rule that did the least harm in measurements, "ignore". False declares the feature
        complete: a missing value still counts as the middle, and missing values are not counted.
    """

    weight: float = 1.0
    missing: str | bool = False

    word: ClassVar[str]
    block: ClassVar[BlockKind] = "number"
    may_be_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        weight = finite(self.weight, "the weight")
        if not 0 < weight <= 1000:
            raise InputError(f"the weight is {weight:g}; give a number above 0 and up to 1000")
        self._set("weight", weight)
        self._check_missing()

    def _check_missing(self) -> None:
        if self.missing is True:
            self._set("missing", BEST_RULE)
        if self.missing is not False and self.missing not in MISSING_RULES:
            raise InputError(f"missing is {self.missing!r}; give {any_of(MISSING_RULES)}")

    def __repr__(self) -> str:
        given = [field for field in fields(self) if field.name not in ("weight", "missing")]
        shown = [repr(getattr(self, field.name)) for field in given if _differs(self, field)]
        named = [field for field in fields(self) if field not in given and _differs(self, field)]
        shown += [f"{field.name}={getattr(self, field.name)!r}" for field in named]
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def n_columns(self) -> int:
        """How many columns of an encoded record the feature takes."""
        return 1

    @property
    def usual_reach(self) -> float:
        """How far from 0 its columns reach in the unit box, at a weight of 1."""
        return 1.0

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of each of its columns, in original units."""
        return 0.0, 1.0

    @property
    def scaled_ends(self) -> tuple[float, float]:
        """The ends on the feature's scale, along which its columns are laid out evenly."""
        return self.ends

    @property
    def is_found(self) -> bool:
        """Whether its range has yet to be found."""
        return False

    def scaled(self, values: FloatArray) -> FloatArray:
        """Values in original units, on the feature's scale."""
        return values

    @property
    def column_labels(self) -> tuple[str, ...]:
        """What its columns are called, if there are several."""
        return ()

    @property
    def farthest(self) -> float:
        """The squared distance between two records that differ most, in squares of the reach."""
        return 4.0

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def finite(value: Any, what: str) -> float:
    """A finite number, or an error."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(f"{what} must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{what} is {number:g}; give a finite number")
    return number


def any_of(words: Sequence[str]) -> str:
    """Words to choose from, for a message."""
    quoted = [f'"{word}"' for word in words]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _differs(kind: FeatureKind, field: Field[Any]) -> bool:
    """Whether a field is not at its default."""
    return bool(getattr(kind, field.name) != field.default)
