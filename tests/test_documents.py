"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hushmeans.documents import written_whole
from hushmeans.errors import InputError


def test_what_was_written_takes_the_place_of_the_target(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    with written_whole(target) as beside:
        beside.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_reader_sees_the_old_file_or_the_new_one_and_nothing_between(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    with target.open() as reader:
        with written_whole(target) as beside:
            beside.write_text("new")
        assert reader.read() == "old"


def test_the_file_beside_keeps_the_ending_for_writers_that_look_at_it(tmp_path: Path) -> None:
    with written_whole(tmp_path / "a.png") as beside:
        assert beside.suffix == ".png"
        assert beside.parent == tmp_path
        beside.touch()


def test_a_process_that_is_killed_before_it_writes_leaves_nothing(tmp_path: Path) -> None:
    with written_whole(tmp_path / "a.json", replace=False) as beside:
        assert os.listdir(tmp_path) == []  # all that a killed process would leave
        beside.write_text("new")
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, failure: type[BaseException]
) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")

    def write_half() -> None:
        with written_whole(target) as beside:
            beside.write_text("half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("taken", "already exists"), ("folder", "it is a folder"), ("missing/a", "No such file")],
)
def test_a_target_that_cannot_be_written_is_noticed_before_the_work(
    tmp_path: Path, name: str, complaint: str
) -> None:
    (tmp_path / "taken").write_text("old")
    (tmp_path / "folder").mkdir()

    def work() -> None:
        with written_whole(tmp_path / name, replace=False):
            pytest.fail("the work began")

    with pytest.raises(InputError, match=complaint):
        work()
    assert sorted(os.listdir(tmp_path)) == ["folder", "taken"]
    assert (tmp_path / "taken").read_text() == "old"


def test_a_file_that_appears_during_the_work_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "a.json"

    def work() -> None:
        with written_whole(target, replace=False) as beside:
            beside.write_text("mine")
            target.write_text("somebody else's")

    with pytest.raises(InputError, match="already exists"):
        work()
    assert target.read_text() == "somebody else's"
