"""`staleproof check` with settings in pyproject.toml."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from staleproof.cli import main

Problem = Callable[..., dict[str, str]]

CROSSED = (
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n"
)
SETTINGS = """
[tool.staleproof]
targets = ["crossed.csv"]
buffer = 1

[[tool.staleproof.check]]
targets = ["pipedream"]
ranks = 3
require = "stash, staleness<=2"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "crossed.csv").write_text(CROSSED, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(*arguments: object) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "staleproof", "check", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def result(*arguments: object) -> tuple[int, Any]:
    code, out = checked(*arguments, "--json")
    return code, json.loads(out)


def test_configured_targets(project: Path) -> None:
    code, found = result()
    assert code == 0
    crossed, pipedream = found["results"]
    assert (crossed["target"], crossed["model"]["buffer"]) == ("crossed.csv", 1)
    assert (pipedream["target"], pipedream["required"]) == ("pipedream", ["stash", "staleness<=2"])
    assert pipedream["facts"]["ranks"] == 3


def test_command_line_overrides(project: Path) -> None:
    code, found = result("--buffer", 0)
    assert code == 1
    assert [entry["ok"] for entry in found["results"]] == [False, True]
    code, found = result("pipedream", "--require", "staleness<=1")
    assert (code, found["required"]) == (1, ["staleness<=1"])
    assert result("pipedream", "--require", "")[1]["required"] == []
    assert result("pipedream", "-p", 5)[1]["facts"]["ranks"] == 5


def test_named_target_keeps_its_settings(project: Path) -> None:
    assert result("crossed.csv")[0] == 0
    (project / "other.csv").write_text(CROSSED, encoding="utf-8")
    assert result("other.csv")[1]["model"]["buffer"] == 1
    (project / "pyproject.toml").unlink()
    assert result("crossed.csv")[0] == 1


def test_format(project: Path) -> None:
    with open(project / "pyproject.toml", "a", encoding="utf-8") as file:
        file.write("[[tool.staleproof.check]]\ntargets = ['gpipe']\nranks = 2\n")
    assert checked()[1].startswith("ok: crossed.csv: ")
    path = project / "pyproject.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("buffer = 1", 'buffer = 1\nformat = "junit"'), encoding="utf-8")
    assert checked()[1].startswith("<?xml ")
    assert json.loads(checked("--json")[1])["ok"]
    assert checked("--format", "text")[1].startswith("ok: ")


def test_nothing_to_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Problem
) -> None:
    monkeypatch.chdir(tmp_path)
    error = problem("check")
    assert "there is nothing to check" in error["what"]
    assert "--help" in error["fix"]


@pytest.mark.parametrize(
    ("old", "new", "where", "expected"),
    [
        ("buffer = 1", "bufer = 1", "tool.staleproof.bufer", "did you mean 'buffer'?"),
        ("buffer = 1", "buffer = -1", "tool.staleproof.buffer", "0 or more"),
        ("buffer = 1", "queues = 1", "tool.staleproof.queues", "a text stands here"),
        ("stash, ", "stashh, ", "tool.staleproof.check[0].require", "did you mean 'stash'?"),
        ("crossed.csv", "*.cvs", "tool.staleproof.targets", "no file matches '*.cvs'"),
        ("ranks = 3", "rank = 3", "tool.staleproof.check[0].rank", "did you mean 'ranks'?"),
    ],
)
def test_bad_settings(
    project: Path, problem: Problem, old: str, new: str, where: str, expected: str
) -> None:
    (project / "pyproject.toml").write_text(SETTINGS.replace(old, new), encoding="utf-8")
    error = problem("check")
    assert error["where"] == f"pyproject.toml:{where}"
    assert expected in f"{error['what']}; {error['fix']}"


def test_broken_file(project: Path, problem: Problem) -> None:
    (project / "pyproject.toml").write_text("[tool.staleproof\n", encoding="utf-8")
    error = problem("check", "crossed.csv")
    assert error["where"] == "pyproject.toml"
    assert "no TOML that can be read" in error["what"]


def test_configured_file_that_is_not_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "crossed.csv").unlink()
    assert main(["check", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["where"] == "crossed.csv"


def test_bad_input_in_the_form_of_the_settings(project: Path) -> None:
    path = project / "pyproject.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("buffer = 1", 'format = "json"'), encoding="utf-8")
    for arguments, as_json in (([], True), (["--format", "text"], False), (["--json"], True)):
        done = subprocess.run(
            [sys.executable, "-m", "staleproof", "check", "missing.csv", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        if as_json:
            assert (json.loads(done.stdout)["error"]["where"], done.stderr) == ("missing.csv", "")
        else:
            assert (done.stdout, done.stderr[:24]) == ("", "staleproof: missing.csv:")


def test_difference_by_every_check_of_new(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        "[[tool.staleproof.check]]\ntargets = ['crossed.csv']\nbuffer = 1\n"
        "[[tool.staleproof.check]]\ntargets = ['*.csv']\nbuffer = 0\n"
        "[[tool.staleproof.check]]\ntargets = ['old.csv']\nbuffer = 'inf'\n",
        encoding="utf-8",
    )
    (project / "old.csv").write_text(CROSSED, encoding="utf-8")
    code, found = result("--diff", "old.csv", "crossed.csv")
    assert (code, found["ok"], len(found["results"])) == (1, False, 2)
    for each, buffer in zip(found["results"], (1, 0), strict=True):
        assert (each["lost"], each["gained"], each["changes"]) == ([], [], [])
        assert each["old"]["model"] == each["new"]["model"] == {"queues": "rank", "buffer": buffer}
    code, text = checked("--diff", "old.csv", "crossed.csv")
    assert (code, text.count("from old.csv to crossed.csv:")) == (1, 2)
