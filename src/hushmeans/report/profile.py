"""What sets a cluster apart from all records together: in words, and as a place on a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hushmeans.release.numbers import measured, percent, plain
from hushmeans.release.readable import ReadableValue
from hushmeans.report.gather import ClusterMark
from hushmeans.report.overall import FAR_OFF, NOTABLE, Whole, average_of
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.kinds import Category, Cycle, Date, Flag
from hushmeans.types import FloatArray

SCALE_END = 2.5
"""The bars and shades of differences end at this many standard deviations."""

NAMED_TRAITS = 2
"""As many features name a cluster."""

SHOWN_TRAITS = 4
"""As many have a bar on a cluster's card; the others are in its table."""

SMALLEST_SHARE = 0.001
"""A smaller share of a level counts as none."""

LEVELS_ON_CARD = 4
"""As many levels of a category are shown; the others are added up."""

ADJECTIVES: Mapping[type[FeatureKind], tuple[str, str]] = {
    Flag: ("high share of", "low share of"),
    Date: ("late", "early"),
}
"""What a centre above and below the mean is called; elsewhere, high and low."""

COMPARATIVES: Mapping[type[FeatureKind], tuple[str, str]] = {Date: ("later than", "earlier than")}
"""How its place is described; elsewhere, as above and below."""

LONGEST_IN_PROSE = 32
"""Characters of a name in a sentence."""


@dataclass(frozen=True)
class Trait:
    """A cluster's centre in one feature, against the mean of all records.

    Attributes
    ----------
    feature, column, kind
        The feature's name, its column, and what kind of values it has.
    value, error
        The centre and its standard error, rounded.
    width
        How wide the cluster is in this feature; empty where the release does not say.
    short
        The centre with no more digits than a reader wants.
    difference
        From the mean, in standard deviations; 0 where noise could explain it. On a cycle there is
        no above and below, and it is never negative.
    average
        The mean of all records, rounded.
    """

    feature: str
    column: int
    kind: FeatureKind
    value: str
    error: str
    width: str
    short: str
    difference: float
    average: str

    @property
    def on_a_line(self) -> bool:
        """Whether there is an above and a below: not on a cycle."""
        return not isinstance(self.kind, Cycle)

    @property
    def words(self) -> str:
        """The difference in words."""
        if abs(self.difference) < NOTABLE:
            return "about average"
        if not self.on_a_line:
            return f"{'far' if self.difference >= FAR_OFF else 'away'} from the average"
        above, below = COMPARATIVES.get(type(self.kind), ("above", "below"))
        where = f"{above if self.difference > 0 else below} average"
        return f"far {where}" if abs(self.difference) >= FAR_OFF else where

    @property
    def adjective(self) -> str:
        """The same as part of a cluster's name."""
        if not self.on_a_line:
            return f"{in_prose(self.feature)} around {self.short}"
        above, below = ADJECTIVES.get(type(self.kind), ("high", "low"))
        high = above if self.difference > 0 else below
        very = "very " if abs(self.difference) >= FAR_OFF else ""
        if isinstance(self.kind, Date):
            return f"{very}{high} dates ({in_prose(self.feature)})"
        return f"{very}{high} {in_prose(self.feature)}"

    @property
    def bar(self) -> float:
        """The difference as a part of the scale, from -1 to 1."""
        return max(-1.0, min(self.difference / SCALE_END, 1.0))


@dataclass(frozen=True)
class LevelShare:
    """How many of a cluster's records have a level of a category.

    Attributes
    ----------
    level
        Its name.
    share, overall
        The part of the cluster's records that have it, and of all records.
    column
        Its column; -1 for several levels together.
    difference
        As in `Trait`.
    """

    level: str
    share: float
    overall: float
    column: int = -1
    difference: float = 0.0

    @property
    def percent(self) -> str:
        return percent(self.share) if self.share >= SMALLEST_SHARE else "0%"


@dataclass(frozen=True)
class CategoryShares:
    """The levels of a category in a cluster: the most common ones, and all others together."""

    feature: str
    levels: tuple[LevelShare, ...]

    @property
    def shown(self) -> tuple[LevelShare, ...]:
        """The most common levels, and the rest as one."""
        ordered = sorted(self.levels, key=lambda level: level.share, reverse=True)
        if len(ordered) <= LEVELS_ON_CARD + 1:
            return tuple(ordered)
        rest = ordered[LEVELS_ON_CARD:]
        others = LevelShare(
            f"{len(rest)} other levels",
            max(1 - sum(level.share for level in ordered[:LEVELS_ON_CARD]), 0.0),
            max(1 - sum(level.overall for level in ordered[:LEVELS_ON_CARD]), 0.0),
        )
        return (*ordered[:LEVELS_ON_CARD], others)

    @property
    def typical(self) -> LevelShare | None:
        """The level of most records of the cluster, if that is more than usual."""
        largest = max(self.levels, key=lambda level: level.share)
        usual = largest.share < 0.5 or largest.difference < NOTABLE
        return None if usual else largest


