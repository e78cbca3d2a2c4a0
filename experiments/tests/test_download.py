"""The download, against a server on this machine that behaves well, badly and not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
import socket
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from hushmeans.errors import InputError
from hushmeans_experiments import download
from hushmeans_experiments.datasets import DATASETS, data_folder, load_dataset
from hushmeans_experiments.download import ARCHIVES, fetch_dataset

RAW_BLOOD = (
    "Recency (months),Frequency,Monetary,Time,Donated\r\n2 ,50,12500,98 ,1\r\n0 ,13,3250,28,1\r\n"
)
BLOOD = b"recency,frequency,monetary,time,donated\n2,50,12500,98,1\n0,13,3250,28,1\n"


def zipped(member: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr(member, content)
    return packed.getvalue()


GOOD = zipped("transfusion.data", RAW_BLOOD.encode())


@dataclass
class Served:
    """What the server has, how it behaves, and what it was asked for.

    Attributes
    ----------
    cuts
        After how many bytes each of the next answers breaks off.
    length
        Whether answers say how long they are.
    status
        An error that every answer is.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    cuts: list[int] = field(default_factory=list)
    length: bool = True
    status: int | None = None
    asked: list[str] = field(default_factory=list)
    base: str = ""


class Server(ThreadingHTTPServer):
    served: Served


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        served = self.server.served
        served.asked.append(self.path)
        content = served.files.get(self.path)
        if content is None or served.status:
            self.send_error(404 if content is None else served.status or 500)
            return
        self.send_response(200)
        if served.length:
            self.send_header("Content-Length", str(len(content)))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        sent = content[: served.cuts.pop(0)] if served.cuts else content
        if not served.length:
            sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(sent), sent)
        self.wfile.write(sent)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server with a good archive of the blood dataset, cut to two records."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)  # between attempts
    small = replace(ARCHIVES["blood"], checksum=hashlib.sha256(BLOOD).hexdigest())
    monkeypatch.setitem(ARCHIVES, "blood", small)
    with Server(("127.0.0.1", 0), Handler) as server:
        base = f"http://127.0.0.1:{server.server_port}"
        server.served = Served({f"/{small.path}": GOOD}, base=base)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.served
        server.shutdown()
        thread.join()


def fetch(served: Served, folder: Path, name: str = "blood") -> None:
    fetch_dataset(DATASETS[name], folder, served.base)


def refused(served: Served, folder: Path, name: str = "blood") -> str:
    with pytest.raises(InputError) as fault:
        fetch(served, folder, name)
    return str(fault.value)


def serve(served: Served, content: bytes, name: str = "blood") -> None:
    served.files[f"/{ARCHIVES[name].path}"] = content


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_good_archive_becomes_the_csv_file_and_nothing_else(
    served: Served, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "data"
    fetch(served, folder)
    assert names(folder) == ["blood.csv"]
    assert (folder / "blood.csv").read_bytes() == BLOOD
    assert served.asked == [f"/{ARCHIVES['blood'].path}"]


def test_a_dataset_that_is_there_is_not_fetched_again(served: Served, tmp_path: Path) -> None:
    (tmp_path / "blood.csv").write_text("mine")
    fetch(served, tmp_path)
    assert served.asked == []
    assert (tmp_path / "blood.csv").read_text() == "mine"


def test_a_large_dataset_is_stored_compressed_and_the_same_every_time(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = b"39, State-gov, 77516, Bachelors, 13, a, b, c, d, e, 2174, 0, 40, f, <=50K\n\n"
    text = f"{ARCHIVES['adult'].header}\n39,77516,13,2174,0,40\n".encode()
    small = replace(ARCHIVES["adult"], checksum=hashlib.sha256(text).hexdigest())
    monkeypatch.setitem(ARCHIVES, "adult", small)
    serve(served, zipped("adult.data", raw), "adult")
    stored = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        fetch(served, folder, "adult")
        stored.append((folder / "adult.csv.gz").read_bytes())
    assert gzip.decompress(stored[0]) == text
    assert stored[0] == stored[1]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(zipped("transfusion.data", b"a\n1,2,3,4,5\n"), id="other records"),
        pytest.param(zipped("another.data", RAW_BLOOD.encode()), id="other member"),
        pytest.param(zipped("transfusion.data", b"\xff\xfe"), id="not text"),
        pytest.param(b"<html>Please log in</html>", id="not a ZIP archive"),
        pytest.param(GOOD[:-30], id="half a ZIP archive"),
        pytest.param(b"PK\x03\x04" + bytes(100), id="looks like a ZIP archive"),
    ],
)
def test_what_is_not_the_dataset_is_removed_with_a_message(
    served: Served, tmp_path: Path, content: bytes
) -> None:
    serve(served, content)
    message = refused(served, tmp_path)
    assert "the download of blood is not the dataset of the paper (wrong checksum)" in message
    assert "was removed; try again" in message
    assert "HUSHMEANS_DATA" in message
    assert names(tmp_path) == []


