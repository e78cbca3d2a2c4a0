"""Carrying a ledger of hushmeans 0.1 over: every entry, digest and release stays as it is.

Entries of schema 1 carry no accounts. They are added up once, and the account of each dataset
becomes an entry of its own, from which debits go on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from json import loads
from typing import Any

from sqlalchemy import Connection, insert, select

from hushmeans.budget import Budget
from hushmeans.documents import canonical_json
from hushmeans.ledger.audit import RunningTotals
from hushmeans.ledger.chain import append
from hushmeans.ledger.entries import Row, broken, budget_of, digest_of
from hushmeans.ledger.names import dataset_key
from hushmeans.ledger.schema import (
    ACCOUNTS,
    ADDED_COLUMNS,
    ANSWERS,
    ENTRIES,
    FIRST_DIGEST,
    LEDGER_SCHEMA,
    SEAL,
    TABLES,
)
from hushmeans.ledger.standing import Standing


def migrate(connection: Connection, place: object) -> list[str]:
    """Bring the tables to the present schema, within the caller's transaction.

    Returns what to tell the user once that is on disk.
    """
    rows = _rows_of_schema_1(connection)
    for table in (ENTRIES, SEAL):
        connection.exec_driver_sql(f"DROP TABLE {table.name}")
    TABLES.create_all(connection, tables=[SEAL, ENTRIES, ACCOUNTS, ANSWERS])
    if rows:
        connection.execute(insert(ENTRIES), rows)
    digest = rows[-1]["digest"] if rows else FIRST_DIGEST
    connection.execute(
        insert(SEAL).values(version=LEDGER_SCHEMA, entries=len(rows), digest=digest, strict=0)
    )
    totals, by_key = RunningTotals(), defaultdict[str, list[Row]](list)
    for row in rows:
        totals.check(row)
        by_key[row["key"]].append(row)
    told = [f"the ledger {place} was upgraded from the format of hushmeans 0.1"]
    for key, standing in totals.standings.items():
        told += _open_account(connection, standing, by_key[key])
    return told


def _rows_of_schema_1(connection: Connection) -> list[dict[str, Any]]:
    """All entries with the columns of the present schema; an error if the chain is broken."""
    columns = [column for column in ENTRIES.columns if column.name not in ADDED_COLUMNS]
    found = connection.execute(select(*columns).order_by(ENTRIES.c.number)).mappings()
    rows, digest = [], FIRST_DIGEST
    for number, row in enumerate(found, start=1):
        added = {"key": dataset_key(row["dataset"]), "position": None, "account": None}
        rows.append({**row, **added})
        digest = digest_of(digest, rows[-1])
        if (row["number"], row["digest"]) != (number, digest):
            raise broken(f"entry {number} was changed, moved or removed")
    seal = connection.execute(select(SEAL.c.entries, SEAL.c.digest)).one()
    if tuple(seal) != (len(rows), digest):
        raise broken(f"{seal.entries} entries were written, but {len(rows)} are left")
    return rows


def _open_account(connection: Connection, standing: Standing, rows: Sequence[Row]) -> Iterator[str]:
    """Write the opening entry of a dataset, and say what had to be decided.

    Debits for several privacy units were added up: for the smallest unit that sum is a sound
    bound, since a guarantee for more rows covers fewer. Of several limits under several
    spellings of one name, the smallest holds.
    """
    names = {row["dataset"] for row in rows}
    units = {_unit(row) for row in rows if row["kind"] == "debit"}
    opening = replace(standing, dataset=rows[-1]["dataset"], unit=min(units, default=None))
    append(connection, "opening", opening)
    if len(units) > 1:
        yield (
            f"{opening.dataset!r} has debits for {_listed(units)} rows per person; its budget is "
            f"now for {min(units)} per person, for which the sum of the debits is a valid bound"
        )
    if len(names) > 1:
        yield f"{_listed(names)} are now one dataset: names are compared without case"
        limits = {row["dataset"]: budget_of(row) for row in rows if row["kind"] == "limit"}
        smallest = _smallest([limit for limit in limits.values() if limit is not None])
        if len(limits) > 1:
            reason = canonical_json({"reason": f"the smallest limit of {_listed(names)}"})
            append(connection, "limit", opening, budget=smallest, parameters=reason)


def _smallest(limits: Sequence[Budget]) -> Budget | None:
    if not limits:
        return None
    return Budget(min(limit.epsilon for limit in limits), min(limit.delta for limit in limits))


def _unit(row: Row) -> int:
    """The privacy unit of a debit; 1, the default, if it does not say."""
    rows = loads(row["parameters"] or "{}").get("rows_per_person", 1)
    return rows if isinstance(rows, int) else 1


def _listed(values: set[Any]) -> str:
    return " and ".join(map(repr, sorted(values)))
