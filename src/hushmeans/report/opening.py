"""The first screen: what was found, how far to trust it, and what is promised."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from hushmeans.ledger.standing import short_amount
from hushmeans.release import Release
from hushmeans.release.numbers import measured, plain
from hushmeans.report.gather import LoadedRelease
from hushmeans.report.profile import ClusterCard

Tone = Literal["good", "care", "bad"]

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
NUMBERS += ("seven", "eight", "nine", "ten", "eleven", "twelve")

WEAK_EPSILON = 5
"""From here on the guarantee is weak."""

LARGEST_FACTOR_EPSILON = 14
"""Above this, the factor e^epsilon has too many digits to mean anything."""


@dataclass(frozen=True)
class Verdict:
    """How far to trust the clusters: a tone for the eye, a headline and a sentence."""

    tone: Tone
    headline: str
    sentence: str

    @classmethod
    def of(cls, loaded: LoadedRelease) -> Verdict:
        verdict = loaded.release.noise_verdict()
        lost, number = len(loaded.noise_clusters), loaded.release.n_clusters
        if verdict.level == "dominates" or lost == number:
            return cls("bad", "Nothing here can be told from noise", verdict.sentence)
        if lost:
            count = f"{count_of(lost, 'group').capitalize()} of {number} cannot be told from noise"
            return cls("care", count, verdict.sentence)
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
    bells: Bells

    @classmethod
    def of(cls, release: Release) -> Promise:
        rows = release.rows_per_person
        yours = "your row" if rows == 1 else f"your rows, up to {rows:,} of them"
        epsilon, delta = release.budget.epsilon, release.budget.delta
        plus = "" if delta == 0 else f", plus a probability of {short_amount(delta)}"
        amounts = f"ε = {short_amount(epsilon)}"
        weak = epsilon >= WEAK_EPSILON
        return cls(
            headline="The promise to you is weak"
            if weak
            else "What everyone in the data is promised",
            sentence=(
                f"Nobody can tell from this page whether you are in the data: with {yours} any "
                f"result is at most {factor_in_words(float(epsilon))} as without{plus} ({amounts})."
                if not weak
                else f"With {yours} a result may be {factor_in_words(float(epsilon))} as "
                f"without{plus} ({amounts}). That can reveal whether you are in the data."
            ),
            bells=Bells.of(release),
        )


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
        """The cards are those of the release, the largest first."""
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


def count_of(number: int, thing: str) -> str:
    """A number of things, in words up to twelve.

    Examples
    --------
    >>> count_of(1, "group"), count_of(40, "group")
    ('one group', '40 groups')
    """
    count = NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"
    return f"{count} {thing}{'' if number == 1 else 's'}"


def _finding(verdict: Verdict, cards: tuple[ClusterCard, ...]) -> str:
    real = [card for card in cards if not card.mark.noise]
    asked = count_of(len(cards), "group")
    if verdict.tone == "bad":
        was = "was" if len(cards) == 1 else "were"
        return f"No group was found: {asked} {was} asked for, and noise hides every one."
    first = real[0]
    if len(cards) == 1:
        return f"One group of about {first.size} records."
    found = count_of(len(real), "group").capitalize()
    if len(real) < len(cards):
        found = f"{found} out of the {len(cards)} asked for"
    what = f"has {first.name}" if first.special else "is close to the average in every feature"
    return f"{found}; the largest, {first.share} of the records, {what}."


def _facts(release: Release) -> tuple[tuple[str, str], ...]:
    total = sum(release.sizes)
    error = math.hypot(*release.size_standard_errors)
    rows = release.rows_per_person
    facts = [
        ("records", f"about {measured(total, error)[0]}" if math.isfinite(total) else "unknown"),
        ("features", f"{release.box.n_features:,}"),
        ("privacy budget ε", short_amount(release.budget.epsilon)),
        ("protects", "one row per person" if rows == 1 else f"up to {rows:,} rows per person"),
    ]
    if release.budget.delta:
        facts.insert(3, ("δ", short_amount(release.budget.delta)))
    return tuple(facts)
