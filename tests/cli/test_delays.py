"""`staleproof delays`."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

KEYS = {
    "family",
    "stages",
    "microbatches",
    "linearization",
    "steady",
    "steady_why",
    "equivalent",
    "whole_run_max",
    "whole_run_argmax",
    "equivalent_whole_run_max",
    "local_staleness",
    "local_staleness_whole_run",
    "length",
    "idle_fraction",
}
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


@pytest.mark.parametrize("command", ["delays", "derive"])
def test_a_schedule_file_belongs_to_check(problem: Problem, tmp_path: Path, command: str) -> None:
    """What is there is said, and not a list of 25 families."""
    file = tmp_path / "a.csv"
    file.write_text("0F0,0B0\n1F0,1B0")
    found = problem(command, file)
    assert found["where"] == str(file)
    assert "a family is needed" in found["what"]
    assert "`staleproof check`" in found["fix"]


def test_pipedream_with_four_stages(result: Result) -> None:
    code, found = result("delays", "pipedream", "-p", 4)
    assert code == 0
    assert set(found) >= KEYS
    assert (found["stages"], found["microbatches"]) == (4, 16), "M = 4p unless given"
    assert found["linearization"] == "ascending"
    assert found["steady"] == {
        "rows": [[14, 11, 9, 6], [12, 9, 7, 4], [11, 8, 6, 3], [9, 6, 4, 1]],
        "max": 14,
        "min": 1,
        "mean": "15/2",
    }
    assert found["steady_why"] is None
    assert found["whole_run_max"] == 16
    assert found["whole_run_argmax"] == {"index": 16, "stage": 0, "microbatch": 3, "block": 0}
    assert found["local_staleness"] == [3, 2, 1, 0]
    assert (found["length"], found["idle_fraction"]) == (38, "3/19")


def test_every_linearization_is_named_in_its_answer(result: Result) -> None:
    rows = {}
    for name in ("ascending", "descending", "forwards-first", "slot-start"):
        _, found = result("delays", "pipedream", "-p", 3, "-m", 12, "--linearization", name)
        assert found["linearization"] == name
        rows[name] = str(found["steady"]["rows"])
    assert rows["ascending"] != rows["descending"]


def test_too_few_microbatches_for_a_steady_part(run: Run, result: Result) -> None:
    code, found = result("delays", "pipedream", "-p", 4, "-m", 8)
    assert code == 0
    assert found["steady"] is None
    assert found["equivalent"] is None
    assert found["local_staleness"] is None
    assert "with S = 4 stages; take M ≥ 9" in found["steady_why"]
    assert found["steady_why"] in run("delays", "pipedream", "-p", 4, "-m", 8).stdout


def test_family_without_a_steady_part_says_so(result: Result) -> None:
    _, found = result("delays", "localsgd", "-p", 3)
    assert found["steady"] is None
    assert "rounds end in a barrier" in found["steady_why"]
    assert found["local_staleness"] == [0, 0, 0]


def test_parameters_reach_the_schedule(result: Result) -> None:
    _, found = result("delays", "pipedream", "-p", 4, "--set", "noam=1")
    _, naive = result("delays", "naive", "-p", 4)
    assert found["parameters"] == {"noam": 1}
    assert found["steady"] == naive["steady"]


def test_one_stage(result: Result) -> None:
    code, found = result("delays", "pipedream", "-p", 1)
    assert code == 0
    assert found["steady"] == {"rows": [[0]], "max": 0, "min": 0, "mean": "0"}


def test_matrix_is_printed_up_to_sixteen_stages(run: Run) -> None:
    small, large = (run("delays", "pipedream", "-p", p).stdout for p in (16, 17))
    assert " 0   248  239" in small
    assert "--json" not in small
    assert "17 × 17 entries; --json prints them" in large


@pytest.mark.parametrize("option", ["-p", "-m"])
@pytest.mark.parametrize(
    "value", ["4.0", "1e3", "abc", "0", "-1", "", " 4", "+4", "4_0", "٤", "0x4", "9" * 400]
)
def test_sizes_are_plain_integers(problem: Problem, option: str, value: str) -> None:
    other = {"-p": "-m", "-m": "-p"}[option]
    error = problem("delays", "pipedream", other, 4, option, value)
    assert error["where"] == option


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["pipedream"], "number of ranks"),
        (["pipdream", "-p", 4], "did you mean 'pipedream'?"),
        (["pipedream", "-p", 4, "--linearization", "descendin"], "did you mean 'descending'?"),
        (["pipedream", "-p", 4, "--set", "noma=2"], "did you mean 'noam'?"),
        (["gpipe", "-p", 4, "--set", "noam=2"], "no parameter 'noam'"),
        (["pipedream", "-p", 4, "--set", "noam=0"], "at least 1"),
        (["pipedream", "-p", 4, "--set", "noam=-3"], "at least 1"),
        (["pipedream", "-p", 4, "--set", "noam=2.5"], "whole number"),
        (["pipedream", "-p", 4, "--set", "noam="], "whole number"),
        (["pipedream", "-p", 4, "--set", "noam"], "name=value"),
        (["pipedream", "-p", 4, "--set", "noam=2", "--set", "noam=3"], "twice"),
        (["pipedream", "-p", 100000], "GiB"),
        (["pipedream", "-p", "9" * 18], "GiB"),
        (["pipedream", "-p", 4, "-m", "9" * 18], "GiB"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[object], expected: str) -> None:
    error = problem("delays", *arguments)
    assert expected in f"{error['what']}; {error['fix']}"
