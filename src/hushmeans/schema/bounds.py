"""Bounds in the forms that users write: a mapping, a pair, arrays or a file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from hushmeans.documents import parse_json, read_text_file
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema.box import Box

BOUNDS_REQUIRED = (
    "bounds are required: give the public range of every feature, for example "
    'bounds={"age": (17, 90)}, or a TOML file with lines such as age = [17, 90]; '
    "they are not taken from the records, because the smallest and largest value of a feature "
    "would reveal two people's exact values"
)

NO_COLUMN_NAMES = (
    "the bounds name features, but the data has no column names; give a table with column names, "
    "or bounds in column order: (lows, highs)"
)


class Bounds:
    """The public range of every feature, chosen without looking at the records.

    Parameters
    ----------
    ranges
        One of: a mapping from feature name to ``(low, high)``; one ``(low, high)`` pair for all
        features; a pair of arrays, the lows and the highs; the path of a TOML or JSON file with
        one ``name = [low, high]`` per feature; a `Box` or `Bounds`.

    Examples
    --------
    >>> Bounds({"age": (17, 90), "visits": (0, 52)}).box().high
    (90.0, 52.0)
    >>> Bounds((0, 1)).box(n_features=3).low
    (0.0, 0.0, 0.0)
    >>> Bounds(([0, 10], [1, 20])).box().high
    (1.0, 20.0)
    """

    def __init__(self, ranges: Any) -> None:
        self._ranges: Box
        self._for_all = False
        self._in_order = False
        if isinstance(ranges, Bounds):
            vars(self).update(vars(ranges))
        elif isinstance(ranges, Box):
            self._ranges, self._in_order = ranges, True
        elif ranges is None:
            raise InputError(BOUNDS_REQUIRED)
        elif isinstance(ranges, str | Path):
            self._ranges = _from_mapping(_read(Path(ranges)))
        elif isinstance(ranges, Mapping):
            self._ranges = _from_mapping(ranges)
        else:
            self._ranges, self._for_all = _from_pair(ranges)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The features that the bounds name; None if they name none."""
        return self._ranges.names

    def box(self, n_features: int | None = None, names: Sequence[str] | None = None) -> Box:
        """The ranges in the order of a table's columns or, if made from a `Box`, in its order.

        Parameters
        ----------
        n_features
            The number of columns; needed if one pair applies to every feature.
        names
            The table's column names, if it has them. Named bounds are matched by name, and
            columns that they do not name are left out.
        """
        low, high, declared = self._ranges.low, self._ranges.high, self._ranges.names
        if declared is not None and names is not None:
            _check_present(declared, names)
            if self._in_order:
                return self._ranges
            return self.only([name for name in names if name in declared]).box()
        if declared is not None and n_features is not None and not self._in_order:
            raise InputError(NO_COLUMN_NAMES)
        if self._for_all and n_features is not None:
            low, high = low * n_features, high * n_features
        if n_features is not None and len(low) != n_features:
            raise InputError(
                f"the data has {n_features} features, but the bounds have {len(low)}; "
                "give one range per feature"
            )
        return Box(low, high, declared or (tuple(names) if names else None))

    def declared_box(self, what: str) -> Box:
        """The ranges for data that does not declare its columns itself.

        Parameters
        ----------
        what
            What to call the data in a message.

        Raises
        ------
        InputError
            If the bounds do not say how many features there are: the records must not.
        """
        if self._for_all:
            raise InputError(
                f"{what} does not declare its number of features, and neither does a single "
                "(low, high) pair; give one range per feature, or pass a NumPy array"
            )
        if self._ranges.names is not None and not self._in_order:
            raise InputError(NO_COLUMN_NAMES)
        return self._ranges

    def only(self, names: Sequence[str]) -> Bounds:
        """The bounds of some features only; all of them if they have no names.

        Examples
        --------
        >>> Bounds({"age": (17, 90), "visits": (0, 52)}).only(["visits"])
        Bounds({'visits': (0.0, 52.0)})
        """
        low, high, declared = self._ranges.low, self._ranges.high, self._ranges.names
        if declared is None:
            return self
        if unknown := [name for name in names if name not in declared]:
            raise InputError(f"{_listed(unknown)} has no bounds; add its range to the bounds")
        places = [declared.index(name) for name in names]
        return Bounds({declared[place]: (low[place], high[place]) for place in places})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bounds) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self._ranges, self._for_all, self._in_order))

    def __repr__(self) -> str:
        low, high, names = self._ranges.low, self._ranges.high, self._ranges.names
        if self._for_all:
            return f"Bounds({(low[0], high[0])})"
        if names is None:
            return f"Bounds({([*low], [*high])})"
        return f"Bounds({dict(zip(names, zip(low, high, strict=True), strict=True))})"


def _check_present(declared: Sequence[str], columns: Sequence[str]) -> None:
    """Raise an error if a feature is not among the columns of the table."""
    if missing := [name for name in declared if name not in set(columns)]:
        raise InputError(
            f"the bounds include {_listed(missing)}, which the data does not have; "
            "correct the name or remove it from the bounds"
        )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"


def _from_mapping(ranges: Mapping[Any, Any]) -> Box:
    low, high = [], []
    for name, pair in ranges.items():
        if not isinstance(name, str):
            raise InputTypeError(
                f"bounds have the key {name!r}, which is not text; use the features' names as keys"
            )
        ends = _numbers(pair)
        if ends is None or len(ends) != 2:
            raise InputError(
                f"the bounds of feature {name!r} are not a pair of numbers; "
                "give them as (low, high)"
            )
        low.append(ends[0])
        high.append(ends[1])
    return Box(tuple(low), tuple(high), tuple(ranges))


def _from_pair(ranges: Any) -> tuple[Box, bool]:
    """The ranges, and whether a single one applies to every feature."""
    try:
        low, high = ranges
    except (TypeError, ValueError):
        raise InputError(
            "bounds must be a mapping from feature name to (low, high), "
            "one (low, high) pair, or a pair of arrays"
        ) from None
    lows, highs = _numbers(low), _numbers(high)
    if lows is None or highs is None:
        raise InputError("bounds given as a pair must hold numbers: (low, high) or (lows, highs)")
    plain = isinstance(ranges, tuple) and not isinstance(low, tuple)
    if len(lows) == len(highs) == 2 and not plain:
        raise InputError(
            "two pairs of numbers are ambiguous as bounds; name the features, "
            "{name: (low, high)}, or give a tuple of two lists, ([lows], [highs])"
        )
    return Box(lows, highs), np.ndim(low) == np.ndim(high) == 0


def _numbers(values: Any) -> tuple[float, ...] | None:
    """A number or a flat sequence of numbers, as floats; None for anything else."""
    try:
        if np.ndim(values) > 1:
            return None
        listed = list(values) if np.ndim(values) == 1 else [np.asarray(values).item()]
        if not all(isinstance(value, Real) and not isinstance(value, bool) for value in listed):
            return None
        return tuple(float(value) for value in listed)
    except (OverflowError, TypeError, ValueError):
        return None


def _read(path: Path) -> Mapping[str, Any]:
    text = read_text_file(path, "the bounds file")
    try:
        ranges = parse_json(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot parse the bounds file {path}: {error}") from None
    if not isinstance(ranges, Mapping):
        raise InputError(
            f"the bounds file {path} must have one entry per feature: name and [low, high]"
        )
    return ranges
