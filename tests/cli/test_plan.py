"""`staleproof plan`."""

import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]

LAYERS = Path(__file__).parents[2] / "examples" / "plan" / "transformer.csv"
SIZE = ("-p", 4, "-m", 8)


def test_plans_are_what_compare_finds(result: Result) -> None:
    code, found = result("plan", LAYERS, *SIZE)
    assert code == 0
    plans = found["plans"]
    spans = [Fraction(plan["makespan"]) for plan in plans]
    assert spans == sorted(spans)
    assert len({(plan["family"], *plan["parameters"].items()) for plan in plans}) == len(plans)
    assert found["synthesized"] is None
    assert {each["family"] for each in found["left_out"]} == {"pipesgd", "sapipe", "blog-naive"}
    assert {"1f1b", "zbv", "pipedream", "amdp", "interleaved-1f1b"} <= {p["family"] for p in plans}
    for plan in plans[:: len(plans) // 6]:
        given = [f"--set={name}={value}" for name, value in plan["parameters"].items()]
        _, compared = result("compare", plan["family"], *SIZE, *given, "--layers", LAYERS)
        [same] = compared["schedules"]
        assert (same["makespan"], same["bubble"]) == (plan["makespan"], plan["bubble"])
        assert same["peak_bytes"] == plan["peak_memory"]
        assert same["exposed_communication"] == plan["exposed_communication"]
        assert same["partition"] == plan["partition"]


def test_limits_are_kept(result: Result) -> None:
    code, found = result("plan", LAYERS, *SIZE, "--memory", "26GB", "--staleness", 1)
    assert code == 0
    assert all(plan["peak_memory"] <= 26 * 10**9 for plan in found["plans"])
    assert max(plan["staleness"] for plan in found["plans"]) == 1
    assert found["beyond_limits"] > 0
    _, every = result("plan", LAYERS, *SIZE)
    tried = len(every["plans"])
    assert tried == len(found["plans"]) + found["beyond_limits"]


def test_stale_updates_are_counted_from_the_version_read(result: Result) -> None:
    """2BW reads the version before the newest wherever stage 0 does."""
    _, found = result("plan", LAYERS, *SIZE)
    stale = {(p["family"], *p["parameters"].values()): p["staleness"] for p in found["plans"]}
    assert stale["pipedream-2bw", 4] == 1
    assert [stale["pipedream", noam] for noam in (1, 2, 3, 4)] == [0, 1, 2, 3]
    assert stale["1f1b",] == 0


def test_the_least_that_would_do(result: Result, run: Run) -> None:
    code, found = result("plan", LAYERS, *SIZE, "--memory", "9GB", "--staleness", 0)
    assert (code, found["plans"]) == (1, [])
    why = found["binding"]
    assert (why["limit"], why["least_staleness"]) == ("memory", None)
    least = why["least_memory"]["peak_memory"]
    code, found = result("plan", LAYERS, *SIZE, "--memory", f"{least}B", "--staleness", 0)
    assert (code, found["plans"][0]["peak_memory"]) == (0, least)
    assert result("plan", LAYERS, *SIZE, "--memory", f"{least - 1}B", "--staleness", 0)[0] == 1
    text = run("plan", LAYERS, *SIZE, "--memory", "9GB", "--staleness", 0)
    assert text.returncode == 1
    assert "the memory cap binds" in text.stdout
    assert f"least memory found at staleness ≤ 0: {least} bytes" in text.stdout


def test_a_partition_that_fits_is_found(result: Result, tmp_path: Path) -> None:
    """The shortest longest stage is too large for the first rank; another one is not."""
    path = tmp_path / "m.csv"
    path.write_text(
        "layer,forward,input_gradient,weight_gradient,activation_bytes,parameter_bytes\n"
        "a,1,0,1,10,0\nb,1,0,1,10,0\nc,3,0,3,1,0\nd,1,0,1,1,0\n"
    )
    _, free = result("plan", path, "-p", 2, "-m", 4)
    _, tight = result("plan", path, "-p", 2, "-m", 4, "--memory", "20B", "--staleness", 0)
    before = next(p for p in free["plans"] if p["family"] == "1f1b")
    after = next(p for p in tight["plans"] if p["family"] == "1f1b")
    assert (before["partition"], before["peak_memory"]) == ([0, 2, 4], 40)
    assert (after["partition"], after["peak_memory"]) == ([0, 1, 4], 20)


def test_table(run: Run) -> None:
    done = run("plan", LAYERS, *SIZE, "--memory", "30GB")
    assert (done.returncode, done.stderr) == (0, "")
    for words in (
        "34 layers, 4 ranks, 8 microbatches",
        "makespan (ms)",
        "critical path of",
        "more",
    ):
        assert words in done.stdout


@pytest.mark.parametrize(
    ("arguments", "where", "words"),
    [
        ((LAYERS, "-p", 4), "plan", "required: -m"),
        ((LAYERS, "-p", 35, "-m", 2), "layers", "35 stages and 34 layers"),
        ((LAYERS, *SIZE, "--memory", "much"), "--memory", "found 'much'"),
        ((LAYERS, *SIZE, "--staleness", "-1"), "--staleness", "0 or more"),
        (("absent.csv", *SIZE), "absent.csv", "must be readable"),
    ],
)
def test_bad_input(problem: Problem, arguments: tuple[Any, ...], where: str, words: str) -> None:
    error = problem("plan", *arguments)
    assert error["where"] == where
    assert words in error["what"]
