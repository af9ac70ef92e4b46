"""`staleproof derive`."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy

KEYS = {
    "family",
    "linearization",
    "domain",
    "start_times",
    "delay",
    "max",
    "min",
    "mean",
    "whole_run_max",
    "whole_run_least_m",
    "local_staleness",
    "local_staleness_whole_run",
    "verdict",
    "proof",
}
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def law(result: Result) -> dict[str, Any]:
    code, found = result("derive", "pipedream", "--at", "p=1000000,i=0,j=0")
    assert code == 0
    assert set(found) >= KEYS | {"at"}
    return dict(found)


def test_pipedream_is_proved(law: dict[str, Any]) -> None:
    assert law["verdict"] == "PROVED"
    assert {step["verdict"] for step in law["proof"]} == {"PROVED"}
    assert law["rests_on"] == ["solver", "comparison"]
    assert "the family builds what its rule generates" in [step["says"] for step in law["proof"]]


def test_a_million_stages_need_no_schedule(law: dict[str, Any]) -> None:
    assert law["at"]["delay"] == 10**12 - 10**6 // 2
    assert law["at"]["mean"] == f"{10**12 - 1}/2"


def test_texts_are_sympy_over_p_i_j(law: dict[str, Any]) -> None:
    symbols = {name: sympy.Symbol(name, integer=True) for name in "pij"}
    values = {symbols["p"]: 4, symbols["i"]: 0, symbols["j"]: 1}
    held = []
    for case in law["delay"]:
        when = sympy.sympify(case["when"], locals=symbols)
        if when.subs(values):
            held.append(sympy.sympify(case["expr"], locals=symbols).subs(values))
    assert held == [11]


def test_text_for_people(run: Run) -> None:
    done = run("derive", "gpipe", "--at", "p=5")
    assert done.returncode == 0
    assert done.stdout.startswith("gpipe, linearization ascending: PROVED\n")
    assert "at these numbers\n  p = 5\n" in done.stdout


def test_shape_for_people(run: Run) -> None:
    text = run("derive", "1f1b").stdout
    assert "makespan of M microbatches: 2M + 2p − 2\nbubble: (p − 1)/(M + p − 1)\n" in text
    assert "most activations in flight at stage i, or M if that is less\n" in text


def test_figures_are_proved(run: Run, result: Result) -> None:
    code, found = result("derive", "looped-bfs", "--set", "chunks=3")
    assert (code, found["verdict"]) == (0, "PROVED")
    assert found["makespan"] == "6*M + 2*p - 2"
    assert found["bubble"] == "(p - 1)/(3*M + p - 1)"
    assert set(found) >= KEYS
    assert {step["verdict"] for step in found["proof"]} == {"PROVED"}

    text = run("derive", "zb-h2").stdout
    assert text.startswith("zb-h2: PROVED\nfor p ≥ 1 and M ≥ 2p − 1\n")
    assert "bubble: (p − 1)/(3M + p − 1)\n" in text
    assert "peak activations of rank r: 2p − 1\n" in text
    assert "stage s: 0: one version a step, one update of all its gradients\n" in text


def test_what_is_not_proved_exits_one(run: Run, result: Result) -> None:
    path = Path(__file__).parents[2] / "examples" / "families" / "two_forwards.py"
    arguments = ("derive", path, "--at", "p=4")
    code, found = result(*arguments)
    assert code == 1
    assert found["verdict"] != "PROVED"
    assert found["at"] is None
    assert run(*arguments).returncode == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["pipdream"], "did you mean 'pipedream'?"),
        (["pipedream", "--linearization", "sideways"], "ascending, descending"),
        (["pipedream", "--set", "noma=3"], "did you mean 'noam'?"),
        (["amdp"], "zbv, dualpipev"),
        (["amdp"], "not for 'amdp': a procedure builds it"),
        (["amdp"], "its invariants, `staleproof verify amdp` for what its paper claims"),
        (["zbv", "--at", "p=4"], "one stage a rank"),
        (["looped-bfs", "--set", "chunk=2"], "did you mean 'chunks'?"),
        (["pipedream", "--at", "q=4"], "only p, i, j and r"),
        (["pipedream", "--at", "i=0"], "p is needed"),
        (["pipedream", "--at", "p=4,p=5"], "twice"),
        (["pipedream", "--at", "p=4.0"], "whole number"),
        (["pipedream", "--at", "p=4,"], "p=…,i=…,j=…"),
        (["pipedream", "--at", ""], "p=…,i=…,j=…"),
        (["naive", "--at", "p=1"], "p ≥ 2"),
        (["naive", "--at", "p=4,i=4"], "0 ≤ i < p"),
        (["naive", "--at", "p=4,i=0,j=-1"], "0 ≤ j < p"),
        (["pipedream", "--at", f"p={'9' * 19}"], "18 digits"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("derive", *arguments)
    assert expected in f"{error['what']}; {error['fix']}"


def test_start_times_without_a_law_say_from_which_p_on(run: Run, tmp_path: Path) -> None:
    """Up to p = 5 the rule lets 1 in, not 3, and F(0, 1) is no slot after F(0, 0)."""
    rule = tmp_path / "rule.py"
    rule.write_text(FEW)
    done = run("derive", str(rule), "--json")
    assert json.loads(done.stdout)["guess"]["least_p"] == 6
    text = run("derive", str(rule)).stdout
    assert "start times, proved, for p ≥ 6, M ≥ 1, 0 ≤ s < p and 0 ≤ m < M\n" in text


FEW = """\
import operator
from schedules.actions import Kind
from schedules.families.family import Family
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule

F, B = Kind.F, Kind.B
FAMILY = Family(
    name="few",
    source="here",
    summary="3 or 1",
    policy=WeightPolicy("vertical-sync"),
    rule=GreedyRule(finished=operator.lt, prefer_first=B, prefer_after={B: F, F: B}),
    admission=lambda p: 3 if p > 5 else 1,
)
"""