def damaged_inside() -> bytes:
    """A ZIP archive whose directory is fine and whose compressed bytes are not."""
    good = zipped("transfusion.data", RAW_BLOOD.encode() * 50)
    first = 30 + len("transfusion.data")
    return good[:first] + b"\xff" * 20 + good[first + 20 :]


def test_an_archive_that_is_damaged_inside_is_removed_with_a_message(
    served: Served, tmp_path: Path
) -> None:
    serve(served, damaged_inside())
    assert "wrong checksum" in refused(served, tmp_path)
    assert names(tmp_path) == []


def test_a_download_that_is_cut_off_is_tried_again(served: Served, tmp_path: Path) -> None:
    served.cuts = [100, 10]
    fetch(served, tmp_path)
    assert len(served.asked) == 3
    assert (tmp_path / "blood.csv").read_bytes() == BLOOD
    assert names(tmp_path) == ["blood.csv"]


def test_a_download_that_is_cut_off_again_and_again_is_told_and_not_kept(
    served: Served, tmp_path: Path
) -> None:
    served.cuts = [100, 10, 1]
    message = refused(served, tmp_path)
    assert "the connection was cut off; try again" in message
    assert names(tmp_path) == []
    fetch(served, tmp_path)
    assert (tmp_path / "blood.csv").read_bytes() == BLOOD


def test_what_an_earlier_download_left_is_not_taken_for_the_archive(
    served: Served, tmp_path: Path
) -> None:
    (tmp_path / "blood.zip").write_bytes(GOOD[:50])
    fetch(served, tmp_path)
    assert names(tmp_path) == ["blood.csv"]


def test_a_server_that_does_not_say_the_length_is_understood(
    served: Served, tmp_path: Path
) -> None:
    served.length = False
    fetch(served, tmp_path)
    assert (tmp_path / "blood.csv").read_bytes() == BLOOD


@pytest.mark.parametrize(
    ("status", "reason"), [(500, "Internal Server Error"), (503, "Service Unavailable")]
)
def test_a_server_in_trouble_is_told(
    served: Served, tmp_path: Path, status: int, reason: str
) -> None:
    served.status = status
    assert f"the server says {status} {reason}" in refused(served, tmp_path)
    assert names(tmp_path) == []


def test_a_file_that_is_not_there_is_said_to_be_so(served: Served, tmp_path: Path) -> None:
    served.files.clear()
    message = refused(served, tmp_path)
    assert "the server says 404 Not Found" in message
    assert served.base in message
    assert "HUSHMEANS_DATA" in message
    assert "--synthetic" in message
    assert names(tmp_path) == []
    assert len(served.asked) == 1


@pytest.mark.parametrize("length", [True, False])
def test_a_file_above_the_limit_is_not_kept(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: bool
) -> None:
    monkeypatch.setattr(download, "SIZE_LIMIT", 100)
    served.length = length
    assert "the file is larger than 100 bytes" in refused(served, tmp_path)
    assert names(tmp_path) == []
    assert len(served.asked) == 1


def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(served, zipped("transfusion.data", RAW_BLOOD.encode() + b"\n" * 100_000))
    monkeypatch.setattr(download, "SIZE_LIMIT", 10_000)
    assert "wrong checksum" in refused(served, tmp_path)
    assert names(tmp_path) == []


def test_no_server_at_all_is_said_with_the_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can answer there
        base = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InputError) as fault:
            fetch_dataset(DATASETS["blood"], tmp_path, base)
    message = str(fault.value)
    assert "the server cannot be reached" in message
    assert "HUSHMEANS_DATA" in message
    assert "--synthetic" in message
    assert names(tmp_path) == []


def test_only_web_addresses_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    with pytest.raises(InputError, match="the address cannot be opened"):
        fetch_dataset(DATASETS["blood"], tmp_path, tmp_path.as_uri())


