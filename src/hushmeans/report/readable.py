"""Values of features of every kind, as people read them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from hushmeans.release.numbers import measured, percent, plain
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.kinds import EPOCH, Category, Date, Flag, Ordinal


@dataclass(frozen=True)
class ReadableValue:
    """A value and its standard error.

    Attributes
    ----------
    value, error
        As exactly as the error lets them be.
    short
        The value with no more digits than a reader wants.
    """

    value: str
    error: str
    short: str

    @classmethod
    def of(cls, kind: FeatureKind, value: float, error: float) -> ReadableValue:
        """A coordinate of a centre in a feature of this kind."""
        if isinstance(kind, Category | Flag):
            return cls(percent(value, 3), percent(error), percent(value))
        if isinstance(kind, Date):
            day = (EPOCH + timedelta(days=round(value))).isoformat()
            return cls(day, f"{plain(error, 2)} days", day)
        if isinstance(kind, Ordinal):
            nearest = str(kind.order[min(max(round(value), 0), len(kind.order) - 1)])
            exact, shown = measured(value, error)
            return cls(f"{exact} (near {nearest})", shown, nearest)
        return cls(*measured(value, error), short_number(value, error))


def short_number(value: float, error: float) -> str:
    """A value with three digits, or fewer where noise blurs them.

    Examples
    --------
    >>> short_number(151.895, 0.039), short_number(3.0223, 4.0)
    ('152', '3.0')
    """
    return min(plain(value, 3), measured(value, error)[0], key=len)
