"""Other people's private k-means, run in environments of their own, and what they really spend.

A peer's pins clash with ours, so it gets a virtual environment, made when it is first needed and
kept. It is handed the points in a file and gives back centres.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import numpy as np

from hushmeans.errors import HushmeansError
from hushmeans.types import FloatArray
from hushmeans_experiments import peer_worker

WORKER = Path(peer_worker.__file__)
LONGEST_INSTALL = 900
"""Seconds after which pip is given up."""


class PeerError(HushmeansError):
    """A peer cannot be installed, or fails."""


@dataclass(frozen=True)
class Peer:
    """A package to compare with.

    Attributes
    ----------
    requirements
        Versions that work together, found by trying; the newest scikit-learn is too new.
    """

    name: str
    requirements: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of the peer as a method."""
        return self.requirements[0].replace("==", " ")


DIFFPRIVLIB = Peer(
    "diffprivlib",
    (
        "diffprivlib==0.6.6",
        "scikit-learn==1.6.1",
        "numpy==2.2.6",
        "scipy==1.15.3",
        "joblib==1.4.2",
        "threadpoolctl==3.5.0",
    ),
)
PEERS: Mapping[str, Peer] = {peer.label: peer for peer in (DIFFPRIVLIB,)}


@dataclass(frozen=True)
class Spent:
    """What a fit spends, summed over its rounds.

    A record touches one cluster a round, so a round costs its dearest cluster. A cluster that
    diffprivlib finds empty gets no noise at all, so that strictly no epsilon holds; these are
    the sums over the noise it does draw.

    Attributes
    ----------
    rounds
        How many rounds the fit had.
    as_declared
        With the sensitivities that the peer declares itself, which are those of replacing a
        record within its cluster.
    add_or_remove
        For what is protected here: one record added or removed, points in the unit box.
        Replacing a record by one of another cluster costs twice this.
    """

    rounds: int
    as_declared: float
    add_or_remove: float


@dataclass(frozen=True)
class Answer:
    """What a peer's worker gives back: centres in the unit box, a table per run."""

    centres: tuple[FloatArray, ...]
    spent: Spent


def environment(peer: Peer, folder: Path) -> Path:
    """The Python of a peer's environment, which is made if it is not there yet.

    Raises
    ------
    PeerError
        Where it cannot be made; nothing half-made is left.
    """
    home = folder / "-".join(peer.requirements).replace("==", "-")
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if python.exists():
        return python
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Made beside and renamed: only what is complete has the name that is looked for.
        beside = Path(mkdtemp(prefix=".making-", dir=folder))
    except OSError as error:
        raise PeerError(f"{peer.label}: no folder for it can be made: {error.strerror}") from None
    try:
        venv.create(beside, with_pip=True)
        _install(peer, beside / python.relative_to(home))
        beside.rename(home)
    except (OSError, subprocess.SubprocessError) as error:
        if not python.exists():  # else somebody was faster
            raise PeerError(f"{peer.label} cannot be installed: {_reason(error)}") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return python


def ask_peer(
    python: Path, points: FloatArray, *, n_clusters: int, epsilon: float, seeds: Sequence[int]
) -> Answer:
    """Run a peer once for every seed."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "points.npy"
        np.save(path, points)
        settings = {
            "points": str(path),
            "n_clusters": n_clusters,
            "epsilon": epsilon,
            "seeds": list(seeds),
        }
        done = subprocess.run(  # noqa: S603  (the peer's own Python, and our script)
            [python, "-I", WORKER], input=json.dumps(settings), capture_output=True, text=True
        )
    if done.returncode:
        raise PeerError(f"the peer failed: {_last_line(done.stderr)}")
    try:
        answer = json.loads(done.stdout)
        centres = tuple(np.array(table, dtype=np.float64) for table in answer["centres"])
        found = Answer(centres, spent(answer["rounds"]))
    except (ValueError, KeyError, TypeError):
        raise PeerError("the peer's answer cannot be read") from None
    expected = (n_clusters, points.shape[1])
    if len(centres) != len(seeds) or any(table.shape != expected for table in centres):
        raise PeerError("the peer's answer has the wrong shape")
    return found


def spent(rounds: Sequence[Mapping[str, Any]]) -> Spent:
    """What the noise that a worker noted costs."""
    declared = removed = 0.0
    for each in rounds:
        size_epsilon, size_sensitivity = each["size"]
        costs = [(epsilon, _loss(1.0, scale, width)) for epsilon, _, scale, width in each["sums"]]
        # Sums come cluster by cluster, a feature at a time, all with the same epsilon.
        n_features = each["n_features"]
        clusters = [costs[i : i + n_features] for i in range(0, len(costs), n_features)]
        declared += size_epsilon
        declared += max((sum(own for own, _ in one) for one in clusters), default=0.0)
        removed += size_epsilon / size_sensitivity
        removed += max((sum(loss for _, loss in one) for one in clusters), default=0.0)
    return Spent(len(rounds), declared, removed)


def _loss(shift: float, scale: float, width: float) -> float:
    """What moving a value by `shift` costs, with Laplace noise redrawn until it is in range.

    At the end of the range half of the noise is redrawn, further inside less: the densities
    differ by this too, beside the usual shift / scale.
    """
    shift = min(shift, width)
    kept = 2 - math.exp(-shift / scale) - math.exp(-(width - shift) / scale)
    return shift / scale + math.log(kept / (1 - math.exp(-width / scale)))


def _install(peer: Peer, python: Path) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run(  # noqa: S603  (pip of an environment made a moment ago, fixed versions)
        [*command, *peer.requirements],
        check=True,
        capture_output=True,
        text=True,
        timeout=LONGEST_INSTALL,
    )


def _reason(error: OSError | subprocess.SubprocessError) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return _last_line(error.stderr)
    if isinstance(error, subprocess.TimeoutExpired):
        return "pip took too long"
    return getattr(error, "strerror", None) or type(error).__name__


def _last_line(text: str | None) -> str:
    lines = (text or "").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
