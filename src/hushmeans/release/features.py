"""The features of a release in words: their kinds, and what they contribute to distances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hushmeans.release.numbers import plain
from hushmeans.schema import (
    Box,
    Category,
    Cycle,
    Date,
    FeatureKind,
    Number,
    Ordinal,
    contributions,
)
from hushmeans.schema.levels import level_text

RULES_IN_WORDS: Mapping[str | bool, str] = {
    "middle": "missing values count as the middle",
    "drop": "records without it were left out",
    "ignore": "missing values add nothing to distances and means",
    True: 'missing values are a level, "missing"',
}
"""What became of missing values, where a rule was declared."""

SCALES_IN_WORDS = {"log": "a logarithmic", "asinh": "an asinh"}

SHOWN_LEVELS = 12
"""A statement lists this many levels of a feature, or one more if that is all of them."""


def features_in_words(box: Box) -> Iterator[str]:
    """The sentences of a statement about features of several kinds."""
    described = "; ".join(
        f"{box.label(index)}, {_kind_in_words(kind)}" for index, kind in enumerate(box.features)
    )
    yield (
        f"Features, as declared by whoever ran the fit: {described}. Values outside a range were "
        "clipped. Unless stated otherwise, a value that was missing or could not be read as its "
        'kind counted as the middle of its range, or in a category as "other".'
    )
    most = ", ".join(f"{each.name} {plain(each.most, 3)}" for each in contributions(box))
    yield (
        "Largest contribution of each feature to the squared distance between two records: "
        f"{most}. The wider the range of a number, the less differences in it count."
    )


def exact(end: float) -> str:
    """A number without loss, and without a decimal point where none is needed."""
    return str(int(end)) if end.is_integer() and abs(end) < 1e15 else repr(end)


def _kind_in_words(kind: FeatureKind) -> str:
    weight = "" if kind.weight == 1 else f" (weight {kind.weight:g})"
    rule = RULES_IN_WORDS.get(kind.missing)
    return f"{_range_in_words(kind)}{weight}{f' ({rule})' if rule else ''}"


def _range_in_words(kind: FeatureKind) -> str:
    match kind:
        case Number():
            scale = "" if kind.scale == "linear" else f" on {SCALES_IN_WORDS[kind.scale]} scale"
            return f"a number from {exact(kind.ends[0])} to {exact(kind.ends[1])}{scale}"
        case Date():
            return f"a date from {kind.first} to {kind.last}"
        case Cycle():
            return f"a cycle of {exact(kind.period)}"
        case Category():
            return f"a category with the levels {_listed(kind.all_levels)}"
        case Ordinal():
            return f"an ordinal with the levels {_listed(kind.order)}"
        case _:
            return "true or false"


def _listed(levels: Sequence[str | float]) -> str:
    more = len(levels) - SHOWN_LEVELS
    if more <= 1:  # "1 more" would hide no less than it takes to say
        return ", ".join(map(level_text, levels))
    return f"{', '.join(map(level_text, levels[:SHOWN_LEVELS]))} and {more:,} more"
