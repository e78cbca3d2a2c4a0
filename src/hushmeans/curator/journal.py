"""Where a curator may keep noisy answers, so that a fit which died can be resumed.

An answer is kept before any method sees it, together with a fingerprint of its question. Proof:
``proofs/journal.md``.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields
from typing import Any, Protocol

import numpy as np

from hushmeans.budget import NoiseKind
from hushmeans.curator.questions import Question
from hushmeans.types import IntArray


class Journal(Protocol):
    """Keeps noisy answers by their position in the fit, from 1."""

    def recorded(self, position: int, question: str) -> IntArray | None:
        """The kept answer, None if there is none; an error if it answers another question."""

    def record(self, position: int, question: str, noisy: IntArray) -> IntArray:
        """Keep an answer durably; returns it, or the one that was kept first."""


def fingerprint(question: Question, noise: NoiseKind, scale: float) -> str:
    """A digest of all that an answer depends on besides the records and the noise drawn."""
    kind: Any = type(question)
    digest = hashlib.sha256(f"{question.name} {noise} {scale!r}".encode())
    for field in fields(kind):
        value = getattr(question, field.name)
        if isinstance(value, np.ndarray):
            digest.update(f" {field.name} {value.dtype} {value.shape} ".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        else:
            digest.update(f" {field.name} {value!r}".encode())
    return digest.hexdigest()
