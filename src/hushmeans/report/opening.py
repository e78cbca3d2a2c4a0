"""The first screen: what was found, how far to trust it, and what is promised."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hushmeans.ledger.standing import short_amount
from hushmeans.release import Release
from hushmeans.release.numbers import measured, plain
from hushmeans.report.gather import LoadedRelease
from hushmeans.report.profile import ClusterCard

Tone = Literal["good", "care", "bad"]

COUNTS_IN_WORDS: tuple[str, ...] = ("no", "one", "two", "three", "four", "five", "six")
COUNTS_IN_WORDS = (*COUNTS_IN_WORDS, "seven", "eight", "nine", "ten", "eleven", "twelve")

MONTHS: tuple[str, ...] = ("January", "February", "March", "April", "May", "June", "July")
MONTHS = (*MONTHS, "August", "September", "October", "November", "December")

WEAK_EPSILON = 5
"""From here on the guarantee is weak."""

LARGEST_FACTOR_EPSILON = 14
"""Above this, the factor e^epsilon has too many digits to mean anything."""

LARGE_ERROR = 0.05
"""Relative to the number of records; a larger one is shown with it."""

LARGEST_COUNTED = 1e15
"""More records than this are no whole number to a reader."""

LARGEST_CHANCE = 10**12
"""One in more than this is easier to read as a decimal."""


@dataclass(frozen=True)
class Verdict:
    """How far to trust the clusters: a tone for the eye, a headline and a sentence."""

    tone: Tone
    headline: str
    sentence: str

    @classmethod
    def of(cls, loaded: LoadedRelease) -> Verdict:
        verdict = loaded.verdict
        lost, number = len(loaded.noise_clusters), loaded.release.n_clusters
        if loaded.hopeless:
            return cls("bad", "No group can be distinguished from noise", verdict.sentence)
        if lost:
            count = count_of(lost, "group").capitalize()
            headline = f"{count} of {number} cannot be distinguished from noise"
            return cls("care", headline, verdict.sentence)
        if verdict.level == "visible":
            return cls("care", "Noise is visible: read with care", verdict.sentence)
        return cls("good", "Clear result: the noise is small", verdict.sentence)


@dataclass(frozen=True)
class Bells:
    """Two overlapping curves: how likely each result is with a person's rows and without them.

    Attributes
    ----------
    width, height
        Of the drawing.
    without, with_you
        Their outlines, as points of the drawing.
    """

    width: int
    height: int
    without: tuple[tuple[float, float], ...]
    with_you: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, release: Release, width: int = 320, height: int = 110) -> Bells:
        """For one number that a person changes by 1, with the noise that epsilon asks for."""
        epsilon = min(max(float(release.budget.epsilon), 0.02), 50.0)
        delta = float(release.budget.delta)
        noise = 1 / epsilon if delta == 0 else math.sqrt(2 * math.log(1.25 / delta)) / epsilon
        reach = max(3.2 * noise, 1.0)
        left, right = 0.5 - reach, 0.5 + reach

        def likely(at: float) -> float:
            off = abs(at) / noise
            return math.exp(-off) if delta == 0 else math.exp(-off * off / 2)

        def outline(middle: float) -> tuple[tuple[float, float], ...]:
            places = sorted({left + (right - left) * step / 96 for step in range(97)} | {middle})
            return tuple(
                (
                    width * (place - left) / (right - left),
                    height * (1 - 0.94 * likely(place - middle)),
                )
                for place in places
            )

        return cls(width, height, outline(0.0), outline(1.0))


@dataclass(frozen=True)
class Promise:
    """The guarantee in plain words, and its picture; a simulation has neither."""

    headline: str
    sentence: str
    amounts: str
    bells: Bells

    @classmethod
    def of(cls, release: Release) -> Promise:
        rows = release.rows_per_person
        if release.missing_person is not None:
            yours = "all of your rows"
        else:
            yours = "your row" if rows == 1 else f"your rows, up to {rows:,} of them"
        epsilon, delta = release.budget.epsilon, release.budget.delta
        plus = f", plus a probability of {chance_in_words(delta)}" if delta else ""
        times = factor_in_words(float(epsilon))
        if epsilon < WEAK_EPSILON:
            headline = "What is guaranteed to everyone in the data"
            sentence = (
                "Nobody can be sure from this page whether you are in the data: with "
                f"{yours}, any result is at most {times} as without{plus}"
            )
        else:
            headline = "The guarantee to people in the data is weak"
            sentence = (
                "A result can reveal whether you are in the data: with "
                f"{yours}, it may be {times} as without{plus}"
            )
        return cls(headline, sentence, f"ε = {short_amount(epsilon)}", Bells.of(release))


@dataclass(frozen=True)
class Opening:
    """What the first screen says of a release.

    Attributes
    ----------
    finding
        What was found, in one sentence.
    verdict, promise
        How far to trust it, and what is promised.
    facts
        A few numbers, by their names.
    """

    finding: str
    verdict: Verdict
    promise: Promise
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, loaded: LoadedRelease, cards: tuple[ClusterCard, ...]) -> Opening:
        """The cards are those of the release, in any order."""
        verdict = Verdict.of(loaded)
        return cls(
            finding=_finding(verdict, cards),
            verdict=verdict,
            promise=Promise.of(loaded.release),
            facts=_facts(loaded.release),
        )


def factor_in_words(epsilon: float) -> str:
    """How much likelier epsilon lets a result become.

    Examples
    --------
    >>> factor_in_words(1.0), factor_in_words(0.05)
    ('2.7 times as likely', '1.05 times as likely')
    """
    if epsilon > LARGEST_FACTOR_EPSILON:
        return f"e^{plain(epsilon)} times as likely"
    factor = math.exp(epsilon)
    return f"{plain(factor, 2 if factor > 1.2 else 3)} times as likely"


def chance_in_words(chance: Fraction) -> str:
    """A small probability.

    Examples
    --------
    >>> chance_in_words(Fraction(1, 10**6)), chance_in_words(Fraction(3, 1000))
    ('1 in 1,000,000', '0.003')
    """
    whole = chance.numerator == 1 and chance.denominator < LARGEST_CHANCE
    return f"1 in {chance.denominator:,}" if whole else short_amount(chance)


def count_of(number: int, thing: str) -> str:
    """A number of things, in words up to twelve.

    Examples
    --------
    >>> count_of(1, "group"), count_of(40, "group")
    ('one group', '40 groups')
    """
    count = COUNTS_IN_WORDS[number] if number < len(COUNTS_IN_WORDS) else f"{number:,}"
    return f"{count} {thing}{'' if number == 1 else 's'}"


def day_in_words(day: str) -> str:
    """A day as a reader says it.

    Examples
    --------
    >>> day_in_words("2026-11-07")
    '7 November 2026'
    """
    date = datetime.date.fromisoformat(day)
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def rounded_count(number: float) -> str:
    """A number of records with three significant digits.

    Examples
    --------
    >>> rounded_count(39_987.2), rounded_count(3.4)
    ('40,000', '3')
    """
    rounded = float(f"{number:.3g}")
    return plain(float(round(rounded)) if rounded < LARGEST_COUNTED else rounded)


def _finding(verdict: Verdict, cards: tuple[ClusterCard, ...]) -> str:
    real = [card for card in cards if not card.mark.noise]
    asked = count_of(len(cards), "group")
    if verdict.tone == "bad":
        was = "was" if len(cards) == 1 else "were"
        return f"No group was found: {asked} {was} requested, and noise hides every one."
    first = max(real, key=lambda card: card.mark.size[0])  # of compared releases, in any order
    if len(cards) == 1:
        return f"One group of about {rounded_count(first.mark.size[0])} records."
    found = count_of(len(real), "group").capitalize()
    if len(real) < len(cards):
        found = f"{found} of the {len(cards)} requested"
    what = f"has {first.name}" if first.distinctions else "is close to the average in every feature"
    return f"{found}; the largest, {first.share} of the records, {what}."


def _facts(release: Release) -> tuple[tuple[str, str], ...]:
    facts = [
        ("records", _records(release)),
        ("features", f"{release.box.n_features:,}"),
        ("privacy budget ε", short_amount(release.budget.epsilon)),
        ("protects", _protected(release)),
    ]
    if release.budget.delta:
        facts.insert(3, ("δ", short_amount(release.budget.delta)))
    return tuple(facts)


def _protected(release: Release) -> str:
    rows = release.rows_per_person
    if release.missing_person is not None:
        counted = "1 row" if rows == 1 else f"{rows:,} rows"
        return f"whole people; at most {counted} of each counted"
    return "one row per person" if rows == 1 else f"up to {rows:,} rows per person"


def _records(release: Release) -> str:
    """How many there are: rounded, or with an error that is too large to be left out."""
    total, error = sum(release.sizes), math.hypot(*release.size_standard_errors)
    if not math.isfinite(total):
        return "unknown"
    if error < LARGE_ERROR * total:
        return f"about {rounded_count(total)}"
    return " ± ".join(measured(total, error))
