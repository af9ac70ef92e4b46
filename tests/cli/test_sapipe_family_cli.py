"""Families pipesgd and sapipe on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Result = Callable[..., tuple[int, Any]]


def test_local_staleness_by_layer(result: Result) -> None:
    code, found = result("delays", "sapipe", "-p", 2, "-m", 24, "--set", "stale=2")
    assert code == 0
    assert found["stages"] == 4
    assert found["local_staleness"] == found["local_staleness_whole_run"] == [1, 1, 0, 0]
    _, found = result("delays", "pipesgd", "-p", 2, "-m", 24)
    assert found["local_staleness"] == [1] * 4
    _, found = result("delays", "sapipe", "-p", 2, "-m", 24, "--set", "stale=0")
    assert found["local_staleness"] == [0] * 4


def test_delays_say_at_once_what_no_microbatches_can_give(
    run: Callable[..., Any], result: Result
) -> None:
    size = ("-p", 2, "-m", 6)
    _, found = result("delays", "sapipe", *size)
    assert found["steady"] is found["equivalent"] is None
    assert "differ from worker to worker, for every M" in found["steady_why"]
    assert found["equivalent_why"].endswith("take M ≥ 10, a multiple of 2")
    shown = run("delays", "sapipe", *size).stdout
    assert found["steady_why"] in shown
    assert found["equivalent_why"] in shown
    assert "need not be staleness" in shown
    _, found = result("delays", "sapipe", "-p", 2, "-m", 10)
    assert "for every M" in found["steady_why"]
    assert (found["equivalent"]["max"], found["equivalent_why"]) == (8, None)
    for remedy in (("-p", 1, "-m", 9), ("-p", 2, "-m", 12, "--linearization", "slot-start")):
        _, found = result("delays", "sapipe", *remedy)
        assert found["steady"] is not None
        assert found["steady_why"] is None


@pytest.mark.slow
def test_check_as_a_gate(result: Result) -> None:
    wanted = ("--require", "stash,update-once,barrier,staleness<=1,versions<=1")
    assert result("check", "pipesgd", "-p", 3, "-m", 9, *wanted)[0] == 0
    code, found = result("check", "sapipe", "-p", 3, "-m", 9, "--require", "staleness<=0")
    assert code == 1
    assert found["facts"]["versions_kept"] == [1] * 4
    assert found["facts"]["mismatch_whole_run"] == [0] * 4
    assert {one["invariant"] for one in found["violations"]} == {"staleness"}
    none_stale = ("--set", "stale=0", "--require", "staleness<=0")
    assert result("check", "sapipe", "-p", 3, "-m", 9, *none_stale)[0] == 0


@pytest.mark.slow
def test_figures_and_list(result: Result) -> None:
    code, found = result("derive", "sapipe")
    assert (code, found["verdict"], found["bubble"]) == (0, "PROVED", "0")
    _, found = result("families")
    by_name = {one["name"]: one for one in found["families"]}
    assert [entry["name"] for entry in by_name["sapipe"]["parameters"]] == ["layers", "stale"]
    assert by_name["pipesgd"]["policy"] == "stash"


def test_converted_and_checked_again(result: Result, tmp_path: Path) -> None:
    file = tmp_path / "sapipe.json"
    code, _ = result("convert", "sapipe", "-p", 2, "-m", 4, file)
    assert code == 0
    assert json.loads(file.read_text(encoding="utf-8"))
    code, found = result("check", file, "--require", "stash,barrier,update-once")
    assert (code, found["actions"]) == (0, 96)


@pytest.mark.slow
def test_compared_drawn_and_verified(result: Result, tmp_path: Path) -> None:
    code, _ = result("compare", "pipesgd", "sapipe", "-p", 2, "-m", 4)
    assert code == 0
    picture = tmp_path / "sapipe.svg"
    assert result("draw", "sapipe", "-p", 2, "-m", 4, "-o", picture)[0] == 0
    assert picture.stat().st_size > 1000
    code, found = result("verify", "schedules.pipesgd", "schedules.sapipe")
    assert (code, found["summary"]["PROVED"], len(found["claims"])) == (0, 14, 14)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("delays", "sapipe", "-p", 2, "-m", 5), "M (microbatches) is a multiple of p"),
        (("check", "sapipe", "-p", 2, "--set", "stale=5"), "found stale = 5 and layers = 4"),
        (
            ("draw", "sapipe", "-p", 2, "-m", 10**10, "--what", "delays", "-o", "x.svg"),
            "matrix of S = 4 stages and M = 1000000",
        ),
        (("delays", "sapipe", "-p", 2, "-m", 10**10), "matrix of S = 4 stages and M = 1000000"),
        (
            ("draw", "pipesgd", "-p", 2, "--what", "delays", "-o", "x.svg"),
            "differ from worker to worker",
        ),
        (("delays", "pipesgd", "-p", 2, "--set", "stale=1"), "has no parameter 'stale'"),
        (("delays", "sapipe", "-p", 2, "--set", "stale=-1"), "at least 0, found -1"),
    ],
)
def test_bad_input(
    problem: Callable[..., dict[str, str]], arguments: tuple[object, ...], what: str
) -> None:
    assert what in problem(*arguments)["what"]


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        (("convert", "sapipe", "-p", 2, "-m", 4, "x.csv"), "write a .json file"),
        (("measure", "sapipe", "-p", 2, "-m", 4), "take a schedule without BARRIER"),
    ],
)
def test_what_else_there_is(
    problem: Callable[..., dict[str, str]], arguments: tuple[object, ...], fix: str
) -> None:
    error = problem(*arguments)
    assert "BARRIER" in error["what"] or "barriers" in error["what"]
    assert fix in error["fix"]
