"""A real browser, driven over the two pipes of Chromium's own protocol; no driver is needed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
OPTIONS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-extensions --mute-audio "
    "--disable-background-networking --disable-component-update --disable-dev-shm-usage "
    "--window-size=1200,900 --force-prefers-reduced-motion --remote-debugging-pipe"
).split()
PATIENCE = 60.0


class Browser:
    """One page of a browser without a network."""

    def __init__(self, reads: int, writes: int) -> None:
        self.reads, self.writes, self.number, self.rest = reads, writes, 0, b""
        self.session = ""
        self.complaints: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.setBlockedURLs", urls=["http://*", "https://*", "ws://*"])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser for something, and note what else it says meanwhile."""
        self.number += 1
        asked: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.writes, json.dumps(asked).encode() + b"\0")
        while True:
            said = self._next()
            if said.get("id") == self.number:
                assert "error" not in said, (method, said)
                answer: dict[str, Any] = said["result"]
                return answer
            self._note(said)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            more = os.read(self.reads, 1 << 16)
            assert more, "the browser has gone"
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        said: dict[str, Any] = json.loads(text)
        return said

    def _note(self, said: dict[str, Any]) -> None:
        method, parameters = said.get("method"), said.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", str(details)))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.complaints.append(str(parameters["args"])[:500])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def forget(self) -> None:
        """Begin new lists of complaints and requests."""
        self.complaints.clear()
        self.requests.clear()

    def open(self, file: Path) -> None:
        """Open a file and wait until its page says that it is ready."""
        self.call("Page.navigate", url=file.as_uri())
        end = time.monotonic() + PATIENCE
        while self.value("document.documentElement?.dataset.ready") != "yes":
            assert time.monotonic() < end, self.complaints
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """What an expression is worth on the page."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key."""
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38}
        more = {"windowsVirtualKeyCode": codes.get(key, 0), "code": key}
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def hover(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def dark(self, on: bool) -> None:
        """Ask for a dark or a light page."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser of its own, which ends with the block."""
    assert CHROMIUM is not None
    to_read, to_write = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:

        def connect() -> None:
            os.dup2(to_write[0], 3)
            os.dup2(to_read[1], 4)

        process = subprocess.Popen(
            [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=connect,
            pass_fds=(3, 4),
        )
        try:
            yield Browser(to_read[0], to_write[1])
        finally:
            process.terminate()
            process.wait(PATIENCE)
            for descriptor in (*to_read, *to_write):
                os.close(descriptor)
