"""What becomes of a stream, of files far away, and of a process that ends in the middle."""

from __future__ import annotations

import bz2
import gzip
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, feather, parquet

from helpers import reading_worker
from helpers.command_line import run
from hushmeans.curator.questions import Size
from hushmeans.curator.readers import open_reading
from hushmeans.curator.source import open_store
from hushmeans.errors import InputError, InputTypeError
from hushmeans.fitting import fit_release
from hushmeans.ledger import Ledger
from hushmeans.schema import CSV, Bounds
from hushmeans.settings import Settings

CANARY = "73.123456789"
BOUNDS = Bounds({"age": (0, 100), "visits": (0, 8)})
UNIT = 2**20
TABLE = pa.table({"name": ["x", "y"], "age": [25.0, 100.0], "visits": [2, 4]})
ENCODED = [[-UNIT // 2, -UNIT // 2], [UNIT, 0]]


def encoded(data: Any) -> list[list[int]]:
    return [row for part in open_reading(data, BOUNDS).encoded() for row in part.tolist()]


def check_that_nothing_leaks(error: BaseException) -> None:
    assert CANARY not in str(error)
    assert "\n" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_reader_that_was_read_is_refused_the_second_time() -> None:
    reader = TABLE.to_reader()
    assert encoded(reader) == ENCODED
    with pytest.raises(
        (InputError, InputTypeError), match="this stream was read before and has no records left"
    ):
        encoded(reader)


def test_chunks_and_slices_are_read_where_they_begin() -> None:
    padded = pa.concat_tables([TABLE, TABLE, TABLE])[1:5].combine_chunks()
    assert encoded(padded[1:3]) == ENCODED


def test_only_the_features_are_asked_for(tmp_path: Path) -> None:
    """A column that would fail when it is computed is not."""
    broken = f"cast('{CANARY}x' as double) as name"
    relation = duckdb.sql(f"select {broken}, 25.0 as age, 2 as visits from range(3)")
    assert encoded(relation) == [ENCODED[0]] * 3
    lazy = pl.LazyFrame({"name": [CANARY + "x"], "age": [25.0], "visits": [2]})
    assert encoded(lazy.with_columns(pl.col("name").cast(pl.Float64))) == [ENCODED[0]]


def failing_batches() -> Iterator[pa.RecordBatch]:
    yield TABLE.to_batches()[0]
    raise ValueError(CANARY)


def failing(kind: str, folder: Path) -> Any:
    """Data that fails when some of it is read."""
    if kind == "reader":
        return pa.RecordBatchReader.from_batches(TABLE.schema, failing_batches())
    text = f"case when i = 150000 then '{CANARY}x' else '1' end"
    if kind == "duckdb":
        return duckdb.sql(
            f"select cast({text} as double) as age, 2 as visits from range(200000) t(i)"
        )
    if kind == "polars":
        lazy = pl.LazyFrame({"age": ["1", CANARY + "x"], "visits": [1, 2]})
        return lazy.with_columns(pl.col("age").cast(pl.Float64))
    table = pa.table({"age": np.random.default_rng(0).random(9000), "visits": [1.0] * 9000})
    for index in range(2):
        parquet.write_table(table, folder / f"{index}.parquet", use_dictionary=False)
    content = (folder / "1.parquet").read_bytes()
    half = len(content) // 2
    (folder / "1.parquet").write_bytes(content[:half] + b"\xff" * (half - 2000) + content[-2000:])
    return dataset.dataset(folder) if kind == "dataset" else folder


@pytest.mark.parametrize("kind", ["reader", "duckdb", "polars", "dataset", "files"])
def test_a_stream_that_fails_is_refused_without_a_value_before_anything_is_spent(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "data").mkdir()
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises((InputError, InputTypeError)) as refusal:
        fit_release(
            failing(kind, tmp_path / "data"),
            Settings.of(2, 1),
            bounds=BOUNDS,
            ledger=ledger,
            dataset="people",
        )
    check_that_nothing_leaks(refusal.value)
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at open files in /proc")
def test_a_process_that_is_killed_while_it_reads_leaves_nothing_and_has_spent_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "cache").mkdir()
    with subprocess.Popen(
        [sys.executable, reading_worker.__file__, str(tmp_path)],
        env={**os.environ, "HUSHMEANS_MEMORY": "40MB"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reading\n"
        files = (Path("/proc") / str(process.pid) / "fd").iterdir()
        targets = [os.readlink(each) for each in files]
        assert any(target.startswith(str(tmp_path / "cache")) for target in targets)
        assert list((tmp_path / "cache").iterdir()) == []
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.rglob("*")] == ["cache"]


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, with the ranges that readers of Parquet ask for."""

    def send_head(self) -> Any:
        asked = self.headers.get("Range")
        path = Path(self.translate_path(self.path))
        if asked is None or not path.is_file():
            return super().send_head()
        first, _, last = asked.removeprefix("bytes=").partition("-")
        content = path.read_bytes()
        start, end = int(first), min(int(last or len(content)), len(content) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end}/{len(content)}")
        self.send_header("Content-Length", str(end - start + 1))
        self.end_headers()
        self.wfile.write(content[start : end + 1])
        return None

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A web server with the files of `tmp_path`."""
    handler = partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


KINDS_OF_FILE = ["csv", "csv.gz", "csv.bz2", "csv.zst", "parquet", "arrow"]


def put_files(folder: Path) -> None:
    text = TABLE.to_pandas().to_csv(index=False).encode()
    (folder / "people.csv").write_bytes(text)
    (folder / "people.csv.gz").write_bytes(gzip.compress(text))
    (folder / "people.csv.bz2").write_bytes(bz2.compress(text))
    (folder / "people.csv.zst").write_bytes(pa.compress(text, "zstd", asbytes=True))
    parquet.write_table(TABLE, folder / "people.parquet")
    feather.write_feather(TABLE, folder / "people.arrow")


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of aiohttp's
@pytest.mark.parametrize("name", KINDS_OF_FILE)
def test_files_are_read_where_they_are(tmp_path: Path, address: str, name: str) -> None:
    put_files(tmp_path)
    assert encoded(f"{address}/people.{name}") == ENCODED
    assert encoded(f"{address}/people.{name}?signature=hidden-word") == ENCODED
    assert encoded(f"file://{tmp_path}/people.{name}") == ENCODED


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket on a local S3 server, with every kind of file and a folder of partitions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # moto's, of servers that are not S3's
        moto = pytest.importorskip("moto.server", reason="moto is not installed")
        boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    keys = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "hidden-word"}
    place = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {**keys, **place}.items():
            environment.setenv(name, value)
        client = boto3.client("s3", endpoint_url=place["AWS_ENDPOINT_URL"])
        client.create_bucket(Bucket="clinic")
        folder = tmp_path_factory.mktemp("bucket")
        put_files(folder)
        for path in folder.iterdir():
            client.put_object(Bucket="clinic", Key=f"all/{path.name}", Body=path.read_bytes())
        part = (folder / "people.parquet").read_bytes()
        for index in range(2):
            key = f"parts/level={index}/part.parquet"
            client.put_object(Bucket="clinic", Key=key, Body=part)
        yield "s3://clinic"
    server.stop()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of moto's
class TestS3:
    """Files in S3, read by PyArrow with the credentials of the environment."""

    @pytest.mark.parametrize("name", KINDS_OF_FILE)
    def test_a_file_in_a_bucket_is_read(self, bucket: str, name: str) -> None:
        assert encoded(f"{bucket}/all/people.{name}") == ENCODED

    def test_a_folder_in_a_bucket_is_read_with_its_partitions(self, bucket: str) -> None:
        found = open_store(f"{bucket}/parts", Bounds({"age": (0, 100), "level": (0, 1)}))
        assert found.records[:, 0].tolist() == [-UNIT // 2, UNIT] * 2
        assert found.records[:, 1].tolist() == [-UNIT, -UNIT, UNIT, UNIT]

    def test_a_file_that_is_not_there_is_named(self, bucket: str) -> None:
        with pytest.raises(InputError, match=r"s3://clinic/none.csv: no such file") as refusal:
            encoded(f"{bucket}/none.csv")
        check_that_nothing_leaks(refusal.value)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ibis calls DuckDB by old names
def test_a_table_of_ibis_is_read_from_its_own_engine_and_from_memory() -> None:
    engine = ibis.duckdb.connect()
    engine.con.register("people", TABLE)
    for table in (engine.table("people"), ibis.memtable(TABLE)):
        for _ in range(2):  # the first time left no result on the connection
            assert encoded(table) == ENCODED


def test_a_folder_behind_a_url_is_read_whole(tmp_path: Path) -> None:
    for index in range(2):
        below = tmp_path / f"visits={index}"
        below.mkdir()
        parquet.write_table(TABLE.drop("visits"), below / "part.parquet")
    (tmp_path / "_SUCCESS").touch()
    found = open_store(f"file://{tmp_path}", BOUNDS)
    assert found.answer(Size()).tolist() == [4]
    assert sorted(found.records[:, 1].tolist()) == [-UNIT, -UNIT, -3 * UNIT // 4, -3 * UNIT // 4]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("{}/none.csv?key=hidden-word", "no such file or folder, or no access to it"),
        ("http://127.0.0.1:1/people.csv", "check the address, the connection and the credentials"),
        ("martian://me:hidden-word@host/people.csv?key=hidden-word", "install fsspec with"),
        ("s3://me:hidden/hidden-word@bucket/people.csv", "s3://...: cannot read files at such"),
        ("https://me:hidden-word[@127.0.0.1:1/people.csv", "no such file or folder"),
        ("file://{}/none.csv", "no such file or folder"),
    ],
)
def test_a_url_that_cannot_be_read_is_named_without_its_secrets(
    tmp_path: Path, address: str, url: str, message: str
) -> None:
    filled = url.format(tmp_path if url.startswith("file") else address)
    with pytest.raises(InputError, match=message) as refusal:
        encoded(filled)
    assert "hidden" not in str(refusal.value)
    check_that_nothing_leaks(refusal.value)


@pytest.mark.parametrize(
    ("delimiter", "encoding"),
    [(";", "utf-8"), ("\t", "latin-1"), ("|", "cp1252"), (",", "utf-16"), (";", "utf-16-le")],
)
def test_other_delimiters_and_encodings_are_options(
    tmp_path: Path,
    delimiter: str,
    encoding: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = ("Größe", "age", "visits"), ("ä", "25", "2"), ('"ß"', " 100 ", "4.0")
    text = "\r\n".join(delimiter.join(row) for row in rows)
    path = tmp_path / "people.txt"
    path.write_bytes(text.encode(encoding))
    place = CSV(path, delimiter, encoding)
    assert encoded(place) == ENCODED
    (tmp_path / "bounds.toml").write_text("age = [0, 100]\nvisits = [0, 8]\n")
    monkeypatch.chdir(tmp_path)
    options = ("people.txt", "--delimiter", delimiter, "--encoding", encoding)
    fit = ("--bounds", "bounds.toml", "--k", "1", "--epsilon", "1", "--seed", "0", "--no-ledger")
    assert run("fit", *options, *fit) == 0
    assert run("check", *options, "--bounds", "bounds.toml") == 0
    capsys.readouterr()
    assert run("predict", "release.json", *options) == 0
    assert capsys.readouterr().out == "cluster\n0\n0\n"


@pytest.mark.parametrize(
    ("encoding", "odd"),
    [("cp1252", b"\x81"), ("ascii", b"\xe9"), ("utf-8", b"\xe9"), ("gbk", b"\xff")],
)
def test_a_byte_that_is_no_text_in_the_encoding_makes_one_value_missing(
    tmp_path: Path, encoding: str, odd: bytes
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"age,visits\n1,2\n" + odd + b",2\n3,2\n")
    found = encoded(CSV(path, encoding=encoding))
    path.write_bytes(b"age,visits\n1,2\n,2\n3,2\n")
    np.testing.assert_array_equal(found, encoded(CSV(path, encoding=encoding)))


def test_a_line_break_in_quotes_is_found_in_an_encoding_with_other_quotes(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes('age,visits\n1,"2\n3"\n'.encode("cp500"))
    with pytest.raises(InputError, match="line break or a stray quote"):
        encoded(CSV(path, encoding="cp500"))


def test_a_text_that_is_transcoded_is_cut_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    lines = [f"{number % 90},{number % 7}" for number in range(100_000)]
    text = "\n".join(["age,visits", *lines, ""])
    path.write_text(text, "utf-16")
    found = encoded(CSV(path, encoding="utf-16"))
    path.write_text(text, "utf-8")
    np.testing.assert_array_equal(found, encoded(path))
