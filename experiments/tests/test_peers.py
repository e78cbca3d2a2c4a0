"""Peers: kept apart, and their spending added up."""

from __future__ import annotations

import math
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hushmeans_experiments import peers
from hushmeans_experiments.peers import DIFFPRIVLIB, WORKER, PeerError, ask_peer, environment, spent

REAL = "HUSHMEANS_TEST_PEERS"
"""Set it to test with the real peer: its environment is made by pip, which takes a minute."""


def test_a_peer_gets_points_in_a_file_and_gives_back_centres(fake_python: Path) -> None:
    answer = ask_peer(
        fake_python, np.zeros((5, 3)), n_clusters=2, epsilon=1.0, seeds=[2**31, 2**32 - 1]
    )
    assert [table.shape for table in answer.centres] == [(2, 3), (2, 3)]
    assert answer.centres[0][0, 0] == 0.25
    # Two rounds, each a tenth for the size and a fifth for each of three features.
    assert answer.spent.rounds == 2
    assert answer.spent.as_declared == pytest.approx(2 * (0.1 + 3 * 0.2))
    # A record moves a sum by 1, where the scale is 10 and the range has no end.
    loss = 0.1 + math.log(2 - math.exp(-0.1))
    assert answer.spent.add_or_remove == pytest.approx(2 * (0.1 + 3 * loss))


def test_the_loss_is_the_worst_ratio_of_densities() -> None:
    scale, low, high, shift = 1.5, 0.0, 4.0, 1.0

    def density(place: float, value: float) -> float:
        ends = math.exp(-(value - low) / scale) + math.exp(-(high - value) / scale)
        return math.exp(-abs(place - value) / scale) / (2 * scale * (1 - ends / 2))

    places = np.linspace(low, high, 401)
    values = np.linspace(low, high - shift, 301)
    worst = max(
        abs(math.log(density(place, value) / density(place, value + shift)))
        for place in places
        for value in values
    )
    noise = {"n_features": 1, "size": [0.0, 1.0], "sums": [[0.7, 2.0, scale, high - low]]}
    assert spent([noise]).add_or_remove == pytest.approx(worst, rel=1e-9)


@pytest.mark.parametrize(("n_clusters", "says"), [(13, "thirteen"), (12, "the wrong shape")])
def test_a_peer_that_fails_is_told_in_one_sentence(
    fake_python: Path, n_clusters: int, says: str
) -> None:
    with pytest.raises(PeerError, match=says) as fault:
        ask_peer(fake_python, np.zeros((20, 2)), n_clusters=n_clusters, epsilon=1.0, seeds=[1])
    assert "\n" not in str(fault.value)


def test_an_answer_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    with pytest.raises(PeerError, match="cannot be read"):
        ask_peer(script, np.zeros((5, 2)), n_clusters=2, epsilon=1.0, seeds=[1])


def test_the_worker_does_not_need_hushmeans() -> None:
    text = WORKER.read_text(encoding="utf-8")
    assert not re.search(r"(from|import) hushmeans", text)


def test_an_environment_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def create(path: Path, *, with_pip: bool) -> None:
        made.append(path)
        (path / "bin").mkdir()
        (path / "bin/python").touch()

    monkeypatch.setattr("venv.create", create)
    monkeypatch.setattr(peers, "_install", lambda peer, python: None)
    first = environment(DIFFPRIVLIB, tmp_path)
    assert environment(DIFFPRIVLIB, tmp_path) == first
    assert first.exists()
    assert len(made) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_an_environment_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise subprocess.CalledProcessError(1, "pip", stderr="Noise\nERROR: no such version\n")

    monkeypatch.setattr("venv.create", lambda path, with_pip: None)
    monkeypatch.setattr(peers, "_install", fail)
    with pytest.raises(PeerError, match=r"0\.6\.6 cannot be installed: ERROR: no such version"):
        environment(DIFFPRIVLIB, tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "taken").touch()
    with pytest.raises(PeerError, match="no folder for it can be made"):
        environment(DIFFPRIVLIB, tmp_path / "taken")


@pytest.mark.skipif(REAL not in os.environ, reason=f"needs pip and a minute: set {REAL}=1")
@pytest.mark.parametrize("n_features", [2, 10, 50])
def test_the_real_peer_swaps_its_shares(
    tmp_path_factory: pytest.TempPathFactory, n_features: int
) -> None:
    python = environment(DIFFPRIVLIB, tmp_path_factory.getbasetemp() / "peers")
    points = np.random.default_rng(0).uniform(-1, 1, (1000, n_features))
    answer = ask_peer(python, points, n_clusters=3, epsilon=0.7, seeds=[1])
    # It means to give 1 to each feature and c to the size, and does the opposite.
    c = (4 * n_features * 0.225**2) ** (1 / 3)
    overspent = (1 + n_features * c) / (n_features + c)
    assert answer.spent.as_declared == pytest.approx(0.7 * overspent)
    assert answer.spent.add_or_remove < answer.spent.as_declared
