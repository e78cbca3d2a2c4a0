"""The grants by which a PostgreSQL ledger keeps limits to its owner and fits to another role."""

from __future__ import annotations

from hushmeans.errors import InputError
from hushmeans.ledger.schema import ACCOUNTS, ANSWERS, ENTRIES, RELEASES, SEAL, TABLES

MADE_BY_FITS = ("debit", "answer", "release")
"""The kinds of entry that a fit appends."""


def grants_for(role: str) -> str:
    """SQL for the owner of a ledger: `role` may fit, and may not set limits or change entries."""
    if not role.isprintable() or not role.strip():
        raise InputError("the role's name must be printable text")
    to = 'TO "' + role.replace('"', '""') + '"'
    kinds = ", ".join(f"'{kind}'" for kind in MADE_BY_FITS)
    every = ", ".join(sorted(TABLES.tables))
    return "\n".join(
        (
            f"GRANT SELECT ON {every} {to};",
            f"GRANT INSERT ON {ENTRIES.name}, {ANSWERS.name}, {RELEASES.name} {to};",
            f"GRANT INSERT, UPDATE, DELETE ON {ACCOUNTS.name} {to};",
            f"GRANT UPDATE (entries, digest) ON {SEAL.name} {to};",
            f"ALTER TABLE {ENTRIES.name} ENABLE ROW LEVEL SECURITY;",
            f"CREATE POLICY fits_read ON {ENTRIES.name} FOR SELECT {to} USING (true);",
            f"CREATE POLICY fits_append ON {ENTRIES.name} FOR INSERT {to}",
            f"    WITH CHECK (kind IN ({kinds}));",
        )
    )
