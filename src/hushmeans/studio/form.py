"""The schema as a form: one line of fields per column, and what a schema file would say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hushmeans.errors import HushmeansError, InputError
from hushmeans.schema import Schema
from hushmeans.schema.declaring import written

KINDS = {
    "": "leave out",
    "number": "number",
    "category": "category",
    "ordinal": "ordered levels",
    "flag": "yes or no",
    "date": "date",
    "cycle": "cycle",
}
"""What a column can be, as the form calls it."""

WORDS = {"range": "number", "levels": "category", "order": "ordinal", "dates": "date"}
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
        The fields of the form by name: kind, low, high, scale, levels, first, last, period, weight.
    problem
        What is wrong with them, in a sentence.
    """

    name: str
    declared: str
    filled: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None

    @property
    def kind(self) -> str:
        return self.filled.get("kind", "")

    def entry(self) -> dict[str, Any]:
        """What a schema file would say of the column."""
        entry: dict[str, Any] = self._of_kind()
        if weight := self.filled.get("weight", "").strip():
            entry["weight"] = _number("the weight", weight)
        return entry

    def _of_kind(self) -> dict[str, Any]:
        filled = {name: text.strip() for name, text in self.filled.items()}
        match self.kind:
            case "number":
                ends = [_number(f"the {end} end", filled.get(end, "")) for end in ("low", "high")]
                scale = filled.get("scale") or "linear"
                return {"range": ends} | ({} if scale == "linear" else {"scale": scale})
            case "category" | "ordinal":
                levels = [line.strip() for line in filled.get("levels", "").splitlines()]
                word = "levels" if self.kind == "category" else "order"
                return {word: [level for level in levels if level]}
            case "date":
                return {"dates": [filled.get("first", ""), filled.get("last", "")]}
            case "cycle":
                return {"cycle": _number("the period", filled.get("period", ""))}
            case "flag":
                return {"flag": True}
            case _:
                raise InputError("choose what the column is")


def filled_from(schema: Schema) -> dict[str, dict[str, str]]:
    """The fields that stand for the features of a schema, by column."""
    return {name: _fields(written(kind)) for name, kind in schema.features.items()}


def _fields(entry: Mapping[str, Any]) -> dict[str, str]:
    word, value = next(iter(entry.items()))
    filled = {"kind": WORDS.get(word, word)}
    match word:
        case "range":
            filled |= {"low": f"{value[0]:.15g}", "high": f"{value[1]:.15g}"}
        case "levels" | "order":
            filled["levels"] = "\n".join(map(str, value))
        case "dates":
            filled |= {"first": str(value[0]), "last": str(value[1])}
        case "cycle":
            filled["period"] = f"{value:.15g}"
    others = {name: str(each) for name, each in entry.items() if name in ("scale", "weight")}
    return filled | others


def schema_of(
    columns: list[ColumnForm], person: str | None, rows_per_person: int
) -> tuple[Schema | None, dict[str, str]]:
    """The schema that the form declares, or what is wrong with it: by column, "" for the whole."""
    entries, problems = {}, {}
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
        return None, {"": "Choose at least one column, and what is public about it."}
    try:
        return Schema(entries, person=person, rows_per_person=rows_per_person), {}
    except HushmeansError as error:
        return None, {"": str(error)}


def _number(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{what} is missing; give a number" if not text else f"{what} is not a number"
        ) from None
