"""The privacy statement: what was done and what is guaranteed, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from hushmeans.arguments import amount_text
from hushmeans.budget import NoiseKind
from hushmeans.release.asked import asked
from hushmeans.release.features import exact, features_in_words
from hushmeans.release.found import found_in_words
from hushmeans.release.numbers import percent
from hushmeans.release.profiles import missing_in_words
from hushmeans.schema import Box
from hushmeans.schema.schema import MissingPerson

if TYPE_CHECKING:
    from hushmeans.release import Release


NOISES: Mapping[NoiseKind, str] = {
    "laplace": "epsilon = {:.6g}",
    "gaussian": "rho = {:.6g} (zero-concentrated differential privacy)",
}
"""In what the privacy loss of each kind of noise is counted."""

MISSING_PEOPLE: Mapping[MissingPerson, str] = {
    "drop": "Rows without an id were left out.",
    "own": "Each row without an id counted as a separate person.",
}
"""What became of rows without an id."""

WHAT_ERRORS_COVER = (
    "Standard errors say how far a centre may lie from the mean of the records nearest to it, and "
    "a size from the number of those records. They do not cover the effect of noise on which "
    "clusters were found."
)
WHAT_ERRORS_OF_ROUNDS_COVER = (
    "Standard errors cover the privacy noise of the last round only. They do not cover records "
    "that noise assigned to another cluster, or the effect of noise on which clusters were "
    "found."
)


def statement(release: Release) -> str:
    """One topic per line, for readers who will not study a proof."""
    return "\n".join(_sentences(release))


def options_in_words(release: Release) -> str:
    """The method's options; one that was left to the method appears as the method chose it."""
    options = dict(release.method_options)
    words = []
    if "rounds" in options:
        rounds = options.pop("rounds") or _rounds_asked(release)
        words.append(f"{rounds} round{'' if rounds == 1 else 's'}")
    n, leaves = options.pop("n", 0), release.leaves
    if leaves is not None and len(leaves.sizes) > release.n_clusters:
        words.append(f"{len(leaves.sizes)} centroids merged into {release.n_clusters}")
    elif n:
        words.append(f"n = {n}")
    if not options.get("cells_share", 1):
        del options["cells_share"]  # what the cells were given is among the shares of the budget
    options.pop("widths_share", None)
    return ", ".join([*words, *(f"{name} = {value}" for name, value in options.items())])


def _rounds_asked(release: Release) -> int:
    """The number of rounds: all questions of a method after its first look ask the same."""
    last = ("sizes", "spreads", "distances", "profiles")
    kinds = [spend.question for spend in release.spends if spend.question not in last]
    return [len(list(group)) for _, group in groupby(kinds)][-1] if kinds else 0


def _sentences(release: Release) -> Iterator[str]:
    if release.simulated:
        yield (
            "SIMULATION: the noise was generated from a seed and can be subtracted. "
            "There is no privacy guarantee; do not publish this result."
        )
    yield from _guarantee(release)
    yield from _method(release)
    if release.booking is not None:
        yield (
            f"The budget was debited in a ledger: dataset {release.booking.dataset!r}, "
            f"release id {release.booking.release_id!r}."
        )
    elif not release.simulated:
        yield "No ledger was used, so other releases about the same people are not accounted for."
    yield WHAT_ERRORS_COVER if release.method == "refined" else WHAT_ERRORS_OF_ROUNDS_COVER
    yield from _features(release.box)
    yield from found_in_words(release)
    yield from missing_in_words(release.missing_rates)
    software = ", ".join(f"{name} {version}" for name, version in release.versions)
    yield f"Made with {software}."


def _features(box: Box) -> Iterator[str]:
    if box.kinds is not None:
        yield from features_in_words(box)
        return
    ranges = ", ".join(
        f"{box.label(index)} from {exact(low)} to {exact(high)}"
        for index, (low, high) in enumerate(zip(box.low, box.high, strict=True))
    )
    yield (
        f"Bounds, as declared by whoever ran the fit: {ranges}. "
        "Values outside were clipped; missing values were set to the middle of the range."
    )


def _guarantee(release: Release) -> Iterator[str]:
    epsilon, delta = amount_text(release.budget.epsilon), amount_text(release.budget.delta)
    yield (
        f"The centres and sizes of {release.n_clusters} clusters "
        f"{'would be' if release.simulated else 'are'} differentially private "
        f"with epsilon = {epsilon} and delta = {delta}."
    )
    yield (
        f"The guarantee covers {_covered(release)}: adding or removing {_unit(release)} changes "
        f"the probability of any outcome by a factor of at most exp({epsilon})"
        f"{'' if release.budget.delta == 0 else f', plus {delta}'}."
    )
    if release.missing_person is not None:
        number = release.rows_per_person
        rows = "one row" if number == 1 else f"{number:,} rows"
        yield (
            f"The limit was enforced: at most {rows} of each person counted,"
            " chosen by a rule that depends on that person's rows alone. "
            f"{MISSING_PEOPLE[release.missing_person]}"
        )


def _covered(release: Release) -> str:
    if release.missing_person is not None:
        return "whole people, identified by a column of ids"
    rows = release.rows_per_person
    covered = "one row per person" if rows == 1 else f"up to {rows:,} rows per person"
    return f"{covered}, as declared by whoever ran the fit"


def _unit(release: Release) -> str:
    if release.missing_person is not None:
        return "all rows of one person, however many,"
    return "one row" if release.rows_per_person == 1 else "all rows of one person"


def _method(release: Release) -> Iterator[str]:
    options = options_in_words(release)
    kinds = [kind for kind in NOISES if any(spend.noise == kind for spend in release.spends)]
    yield (
        f"Method: {release.method}{f' ({options})' if options else ''}, with discrete "
        f"{' and '.join(kind.capitalize() for kind in kinds)} noise on exact integer totals."
    )
    groups = groupby(release.spends, key=lambda spend: (spend.question, spend.share))
    parts = [
        _part(asked(question), percent(float(share)), len(list(spends)))
        for (question, share), spends in groups
    ]
    losses = " and ".join(NOISES[kind].format(loss_of(release, kind)) for kind in kinds)
    yield (
        f"Shares of the budget: {', '.join(parts)}. Total privacy loss according to OpenDP's "
        f"privacy maps: {losses}."
    )


def loss_of(release: Release, kind: NoiseKind) -> float:
    """The privacy loss of all answers with one kind of noise, in that kind's unit."""
    return sum(spend.loss for spend in release.spends if spend.noise == kind)


def _part(question: str, share: str, times: int) -> str:
    return f"{question} {share}" if times == 1 else f"{question} {times} x {share}"
