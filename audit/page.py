"""The results of the full audit as a page of Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.bounds import ALARM
from audit.broken import Variant
from audit.plan import Claim
from audit.running import Caught, Finding
from audit.targets import WholeFit
from hushmeans.budget import Budget

TITLES = {
    "mechanism": "Noise alone: `Mechanism.add_noise`",
    "round": "One round: `Curator.ask`, one question for the whole budget",
    "fit": "End to end: `DPKMeans.fit`",
}

HEAD = f"""# The audit

Does hushmeans keep its guarantee? `make audit` measures it with real noise and writes this page. A
short form is part of `make test`.

The attacker knows all records but one, the settings and the method, and sees the result. Each
claim is run many times on two neighbouring tables, which differ by that one record. Half of the
runs choose one event for each direction (more likely with the record, more likely without) among
many statistics, sides and thresholds: the likelihood ratio under the claimed noise, single values,
sums, the lowest bits, and what a linear classifier learns. The other half are used for counting.
If an event has probability p on one table and q on the other, then ε ≥ log((p - δ)/q). Exact
(Clopper-Pearson) limits of p and q turn that into a lower bound on the true ε. Choosing and
counting use different runs, so the number of statistics tried does not matter; the two directions
and the two limits share the error rate. If a guarantee holds, its lower bound exceeds the claim
with probability at most {ALARM:g}.

A bound near the claim means that the claim is tight, so a breach would show. A bound near 0 means
that this many runs cannot tell whether the record is there. `release_` is what a fit publishes.
*All answers* is everything that crosses the trust boundary during the fit, from which the release
is made, so its bound is on the composition of all rounds.

The claimed ε is large enough for a bound to be informative and small enough for a breach to show:
n counted runs prove at most about log(n/15), which is 4.9 for 2,000, even if a record lies open.
By default the paper's methods share their budget among 12 rounds. So many small losses partly
cancel, and a release shows little more than the last round: most of the budget is invisible there
to anyone. With as few rounds as a method allows, more is visible. A row whose bound is far below
its claim would not reveal a small breach, such as noise of half the scale; the rows with 12 rounds
of Laplace noise are of this kind. One answer about the only record, or all answers of a fit with
one round, would reveal it.

With δ > 0 the noise is mostly Gaussian, and an event that shows its ε at δ = 1e-6 happens less than
once in a million runs. Where all noise is Gaussian, a second bound takes that for granted, bounds
its scale (μ = sensitivity / standard deviation is at least Φ⁻¹(p) - Φ⁻¹(q)), and states the ε that
noise of that scale amounts to. `refined` chooses Laplace noise for some answers, or for all if
there are few features; that bound says nothing of such noise and is left out.
"""

CAUGHT = """## The audit can fail

Variants from `audit/broken.py` that claim ε and break it. Each is run 64 times on each table, then
128 times, and so on with new runs, until the bound exceeds the claim.

| what is wrong | claimed ε | δ | lower bound | runs on each table | detected by |
|---|--:|--:|--:|--:|---|
"""


@dataclass(frozen=True)
class Audited:
    """A claim, what was found of it in one view, and how long its runs took."""

    claim: Claim
    view: str
    finding: Finding
    seconds: float


def page(
    audits: Sequence[Audited],
    caught: Sequence[tuple[Variant, Caught | None]],
    part: float = 1.0,
) -> str:
    """The whole page."""
    sections = [HEAD, _summary(audits, caught, part)]
    for level, title in TITLES.items():
        chosen = [audit for audit in audits if audit.claim.level == level]
        glance = _glance(chosen) if level == "fit" else ""
        sections.append(f"## {title}\n\n{glance}{_table(chosen)}")
    rows = "\n".join(_caught_row(variant, found) for variant, found in caught)
    return "\n".join([*sections, f"{CAUGHT}{rows}", ""])


def _summary(
    audits: Sequence[Audited], caught: Sequence[tuple[Variant, Caught | None]], part: float
) -> str:
    claims = {id(audit.claim): audit for audit in audits}.values()
    runs = sum(2 * audit.claim.runs for audit in claims)
    fits = sum(2 * audit.claim.runs for audit in claims if audit.claim.level == "fit")
    minutes = sum(audit.seconds for audit in claims) / 60
    broken = sum(audit.finding.broken for audit in audits)
    found = sum(each is not None for _, each in caught)
    return (
        f"**{broken} of {len(audits)} bounds exceed the claim; {found} of {len(caught)} broken "
        f"variants are caught.** {runs:,} runs, {fits:,} of them whole fits, in {minutes:.0f} "
        f"minutes: {'all' if part == 1 else f'{part:.0%}'} of the planned runs.\n"
    )


def _glance(audits: Sequence[Audited]) -> str:
    """For each method and noise, the fits and the highest bounds."""
    head = (
        "The highest bound of each method over all its rows below; with δ > 0, the higher of the\n"
        "two bounds.\n\n"
        "| method | claimed ε | δ | fits | on `release_` | on all answers |\n"
        "|---|--:|--:|--:|--:|--:|\n"
    )
    groups: dict[tuple[str, Budget], list[Audited]] = {}
    for audit in audits:
        if isinstance(target := audit.claim.target, WholeFit):
            groups.setdefault((target.method, target.budget), []).append(audit)
    rows = (_glance_row(*about, group) for about, group in groups.items())
    return head + "\n".join(rows) + "\n\n"


def _glance_row(method: str, budget: Budget, audits: Sequence[Audited]) -> str:
    runs = {id(audit.claim): 2 * audit.claim.runs for audit in audits}
    cells = (
        method,
        f"{float(budget.epsilon):g}",
        f"{float(budget.delta):g}",
        f"{sum(runs.values()):,}",
        _highest(audits, "release_"),
        _highest(audits, "all answers"),
    )
    return f"| {' | '.join(cells)} |"


def _highest(audits: Sequence[Audited], view: str) -> str:
    bounds = (audit.finding.tightest.value for audit in audits if audit.view == view)
    return f"{max(bounds, default=0.0):.2f}"


def _table(audits: Sequence[Audited]) -> str:
    head = (
        "| what | the record | seen | claimed ε | δ | lower bound | if Gaussian | runs | seconds "
        "| detected by |\n|---|---|---|--:|--:|--:|--:|--:|--:|---|\n"
    )
    return head + "\n".join(_row(audit) for audit in audits) + "\n"


def _row(audit: Audited) -> str:
    finding = audit.finding
    gaussian = "" if finding.gaussian is None else f"{finding.gaussian.value:.2f}"
    cells = (
        audit.claim.what,
        audit.claim.record,
        f"`{audit.view}`" if audit.view != "all answers" else audit.view,
        f"{float(finding.budget.epsilon):g}",
        f"{float(finding.budget.delta):g}",
        f"{finding.bound.value:.2f}",
        gaussian,
        f"{2 * audit.claim.runs:,}",
        f"{audit.seconds:.0f}",
        finding.tightest.told_by if finding.tightest.value > 0 else "",
    )
    return f"| {' | '.join(cells)} |"


def _caught_row(variant: Variant, caught: Caught | None) -> str:
    budget = variant.target.budget
    claim = f"| {variant.name} | {float(budget.epsilon):g} | {float(budget.delta):g} |"
    if caught is None:
        return f"{claim} | **not caught** | |"
    bound = caught.finding.tightest
    return f"{claim} {bound.value:.2f} | {caught.runs:,} | {bound.told_by} |"
