"""The schema as a form: one line of fields per column, and what a schema file would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hushmeans.errors import HushmeansError, InputError
from hushmeans.schema import Schema
from hushmeans.schema.declaring import FIND, written

KINDS = {
    "": "leave out",
    "number": "number",
    "found": "number of unknown range",
    "category": "category",
    "ordinal": "ordered levels",
    "flag": "yes or no",
    "date": "date",
    "cycle": "cycle (hours, weekdays)",
}
"""What a column can be, as the form calls it."""

USUAL_KINDS = {"number": "number", "text": "category", "date": "date", "truth": "flag"}
"""What a column of a declared type probably is."""

TYPES = {"truth": "true or false", "unknown": "", "unusable": "cannot be a feature"}
"""What the form calls a declared type, if not by its own word."""

VALUE_RULES = {
    "": "none",
    "middle": "use the middle",
    "drop": "drop the record",
    "ignore": "ignore",
}
"""What may become of a missing value, as the form calls it."""

LEVEL_RULES = {
    "": "as “other”",
    "own": "a level of its own",
    "drop": "drop the record",
}
"""The same for a category."""

KIND_OF_WORD = {"range": "number", "levels": "category", "order": "ordinal", "dates": "date"}
"""The kinds whose word in a schema file is another."""


@dataclass(frozen=True)
class ColumnForm:
    """A column of the table and what was filled in for it.

    Attributes
    ----------
    name
        Its name.
    declared
        The type that the table declares, in a word.
    filled
        The fields of the form by name: kind, low, high, scale, levels, first, last, period,
        missing_value, missing_level, weight.
    """

    name: str
    declared: str
    filled: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def blank(cls, name: str, declared: str) -> ColumnForm:
        """The column before anything is known but its type."""
        return cls(name, declared, {"kind": USUAL_KINDS.get(declared, "")})

    @property
    def kind(self) -> str:
        return self.filled.get("kind", "")

    @property
    def declared_words(self) -> str:
        """The declared type as the page shows it; empty if the table declares none."""
        return TYPES.get(self.declared, self.declared)

    def entry(self) -> dict[str, Any]:
        """What a schema file would say of the column."""
        entry: dict[str, Any] = self._of_kind()
        if weight := self.filled.get("weight", "").strip():
            entry["weight"] = _number("the weight", weight)
        rule = self.filled.get("missing_level" if self.kind == "category" else "missing_value")
        if rule:
            entry["missing"] = True if rule == "own" else rule
        return entry

    def _of_kind(self) -> dict[str, Any]:
        filled = {name: text.strip() for name, text in self.filled.items()}
        match self.kind:
            case "number":
                ends = [_number(f"the {end} end", filled.get(end, "")) for end in ("low", "high")]
                return {"range": ends} | self._scale()
            case "found":
                return {"range": FIND} | self._scale()
            case "category" | "ordinal":
                word = "levels" if self.kind == "category" else "order"
                return {word: self._levels()}
            case "date":
                return {"dates": [filled.get("first", ""), filled.get("last", "")]}
            case "cycle":
                return {"cycle": _number("the period", filled.get("period", ""))}
            case "flag":
                return {"flag": True}
            case _:
                raise InputError("choose what the column is")

    def _scale(self) -> dict[str, str]:
        scale = self.filled.get("scale") or "linear"
        return {} if scale == "linear" else {"scale": scale}

    def _levels(self) -> list[Any]:
        """The levels, as numbers if all of them are and the column may hold numbers."""
        lines = (line.strip() for line in self.filled.get("levels", "").splitlines())
        levels = [line for line in lines if line]
        if self.declared == "text":
            return levels
        try:
            numbers = [float(level) for level in levels]
        except ValueError:
            return levels
        return [int(each) if each.is_integer() else each for each in numbers]


def filled_from(schema: Schema) -> dict[str, dict[str, str]]:
    """The fields that stand for the features of a schema, by column."""
    return {name: _fields(written(kind)) for name, kind in schema.features.items()}


def _fields(entry: Mapping[str, Any]) -> dict[str, str]:
    word, value = next(iter(entry.items()))
    filled = {"kind": KIND_OF_WORD.get(word, word)}
    match word:
        case "range" if value == FIND:
            filled["kind"] = "found"
        case "range":
            filled |= {"low": f"{value[0]:.15g}", "high": f"{value[1]:.15g}"}
        case "levels" | "order":
            filled["levels"] = "\n".join(map(str, value))
        case "dates":
            filled |= {"first": str(value[0]), "last": str(value[1])}
        case "cycle":
            filled["period"] = f"{value:.15g}"
    if "scale" in entry:
        filled["scale"] = entry["scale"]
    if "weight" in entry:
        filled["weight"] = f"{entry['weight']:.15g}"
    if rule := entry.get("missing"):
        name = "missing_level" if word == "levels" else "missing_value"
        filled[name] = "own" if rule is True else rule
    return filled


def schema_in(
    columns: Sequence[ColumnForm], person: str | None, rows_per_person: int, missing_person: Any
) -> tuple[Schema | None, dict[str, str]]:
    """The schema that the form declares, or what is wrong with it: by column, "" for the whole."""
    entries: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for column in columns:
        if column.kind:
            try:
                entries[column.name] = column.entry()
                Schema({column.name: entries[column.name]})
            except HushmeansError as error:
                problems[column.name] = str(error).removeprefix(f"feature {column.name!r}: ")
    if problems:
        return None, problems
    if not entries:
        return None, {"": "choose what at least one column is"}
    try:
        about = {"rows_per_person": rows_per_person, "missing_person": missing_person}
        return Schema(entries, person=person, **about), {}
    except HushmeansError as error:
        return None, {"": str(error)}


def _number(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{what} is missing; give a number" if not text else f"{what} is not a number"
        ) from None
