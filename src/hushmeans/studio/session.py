"""One person's work in the studio: what is chosen so far, and which step is open."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

from hushmeans.budget import Budget
from hushmeans.documents import write_text_file
from hushmeans.errors import HushmeansError, HushmeansWarning, InputError
from hushmeans.fitting import fit_release
from hushmeans.ledger import Ledger
from hushmeans.release import Release
from hushmeans.schema import Schema
from hushmeans.schema.declaring import filled_in, is_draft
from hushmeans.settings import Settings
from hushmeans.studio.account import AccountView, Unfinished, unfinished_fits
from hushmeans.studio.form import ColumnForm, filled_from, schema_in
from hushmeans.studio.job import Job, Progress
from hushmeans.studio.planning import FitPlan, Outlook

DEFAULT_PLAN = {"rows": "", "k": "5", "epsilon": "1", "delta": "0"}

DEFAULT_PERSON = {"person": "", "rows_per_person": "1", "missing_person": "drop"}

USED_FORM = "This form was already sent, and nothing more was spent. Confirm again if you want to."


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
    rows
        A public figure of how many rows there are, if one is known.
    """

    place: Any = field(repr=False)
    label: str
    dataset: str
    columns: tuple[tuple[str, str], ...]
    rows: str = ""


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
        self.columns = [ColumnForm.blank(name, declared) for name, declared in table.columns]
        self.person = dict(DEFAULT_PERSON)
        self.schema: Schema | None = None
        self.problems: Mapping[str, str] = {}
        self.filled_plan = {**DEFAULT_PLAN, "rows": table.rows}
        self.plan: FitPlan | None = None
        self.plan_problem: str | None = None
        self.spend_problem: str | None = None
        self.job: Job | None = None
        self.release_id = new_id()
        if schema_file.exists():
            self._take(schema_file)

    def _take(self, file: Path) -> None:
        """Fill the form from a schema file; what is wrong with it becomes a problem."""
        try:
            schema = Schema(file)
            schema.box(names=[name for name, _ in self.table.columns])
        except HushmeansError as error:
            self.problems = {"": str(error).removeprefix(f"{file}: ")}
            with suppress(HushmeansError):
                drafted = filled_from(Schema(filled_in(file))) if is_draft(file) else {}
                self._fill(
                    {each.name: drafted.get(each.name, each.filled) for each in self.columns}
                )
            return
        self._fill(filled_from(schema))
        self.person = {
            "person": schema.person or "",
            "rows_per_person": str(schema.rows_per_person),
            "missing_person": schema.missing_person,
        }
        self._judge()

    def _fill(self, filled: Mapping[str, Mapping[str, str]]) -> None:
        self.columns = [
            ColumnForm(each.name, each.declared, filled.get(each.name, {})) for each in self.columns
        ]

    def declare(self, form: Mapping[str, str]) -> None:
        """What the form about public knowledge says now; a sound schema is saved."""
        if self.job is not None:
            return
        self.columns = [
            ColumnForm(each.name, each.declared, _fields_of(form, number))
            for number, each in enumerate(self.columns)
        ]
        self.person = {
            name: form.get(name, "").strip() or usual for name, usual in DEFAULT_PERSON.items()
        }
        self._judge()
        if self.schema is None:
            return
        try:
            write_text_file(self.schema_file, self.schema.to_toml())
        except HushmeansError as error:
            self.schema, self.problems = None, {"": str(error)}
        if self.plan is not None:
            self._replan()

    def _judge(self) -> None:
        self.schema = None
        person, rows = self.person["person"], self.person["rows_per_person"]
        if not rows.isdecimal():
            self.problems = {"person": "the number of rows per person must be a whole number"}
        elif person and person not in dict(self.table.columns):
            self.problems = {"person": f"the table has no column {person!r}; choose another"}
        else:
            about = (person or None, int(rows), self.person["missing_person"])
            self.schema, self.problems = schema_in(self.columns, *about)

    def make_plan(self, form: Mapping[str, str]) -> None:
        """What the form of the plan says now."""
        if self.job is not None:
            return
        self.filled_plan = {name: form.get(name, "").strip() for name in DEFAULT_PLAN}
        self.spend_problem = None
        self._replan()

    def _replan(self) -> None:
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
    def settings(self) -> Settings | None:
        """The settings of the planned fit; None without a sound plan."""
        if self.plan is None or self.schema is None:
            return None
        return self.plan.settings(self.schema)

    @property
    def account(self) -> AccountView:
        """What the ledger holds for the dataset, before and after the plan."""
        about = (self.ledger, self.table.dataset, self.settings, self.schema)
        return AccountView.of(*about, paid=self.resumed is not None or self.job is not None)

    def spend(self, form: Mapping[str, str]) -> None:
        """Start the fit, once for each release id, if the budget was typed to confirm it."""
        if self.job is not None:
            return
        if form.get("release_id") != self.release_id:
            self.spend_problem = USED_FORM
            return
        self.spend_problem, settings = None, self.settings
        if self.plan is None or self.schema is None or settings is None:
            self.spend_problem = "Finish the steps above first."
        elif (refusal := self.account.refusal) is not None:
            self.spend_problem = refusal
        elif not _confirms(form.get("confirmation", ""), self.plan):
            self.spend_problem = (
                f"Nothing was spent. To confirm, type the budget: {self.plan.epsilon}"
            )
        else:
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

    @property
    def release(self) -> Release | None:
        """The result of the fit; None until there is one."""
        return None if self.progress is None else self.progress.release

    def start_over(self) -> None:
        """Back to the plan, for a new release, unless a fit is running."""
        if self.progress is None or not self.progress.running:
            self.job, self.release_id, self.spend_problem = None, new_id(), None

    @property
    def unfinished(self) -> tuple[Unfinished, ...]:
        """Fits that were paid for and did not finish, apart from one that is running here."""
        if self.progress is not None and self.progress.running:
            return ()
        return unfinished_fits(self.ledger, self.table.dataset)

    @property
    def resumed(self) -> Unfinished | None:
        """The fit that was paid for and is going to be finished; None for a new one."""
        found = (each for each in self.unfinished if each.release_id == self.release_id)
        return next(found, None)

    def resume(self, form: Mapping[str, str]) -> None:
        """Let the next fit finish one that was paid for earlier, with what it was asked for."""
        if self.progress is not None and self.progress.running:
            return
        for each in self.unfinished:
            if each.release_id == form.get("release_id"):
                self.job, self.release_id, self.spend_problem = None, each.release_id, None
                asked = {"k": each.k, "epsilon": each.epsilon, "delta": each.delta}
                rows = self.filled_plan["rows"] or form.get("rows", "") or DEFAULT_ROWS
                self.filled_plan = {**asked, "rows": rows}
                self._replan()

    def _sound_schema(self) -> Schema:
        if self.schema is None:
            raise InputError("first declare what is public about the table")
        return self.schema


