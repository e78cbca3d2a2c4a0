"""What one takes away from the studio: the release, its report, and how to do it again."""

from __future__ import annotations

import hashlib
from shlex import join
from typing import Any

from hushmeans.release import Release
from hushmeans.report import LoadedRelease, Report, report_page
from hushmeans.studio.planning import Plan

RELEASE_FILE = "release.json"


def report_on(release: Release, file: str = RELEASE_FILE) -> str:
    """The HTML report of a release."""
    digest = hashlib.sha256(release.to_json().encode()).hexdigest()
    return report_page(Report.of(LoadedRelease(release, file, digest)))


def command(place: Any, schema_file: str, plan: Plan, dataset: str, release_id: str) -> str:
    """The command line that asks for the same release."""
    parts = ["hushmeans", "fit", str(place), "--schema", schema_file, "--k", str(plan.k)]
    parts += ["--epsilon", plan.epsilon]
    if plan.delta not in ("", "0"):
        parts += ["--delta", plan.delta]
    parts += ["--dataset", dataset, "--release-id", release_id, "--out", RELEASE_FILE]
    return join(parts)


def script(place: Any, schema_file: str, plan: Plan, dataset: str, release_id: str) -> str:
    """A Python program that asks for the same release and saves it."""
    delta = "" if plan.delta in ("", "0") else f"\n    delta={plan.delta!r},"
    return f'''"""Cluster {dataset} with differential privacy.

The release id makes this the same release as before: it is read from the ledger, and nothing more
is spent. Leave it out for a new release, which spends the budget again.
"""

from hushmeans import DPKMeans, Ledger

model = DPKMeans(
    n_clusters={plan.k},
    epsilon={plan.epsilon!r},{delta}
    schema={schema_file!r},
    ledger=Ledger(),
    dataset={dataset!r},
    release_id={release_id!r},
)
model.fit({str(place)!r})
print(model.release_.statement())
model.release_.save({RELEASE_FILE!r})
'''
