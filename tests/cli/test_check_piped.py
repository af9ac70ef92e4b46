"""Standard input and pipes, and targets of which one cannot be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from schedules.formats import read_document
from tests.cli.conftest import Run

DATA = Path(__file__).parents[1] / "data" / "schedules"
NAMES = (
    "torch2.13_1F1B_p2_m4.comms.csv",
    "deepspeed0.19.8_train_p2_m4.json",
    "megatron0.16.1_p4_m8_v1.json",
)


def given(name: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command with a file on its standard input."""
    with open(DATA / name, "rb") as file:
        return subprocess.run(
            [sys.executable, "-m", "staleproof", *arguments],
            stdin=file,
            capture_output=True,
            timeout=60,
            check=False,
        )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["-", "/dev/stdin"])
def test_standard_input_says_what_the_file_says(name: str, path: str, run: Run) -> None:
    if not os.path.exists("/dev/stdin"):
        pytest.skip("no /dev/stdin on this system")
    done, wanted = given(name, "check", path, "--json"), run("check", DATA / name, "--json")
    assert done.returncode == wanted.returncode == 0
    one, other = json.loads(done.stdout), json.loads(wanted.stdout)
    assert one.pop("target") == ("<stdin>" if path == "-" else path)
    assert other.pop("target")
    assert one == other


def test_a_fifo_is_read_once(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes on this system")
    pipe, data = tmp_path / "pipe", (DATA / NAMES[1]).read_bytes()
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    document = read_document(pipe)
    writer.join(10)
    assert (document.format, document.schedule.name) == ("deepspeed", str(pipe))


def test_convert_reads_standard_input(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert given(NAMES[0], "convert", "-", str(out)).returncode == 0
    assert len(read_document(out).schedule) == len(read_document(DATA / NAMES[0]).schedule)


def test_mistakes_in_a_pipe_have_their_place() -> None:
    done = given("README.md", "check", "-")
    assert done.returncode == 2
    assert done.stderr.startswith(b"staleproof: <stdin>:row 1:cell 1: ")


# Several targets


GOOD = DATA / NAMES[0]


def test_an_unreadable_target_does_not_hide_the_others(run: Run, tmp_path: Path) -> None:
    absent = tmp_path / "absent.csv"
    done = run("check", absent, GOOD, "gpipe", "-p", 2)
    assert done.returncode == 2
    assert [line[:3] for line in done.stdout.splitlines() if line[0] != " "] == ["ok:", "ok:"]
    assert done.stderr.count("\n") == 1
    assert str(absent) in done.stderr


def test_json_has_all_of_them(result: Callable[..., Any], tmp_path: Path) -> None:
    absent = tmp_path / "absent.csv"
    code, found = result("check", GOOD, absent)
    assert (code, found["ok"]) == (2, False)
    assert [each["ok"] for each in found["results"]] == [True, False]
    assert found["error"] == found["results"][1]["error"]
    assert found["error"]["where"] == str(absent)


@pytest.mark.parametrize("others", [(), (GOOD,)])
def test_junit_is_a_report_also_of_what_cannot_be_read(
    run: Run, tmp_path: Path, others: tuple[Path, ...]
) -> None:
    done = run("check", tmp_path / "absent.csv", *others, "--format", "junit")
    assert done.returncode == 2
    root = ET.fromstring(done.stdout)
    assert root.get("errors") == "1"
    assert len(root.findall("testsuite")) == 1 + len(others)
    assert "readable" in (root[0][0].get("name") or "")


def test_an_annotation_names_what_cannot_be_read(run: Run, tmp_path: Path) -> None:
    done = run("check", tmp_path / "absent.csv", "--format", "github")
    assert done.returncode == 2
    assert done.stdout.startswith("::error file=")


def test_a_difference_needs_both(run: Run, tmp_path: Path) -> None:
    done = run("check", "--diff", GOOD, tmp_path / "absent.csv")
    assert (done.returncode, done.stdout) == (2, "")