DEFAULT_ROWS = "10000"
"""For the forecast of a fit that is resumed, whose budget is spent whatever it says."""


def check_replaceable(file: Path, columns: Sequence[str]) -> None:
    """Raise an error unless the studio may replace a file: a schema for the table, or a draft.

    A mistyped name would otherwise cost a table, a release or the schema of another table.
    """
    if not file.exists():
        return
    refusal = "name another file with --schema, which the studio creates"
    if file.suffix.lower() == ".json":
        raise InputError(f"{file}: the studio writes TOML; {refusal}")
    try:
        if not is_draft(file):
            Schema(file).box(names=columns)
    except HushmeansError as error:
        raise InputError(f"{error}; or {refusal}") from None


def plan_of(filled: Mapping[str, str]) -> FitPlan:
    """The plan that the fields of a form declare."""
    for name, words in (("rows", "roughly how many rows there are"), ("k", "how many clusters")):
        if not filled[name].replace(",", "").isdecimal():
            raise InputError(f"enter {words}, as a whole number")
    rows, k = (int(filled[name].replace(",", "")) for name in ("rows", "k"))
    Budget.of(filled["epsilon"], filled["delta"] or "0")
    return FitPlan(rows, k, filled["epsilon"], filled["delta"] or "0")


def new_id() -> str:
    """An id for a release that nobody has used."""
    return secrets.token_hex(8)


def _fields_of(form: Mapping[str, str], number: int) -> dict[str, str]:
    """The fields of one column."""
    end = f"-{number}"
    return {name.removesuffix(end): value for name, value in form.items() if name.endswith(end)}


def _confirms(typed: str, plan: FitPlan) -> bool:
    try:
        return Budget.of(typed.strip(), 0).epsilon == Budget.of(plan.epsilon, 0).epsilon
    except HushmeansError:
        return False
