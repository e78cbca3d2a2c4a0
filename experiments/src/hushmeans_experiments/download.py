"""The paper's datasets from the UCI repository, checked and cut to their numeric columns.

Pooch downloads, retries and writes whole files. Three things it does not do are done here: a limit
on the size of a download, reading one member of an archive without unpacking it onto the disk, and
the checksum of the table that is made from it (the archives themselves are packed anew at times).
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hushmeans.documents import written_whole
from hushmeans.errors import HushmeansError, InputError
from hushmeans_experiments.datasets import Dataset

UCI = "https://archive.ics.uci.edu/static/public"
SIZE_LIMIT = 64 * 2**20
"""Bytes; the largest of the archives is a tenth of this."""
RETRIES = 2
TIMEOUT = 30
"""Seconds without an answer after which an attempt has failed."""


@dataclass(frozen=True)
class Archive:
    """A ZIP archive of the UCI repository and the table in it.

    Attributes
    ----------
    path
        Where the archive is, below the repository's address.
    member
        The file in the archive.
    header
        The names of the columns that are kept.
    rows
        How the file's bytes become rows of fields, written as in the file.
    checksum
        The SHA-256 of the resulting CSV text.
    """

    path: str
    member: str
    header: str
    rows: Callable[[bytes], list[list[str]]]
    checksum: str

    def csv(self, content: bytes) -> bytes:
        """The table as CSV text."""
        lines = [self.header, *(",".join(row) for row in self.rows(content))]
        return ("\n".join(lines) + "\n").encode()


class DownloadError(HushmeansError):
    """A download that it is no use to try again."""


def fetch_dataset(dataset: Dataset, folder: Path, base: str = UCI) -> None:
    """Download a dataset into a folder, unless it is there already.

    Raises
    ------
    InputError
        Where it cannot be downloaded or is not the dataset of the paper; nothing of it is kept.
    """
    target = folder / dataset.file
    if target.exists():
        return
    archive = ARCHIVES[dataset.name]
    downloaded = _download(f"{base}/{archive.path}", folder, f"{dataset.name}.zip")
    try:
        text = _extract(archive, downloaded)
    finally:
        downloaded.unlink()
    if text is None or hashlib.sha256(text).hexdigest() != archive.checksum:
        raise InputError(
            f"the download of {dataset.name} is not the dataset of the paper (wrong checksum) and "
            "was removed; try again, or put the file into a folder and set HUSHMEANS_DATA"
        )
    with written_whole(target) as beside:
        beside.write_bytes(gzip.compress(text, mtime=0) if target.suffix == ".gz" else text)


def _download(url: str, folder: Path, name: str) -> Path:
    """A file from the web, whole."""
    import pooch
    import requests

    pooch.get_logger().setLevel(logging.ERROR)
    files = pooch.create(
        folder, base_url="", registry={name: None}, urls={name: url}, retry_if_failed=RETRIES
    )
    (folder / name).unlink(missing_ok=True)  # pooch would take it for the archive
    try:
        return Path(files.fetch(name, downloader=_download_within_limit))
    except DownloadError as error:
        reason = str(error)
    except requests.exceptions.ChunkedEncodingError:
        reason = "the connection was cut off"
    except requests.Timeout:
        reason = f"the server did not answer in {TIMEOUT} seconds"
    except requests.ConnectionError:
        reason = "the server cannot be reached"
    except requests.RequestException as error:
        reason = f"the address cannot be opened ({type(error).__name__})"
    raise InputError(
        f"cannot download {url}: {reason}; try again, or put the six files into a folder and set "
        "HUSHMEANS_DATA to it, or use --synthetic"
    )


def _download_within_limit(url: str, path: str, files: object) -> None:
    """A download as pooch asks for it."""
    from pooch import HTTPDownloader
    from requests import HTTPError

    with Path(path).open("wb") as file:
        try:
            HTTPDownloader(timeout=TIMEOUT)(url, _Limited(file), files)
        except HTTPError as error:
            answer = error.response
            said = "no" if answer is None else f"{answer.status_code} {answer.reason}"
            raise DownloadError(f"the server says {said}") from None


class _Limited:
    """A file that takes `SIZE_LIMIT` bytes at the most."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, block: bytes) -> None:
        if self._file.tell() + len(block) > SIZE_LIMIT:
            raise DownloadError(f"the file is larger than {SIZE_LIMIT:,} bytes")
        self._file.write(block)

    def flush(self) -> None:
        self._file.flush()


