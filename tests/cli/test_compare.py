"""`staleproof compare`."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


def test_families_and_files_side_by_side(result: Result, tmp_path: Path) -> None:
    sizes = tmp_path / "sizes.toml"
    sizes.write_text("[default]\nweights = 100\nactivations = 8\noutput = 1\noptimizer = 200")
    file = DATA / "torch2.13_1F1B_p4_m8.comms.csv"
    code, found = result(
        "compare", "gpipe", "1f1b", "pipedream", file, "-p", 4, "-m", 8, "--sizes", sizes
    )
    assert code == 0
    gpipe, flushed, pipedream, real = found["schedules"]
    assert gpipe == {
        "name": "gpipe",
        "ranks": 4,
        "stages": 4,
        "microbatches": 8,
        "makespan": 22,
        "bubble": "3/11",
        "utilisation_min": "8/11",
        "utilisation_max": "8/11",
        "peak_activations": 8,
        "peak_versions": 1,
        "peak_pending": 0,
        "staleness_max": 0,
        "messages": 48,
        "peak_bytes": 364,
        "volume": 48,
        "times": "F = B = 1",
    }
    assert flushed == gpipe | {"name": "1f1b", "peak_activations": 4, "peak_bytes": 332}
    assert real == flushed | {"name": str(file)}
    assert (pipedream["peak_versions"], pipedream["staleness_max"]) == (4, 3)


def test_one_unit_of_time_for_all(result: Result) -> None:
    """Beside a split backward a whole one takes two slots: the bubbles compare as published."""
    code, found = result("compare", "1f1b", "zb-h1", "-p", 4, "-m", 8)
    assert code == 0
    whole, split = found["schedules"]
    assert {whole["times"], split["times"]} == {"F = I = W = 1, B = 2"}
    assert (whole["makespan"], split["makespan"]) == (33, 27)
    assert whole["peak_bytes"] is None
    assert whole["volume"] is None


def test_a_recorded_trace_keeps_its_times(run: Run, result: Result, tmp_path: Path) -> None:
    trace = tmp_path / "a.jsonl"
    assert run("convert", "gpipe", trace, "-p", 2, "-m", 3).returncode == 0
    code, found = result("compare", trace)
    assert code == 0
    assert (found["schedules"][0]["times"], found["schedules"][0]["makespan"]) == ("recorded", 8)


def test_a_parameter_goes_to_the_families_that_have_it(result: Result) -> None:
    code, found = result("compare", "gpipe", "pipedream", "-p", 2, "--set", "noam=1")
    assert code == 0
    assert [entry["peak_activations"] for entry in found["schedules"]] == [8, 1]


def test_table(run: Run) -> None:
    done = run("compare", "gpipe", "naive", "-p", 2, "-m", 3)
    assert (done.returncode, done.stderr) == (0, "")
    for text in ("gpipe", "naive", "1/4 (25.0%)", "makespan", "messages"):
        assert text in done.stdout
    assert "bytes" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("gpipe",), "-p"),
        (("gpip", "-p", 2), "family"),
        (("gpipe", "-p", 2, "--set", "noam=1"), "--set"),
        ((DATA / "torch2.13_GPipe_p4_m8.comms.csv", "-p", 2), "-p"),
        (("absent.csv",), "absent.csv"),
        (("gpipe", "-p", 2, "--sizes", "absent.toml"), "absent.toml"),
    ],
)
def test_bad_input(problem: Problem, arguments: tuple[object, ...], where: str) -> None:
    assert problem("compare", *arguments)["where"] == where


HANGS = """0RECV_B0,0F0,0SEND_F0,0B0
1RECV_F0,1F0,1B0,1SEND_B0"""
FAULTS = {
    "twice": ("0F0,0F0,0B0\n1F0,1B0", "complete: stage 0, microbatch 0 has 2 F and 1 B"),
    "circle": ("0F0,0B0\n1B0,1F0", "causal: an action stands behind what it needs"),
    "two ranks": ("0F0,0B0,1F1,1B1\n1F0,1B0,0F1,0B1", "exclusive: a stage lives on one rank"),
    "no send": ("0F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", "match: every receive has its send"),
    "crossed": (
        "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B1,0B1,0RECV_B0,0B0\n"
        "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1",
        "match: the n-th send of a channel",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_run_has_no_numbers(fault: str, problem: Problem, tmp_path: Path) -> None:
    """Beside one that can: a table would set the numbers of both side by side."""
    text, says = FAULTS[fault]
    file = tmp_path / "a.csv"
    file.write_text(text)
    found = problem("compare", file, "gpipe", "-p", 2, "-m", 1)
    assert found["what"].startswith(says)
    assert found["where"].startswith(f"{file}:row ")


def test_what_hangs_with_small_buffers_is_marked(run: Run, result: Result, tmp_path: Path) -> None:
    """Its numbers are of a run that does not hang: with a queue for each direction, say."""
    file = tmp_path / "a.csv"
    file.write_text(HANGS)
    done = run("compare", file, "gpipe", "-p", 2, "-m", 1)
    assert done.returncode == 0
    assert done.stderr.startswith(f"warning: {file} hangs with one queue a rank and no buffer (")
    assert done.stderr.count("\n") == 1
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("│ hangs")]
    assert row.count("with one queue a rank") == 1
    code, found = result("compare", file, "gpipe", "-p", 2, "-m", 1)
    assert code == 0
    hangs, gpipe = found["schedules"]
    assert hangs["hangs"] == "with one queue a rank and no buffer"
    assert "hangs" not in gpipe


def test_forwards_alone_and_what_was_recorded_are_no_faults(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "a.jsonl"
    assert run("convert", "gpipe", trace, "-p", 2, "-m", 3).returncode == 0
    assert run("compare", trace).stderr == ""
    file = tmp_path / "forwards.csv"
    file.write_text("0F0,0F1\n1F0,1F1")
    done = run("draw", file, "-o", tmp_path / "a.svg")
    assert (done.returncode, done.stderr) == (0, "")


def test_bad_files(problem: Problem, tmp_path: Path) -> None:
    sizes, half = tmp_path / "sizes.toml", tmp_path / "half.csv"
    sizes.write_text("[stage.0]\nweights = 1\nactivations = 1")
    error = problem("compare", "gpipe", "-p", 2, "--sizes", sizes)
    assert error["what"] == "every stage needs its sizes, and stage 1 of 2 has none"
    half.write_text("0F0\n")
    assert "every (stage, microbatch) needs its" in problem("compare", half)["what"]
    half.write_text("0F0junk\n")
    assert problem("compare", half)["where"].startswith(str(half))


def test_an_uncut_batch_takes_the_time_of_all_its_parts(result: Result, problem: Problem) -> None:
    code, found = result("compare", "blog-naive", "blog-gpipe", "naive", "-p", 4, "-m", 6)
    uncut, gpipe, naive = found["schedules"]
    assert code == 0
    assert (uncut["name"], uncut["microbatches"], gpipe["microbatches"]) == (
        *("blog-naive (not cut)", 1),
        6,
    )
    # One after the other, in one piece or in six.
    assert (uncut["makespan"], uncut["bubble"]) == (naive["makespan"], naive["bubble"])
    assert problem("compare", "blog-naive", "-p", 4, "-m", 4)["fix"] == "take p ≥ 2 and M = 1"
