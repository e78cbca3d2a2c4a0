"""The privacy statement: what was done and what is promised, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from hushmeans.arguments import amount_text

if TYPE_CHECKING:
    from hushmeans.release import Release


def statement(release: Release) -> str:
    """One sentence a line, for people who will not read a proof."""
    return "\n".join(_sentences(release))


def lost_in_noise(release: Release) -> tuple[int, ...]:
    """The clusters whose size noise alone could have made."""
    pairs = zip(release.sizes, release.size_standard_errors, strict=True)
    return tuple(cluster for cluster, (size, error) in enumerate(pairs) if size < 2 * error)


def _sentences(release: Release) -> Iterator[str]:
    if release.simulated:
        yield (
            "SIMULATION: the noise came from a seed and can be subtracted again. "
            "Nothing is promised; do not publish."
        )
    epsilon, delta = amount_text(release.budget.epsilon), amount_text(release.budget.delta)
    pure = release.budget.delta == 0
    rows = release.rows_per_person
    unit, them = ("one row", "it") if rows == 1 else (f"up to {rows} rows of a person", "them")
    verb = "would be" if release.simulated else "are"
    yield (
        f"The centres and sizes of {release.n_clusters} clusters {verb} differentially private "
        f"with epsilon = {epsilon} and delta = {delta}."
    )
    yield (
        f"That protects {unit}, which is declared and cannot be checked: adding or removing "
        f"{them} changes the probability of any result by a factor of at most exp({epsilon})"
        + ("." if pure else f", except with probability {delta}.")
    )
    options = ", ".join(f"{name} = {value}" for name, value in release.method_options)
    noise = "Laplace" if pure else "Gaussian"
    yield (
        f"Method {release.method} ({options}) with discrete {noise} noise on exact integer totals."
    )
    shares = groupby(release.spends, key=lambda spend: (spend.question, spend.share))
    parts = [f"{len(list(group))} x {share} for {question}" for (question, share), group in shares]
    price = "epsilon" if pure else "rho of zero-concentrated privacy"
    total = sum(spend.loss for spend in release.spends)
    yield (
        f"Shares of the budget spent: {'; '.join(parts)}; "
        f"by OpenDP's privacy maps a total {price} of {total:.6g}."
    )
    if release.booking is not None:
        yield (
            f"Debited in a ledger from the dataset {release.booking.dataset!r}, "
            f"release id {release.booking.release_id!r}."
        )
    elif not release.simulated:
        yield "No ledger was used: what else these people's records were spent on is not counted."
    yield (
        "Standard errors cover the noise that privacy takes in the last round; they do not cover "
        "records that noise moved to another cluster, nor the choice of the clusters."
    )
    ranges = ", ".join(
        f"{release.box.label(index)} from {_plain(low)} to {_plain(high)}"
        for index, (low, high) in enumerate(zip(release.box.low, release.box.high, strict=True))
    )
    yield (
        f"Bounds, declared and not taken from the records: {ranges}. "
        "Values outside count as the border, missing values as the middle."
    )
    software = ", ".join(f"{name} {version}" for name, version in release.versions)
    yield f"Made with {software}."


def _plain(end: float) -> str:
    """Without loss, and without a decimal point where none is needed."""
    return str(int(end)) if end.is_integer() and abs(end) < 1e15 else repr(end)
