"""The way through the studio, by requests alone: what opens, what is spent, what is told."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from helpers.studio import COMMAND, PLANTED, ROWS, Visitor
from hushmeans import Ledger, Release, Schema
from hushmeans.budget import Budget
from hushmeans.curator.watching import Watch


@pytest.fixture
def visitor(tmp_path: Path) -> Visitor:
    return Visitor.of(tmp_path)


def spent(visitor: Visitor) -> Fraction:
    return visitor.session.ledger.standing("people").spent.epsilon


def closed(page: str) -> list[str]:
    return re.findall(r'<section id="(\w+)" class="step closed"', page)


def test_a_step_opens_when_the_one_before_is_sound(tmp_path: Path) -> None:
    visitor = Visitor.of(tmp_path, schema=None)
    assert closed(visitor.get()) == ["plan", "budget", "spend", "publish"]
    declared = {f"{name}-{n}": value for n in (0, 1) for name, value in NUMBER.items()}
    assert closed(visitor.post("public", **declared)) == ["budget", "spend", "publish"]
    assert closed(visitor.plan()) == ["publish"]
    assert closed(visitor.spend()) == []


NUMBER = {"kind": "number", "low": "0", "high": "100"}


def test_a_sound_form_is_saved_as_a_schema_file(tmp_path: Path) -> None:
    visitor = Visitor.of(tmp_path, schema=None)
    about = {"rows_per_person": "2", "person": "visits", "missing_person": "own"}
    visitor.post("public", **{f"{name}-0": value for name, value in NUMBER.items()}, **about)
    assert Schema(tmp_path / "people.toml") == Schema(
        {"age": (0, 100)}, person="visits", rows_per_person=2, missing_person="own"
    )


def test_problems_stand_beside_their_column_and_close_what_follows(visitor: Visitor) -> None:
    page = visitor.post("public", **{"kind-0": "number", "low-0": "5", "high-0": "1"})
    assert "the lower limit must be below the upper one" in page
    assert closed(page)[0] == "plan"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ('[features]\nage = ["...", "..."]\n', "draft with blanks"),
        ("[features]\nheight = [0, 3]\n", "which the data does not have"),
        ("age = [", "cannot parse the schema file"),
    ],
)
def test_a_schema_file_with_a_problem_is_said_to_have_one(
    tmp_path: Path, schema: str, words: str
) -> None:
    assert words in Visitor.of(tmp_path, schema).get()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rows": "many"}, "enter roughly how many rows there are"),
        ({"rows": "1"}, "must be at least the number of clusters"),
        ({"epsilon": "-1"}, "epsilon"),
        ({"delta": "2"}, "delta"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(
    visitor: Visitor, fields: dict[str, str], words: str
) -> None:
    page = visitor.plan(**fields)
    assert words in page
    assert closed(page) == ["budget", "spend", "publish"]


def test_a_weak_guarantee_is_warned_of(visitor: Visitor) -> None:
    assert "is hard to defend" in visitor.plan(epsilon="20")


def test_only_the_typed_budget_confirms(visitor: Visitor) -> None:
    visitor.plan()
    for typed in ("", "2", "yes"):
        assert "Nothing was spent." in visitor.spend(typed)
    assert visitor.session.job is None
    visitor.spend("1.0")
    assert spent(visitor) == 1


def test_a_form_spends_once_however_often_it_is_sent(visitor: Visitor) -> None:
    visitor.plan()
    release_id = visitor.session.release_id
    visitor.spend()
    visitor.spend(release_id=release_id)
    visitor.post("again")
    visitor.plan()
    assert "already sent" in visitor.spend(release_id=release_id)
    assert spent(visitor) == 1
    visitor.spend()
    assert spent(visitor) == 2


def test_nothing_changes_the_plan_while_a_release_stands(visitor: Visitor) -> None:
    visitor.plan()
    visitor.spend()
    visitor.plan(k="7")
    visitor.post("public", **{"kind-0": "flag"})
    assert visitor.session.plan is not None
    assert visitor.session.plan.k == 2
    assert visitor.session.schema == Schema({"age": (0, 100), "visits": (0, 20)})


def test_a_plan_above_the_limit_is_refused_before_it_is_spent(tmp_path: Path) -> None:
    visitor = Visitor.of(tmp_path, limit="1.5")
    page = visitor.plan(epsilon="2")
    assert "exceeds the remaining budget" in page
    assert closed(page) == ["spend", "publish"]
    visitor.spend("2")
    assert spent(visitor) == 0
    visitor.plan(epsilon="1")
    assert "ε = 0.5" in visitor.spend()


def test_what_others_spend_meanwhile_counts(tmp_path: Path) -> None:
    visitor = Visitor.of(tmp_path, limit="1.5")
    visitor.plan()
    visitor.session.ledger.set_limit("people", epsilon="0.5")
    assert "exceeds the remaining budget" in visitor.spend()
    assert spent(visitor) == 0


def test_the_account_follows_the_ledgers_rule_of_composition(visitor: Visitor) -> None:
    ledger = visitor.session.ledger
    ledger.set_limit("people", epsilon="0.3", delta="1e-5")
    for number in range(30):
        ledger.debit("people", Budget.of("0.01", 0), f"r{number}")
    page = visitor.plan(epsilon="0.01")
    assert "composed as zero-concentrated" in page
    visitor.spend("0.01")
    assert spent(visitor) == Fraction("0.31")
    assert ledger.standing("people").proven.epsilon < Fraction("0.3")


def test_a_broken_ledger_closes_the_way_to_spending(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"no ledger at all" * 99)
    page = visitor.plan()
    assert "ledger" in page
    assert closed(page) == ["spend", "publish"]


def test_a_fit_that_fails_says_what_was_spent(visitor: Visitor, tmp_path: Path) -> None:
    visitor.plan()
    (tmp_path / "people.csv").unlink()
    page = visitor.spend()
    assert "nothing was spent" in page
    assert "Back to the plan" in page
    assert closed(visitor.post("again")) == ["publish"]


class Interrupted(BaseException):
    """Instead of a power cut."""


def test_an_interrupted_fit_is_told_of_and_finished_for_nothing(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(_: Watch, spent: Fraction) -> None:
        raise Interrupted(PLANTED)

    visitor.plan(k="3")
    with monkeypatch.context() as patch:
        patch.setattr("hushmeans.studio.job.Job.answered", cut)
        assert "failed unexpectedly" in visitor.spend()
    later = Visitor.of(tmp_path)
    later.plan(k="5")
    page = later.get()
    assert "A fit was interrupted." in page
    (interrupted,) = later.session.unfinished
    page = later.post("resume", release_id=interrupted.release_id)
    assert "spends nothing more" in page
    assert "already paid" in page
    assert "iframe" in later.spend()
    assert spent(later) == 1
    assert later.session.release is not None
    assert later.session.release.n_clusters == 3
    assert later.session.unfinished == ()


def test_everything_can_be_taken_away(visitor: Visitor) -> None:
    visitor.plan()
    assert visitor.client.get("/release.json").status_code == 404
    assert visitor.client.get("/report").status_code == 404
    visitor.spend()
    release = Release.from_json(visitor.get("/release.json"))
    assert release.n_clusters == 2
    assert release.to_csv() == visitor.get("/centres.csv")
    assert visitor.get("/report.html") == visitor.get("/report")
    assert "Differentially private clusters" in visitor.get("/report")


@pytest.mark.parametrize("name", ["release.py", "command.txt"])
def test_the_recipe_runs_as_it_is_and_spends_nothing_more(
    visitor: Visitor, tmp_path: Path, name: str
) -> None:
    visitor.plan(delta="1e-6")
    visitor.spend()
    recipe = visitor.get(f"/{name}")
    words = ["-c", recipe] if name == "release.py" else ["-c", COMMAND, *shlex.split(recipe)[1:]]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(
        [sys.executable, *words], cwd=elsewhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((elsewhere / "release.json").read_text()) == json.loads(
        visitor.get("/release.json")
    )
    assert spent(visitor) == 1


def test_the_rehearsal_knows_the_schema_and_no_record(visitor: Visitor, tmp_path: Path) -> None:
    assert visitor.client.get("/rehearsal").url.path == "/"
    visitor.plan()
    rehearsal = visitor.get("/rehearsal")
    assert "Rehearsal with synthetic records" in rehearsal
    assert "simulat" in rehearsal.lower()
    (tmp_path / "people.csv").unlink()
    assert visitor.get("/rehearsal") == rehearsal
    assert not Ledger(tmp_path / "ledger.sqlite").address.file.exists()  # type: ignore[union-attr]


def test_no_answer_has_a_value_of_a_record_or_the_number_of_rows(
    visitor: Visitor, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        visitor.plan()
        visitor.get("/rehearsal")
        visitor.spend()
        for path in ("report", "release.json", "centres.csv", "release.py", "command.txt"):
            visitor.get(f"/{path}")
        visitor.get("/progress")
        visitor.post("again")
    told = "".join([*visitor.seen, *capfd.readouterr()])
    assert len(told) > 50_000
    assert PLANTED[:7] not in told
    visitor.post("plan", rows="5000", k="2", epsilon="1", delta="0")
    before = "".join(text for text in visitor.seen if "release.json" not in text)
    assert f"{ROWS:,}" not in before


def test_an_unforeseen_error_is_shown_without_its_message(
    visitor: Visitor, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(PLANTED)

    monkeypatch.setattr("hushmeans.studio.session.fit_release", broken)
    visitor.plan()
    page = visitor.spend()
    assert "failed unexpectedly" in page
    said = capfd.readouterr().err
    assert "RuntimeError" in said
    assert PLANTED not in said + page
