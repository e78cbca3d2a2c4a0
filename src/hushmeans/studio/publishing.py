"""What one takes away from the studio: the release, its report, and how to do it again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from os.path import abspath
from pprint import pformat
from shlex import join
from typing import Any

from hushmeans.ledger import Ledger
from hushmeans.release import Release
from hushmeans.report import LoadedRelease, Report, report_page
from hushmeans.schema import CSV, Schema
from hushmeans.schema.declaring import written
from hushmeans.studio.planning import FitPlan

RELEASE_FILE = "release.json"


def report_on(release: Release, file: str = RELEASE_FILE) -> str:
    """The HTML report of a release."""
    digest = hashlib.sha256(release.to_json().encode()).hexdigest()
    return report_page(Report.of(LoadedRelease(release, file, digest)))


@dataclass(frozen=True)
class Recipe:
    """How to ask for a release again: the same id gives the same release, and spends nothing."""

    place: Any
    schema_file: str
    schema: Schema
    plan: FitPlan
    ledger: Ledger
    dataset: str
    release_id: str

    def command(self) -> str:
        """The command line."""
        plan = self.plan
        parts = ["hushmeans", "fit", *self._file, "--schema", abspath(self.schema_file)]
        parts += ["--k", str(plan.k), "--epsilon", plan.epsilon]
        if plan.delta != "0":
            parts += ["--delta", plan.delta]
        parts += ["--dataset", self.dataset, "--ledger", self._ledger_place]
        return join([*parts, "--release-id", self.release_id, "--out", RELEASE_FILE]) + "\n"

    def script(self) -> str:
        """A Python program."""
        plan, delta = self.plan, ""
        names, place = "DPKMeans, Ledger, Schema", self.place
        if plan.delta != "0":
            delta = f"\n    delta={plan.delta!r},"
        if isinstance(self.place, CSV):
            names = f"CSV, {names}"
            place = replace(self.place, path=_absolute(self.place.path))
        else:
            place = _absolute(place)
        return f'''"""Cluster a dataset with differential privacy.

The release id makes this the same release as before: it is read from the ledger, and nothing more
is spent. Remove the line to make a new release, which spends the budget again.
"""

from hushmeans import {names}

schema = Schema(
    {_indented(self.schema)},{self._unit}
)
model = DPKMeans(
    n_clusters={plan.k},
    epsilon={plan.epsilon!r},{delta}
    schema=schema,
    ledger=Ledger({self._ledger_place!r}),
    dataset={self.dataset!r},
    release_id={self.release_id!r},
)
model.fit({place!r})
print(model.release_.statement())
model.release_.save({RELEASE_FILE!r})
'''

    @property
    def _file(self) -> list[str]:
        """The table on the command line."""
        if not isinstance(self.place, CSV):
            return [_absolute(self.place)]
        place = self.place
        options = ["--delimiter", place.delimiter, "--encoding", place.encoding]
        return [_absolute(place.path), *options]

    @property
    def _ledger_place(self) -> str:
        """The ledger's place, without a password."""
        address = self.ledger.address.without_password()
        return str(address.file) if address.url is None else str(address.url)

    @property
    def _unit(self) -> str:
        """The privacy unit, as further arguments of the schema."""
        schema = self.schema
        unit = "" if schema.person is None else f"\n    person={schema.person!r},"
        if schema.rows_per_person != 1:
            unit += f"\n    rows_per_person={schema.rows_per_person},"
        if schema.missing_person != "drop":
            unit += f"\n    missing_person={schema.missing_person!r},"
        return unit


def _indented(schema: Schema) -> str:
    features = {name: written(kind) for name, kind in schema.features.items()}
    text = pformat(features, width=92, sort_dicts=False)
    return text.replace("\n", "\n    ")


def _absolute(place: Any) -> str:
    return str(place) if "://" in str(place) else abspath(place)
