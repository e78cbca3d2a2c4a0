"""The schema: what is public about a table, feature by feature, and its person column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, get_args

from hushmeans.arguments import whole_number
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema.box import Box
from hushmeans.schema.declaring import FIND, blanks, check_heading, declared_kind, read_mapping
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.names import listed, suggestion
from hushmeans.schema.texts import BLANK
from hushmeans.schema.toml_text import toml_entry, toml_line

MissingPerson = Literal["drop", "own"]
"""Rows without an id: left out, or each of a person of its own."""

KEYS = ("person", "rows_per_person", "missing_person", "features")
"""What may stand at the top of a schema file."""


class Schema:
    """The features of a table, what is public about each, and the person column.

    Parameters
    ----------
    features
        One of: a mapping from a column's name to its kind, `Number`, `Category`, `Ordinal`,
        `Flag`, `Date` or `Cycle`, or to a pair ``(low, high)`` for a number; the path of a
        TOML or JSON file; another `Schema` or `Bounds`, or
        a `Box`, whose order is then kept. Only these columns are read.
    person
        The column that identifies the person; None if there is none.
    rows_per_person
        At most this many rows of each person count.
    missing_person
        How to treat rows without an id: "drop" leaves them out, "own" counts each as a separate
        person.

    Examples
    --------
    >>> from hushmeans import Category, Number, Schema
    >>> schema = Schema({"age": Number(0, 120), "sex": Category(["f", "m"])})
    >>> schema.names
    ('age', 'sex')
    >>> schema.features["sex"].all_levels
    ('f', 'm', 'other')
    """

    what: ClassVar[str] = "schema"

    def __init__(
        self,
        features: Any,
        *,
        person: str | None = None,
        rows_per_person: int = 1,
        missing_person: MissingPerson = "drop",
    ) -> None:
        if isinstance(features, Schema):
            vars(self).update(vars(features))
            return
        if isinstance(features, Box):
            self._hold(features.features, features.names, in_order=True)
            return
        declared = {
            "person": person,
            "rows_per_person": rows_per_person,
            "missing_person": missing_person,
        }
        where = ""
        if isinstance(features, str | Path):
            where = f"{features}: "
            features = read_mapping(Path(features), "schema")
        if not isinstance(features, Mapping):
            raise InputTypeError(
                "a schema must be a mapping from column names to kinds, such as "
                '{"age": Number(0, 120)}, or the path of a TOML or JSON file'
            )
        try:
            if _is_document(features):
                declared, features = {**declared, **features}, features["features"]
            _check_not_among(features)
            self._declare(features, **{key: declared[key] for key in KEYS[:-1]})
        except (InputError, InputTypeError) as error:
            raise type(error)(f"{where}{error}") from None

    def _declare(
        self, features: Mapping[Any, Any], person: Any, rows_per_person: Any, missing_person: Any
    ) -> None:
        unfilled = blanks(features)
        if person == BLANK:
            unfilled.append(
                "person: name the column that identifies the person, or remove the line."
            )
        if unfilled:
            raise InputError(f"the schema is a draft with blanks. {' '.join(unfilled)[:-1]}")
        kinds = [_named_kind(name, declared) for name, declared in features.items()]
        if not kinds:
            raise InputError("the schema has no features; declare at least one")
        self._hold(kinds, tuple(features))
        self._set_person(person, rows_per_person, missing_person)

    def _hold(
        self,
        kinds: Sequence[FeatureKind],
        names: tuple[str, ...] | None,
        *,
        for_all: bool = False,
        in_order: bool = False,
    ) -> None:
        self._kinds, self._names = tuple(kinds), names
        self._for_all, self._in_order = for_all, in_order
        self._set_person(None, 1, "drop")

    def _set_person(self, person: Any, rows_per_person: Any, missing_person: Any) -> None:
        if person is not None and not isinstance(person, str):
            raise InputTypeError("person must be the name of a column, as text")
        if person is not None and person in (self._names or ()):
            raise InputError(
                f"the person column {person!r} is also a feature; remove it from the features"
            )
        if missing_person not in get_args(MissingPerson):
            raise InputError(f'missing_person is {missing_person!r}; give "drop" or "own"')
        self._person: str | None = person
        self._rows_per_person = whole_number("rows_per_person", rows_per_person)
        self._missing_person: MissingPerson = missing_person

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the features; None if they have none."""
        return self._names

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """The kind of each feature; a single one if one pair of bounds applies to all."""
        return self._kinds

    @property
    def features(self) -> Mapping[str, FeatureKind]:
        """The kind of each feature, by name."""
        return MappingProxyType(dict(zip(self._names or (), self._kinds, strict=False)))

    @property
    def texts(self) -> frozenset[str]:
        """The features whose values may be texts; those of the others are numbers."""
        return frozenset(name for name, kind in self.features.items() if kind.may_be_text)

    @property
    def person(self) -> str | None:
        """The column that identifies the person."""
        return self._person

    @property
    def rows_per_person(self) -> int:
        """At most this many rows of each person count."""
        return self._rows_per_person

    def limited_to(self, rows_per_person: int) -> Self:
        """The same schema with another limit on the rows of each person."""
        made = type(self).__new__(type(self))
        vars(made).update(vars(self), _rows_per_person=rows_per_person)
        return made

    @property
    def missing_person(self) -> MissingPerson:
        """How rows without an id are treated."""
        return self._missing_person

    def box(self, n_features: int | None = None, names: Sequence[str] | None = None) -> Box:
        """The features in the order of a table's columns or, if made from a `Box`, in its order.

        Parameters
        ----------
        n_features
            The number of columns; needed if one pair applies to every feature.
        names
            The table's column names, if it has them. Named features are matched by name, and
            other columns are left out.
        """
        kinds, declared = self._kinds, self._names
        if declared is not None and names is not None:
            self._check_present(names)
            if self._in_order:
                return Box.of(kinds, declared)
            return self.only([name for name in names if name in declared]).box()
        if declared is not None and n_features is not None and not self._in_order:
            raise InputError(self._no_column_names())
        if self._for_all and n_features is not None:
            kinds = kinds * n_features
        if n_features is not None and len(kinds) != n_features:
            raise InputError(
                f"the data has {n_features} features, but the {self.has} {len(kinds)}; "
                "give one range per feature"
            )
        return Box.of(kinds, declared or (tuple(names) if names else None))

    def declared_box(self, what: str) -> Box:
        """The features of data that does not declare its columns itself.

        Parameters
        ----------
        what
            What to call the data in a message.

        Raises
        ------
        InputError
            If it does not say how many features there are: the records must not.
        """
        if self._for_all:
            raise InputError(
                f"{what} does not declare its number of features, and neither does a single "
                "(low, high) pair; give one range per feature, or pass a NumPy array"
            )
        if self._names is not None and not self._in_order:
            raise InputError(self._no_column_names())
        return Box.of(self._kinds, self._names)

    def only(self, names: Sequence[str]) -> Self:
        """Some features only; all of them if they have no names.

        Examples
        --------
        >>> from hushmeans import Bounds
        >>> Bounds({"age": (17, 90), "visits": (0, 52)}).only(["visits"])
        Bounds({'visits': (0.0, 52.0)})
        """
        if self._names is None:
            return self
        features = self.features
        if unknown := [name for name in names if name not in features]:
            are, entries = "is", f"its {self._entry}"
            if len(unknown) > 1:
                are, entries = "are", f"their {self._entry}s"
            raise InputError(
                f"{listed(unknown)} {are} not in the {self.what}; add {entries} to {self._it}"
            )
        return self._with({name: features[name] for name in names})

    def to_toml(self) -> str:
        """The schema as a TOML file, which `Schema` reads.

        Examples
        --------
        >>> from hushmeans import Category, Number, Schema
        >>> print(Schema({"age": Number(0, 120), "sex": Category(["f", "m"])}).to_toml())
        [features]
        age = [0, 120]
        sex = {levels = ["f", "m"]}
        <BLANKLINE>
        """
        top: dict[str, Any] = {}
        if self.person is not None:
            top["person"] = self.person
        if self.rows_per_person != 1:
            top["rows_per_person"] = self.rows_per_person
        if self.missing_person != "drop":
            top["missing_person"] = self.missing_person
        lines = [toml_line(key, value) for key, value in top.items()]
        lines += ["", "[features]"] if lines else ["[features]"]
        lines += [toml_line(name, toml_entry(kind)) for name, kind in self.features.items()]
        return "\n".join(lines) + "\n"

    def replaced(self, kinds: Mapping[str, FeatureKind]) -> Self:
        """The same schema with other kinds for some features."""
        return self._with({name: kinds.get(name, kind) for name, kind in self.features.items()})

    def _with(self, features: Mapping[str, FeatureKind]) -> Self:
        made = type(self).__new__(type(self))
        vars(made).update(vars(self), _kinds=tuple(features.values()), _names=tuple(features))
        vars(made).update(_for_all=False, _in_order=False)
        return made

    has: ClassVar[str] = "schema has"
    _entry: ClassVar[str] = "kind"
    _it: ClassVar[str] = "it"

    def _no_column_names(self) -> str:
        return (
            "the schema names features, but the data has no column names; "
            "give a table with column names"
        )

    def _check_present(self, columns: Sequence[str]) -> None:
        """Raise an error if a feature is not among the columns of the table."""
        there = set(columns)
        if missing := [name for name in self._names or () if name not in there]:
            meant = suggestion(missing, columns)
            raise InputError(
                f"the {self._includes} {listed(missing)}, which the data does not have{meant}; "
                f"correct the name or remove it from the {self.what}"
            )

    _includes: ClassVar[str] = "schema includes"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self._kinds, self._names, self._for_all, self._in_order, self._person))

    def __repr__(self) -> str:
        person = "" if self.person is None else f", person={self.person!r}"
        rows = "" if self.rows_per_person == 1 else f", rows_per_person={self.rows_per_person}"
        own = "" if self.missing_person == "drop" else ", missing_person='own'"
        return f"Schema({dict(self.features)!r}{person}{rows}{own})"


def _is_document(declared: Mapping[Any, Any]) -> bool:
    """Whether this is a whole schema file, and not features alone."""
    if not isinstance(declared.get("features"), Mapping):
        check_heading(declared)
        return False
    for key in declared:
        if key not in KEYS:
            raise InputError(f"unknown key {key!r}; use {', '.join(KEYS)}")
    return True


def _check_not_among(features: Mapping[Any, Any]) -> None:
    """Raise an error if what belongs at the top of a schema file stands among the features."""
    for key in KEYS[:-1]:
        declared = features.get(key)
        if isinstance(declared, str | int) and declared not in (FIND, BLANK):
            raise InputError(
                f"{key} is not a feature; in a file, put it above a line [features]; in Python, "
                f"pass it as an argument: Schema(features, {key}=...)"
            )


def _named_kind(name: Any, declared: Any) -> FeatureKind:
    if not isinstance(name, str):
        raise InputTypeError(
            f"the schema has the key {name!r}, which is not text; use the features' names as keys"
        )
    try:
        return declared_kind(declared)
    except (InputError, InputTypeError) as error:
        raise type(error)(f"feature {name!r}: {error}") from None
