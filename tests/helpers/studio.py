"""The studio for tests: a small table, a browser without a window, a server of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv
from starlette.testclient import TestClient

from hushmeans.ledger import Ledger
from hushmeans.ledger.address import LEDGER_VARIABLE
from hushmeans.studio.app import studio_app
from hushmeans.studio.guard import Guard
from hushmeans.studio.session import Session, Table

PORT = 8123
HERE = f"http://127.0.0.1:{PORT}"

ROWS = 3217
"""Exactly so many rows has the small table: a number that nothing may tell."""

PLANTED = "61.7320451"
"""A value of one record, in full."""

COMMAND = "from hushmeans.commands.main import main; main()"
"""The program `hushmeans`."""

BOUNDS = "[features]\nage = [0, 100]\nvisits = [0, 20]\n"


def write_table(folder: Path, rows: int = ROWS) -> Path:
    """A table in two clusters, one record of which has the planted value."""
    generator = np.random.default_rng(3)
    centres = np.array([[30.0, 5.0], [70.0, 12.0]])
    records = centres[generator.integers(2, size=rows)] + generator.normal(size=(rows, 2))
    records[0, 0] = float(PLANTED)
    file = folder / "people.csv"
    csv.write_csv(pa.table({"age": records[:, 0], "visits": records[:, 1]}), file)
    return file


@dataclass
class Visitor:
    """A browser without a window, and the session that it talks to."""

    session: Session
    client: TestClient
    seen: list[str]

    @classmethod
    def of(cls, folder: Path, schema: str | None = BOUNDS, limit: str | None = None) -> Visitor:
        """A visitor of a studio for a small table."""
        table, schema_file = write_table(folder), folder / "people.toml"
        if schema is not None:
            schema_file.write_text(schema, encoding="utf-8")
        ledger = Ledger(folder / "ledger.sqlite")
        if limit is not None:
            ledger.set_limit("people", epsilon=limit)
        columns = (("age", "number"), ("visits", "number"))
        session = Session(Table(str(table), "people.csv", "people", columns), schema_file, ledger)
        guard = Guard(studio_app(session), PORT)
        visitor = cls(session, TestClient(guard, base_url=HERE), [])
        visitor.get(f"/?token={guard.token}")
        return visitor

    def get(self, path: str = "/") -> str:
        return self._kept(self.client.get(path))

    def post(self, form: str, **fields: str) -> str:
        """The page after sending a form."""
        return self._kept(self.client.post(f"/{form}", data=fields, headers={"origin": HERE}))

    def plan(self, **fields: str) -> str:
        return self.post(
            "plan", **{"rows": "3000", "k": "2", "epsilon": "1", "delta": "0"} | fields
        )

    def spend(self, confirmation: str = "1", release_id: str | None = None) -> str:
        """The page after the fit that a confirmation starts, or does not."""
        self.post(
            "spend",
            confirmation=confirmation,
            release_id=self.session.release_id if release_id is None else release_id,
        )
        if self.session.job is not None:
            self.session.job.wait()
        return self.get()

    def _kept(self, answer: Any) -> str:
        self.seen.append(f"{answer.headers}{answer.text}")
        text: str = answer.text
        return text


@contextmanager
def served(folder: Path, file: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A studio in a process of its own: the address to open, and the process."""
    named = [] if file is None else [str(file)]
    with (
        (folder / "errors.txt").open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-c", COMMAND, "studio", *named, "--no-open"],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                LEDGER_VARIABLE: str(folder / "ledger.sqlite"),
            },
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1], process
        finally:
            process.kill()
