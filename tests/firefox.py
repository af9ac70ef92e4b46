"""Firefox, driven over Marionette, the protocol that it speaks itself; no driver is needed."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
OPTIONS = "--headless --no-remote --marionette --remote-allow-system-access".split()
NOWHERE = "127.0.0.1"
SETTINGS = {
    "marionette.port": 0,
    "network.proxy.type": 1,  # all that is not a file goes to a port where nobody listens
    "network.proxy.http": NOWHERE,
    "network.proxy.http_port": 9,
    "network.proxy.ssl": NOWHERE,
    "network.proxy.ssl_port": 9,
    "ui.prefersReducedMotion": 1,
}
KEYS = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
SCHEME = "layout.css.prefers-color-scheme.content-override"
OF_THE_PAGE = "file://"
"""What messages of the console name that are not Firefox's own."""
PATIENCE = 60.0


class Firefox:
    """One page, as `tests.browser.Browser`."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.number, self.rest = connection, 0, b""
        self._next()  # Firefox says which protocol it speaks
        self.call("WebDriver:NewSession", capabilities={})

    def call(self, method: str, **parameters: Any) -> Any:
        """Ask the browser for something."""
        self.number += 1
        asked = json.dumps([0, self.number, method, parameters]).encode()
        self.connection.sendall(b"%d:%s" % (len(asked), asked))
        _, _, error, result = self._next()
        assert error is None, (method, error)
        return result

    def _next(self) -> Any:
        while b":" not in self.rest:
            self._more()
        length, _, self.rest = self.rest.partition(b":")
        while len(self.rest) < int(length):
            self._more()
        said, self.rest = self.rest[: int(length)], self.rest[int(length) :]
        return json.loads(said)

    def _more(self) -> None:
        more = self.connection.recv(1 << 16)
        assert more, "the browser has gone"
        self.rest += more

    def _own(self, script: str, *arguments: Any) -> Any:
        """What a script is worth that may do what Firefox itself may."""
        self.call("Marionette:SetContext", value="chrome")
        found = self.call("WebDriver:ExecuteScript", script=script, args=arguments)["value"]
        self.call("Marionette:SetContext", value="content")
        return found

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings of pages since they were forgotten."""
        said = self._own("return Services.console.getMessageArray().map(String)")
        return [message for message in said if OF_THE_PAGE in message]

    @property
    def requests(self) -> list[str]:
        """What the page has asked for beside itself."""
        found: list[str] = self.value("performance.getEntriesByType('resource').map(e => e.name)")
        return found

    def forget(self) -> None:
        """Begin a new list of complaints."""
        self._own("Services.console.reset()")

    def open(self, file: Path) -> None:
        """Open a file and wait until its page says that it is ready."""
        self.call("WebDriver:Navigate", url=file.as_uri())
        end = time.monotonic() + PATIENCE
        while self.value("document.documentElement?.dataset.ready") != "yes":
            assert time.monotonic() < end, self.complaints
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """What an expression is worth on the page."""
        script = f"return ({expression})"  # pages forbid eval
        return self.call("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def _act(self, **source: Any) -> None:
        self.call("WebDriver:PerformActions", actions=[source])

    def press(self, key: str) -> None:
        """Press and release a key."""
        both = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self._act(type="key", id="keys", actions=both)

    def hover(self, x: float, y: float) -> None:
        """Move the pointer."""
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "origin": "viewport"}
        self._act(type="pointer", id="mouse", actions=[move])

    def dark(self, on: bool) -> None:
        """Ask for a dark or a light page."""
        self._own(f"Services.prefs.setIntPref('{SCHEME}', {0 if on else 1})")

    def picture(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", full=False)["value"])


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A Firefox of its own, which ends with the block."""
    assert FIREFOX is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        settings = (f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in SETTINGS.items())
        Path(profile, "user.js").write_text("".join(settings), encoding="utf-8")
        process = subprocess.Popen(
            [FIREFOX, *OPTIONS, "--profile", profile, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with socket.create_connection((NOWHERE, _port(Path(profile)))) as connection:
                connection.settimeout(PATIENCE)
                yield Firefox(connection)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _port(profile: Path) -> int:
    """Where it listens, as it writes into its profile."""
    end, file = time.monotonic() + PATIENCE, profile / "MarionetteActivePort"
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < end, "Firefox does not listen"
        time.sleep(0.05)
    return int(file.read_text())