def _extract(archive: Archive, path: Path) -> bytes | None:
    """The table as CSV text; None where the archive does not hold it."""
    try:
        with zipfile.ZipFile(path) as zipped:
            if zipped.getinfo(archive.member).file_size > SIZE_LIMIT:
                return None
            return archive.csv(zipped.read(archive.member))
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, LookupError, ValueError):
        return None


def _fields(content: bytes) -> list[list[str]]:
    """The lines of a CSV file as fields without blanks around them; empty lines left out."""
    lines = content.decode("utf-8").splitlines()
    return [[field.strip() for field in line.split(",")] for line in lines if line.strip()]


def _blood(content: bytes) -> list[list[str]]:
    return _fields(content)[1:]


def _adult(content: bytes) -> list[list[str]]:
    return [[row[column] for column in (0, 2, 4, 10, 11, 12)] for row in _fields(content)]


def _without_first_column(content: bytes) -> list[list[str]]:
    return [row[1:] for row in _fields(content)[1:]]


def _without_last_column(content: bytes) -> list[list[str]]:
    return [row[:-1] for row in _fields(content)[1:]]


def _ratings(content: bytes) -> list[list[str]]:
    """Two users' rows are corrupt in the source; the line's trailing comma is no column."""
    rows = _fields(content)[1:]
    return [row[1:25] for row in rows if row[0] not in ("User 1348", "User 2713")]


def _credit(content: bytes) -> list[list[str]]:
    """A spreadsheet of the old kind: two header rows, an ID, whole numbers."""
    import xlrd

    try:
        sheet = xlrd.open_workbook(file_contents=content).sheet_by_index(0)
    except xlrd.XLRDError:
        raise ValueError("not a spreadsheet") from None
    rows = (sheet.row_values(index)[1:] for index in range(2, sheet.nrows))
    return [[str(int(value)) for value in row] for row in rows]


ARCHIVES: Mapping[str, Archive] = {
    "blood": Archive(
        "176/blood+transfusion+service+center.zip",
        "transfusion.data",
        "recency,frequency,monetary,time,donated",
        _blood,
        "fcd9cac6b31e00acb9177f19cbfd0fe98971ab1be556b64018685f4a0d60a0e8",
    ),
    "adult": Archive(
        "2/adult.zip",
        "adult.data",
        "age,fnlwgt,education_num,capital_gain,capital_loss,hours_per_week",
        _adult,
        "8bfc2c4e8a1d4adcba3f4b4abe5b9478350009c448610d203d9fbfe2fb67d79b",
    ),
    "tripadvisor": Archive(
        "484/travel+reviews.zip",
        "tripadvisor_review.csv",
        "art_galleries,dance_clubs,juice_bars,restaurants,museums,resorts,parks_picnic_spots,"
        "beaches,theaters,religious_institutions",
        _without_first_column,
        "9358794932c72e26269b1c2bda95c99b94fd5fc38553caa05e30b20033f2c88a",
    ),
    "electrical": Archive(
        "471/electrical+grid+stability+simulated+data.zip",
        "Data_for_UCI_named.csv",
        "tau1,tau2,tau3,tau4,p1,p2,p3,p4,g1,g2,g3,g4,stab",
        _without_last_column,
        "e3bed8199adeb783547541a7f6c7be9e3cc1d79f483287c6c39fe139b3404145",
    ),
    "ratings": Archive(
        "485/tarvel+review+ratings.zip",
        "google_review_ratings.csv",
        "churches,resorts,beaches,parks,theatres,museums,malls,zoo,restaurants,pubs_bars,"
        "local_services,burger_pizza_shops,hotels_other_lodgings,juice_bars,art_galleries,"
        "dance_clubs,swimming_pools,gyms,bakeries,beauty_spas,cafes,view_points,monuments,gardens",
        _ratings,
        "79abfc234e6862cfe59dec6b671071ab0c0fea8f48bc956dc41fa4e14b02524c",
    ),
    "credit": Archive(
        "350/default+of+credit+card+clients.zip",
        "default of credit card clients.xls",
        "LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE,PAY_0,PAY_2,PAY_3,PAY_4,PAY_5,PAY_6,BILL_AMT1,"
        "BILL_AMT2,BILL_AMT3,BILL_AMT4,BILL_AMT5,BILL_AMT6,PAY_AMT1,PAY_AMT2,PAY_AMT3,PAY_AMT4,"
        "PAY_AMT5,PAY_AMT6,default_payment_next_month",
        _credit,
        "dfb1570f223efb65c0084027570369bdff6cc291b8238b9adce17ab60da4ca83",
    ),
}
