"""SARIF, paths in annotations, and what a hook passes over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from staleproof.checking.workspace import in_workspace, uri_of
from staleproof.cli import main

WRONG = "0F0,0B0\n1F0,1F0,1B0\n"
LEVELS = {"none", "note", "warning", "error"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a schedule that is wrong and one that is right, in a folder."""
    folder = tmp_path / "sub" / "schedules"
    folder.mkdir(parents=True)
    (folder / "wrong one.csv").write_text(WRONG, encoding="utf-8")
    (folder / "right.csv").write_text("0F0,0B0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "sub")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    return folder


def log(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = main(["check", *words, "--format", "sarif"])
    return code, json.loads(capsys.readouterr().out)


def test_a_log_has_what_sarif_asks_for(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = log(capsys, "schedules/wrong one.csv", "schedules/right.csv")
    assert (code, found["version"]) == (1, "2.1.0")
    [run] = found["runs"]
    assert run["tool"]["driver"]["name"] == "staleproof"
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert rules == {result["ruleId"] for result in run["results"]}
    assert {result["level"] for result in run["results"]} <= LEVELS
    assert all(result["message"]["text"] for result in run["results"])
    assert run["invocations"][0]["executionSuccessful"]
    [broken] = [result for result in run["results"] if result["ruleId"] == "complete"]
    physical = broken["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {
        "uri": "sub/schedules/wrong%20one.csv",
        "uriBaseId": "%SRCROOT%",
    }
    assert physical["region"] == {"startLine": 2}
    undecided = [each for each in run["results"] if "undecided" in each["message"]["text"]]
    assert {each["level"] for each in undecided} == {"error"}


def test_a_right_schedule_has_no_result(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = log(capsys, "schedules/right.csv")
    assert (code, found["runs"][0]["results"]) == (0, [])


def test_what_cannot_be_read_is_a_notification(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = log(capsys, "schedules/absent.csv")
    [invocation] = found["runs"][0]["invocations"]
    assert (code, invocation["executionSuccessful"]) == (2, False)
    assert "absent.csv" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_a_difference_is_the_log_of_new(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = log(capsys, "--diff", "schedules/right.csv", "schedules/wrong one.csv")
    assert code == 1
    assert "complete" in {result["ruleId"] for result in found["runs"][0]["results"]}


def test_annotations_name_files_from_the_root_of_the_repository(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "schedules/wrong one.csv", "--format", "github"]) == 1
    errors = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::error")]
    assert errors
    assert all(line.startswith("::error file=sub/schedules/wrong one.csv,") for line in errors)


def test_paths_outside_stay_as_they_are(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_workspace("../../elsewhere.csv") == "../../elsewhere.csv"
    assert uri_of("../../elsewhere.csv")[0].startswith("file:///")
    monkeypatch.delenv("GITHUB_WORKSPACE")
    assert in_workspace("schedules/right.csv") == "schedules/right.csv"
    assert uri_of("schedules/right.csv") == ("schedules/right.csv", True)


# What a hook passes over


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"theme": "dark"}', '{"editor.tabSize": 4, "files": ["a", "b"]}']
)
def test_json_that_is_no_schedule_is_passed_over(
    project: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = project / "settings.json"
    other.write_text(text, encoding="utf-8")
    assert main(["check", str(other), str(project / "right.csv")]) == 2
    capsys.readouterr()
    assert main(["check", "--skip-others", str(other), str(project / "right.csv")]) == 0
    assert "skipped, no schedule" in capsys.readouterr().err


def test_nothing_else_is_passed_over(project: Path) -> None:
    """A broken schedule, a torn one and one that is absent stay what they are."""
    broken = project / "broken.json"
    broken.write_text('{"schema": "staleproof-schedule/1", "ranks": [["0F0"', encoding="utf-8")
    torn = project / "torn.csv"
    torn.write_text("0F0,0X0", encoding="utf-8")
    named = project / "a.megatron.json"
    named.write_text("{}", encoding="utf-8")
    for path in (broken, torn, named, project / "absent.json"):
        assert main(["check", "--skip-others", str(path)]) == 2


def test_only_others_are_nothing_to_refuse(project: Path) -> None:
    other = project / "settings.json"
    other.write_text("{}", encoding="utf-8")
    assert main(["check", "--skip-others", str(other)]) == 0
