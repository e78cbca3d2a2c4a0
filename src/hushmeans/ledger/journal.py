"""The noisy answers of a fit, kept in the ledger before anybody sees them.

A fit that died is repeated under its release id: it gets the kept answers again, and noise is
drawn only for questions that have none. Proof: ``proofs/journal.md``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, insert, select

from hushmeans.documents import canonical_json
from hushmeans.errors import BudgetError
from hushmeans.ledger.address import Address
from hushmeans.ledger.audit import verify
from hushmeans.ledger.chain import account, append
from hushmeans.ledger.database import reading, writing
from hushmeans.ledger.entries import answer_digest, broken
from hushmeans.ledger.schema import ANSWERS, ENTRIES
from hushmeans.types import IntArray


@dataclass(frozen=True)
class LedgerJournal:
    """The kept answers of one release."""

    address: Address
    dataset: str
    release_id: str

    def length(self) -> int:
        """The number of kept answers; if there are any, after checking the whole ledger."""
        kept = select(ANSWERS.c.position).where(ANSWERS.c.release_id == self.release_id)
        entered = select(ENTRIES.c.number).where(
            ENTRIES.c.release_id == self.release_id, ENTRIES.c.kind == "answer"
        )
        with reading(self.address) as connection:
            length = len(connection.execute(kept).all())
            if length or connection.execute(entered).first() is not None:
                verify(connection)
            return length

    def recorded(self, position: int, question: str) -> IntArray | None:
        """The kept answer at a position; None if there is none yet.

        Raises
        ------
        BudgetError
            If another question was answered there.
        """
        with reading(self.address) as connection:
            return self._kept(connection, position, question)

    def record(self, position: int, question: str, noisy: IntArray) -> IntArray:
        """Keep an answer, on disk when this returns, and return the one to use.

        If another process has answered the question in the meantime, that is its answer, and
        this one must be forgotten.
        """
        answer = canonical_json({"shape": noisy.shape, "values": noisy.ravel().tolist()})
        with writing(self.address, create=False) as connection:
            if (earlier := self._kept(connection, position, question)) is not None:
                return earlier
            standing = account(connection, self.dataset)
            if standing is None:
                raise broken(f"the debit of {self.release_id!r} is missing")
            row = (self.release_id, position, question, answer)
            connection.execute(insert(ANSWERS).values(row))
            append(
                connection,
                "answer",
                standing,
                release_id=self.release_id,
                position=position,
                parameters=answer_digest(question, answer),
            )
        return noisy

    def _kept(self, connection: Connection, position: int, question: str) -> IntArray | None:
        found = select(ANSWERS.c.question, ANSWERS.c.noisy).where(
            ANSWERS.c.release_id == self.release_id, ANSWERS.c.position == position
        )
        row = connection.execute(found).one_or_none()
        if row is None:
            return None
        if row.question != question:
            raise BudgetError(
                f"the fit {self.release_id!r} cannot be resumed: its question {position} differs "
                "from the one that was answered; resume it with the version of hushmeans that "
                "began it, or use another release id to spend more"
            )
        content = json.loads(row.noisy)
        return np.array(content["values"], dtype=np.int64).reshape(content["shape"])
