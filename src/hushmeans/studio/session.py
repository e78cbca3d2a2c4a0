"""One person's work in the studio: what is chosen so far, and which step is open."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

from hushmeans.budget import Budget
from hushmeans.documents import written_whole
from hushmeans.errors import HushmeansError, HushmeansWarning, InputError
from hushmeans.fitting import fit_release
from hushmeans.ledger import Ledger
from hushmeans.ledger.standing import Standing
from hushmeans.release import Release
from hushmeans.schema import Schema
from hushmeans.settings import Settings
from hushmeans.studio.form import ColumnForm, filled_from, schema_of
from hushmeans.studio.job import Job, Progress
from hushmeans.studio.planning import Outlook, Plan

DEFAULT_PLAN = {"rows": "", "k": "5", "epsilon": "1", "delta": "0"}


@dataclass(frozen=True)
class Table:
    """The table on the command line: what its container declares, and no value.

    Attributes
    ----------
    place
        Where the records are, for `fit`.
    label
        What to call it.
    dataset
        Its name in the ledger.
    columns
        The name of each column with its declared type, in a word.
    """

    place: Any = field(repr=False)
    label: str
    dataset: str
    columns: tuple[tuple[str, str], ...]


class Session:
    """The state behind the page.

    Parameters
    ----------
    table
        The table to publish clusters of.
    schema_file
        Where the schema is kept, as TOML.
    ledger
        The ledger that a fit debits.
    """

    def __init__(self, table: Table, schema_file: Path, ledger: Ledger) -> None:
        self.table, self.schema_file, self.ledger = table, schema_file, ledger
        self.lock = RLock()
        self.schema: Schema | None = None
        self.problems: Mapping[str, str] = {}
        self.person: str | None = None
        self.rows_per_person = "1"
        self.columns = [ColumnForm(name, declared) for name, declared in table.columns]
        self.filled_plan = dict(DEFAULT_PLAN)
        self.plan: Plan | None = None
        self.plan_problem: str | None = None
        self.spend_problem: str | None = None
        self.job: Job | None = None
        self.release_id = new_id()
        if schema_file.exists():
            self.take(Schema(schema_file))

    def take(self, schema: Schema) -> None:
        """Fill the form from a schema."""
        filled = filled_from(schema)
        self.columns = [
            ColumnForm(each.name, each.declared, filled.get(each.name, {})) for each in self.columns
        ]
        self.person, self.rows_per_person = schema.person, str(schema.rows_per_person)
        self._judge()

    def declare(self, form: Mapping[str, str]) -> None:
        """What the form about public knowledge says now; a sound schema is saved."""
        self.columns = [
            ColumnForm(each.name, each.declared, _fields_of(form, number))
            for number, each in enumerate(self.columns)
        ]
        self.person = form.get("person") or None
        self.rows_per_person = form.get("rows_per_person", "1").strip() or "1"
        self._judge()
        if self.schema is not None:
            with written_whole(self.schema_file) as beside:
                beside.write_text(self.schema.to_toml(), encoding="utf-8")

    def _judge(self) -> None:
        self.schema, self.problems = None, {}
        try:
            rows = int(self.rows_per_person)
        except ValueError:
            self.problems = {"person": "The number of rows per person must be a whole number."}
            return
        self.schema, self.problems = schema_of(self.columns, self.person, rows)

    def make_plan(self, form: Mapping[str, str]) -> None:
        """What the form of the plan says now."""
        self.filled_plan = {name: form.get(name, "").strip() for name in DEFAULT_PLAN}
        self.plan, self.plan_problem = None, None
        try:
            plan = plan_of(self.filled_plan)
            Outlook.of(self._sound_schema(), plan)
        except HushmeansError as error:
            self.plan_problem = str(error)
        else:
            self.plan = plan

    @property
    def outlook(self) -> Outlook | None:
        """What the plan would give; None until there is one."""
        if self.plan is None or self.schema is None:
            return None
        return Outlook.of(self.schema, self.plan)

    @property
    def standing(self) -> Standing | None:
        """The dataset's account; None if the ledger does not know it."""
        try:
            return self.ledger.standing(self.table.dataset)
        except HushmeansError:
            return None

    @property
    def refusal(self) -> str | None:
        """Why the ledger would refuse the plan; None if it would not."""
        if self.plan is None or self.schema is None:
            return None
        settings = self.plan.settings(self.schema)
        standing = self.standing or Standing(self.table.dataset)
        try:
            standing.check_debit(settings.budget, settings.rows_per_person, None)
        except HushmeansError as error:
            return str(error)
        return None

    def spend(self, form: Mapping[str, str]) -> None:
        """Start the fit, once for each release id, if the budget was typed to confirm it."""
        if self.job is not None or form.get("release_id") != self.release_id:
            return
        self.spend_problem = None
        if self.plan is None or self.schema is None:
            self.spend_problem = "Finish the steps above first."
        elif not _confirms(form.get("confirmation", ""), self.plan):
            self.spend_problem = (
                f"To confirm, type the budget that will be spent: {self.plan.epsilon}"
            )
        else:
            settings = self.plan.settings(self.schema)
            self.job = Job(partial(self._fit, self.schema, settings, self.release_id))

    def _fit(self, schema: Schema, settings: Settings, release_id: str, watch: Any) -> Release:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HushmeansWarning)  # the page says the same
            return fit_release(
                self.table.place,
                settings,
                schema=schema,
                watch=watch,
                ledger=self.ledger,
                dataset=self.table.dataset,
                release_id=release_id,
            )

    @property
    def progress(self) -> Progress | None:
        """How far the fit has come; None before it was started."""
        return None if self.job is None else self.job.progress

    def start_over(self) -> None:
        """A new release, once the present fit has ended."""
        if self.progress is not None and not self.progress.running:
            self.job, self.release_id = None, new_id()

    def unfinished(self) -> tuple[str, ...]:
        """The ids of fits that were paid for and whose release is not in the ledger."""
        try:
            entries = self.ledger.history(self.table.dataset)
        except HushmeansError:
            return ()
        stored = {entry.release_id for entry in entries if entry.kind == "release"}
        paid = [entry.release_id for entry in entries if entry.kind == "debit"]
        here = self.release_id if self.job is not None else None
        return tuple(each for each in paid if each and each not in stored and each != here)

    def resume(self, release_id: str) -> None:
        """Let the next fit finish one that was paid for earlier."""
        if self.job is None and release_id in self.unfinished():
            self.release_id = release_id

    def _sound_schema(self) -> Schema:
        if self.schema is None:
            raise InputError("first say what is public about the table")
        return self.schema


def plan_of(filled: Mapping[str, str]) -> Plan:
    """The plan that the fields of a form declare."""
    for name, words in (("rows", "roughly how many rows there are"), ("k", "how many clusters")):
        if not filled[name].replace(",", "").isdigit():
            raise InputError(f"say {words}, as a whole number")
    rows, k = (int(filled[name].replace(",", "")) for name in ("rows", "k"))
    Budget.of(filled["epsilon"], filled["delta"] or "0")
    return Plan(rows, k, filled["epsilon"], filled["delta"] or "0")


def new_id() -> str:
    """An id for a release that nobody has used."""
    return secrets.token_hex(8)


def _fields_of(form: Mapping[str, str], number: int) -> dict[str, str]:
    """The fields of one column."""
    end = f"-{number}"
    return {name.removesuffix(end): value for name, value in form.items() if name.endswith(end)}


def _confirms(typed: str, plan: Plan) -> bool:
    try:
        return Budget.of(typed.strip(), 0).epsilon == Budget.of(plan.epsilon, 0).epsilon
    except HushmeansError:
        return False
