"""A real browser for tests: headless Chromium, spoken to through a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase, RawIOBase
from pathlib import Path
from threading import Timer
from typing import Any

from helpers.waiting import wait_until

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)

PATIENCE = 900
"""Seconds that a browser may run, all tests together and on a busy machine."""

AXE = os.environ.get("HUSHMEANS_AXE", "")
"""The file `axe.min.js` of axe-core, where it is installed."""

SERIOUS = """
axe.run({ iframes: false }).then((found) => found.violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .map((each) => [each.id, each.nodes[0].html]))
"""


class Browser:
    """One tab, and all that has happened in it since the last page was opened."""

    def __init__(self, commands: RawIOBase, answers: BufferedIOBase) -> None:
        self._commands = commands
        self._answers = answers
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    @staticmethod
    def missing() -> str | None:
        """Why there is no browser, or None."""
        if shutil.which("chromium") is None or shutil.which("bash") is None:
            return "Chromium is not installed: no page was opened in a browser"
        return None

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Browser]:
        """A browser that ends with the block, and in any case after a while."""
        reads, commands = _high_pipe()
        answers, writes = _high_pipe()
        started = f'exec chromium "$@" 3<&{reads} 4>&{writes}'
        with (
            open(commands, "wb", buffering=0) as to_browser,
            open(answers, "rb") as from_browser,
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        ):
            process = subprocess.Popen(
                ["bash", "-c", started, "bash", *FLAGS, f"--user-data-dir={profile}"],  # noqa: S607
                pass_fds=(reads, writes),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            os.close(reads)
            os.close(writes)
            # A browser that is gone ends a read; one that merely hangs would not.
            watchdog = Timer(PATIENCE, process.kill)
            watchdog.start()
            try:
                yield cls(to_browser, from_browser)
            finally:
                watchdog.cancel()
                process.terminate()
                process.wait(20)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command of the DevTools protocol."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        self._commands.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    def open(self, page: Path, width: int, scheme: str) -> None:
        """Load a page at a width, in a light or dark scheme."""
        self.look(width, scheme)
        self.visit(page.as_uri())

    def look(self, width: int, scheme: str) -> None:
        """Set the width of the window, and whether the screen is light or dark."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=wanted)

    def visit(self, address: str) -> None:
        """Load a page."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.loaded()

    def loaded(self) -> None:
        """Wait for the page that is being loaded."""
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._read()

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives on the page; a promise is waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression of JavaScript is true on the page."""
        wait_until(lambda: bool(self.value(expression)), f"never true: {expression}")

    def serious_faults(self) -> list[list[str]]:
        """What axe-core has against the page, by rule and element."""
        self.call("Runtime.evaluate", expression=Path(AXE).read_text(encoding="utf-8"))
        found: list[list[str]] = self.value(SERIOUS.strip())
        return found

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[dict[str, Any]]:
        """Everything on the console, and exceptions."""
        said = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event["method"] in said]

    def _read(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            text += byte
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message


def _high_pipe() -> tuple[int, int]:
    """A pipe whose ends are not 3 and 4: those are where Chromium reads and writes."""
    ends = os.pipe()
    reads, writes = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return reads, writes
