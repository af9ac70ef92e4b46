"""`staleproof plan`."""

import json
import signal
import subprocess
import sys
import time
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
    bounds = {plan["family"] for plan in plans if plan["is_lower_bound"]}
    assert {"dualpipe", "chimera"} <= bounds
    assert not bounds & {"1f1b", "zbv", "pipedream"}
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
    small = ("-p", 2, "-m", 4)
    code, found = result("plan", LAYERS, *small, "--memory", "9GB", "--staleness", 0)
    assert (code, found["plans"]) == (1, [])
    why = found["binding"]
    assert (why["limit"], why["least_staleness"]) == ("memory", None)
    least = why["least_memory"]["peak_memory"]
    code, found = result("plan", LAYERS, *small, "--memory", f"{least}B", "--staleness", 0)
    assert (code, found["plans"][0]["peak_memory"]) == (0, least)
    assert result("plan", LAYERS, *small, "--memory", f"{least - 1}B", "--staleness", 0)[0] == 1
    text = run("plan", LAYERS, *small, "--memory", "9GB", "--staleness", 0)
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


def test_synthesis_is_checked_written_and_judged_again(
    run: Run, result: Result, tmp_path: Path
) -> None:
    out = tmp_path / "order.csv"
    cap = ("--memory", "26GB", "--staleness", 0)
    code, found = result("plan", LAYERS, *SIZE, *cap, "--synthesize", "-o", out)
    assert code == 0
    order = found["synthesized"]
    assert (order["optimal"], order["file"], order["gap"]) == (True, str(out), "0")
    assert order["makespan"] == order["lower_bound"]
    placed = [p for p in found["plans"] if p["family"] in ("1f1b", "zb-h1", "zb-h2", "gpipe")]
    assert all(Fraction(order["makespan"]) <= Fraction(p["makespan"]) for p in placed)
    code, checked = result("check", out, "--layers", LAYERS, "--require", "rank-memory<=26GB")
    assert (code, checked["has_messages"]) == (0, True)
    _, compared = result("compare", out, "--layers", LAYERS)
    [same] = compared["schedules"]
    assert (same["makespan"], same["peak_bytes"]) == (order["makespan"], order["peak_memory"])


def test_synthesis_in_words(run: Run) -> None:
    done = run("plan", LAYERS, "-p", 2, "-m", 4, "--synthesize", "--staleness", 0)
    assert done.returncode == 0
    assert "synthesised order: makespan" in done.stdout
    assert ", optimal\n" in done.stdout
    assert "of all orders with one stage a rank, layers 18 16, one step" in done.stdout


def test_synthesis_in_a_v_and_in_windows(result: Result) -> None:
    size = ("-p", 2, "-m", 4, "--synthesize", "--time-limit", 20)
    _, found = result("plan", LAYERS, *size, "--placement", "v")
    assert found["synthesized"]["placement"] == [0, 1, 1, 0]
    spans = []
    for stale in (0, 1):
        _, found = result("plan", LAYERS, *size, "--window", 1, "--staleness", stale)
        assert found["synthesized"]["staleness"] == stale
        spans.append(Fraction(found["synthesized"]["makespan"]))
    assert spans[1] < spans[0]


def test_no_order_fits(run: Run, result: Result) -> None:
    size = (LAYERS, "-p", 2, "-m", 4, "--synthesize", "--memory", "5GB")
    code, found = result("plan", *size)
    assert (code, found["synthesized"], found["plans"]) == (1, None, [])
    assert "every rank holds at least one microbatch" in run("plan", *size).stderr


@pytest.mark.slow
def test_interrupted_synthesis_gives_the_best_so_far(tmp_path: Path) -> None:
    """Times that share no divisor, and little memory: this takes long."""
    path = tmp_path / "hard.csv"
    rows = (f"b{k},{101 + 7 * k % 13},{97 + 5 * k % 11},{59 + 3 * k % 17},1,0" for k in range(8))
    head = "layer,forward,input_gradient,weight_gradient,activation_bytes,parameter_bytes"
    path.write_text("\n".join([head, *rows]))
    command = [
        "plan",
        path,
        "-p",
        4,
        "-m",
        24,
        "--synthesize",
        "--memory",
        "9B",
        "--placement",
        "v",
    ]
    words = [sys.executable, "-m", "staleproof", *map(str, command), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as done:
        assert done.stderr is not None
        line = ""
        while "bound" not in line:
            line = done.stderr.readline()
            assert line, "progress is told while the search runs"
        time.sleep(0.5)
        done.send_signal(signal.SIGINT)
        out, err = done.communicate(timeout=60)
    order = json.loads(out)["synthesized"]
    assert done.returncode == 0, err
    assert order["interrupted"]
    assert not order["optimal"]
    assert Fraction(order["gap"]) > 0


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("--chunks", 2), "--chunks"),
        (("-o", "a.csv"), "-o"),
        (("--synthesize", "-o", "a.txt"), "-o"),
        (("--synthesize", "--placement", "w"), "--placement"),
        (("--synthesize", "--placement", "v", "--chunks", 3), "--chunks"),
        (("--synthesize", "--window", 3), "--window"),
        (("--synthesize", "--time-limit", "nan"), "--time-limit"),
        (("--synthesize", "--queues", "ranks"), "--queues"),
    ],
)
def test_bad_synthesis(problem: Problem, arguments: tuple[Any, ...], where: str) -> None:
    assert problem("plan", LAYERS, *SIZE, *arguments)["where"] == where
