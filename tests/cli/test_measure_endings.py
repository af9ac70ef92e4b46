"""How ``measure`` ends when its surroundings fail it: no room, no torch, SIGTERM, Ctrl-C early."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from gpu_validation.cli import main
from gpu_validation.models import ModelSpec
from schedules import build
from schedules.formats.trace import write_trace
from schedules.formats.trace_reader import read_trace
from tests.failing_ranks import bombs, heard, obeying_ctrl_c, wait_for
from tests.run_logs import faithful_log

__all__ = ["bombs", "heard", "obeying_ctrl_c"]

pytest.importorskip("torch")

Problem = Callable[..., dict[str, str]]

FULL = Path("/dev/full")

CHILD = """
import sys
from gpu_validation.transports.launch import start_server
PRELOADED
start_server()
print("started", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of ``pipedream -p 2 -m 6``."""
    path = tmp_path / "run.jsonl"
    path.write_text(write_trace(faithful_log(build("pipedream", 2, 6))), encoding="utf-8")
    return path


@pytest.mark.sampled(4)
@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("program", "options"),
    [*product([["gpu_validation"], ["staleproof", "measure"]], [["--json"], []])],
)
def test_a_full_device_is_told(log: Path, program: list[str], options: list[str]) -> None:
    arguments = ["pipedream", "-p", "2", "-m", "6", "--check", str(log), *options]
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", *program, *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2,
        "measure: standard output: it cannot be written to (No space left on device); send it "
        "where there is room\n",
    )


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_an_error_that_cannot_be_printed_is_no_traceback() -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gpu_validation", "pipedrem", "-p", "2", "--json"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("measure: standard output: it cannot be written to")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes no file."""
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(path: Path, *_: object, **__: object) -> int:
        raise full

    monkeypatch.setattr("gpu_validation.files.Path.write_text", write)


@pytest.mark.usefixtures("no_room")
@pytest.mark.parametrize("option", ["-o", "--chrome"])
def test_a_full_disk_takes_nothing_of_the_result(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str
) -> None:
    path = str(tmp_path / "out.jsonl")
    assert main(["pipedream", "-p", "2", "-m", "4", option, path, "--json"]) == 2
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["agree"], found["log"]) == (True, None)
    assert err.splitlines()[-1].startswith(
        f"measure: {path}: a result cannot be written (No space left on device)"
    )


@pytest.mark.usefixtures("no_room")
def test_a_full_disk_does_not_hide_which_rank_failed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "run.jsonl"
    log.touch()  # of an earlier run

    def fail(*_: object) -> None:
        raise ValueError("no more")

    monkeypatch.setattr("gpu_validation.stage.Stage.backward", fail)
    assert main(["pipedream", "-p", "2", "-m", "4", "-o", str(log)]) == 1
    *_, first, last = capsys.readouterr().err.splitlines()
    assert "no more" in first
    assert "No space left on device" in last


@pytest.mark.usefixtures("no_room")
def test_a_full_disk_is_told_after_ctrl_c(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gpu_validation.transports.watching.Watcher._failure", interrupt)
    assert main(["pipedream", "-p", "2", "-m", "4", "-o", str(tmp_path / "run.jsonl")]) == 130
    *_, first, last = capsys.readouterr().err.splitlines()
    assert "No space left on device" in first
    assert last == "gpu_validation: interrupted"


def test_without_torch(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    error = problem("measure", "pipedream", "-p", 2)
    assert error["what"].startswith("measuring needs torch 2.6 or newer, which cannot be loaded")
    assert error["where"] == "torch"


@pytest.mark.parametrize("transport", ["gloo", "torch"])
def test_more_processes_than_a_machine_takes(problem: Problem, transport: str) -> None:
    error = problem("measure", "1f1b", "-p", 200, "-m", 1, "--transport", transport)
    assert "at most 64 ranks run as processes of one machine" in error["what"]
    assert "torchrun" in error["fix"]


@pytest.mark.slow
def test_sigterm_leaves_a_valid_log(bombs: Callable[[str], ModelSpec], tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    child = subprocess.Popen(
        [
            *(sys.executable, "-m", "gpu_validation", "pipedream", "-p", "2", "-m", "400"),
            *("--jitter", "0.05", "-o", str(log), "--module", bombs("telling").name),
            *("--width", "4"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(tmp_path / "running")
    child.terminate()
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err.splitlines()[-1]) == (130, "gpu_validation: interrupted")
    trace = read_trace(log)
    assert trace.schedule.parameters["partial"] == 1
    assert len(trace.schedule) > 0


@pytest.mark.usefixtures("obeying_ctrl_c")
def test_a_server_that_starts_is_deaf_to_ctrl_c(tmp_path: Path) -> None:
    slow = tmp_path / "slow_to_load.py"
    slow.write_text(
        "import pathlib, time\n"
        f"pathlib.Path({str(tmp_path / 'loading')!r}).touch()\n"
        "time.sleep(0.5)\n"
        f"pathlib.Path({str(tmp_path / 'loaded')!r}).touch()\n",
        encoding="utf-8",
    )
    preload = (
        "import gpu_validation.transports.launch as server; server.PRELOADED = ('slow_to_load',)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.replace("PRELOADED", preload)],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.getcwd()}"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    wait_for(tmp_path / "loading")
    os.killpg(child.pid, signal.SIGINT)
    _, err = child.communicate(timeout=60)
    # The program itself is interrupted; the server says nothing, and loads on.
    assert child.returncode != 0
    assert err.count("Traceback") == 1
    assert "slow_to_load" not in err
    wait_for(tmp_path / "loaded")
