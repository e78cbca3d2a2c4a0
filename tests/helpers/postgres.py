"""A PostgreSQL server for tests, in a folder and on a socket of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path

PROGRAMS = Path("/usr/lib/postgresql")
NUMBERS = count()


def program(name: str) -> str | None:
    """The newest of Debian's versions, or the one on the path."""
    installed = sorted(PROGRAMS.glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    return str(installed[-1]) if installed else shutil.which(name)


def unprivileged() -> str | None:
    """Whom to become where the tests run as root, who may do anything; None to stay oneself."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


class Server:
    """A server that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.user = unprivileged()

    @staticmethod
    def missing() -> str | None:
        """Why there can be no server, or None."""
        if program("initdb") is None or program("pg_ctl") is None:
            return "PostgreSQL's server is not installed"
        return None if find_spec("psycopg") else "psycopg is not installed"

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Server]:
        folder = Path(tempfile.mkdtemp(prefix="hush"))  # short, as a socket's path must be
        server = cls(folder)
        try:
            if server.user is not None:
                shutil.chown(folder, server.user)
            data = ("-D", str(folder / "data"))
            settings = ("-U", "hush", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
            server.run("initdb", *data, *settings)
            server.start()
            yield server
            server.stop()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def start(self) -> None:
        # No test takes the machine's power away, so nothing needs to reach the disk.
        settings = ("listen_addresses=''", f"unix_socket_directories='{self.folder}'", "fsync=off")
        options = " ".join(f"-c {setting}" for setting in settings)
        log = ("-l", str(self.folder / "log"))
        self.run("pg_ctl", "-D", str(self.folder / "data"), *log, "-w", "-o", options, "start")

    def stop(self) -> None:
        """As if it had crashed: no process of it may finish anything."""
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "immediate", "stop")

    def run(self, name: str, *arguments: str) -> None:
        found = program(name)
        assert found is not None
        subprocess.run(
            [found, *arguments],
            user=self.user,
            cwd=self.folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def url(self) -> str:
        return f"postgresql://hush:hidden-word@/postgres?host={self.folder}"

    def new_place(self) -> str:
        """The URL of a schema without tables: as good as a new database, and faster made."""
        import psycopg

        name = f"test{next(NUMBERS)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.url}&options=-csearch_path%3D{name}"
