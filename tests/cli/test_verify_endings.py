"""`staleproof verify` with processes of its own: none outlives it."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.claim_files import file, judged


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_termination_ends_every_process(tmp_path: Path, ending: signal.Signals) -> None:
    started = [tmp_path / name for name in "ab"]
    bodies = (
        f"import os, time\nopen({str(path)!r}, 'w').write(str(os.getpid()))\n"
        "while True:\n    try:\n        time.sleep(0.01)\n    except BaseException: pass"
        for path in started
    )
    claims = [judged(f"mine.{k}", body, "cost=9") for k, body in enumerate(bodies)]
    (tmp_path / "mine.py").write_text(file(*claims), encoding="utf-8")
    with open(tmp_path / "err", "w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "staleproof", "verify", tmp_path / "mine.py", "-j", "2"],
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
    _until(lambda: all(one.exists() and one.read_text() for one in started))
    process.send_signal(ending)
    assert process.wait(timeout=30) == (143 if ending == signal.SIGTERM else -ending)
    _until(lambda: not any(_lives(int(one.read_text())) for one in started))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.05)