SAMPLES = {
    "blood": (RAW_BLOOD, "2,50,12500,98,1\n0,13,3250,28,1\n"),
    "adult": (
        "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, "
        "Male, 2174, 0, 40, United-States, <=50K\n"
        "50, ?, 83311, Bachelors, 13, Married, ?, Husband, White, Male, 0, 7, 13, ?, >50K\n\n",
        "39,77516,13,2174,0,40\n50,83311,13,0,7,13\n",
    ),
    "tripadvisor": (
        "User ID," + ",".join(f"Category {n}" for n in range(1, 11)) + "\n"
        "User 1,0.93,1.8,2.29,0.62,0.8,2.42,3.19,2.79,1.82,2.42\n",
        "0.93,1.8,2.29,0.62,0.8,2.42,3.19,2.79,1.82,2.42\n",
    ),
    "electrical": (
        '"tau1","tau2","tau3","tau4","p1","p2","p3","p4","g1","g2","g3","g4","stab","stabf"\n'
        "1.5,2,3,4,5,-6,-7,-8,0.9,0.10,0.11,0.12,-0.013,stable\n",
        "1.5,2,3,4,5,-6,-7,-8,0.9,0.10,0.11,0.12,-0.013\n",
    ),
    "ratings": (
        "User," + ",".join(f"Category {n}" for n in range(1, 25)) + ",\n"
        "User 1," + ",".join(map(str, range(24))) + ",\n"
        "User 1348,1.2,,3" + ",0" * 22 + "\n"
        "User 2713,1,,3" + ",0" * 22 + "\n"
        "User 5456," + ",".join(map(str, range(24, 48))) + ",\n",
        ",".join(map(str, range(24))) + "\n" + ",".join(map(str, range(24, 48))) + "\n",
    ),
}
"""Lines as in UCI's files, and the rows that are to come of them."""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_raw_file_is_cut_to_its_numeric_columns(name: str) -> None:
    raw, rows = SAMPLES[name]
    archive = ARCHIVES[name]
    assert archive.csv(raw.encode()).decode() == f"{archive.header}\n{rows}"
    assert archive.header.count(",") + 1 == DATASETS[name].n_features


class Sheet:
    """A sheet like UCI's, as xlrd gives it: two rows of headers, every number a float."""

    rows = (["", "X1", "X2"], ["ID", "LIMIT_BAL", "PAY_0"], [1.0, 20000.0, -2.0])
    nrows = len(rows)

    def row_values(self, index: int) -> list[object]:
        return list(self.rows[index])


class Book:
    def __init__(self, file_contents: bytes) -> None:
        assert file_contents == b"spreadsheet"

    def sheet_by_index(self, index: int) -> Sheet:
        assert index == 0
        return Sheet()


def test_a_spreadsheet_becomes_whole_numbers_without_the_first_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "xlrd", SimpleNamespace(open_workbook=Book))
    assert ARCHIVES["credit"].rows(b"spreadsheet") == [["20000", "-2"]]


def test_a_spreadsheet_that_is_none_is_removed_with_a_message(
    served: Served, tmp_path: Path
) -> None:
    serve(served, zipped(ARCHIVES["credit"].member, b"spreadsheet"), "credit")
    assert "wrong checksum" in refused(served, tmp_path, "credit")
    assert names(tmp_path) == []


def raw_blood(rows: list[str]) -> list[str]:
    return ["Recency,Frequency,Monetary,Time,whether he/she donated", *rows]


def raw_adult(rows: list[str]) -> list[str]:
    lines = []
    for row in rows:
        age, weight, education, gain, loss, hours = row.split(",")
        words = [age, "?", weight, "HS", education, *"abcde", gain, loss, hours, "?", "<=50K"]
        lines.append(", ".join(words))
    return [*lines, ""]


def raw_tripadvisor(rows: list[str]) -> list[str]:
    return ["User ID,...", *(f"User {n},{row}" for n, row in enumerate(rows, 1))]


def raw_electrical(rows: list[str]) -> list[str]:
    return ["tau1,...", *(f"{row},stable" for row in rows)]


def raw_ratings(rows: list[str]) -> list[str]:
    lines = [f"User {n},{row}," for n, row in enumerate(rows, 10_000)]
    lines[1347:1347] = ["User 1348,2" + ",1" * 24]
    lines[2712:2712] = ["User 2713,2,,1" + ",1" * 22]
    return ["User,...", *lines]


RAW: dict[str, Callable[[list[str]], list[str]]] = {
    "blood": raw_blood,
    "adult": raw_adult,
    "tripadvisor": raw_tripadvisor,
    "electrical": raw_electrical,
    "ratings": raw_ratings,
}


def real_file(name: str) -> Path | None:
    folder = data_folder()
    path = None if folder is None else (folder / DATASETS[name].file).resolve()
    return path if path is not None and path.is_file() else None


@pytest.mark.parametrize("name", RAW)
def test_a_file_like_ucis_becomes_the_real_dataset_and_passes_its_checksum(
    name: str, tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = real_file(name)
    if path is None:
        pytest.skip("the paper's datasets are not here: set HUSHMEANS_DATA")
    real = path.read_bytes()
    text = (gzip.decompress(real) if path.suffix == ".gz" else real).decode()
    raw = "\n".join(RAW[name](text.splitlines()[1:])) + "\n"
    archive = replace(ARCHIVES[name], checksum=REAL_CHECKSUMS[name])
    monkeypatch.setitem(ARCHIVES, name, archive)
    serve(served, zipped(archive.member, raw.encode(), zipfile.ZIP_STORED), name)
    fetch(served, tmp_path, name)
    source = load_dataset(DATASETS[name], tmp_path)
    assert len(source.records) == DATASETS[name].n_records


REAL_CHECKSUMS = {name: archive.checksum for name, archive in ARCHIVES.items()}
"""Taken before any test puts a smaller dataset in the place of a real one."""