@dataclass(frozen=True)
class ClusterCard:
    """A cluster, as somebody reads it who knows nothing of k-means.

    Attributes
    ----------
    mark
        The cluster.
    share
        Its part of the records, rounded.
    size, size_error
        Its number of records, rounded.
    traits
        All features, in their order.
    categories
        The categories.
    """

    mark: ClusterMark
    share: str
    size: str
    size_error: str
    traits: tuple[Trait, ...]
    categories: tuple[CategoryShares, ...] = ()

    @property
    def special(self) -> tuple[Trait, ...]:
        """What sets it apart, the largest difference first."""
        notable = [each for each in self.traits if abs(each.difference) >= NOTABLE]
        notable.sort(key=lambda trait: abs(trait.difference), reverse=True)
        return tuple(notable[:SHOWN_TRAITS])

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        if self.mark.noise:
            return "indistinguishable from noise"
        if self.mark.loaded.hopeless:
            return "hidden by noise"
        return " and ".join(self.distinctions) or "close to the average"

    @property
    def distinctions(self) -> tuple[str, ...]:
        """What it is named after: the features and levels that set it apart most."""
        named = [(abs(trait.difference), trait.adjective) for trait in self.special]
        for category in self.categories:
            if (level := category.typical) is not None:
                words = f"mostly {in_prose(level.level)} ({in_prose(category.feature)})"
                named.append((level.difference, words))
        named.sort(key=lambda pair: -pair[0])
        return tuple(words for _, words in named[:NAMED_TRAITS])

    @property
    def heading(self) -> str:
        """The same, with a capital."""
        return self.name[:1].upper() + self.name[1:]


def step_of(difference: float) -> int:
    """A difference as one of seven shades, from -3 to 3.

    Examples
    --------
    >>> step_of(-2.0), step_of(0.1), step_of(0.5)
    (-3, 0, 1)
    """
    borders = (NOTABLE, (NOTABLE + FAR_OFF) / 2, FAR_OFF)
    steps = sum(abs(difference) >= border for border in borders)
    return steps if difference > 0 else -steps


def cluster_cards(marks: Sequence[ClusterMark]) -> tuple[ClusterCard, ...]:
    """A card for each cluster; each is compared with its own release."""
    wholes = {id(mark.loaded): Whole.of(mark.loaded) for mark in marks}
    return tuple(_card(mark, wholes[id(mark.loaded)]) for mark in marks)


def in_prose(name: str) -> str:
    """A feature's name as part of a sentence.

    Examples
    --------
    >>> in_prose("visits_per_year")
    'visits per year'
    """
    words = name.replace("_", " ").strip() or name
    return words if len(words) <= LONGEST_IN_PROSE else f"{words[: LONGEST_IN_PROSE - 1]}…"


def _card(mark: ClusterMark, whole: Whole) -> ClusterCard:
    size, size_error = measured(*mark.size)
    box = mark.loaded.release.box
    averages = average_of(box, whole)
    blocks = list(zip(box.layout.blocks, box.features, strict=True))
    return ClusterCard(
        mark=mark,
        share=percent(mark.share),
        size=size,
        size_error=size_error,
        traits=tuple(
            _on_cycle(mark, whole, block.first, kind, averages)
            if isinstance(kind, Cycle)
            else _trait(mark, whole, block.first, kind, averages)
            for block, kind in blocks
            if not isinstance(kind, Category)
        ),
        categories=tuple(
            _category(mark, whole, block.first, kind)
            for block, kind in blocks
            if isinstance(kind, Category)
        ),
    )


def _trait(
    mark: ClusterMark, whole: Whole, column: int, kind: FeatureKind, averages: FloatArray
) -> Trait:
    shown = ReadableValue.of(kind, *mark.centre(column))
    widths = mark.loaded.release.widths
    return Trait(
        feature=mark.loaded.release.box.name(column),
        column=column,
        kind=kind,
        value=shown.value,
        error=shown.error,
        width="" if widths is None else plain(widths[mark.cluster][column], 3),
        short=shown.short,
        difference=whole.difference(mark, column),
        average=ReadableValue.of(kind, float(averages[column]), 0.0).short,
    )


def _on_cycle(
    mark: ClusterMark, whole: Whole, first: int, kind: Cycle, averages: FloatArray
) -> Trait:
    box, columns = mark.loaded.release.box, (first, first + 1)
    (cosine, its_error), (sine, sine_error) = (mark.centre(column) for column in columns)
    shown = ReadableValue.on_cycle(kind, (cosine, sine), (its_error, sine_error))
    mean = (float(averages[first]), float(averages[first + 1]))
    return Trait(
        feature=box.feature_name(box.feature_of(first)),
        column=first,
        kind=kind,
        value=shown.value,
        error=shown.error,
        width="",
        short=shown.short,
        difference=whole.apart(mark, columns) if shown.error else 0.0,
        average=ReadableValue.on_cycle(kind, mean, (0.0, 0.0)).short,
    )


def _category(mark: ClusterMark, whole: Whole, first: int, kind: Category) -> CategoryShares:
    box = mark.loaded.release.box
    return CategoryShares(
        box.name(first).rpartition(f": {kind.column_labels[0]}")[0],
        tuple(
            LevelShare(
                level,
                min(max(mark.centre(first + place)[0], 0.0), 1.0),
                float(whole.means[first + place]),
                first + place,
                whole.difference(mark, first + place),
            )
            for place, level in enumerate(kind.column_labels)
        ),
    )
