"""Features as they are written in files and mappings, and kinds written that way."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hushmeans.documents import parse_json, read_text_file
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema.box import Box
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.kinds import Category, Cycle, Date, Flag, Number, Ordinal
from hushmeans.schema.texts import BLANK

FIND = "find"
"""What is written for a range that a fit is to find."""

OPTIONS = ("weight", "missing")
"""What may be written beside every kind."""


QUOTE_THE_DOT = '; in TOML, a name with a dot needs quotes: "a.b" = [0, 1]'


def read_mapping(path: Path, what: str) -> Mapping[str, Any]:
    """The content of a TOML or JSON file.

    Parameters
    ----------
    what
        What to call the file in a message.
    """
    text = read_text_file(path, f"the {what} file")
    try:
        is_json = path.suffix.lower() == ".json"
        found = parse_json(text) if is_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        toml = "" if is_json else "; it must be TOML, where a name with spaces needs quotes"
        raise InputError(f"cannot parse the {what} file {path}: {error}{toml}") from None
    if not isinstance(found, Mapping):
        raise InputError(
            f"the {what} file {path} must have one entry per feature: name and [low, high]"
        )
    return found


def check_heading(declared: Mapping[Any, Any]) -> None:
    """Raise an error if a table of features has a heading that was meant to be [features]."""
    for key, content in declared.items():
        if (
            isinstance(content, Mapping)
            and not any(word in content for word in MAKERS)
            and get_close_matches(str(key).casefold(), ["features"])
        ):
            raise InputError(f"unknown key {key!r}; did you mean 'features'?")


def declared_kind(declared: Any) -> FeatureKind:
    """The kind that a value stands for: a kind, a range, or a mapping as in a file."""
    if isinstance(declared, FeatureKind):
        return declared
    if isinstance(declared, Mapping):
        return _from_mapping(declared)
    if isinstance(declared, str) and declared == FIND:
        return Number.find()
    if isinstance(declared, bool):
        raise InputTypeError('a truth value is not a range; declare a flag as {"flag": true}')
    if isinstance(declared, list | tuple) and any(isinstance(each, date) for each in declared):
        raise InputTypeError(
            'a pair of dates is not a range of numbers; declare it as {"dates": [first, last]}'
        )
    many = isinstance(declared, list | tuple | set | frozenset)
    if many and any(isinstance(each, str) for each in declared):
        raise InputTypeError(
            "a list of texts is not a range; declare a category as "
            '{"levels": [...]}, an ordinal as {"order": [...]} and dates as '
            '{"dates": [first, last]}'
        )
    return Number(*_pair(declared, NOT_A_RANGE))


def _from_mapping(declared: Mapping[Any, Any]) -> FeatureKind:
    words = [word for word in declared if word in MAKERS]
    if len(words) != 1:
        given = ", ".join(repr(key) for key in declared) or "nothing"
        hint = "" if words or set(declared) & {*OPTIONS, "scale"} else _hint(declared)
        raise InputError(
            f"the declaration has {given}; give exactly one of {', '.join(MAKERS)}{hint}"
        )
    word, others = words[0], {key: value for key, value in declared.items() if key not in words}
    allowed = (*OPTIONS, "scale") if word == "range" else OPTIONS
    for key in others:
        if key not in allowed:
            known = key in (*MAKERS, *OPTIONS, "scale")
            fault = f"{key!r} cannot be combined with {word}" if known else f"unknown key {key!r}"
            raise InputError(f"{fault}; beside {word}, use {', '.join(allowed)}")
    return MAKERS[word](declared[word], others)


def _hint(declared: Mapping[Any, Any]) -> str:
    """What may have been meant by a declaration without any word that declares a kind."""
    near = [word for key in declared for word in get_close_matches(str(key), MAKERS, 1)]
    if near:
        return f" (did you mean {near[0]!r}?)"
    nested = all(isinstance(each, list | tuple | Mapping) for each in declared.values())
    return QUOTE_THE_DOT if declared and nested else ""


def _number(ends: Any, options: Mapping[str, Any]) -> FeatureKind:
    if isinstance(ends, str) and ends == FIND:
        return Number.find(**options)
    return Number(*_pair(ends, NOT_A_RANGE), **options)


def _flag(value: Any, options: Mapping[str, Any]) -> FeatureKind:
    if value is not True:
        raise InputError("flag must be true; remove the line if the column is not a feature")
    return Flag(**options)


def _date(ends: Any, options: Mapping[str, Any]) -> FeatureKind:
    return Date(*_pair(ends, NOT_DATES), **options)


MAKERS: dict[str, Callable[[Any, Mapping[str, Any]], FeatureKind]] = {
    "range": _number,
    "levels": lambda levels, options: Category(levels, **options),
    "order": lambda order, options: Ordinal(order, **options),
    "flag": _flag,
    "dates": _date,
    "cycle": lambda period, options: Cycle(period, **options),
}
"""How each kind is made, by the word that declares it."""


NOT_A_RANGE = 'the range must be a pair of numbers, [low, high], or "find"'
NOT_DATES = "dates must be a pair, [first, last]"


def _pair(ends: Any, fault: str) -> tuple[Any, Any]:
    if isinstance(ends, str | Mapping | set | frozenset):
        raise InputTypeError(fault)
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise InputTypeError(fault) from None
    return low, high


def written(kind: FeatureKind) -> dict[str, Any]:
    """A kind as a mapping of plain values, as in a JSON file; `declared_kind` reads it."""
    return {**_written_kind(kind), **_written_options(kind)}


def written_kinds(box: Box) -> dict[str, Any]:
    """The kinds of a box, for a document; plain numbers are said by their bounds alone."""
    return {} if box.kinds is None else {"features": [written(kind) for kind in box.kinds]}


def _written_kind(kind: FeatureKind) -> dict[str, Any]:
    match kind:
        case Number(is_found=True):
            return {"range": FIND}
        case Number():
            return {"range": [*kind.ends]}
        case Category():
            return {"levels": [*kind.levels]}
        case Ordinal():
            return {"order": [*kind.order]}
        case Date():
            return {"dates": [each.isoformat() for each in kind.dates]}
        case Cycle():
            return {"cycle": kind.period}
        case _:
            return {"flag": True}


def _written_options(kind: FeatureKind) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if isinstance(kind, Number) and kind.scale != "linear":
        options["scale"] = kind.scale
    if kind.weight != 1:
        options["weight"] = kind.weight
    if kind.missing is not False:
        options["missing"] = kind.missing
    return options


def blanks(features: Mapping[Any, Any]) -> list[str]:
    """What has yet to be filled in, one sentence for all features that want the same."""
    names: dict[str, list[str]] = {}
    for name, declared in features.items():
        if _has_blank(declared):
            names.setdefault(_wanted(declared), []).append(repr(name))
    return [f"{', '.join(those)}: {wanted}." for wanted, those in names.items()]


def is_draft(path: Path) -> bool:
    """Whether a schema file has blanks that are yet to be filled in."""
    return _has_blank(read_mapping(path, "schema"))


def filled_in(path: Path) -> dict[Any, Any]:
    """The features of a schema file that have no blank."""
    content = read_mapping(path, "schema")
    features = content.get("features", content)
    declared = features.items() if isinstance(features, Mapping) else ()
    return {name: each for name, each in declared if not _has_blank(each)}


def _has_blank(declared: Any) -> bool:
    if isinstance(declared, Mapping):
        return any(_has_blank(each) for each in declared.values())
    if isinstance(declared, list | tuple):
        return any(_has_blank(each) for each in declared)
    return isinstance(declared, str) and declared == BLANK


def _wanted(declared: Any) -> str:
    if isinstance(declared, Mapping):
        for word, wanted in WANTED.items():
            if word in declared:
                return wanted
    return WANTED["range"] if isinstance(declared, list | tuple) else UNKNOWN_KIND


WANTED = {
    "range": "give the public range as [low, high], or remove the line",
    "levels": "list the public levels, or remove the line",
    "order": "list the levels from the lowest to the highest, or remove the line",
    "dates": "give the first and last plausible date, or remove the line",
    "cycle": "give the period, or remove the line",
}
"""What is to be filled in, by the word that declares a kind."""

UNKNOWN_KIND = (
    'give the range, such as [0, 120], or the kind, such as {levels = ["a", "b"]}, '
    "or remove the line"
)
