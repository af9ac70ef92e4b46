"""`staleproof partial-staleness`."""

import io
import json
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from staleproof.cli import main

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]

HEAD = "layer,backward,forward,communication\n"
EXAMPLE = Path(__file__).parents[2] / "examples" / "layers.csv"
FOUR = f"{HEAD}conv1,1,1,3\nconv2,9,2,4\nconv3,1,1,2\nfc,1,1,1\n"
NONE = f"{HEAD}a,1,1,4\nb,1,1,1\n"
DIAMOND = f"{HEAD[:-1]},after\nin,1,1,1,\nleft,1,1,2,in\nright,3,1,1,in\nout,1,1,1,left;right\n"


@pytest.fixture
def result() -> Result:
    """Run the command with ``--json``, in this process: starting another takes most of the time."""

    def result(*arguments: object) -> tuple[int, Any]:
        code, text = said(*arguments, "--json")
        return code, json.loads(text)

    return result


def said(*arguments: object) -> tuple[int, str]:
    """Exit code and stdout of the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    assert not err.getvalue()
    return code, out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "net.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


File = Callable[[str], Path]


def test_fewest_stale_layers_and_the_timeline_that_shows_it(result: Result, file: File) -> None:
    code, found = result("partial-staleness", file(FOUR))
    assert code == 0
    assert (found["stale_layers"], found["stale"], found["stall"]) == (2, ["conv1", "conv2"], 0)
    assert (found["computation"], found["communication"], found["layers"]) == (17, 10, 4)
    assert found["unit"] is None
    line = found["timeline"]
    assert len(line) == 2 * 3 * 4
    assert line[0] == {
        "operation": "backward", "layer": "fc", "iteration": 0, "start": 0, "end": 1,
    }  # fmt: skip
    require_true(line)
    computed = sorted(
        (Fraction(entry["start"]), Fraction(entry["end"]))
        for entry in line
        if entry["operation"] != "communication"
    )
    assert computed[0][0] == 0
    assert all(a[1] == b[0] for a, b in pairwise(computed)), "no gap"
    # The last gradient arrives at 18, one unit into iteration 1, which so differs from the first.
    assert found["repeats"] == {"from": 1, "after": 1}


def require_true(line: list[dict[str, Any]]) -> None:
    """Every operation after those it needs; one at a time; gradients as old as they say."""
    ends = {(e["operation"], e["layer"], e["iteration"]): Fraction(e["end"]) for e in line}
    for entry in line:
        start = Fraction(entry["start"])
        layer, iteration = entry["layer"], entry["iteration"]
        if entry["operation"] == "communication":
            assert start >= ends["backward", layer, iteration]
        if entry["operation"] == "forward":
            newest = entry["gradient"]
            assert newest in ({None, 0} if iteration == 1 else {iteration - 1, iteration - 2})
            if newest is not None:
                assert start >= ends["communication", layer, newest]
    for kinds in (("communication",), ("forward", "backward")):
        spans = sorted(
            (Fraction(e["start"]), Fraction(e["end"])) for e in line if e["operation"] in kinds
        )
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_stale_by_exactly_one(result: Result, file: File) -> None:
    _, found = result("partial-staleness", file(FOUR))
    gradients = {
        (e["layer"], e["iteration"]): e["gradient"]
        for e in found["timeline"]
        if e["operation"] == "forward"
    }
    assert gradients == {
        ("conv1", 1): None, ("conv2", 1): None, ("conv3", 1): 0, ("fc", 1): 0,
        ("conv1", 2): 0, ("conv2", 2): 0, ("conv3", 2): 1, ("fc", 2): 1,
    }  # fmt: skip


def test_printed_program_beside_it(result: Result, file: File) -> None:
    _, found = result("partial-staleness", file(FOUR))
    program = found["printed"]["program"]
    assert (program["stale_layers"], program["stall"]) == (0, 6)
    assert program["late"] == {
        "layer": "conv1", "needed": 12, "printed": 11, "arrives": 18, "waited_for": "conv2",
    }  # fmt: skip
    assert found["printed"]["algorithms"]["stale"] == []


def test_as_printed_fails_where_its_answer_stalls(result: Result, file: File) -> None:
    path = file(FOUR)
    code, found = result("partial-staleness", path, "--as-printed")
    assert (code, found["stale_layers"], found["stall"]) == (1, 0, 6)
    assert found["right"]["stale_layers"] == 2
    require_true(found["timeline"])
    text = said("partial-staleness", path, "--as-printed")[1]
    assert "0 stale layers: stalls 6 an iteration\n" in text
    assert "right: 2 stale layers (conv1, conv2): computation never waits, the fewest\n" in text
    assert "\nstall " in text


def test_as_printed_passes_where_its_answer_holds(result: Result, file: File) -> None:
    code, found = result("partial-staleness", file(f"{HEAD}a,1,1,1\n"), "--as-printed")
    assert (code, found["stale_layers"], found["stall"], found["by"]) == (0, 1, 0, "program")


def test_none_is_enough(result: Result, file: File) -> None:
    path = file(NONE)
    code, found = result("partial-staleness", path)
    assert (code, found["stale_layers"], found["stale"], found["stall"]) == (1, None, None, 1)
    assert found["printed"]["program"]["stale_layers"] is None
    require_true(found["timeline"])
    code, text = said("partial-staleness", path)
    assert code == 1
    assert "no number of stale layers is enough: with all of them stale it stalls 1" in text


def test_backlog_that_grows_for_long_is_said(result: Result, file: File) -> None:
    path = file(f"{HEAD}a,1000,1000,1\nb,1,1,2002\n")
    code, found = result("partial-staleness", path)
    assert (code, found["stall"], found["repeats"]) == (1, 1, None)
    assert "waits later, as its backlog grows" in said("partial-staleness", path)[1]


def test_text_of_the_example(run: Run) -> None:
    done = run("partial-staleness", EXAMPLE)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].endswith(
        "layers.csv: 4 layers; an iteration computes for 19 ms and communicates for 10 ms"
    )
    assert lines[1] == "1 stale layer (conv1): computation never waits, the fewest"
    assert lines[2] == "program as printed: 0 stale layers: stalls 4.5 ms an iteration"
    rows = {
        line.split()[0] for line in lines if line.startswith(("forward", "backward", "channel"))
    }
    assert rows == {"forward", "backward", "channel"}
    assert "conv1*" in done.stdout
    assert "stall   " not in done.stdout


def test_exact_fractions(result: Result, file: File) -> None:
    _, found = result("partial-staleness", file(f"{HEAD}a,1/3,1,1\nb,1,1,1\n"), "--as-printed")
    assert (found["computation"], found["stall"]) == ("10/3", 0)
    _, found = result("partial-staleness", EXAMPLE, "--as-printed")
    assert (found["stall"], found["unit"]) == ("9/2", "ms")


def test_graph(result: Result, file: File) -> None:
    path = file(DIAMOND)
    code, found = result("partial-staleness", path)
    assert (code, found["by"], found["stale"], found["stall"]) == (0, "exact", ["in"], 0)
    assert found["graph"]
    assert found["orders"]["forward"] == ["in", "left", "right", "out"]
    assert found["heuristic"]["stale_layers"] == 1
    assert found["printed"]["program"] is None
    assert found["printed"]["algorithms"]["stall"] is None
    require_true(found["timeline"])
    assert "repaired, best of many random orders: 0 more" in said("partial-staleness", path)[1]
    code, found = result("partial-staleness", path, "--as-printed")
    assert (code, found["timeline"]) == (1, None)
    assert "twice" in found["why_no_timeline"]


def test_graph_in_which_no_number_is_enough(result: Result, file: File) -> None:
    code, found = result("partial-staleness", file(DIAMOND.replace("left,1,1,2", "left,1,1,20")))
    assert (code, found["stale_layers"], found["stall"]) == (1, None, 13)


def test_graph_too_large_for_the_exact_answer(result: Result, file: File) -> None:
    names = [f"branch{i}" for i in range(12)]
    rows = ["in,1,1,1,", *(f"{name},1,1,1,in" for name in names), f"out,1,1,1,{';'.join(names)}"]
    path = file(f"{HEAD[:-1]},after\n" + "\n".join(rows))
    code, found = result("partial-staleness", path)
    assert (code, found["by"], found["stall"]) == (0, "heuristic", 0)
    text = said("partial-staleness", path)[1]
    assert "computation never waits; fewer may do" in text
    assert "the fewest are not known" in text


def test_picture(problem: Problem, file: File, tmp_path: Path) -> None:
    for name in ("one.svg", "two.png"):
        target = tmp_path / name
        code, _ = said("partial-staleness", file(FOUR), "--as-printed", "--picture", target)
        assert code == 1
        assert target.stat().st_size > 2_000
    assert "must end in .svg" in problem("partial-staleness", EXAMPLE, "--picture", "a.txt")["what"]
    wrong = problem("partial-staleness", file(DIAMOND), "--as-printed", "--picture", "a.svg")
    assert "no timeline to draw" in wrong["what"]


def test_many_layers(result: Result, file: File) -> None:
    path = file(HEAD + "".join(f"layer{i},1,1,1\n" for i in range(20_000)))
    code, found = result("partial-staleness", path)
    assert (code, found["stale_layers"], found["timeline"]) == (0, 1, None)
    assert "more than" in found["why_no_timeline"]
    few = file(HEAD + "".join(f"layer{i},1,1,1\n" for i in range(41)))
    assert "no timeline as text of more than 40 layers" in said("partial-staleness", few)[1]


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        (f"{HEAD}a,-1,1,1\n", "row 2:backward", "above 0, found '-1'"),
        (f"{HEAD}a,0,1,1\n", "row 2:backward", "above 0, found '0'"),
        (f"{HEAD}a,1,nan,1\n", "row 2:forward", "found 'nan'"),
        (f"{HEAD}a,1,1,inf\n", "row 2:communication", "found 'inf'"),
        (f"{HEAD}a,1,,1\n", "row 2:forward", "empty cell"),
        (f"{HEAD}a,1,1\n", "row 2", "found 3"),
        (f"{HEAD}a,1,1,1\na,1,1,1\n", "row 3:layer", "different names"),
        ("", "net.csv", "found nothing"),
        (HEAD, "net.csv", "at least one layer"),
        (DIAMOND.replace("in,1,1,1,\n", "in,1,1,1,out\n"), "net.csv", "cycle"),
    ],
)
def test_bad_input(problem: Problem, file: File, text: str, where: str, words: str) -> None:
    error = problem("partial-staleness", file(text))
    assert error["where"].endswith(where)
    assert words in error["what"]


def test_files_that_are_none(problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "net.csv"
    path.write_bytes(HEAD.encode() + b"caf\xe9,1,1,1\n")
    assert "no UTF-8" in problem("partial-staleness", path)["what"]
    assert "must be readable" in problem("partial-staleness", tmp_path)["what"]
    assert "must be readable" in problem("partial-staleness", tmp_path / "none.csv")["what"]
    assert "--help" in problem("partial-staleness")["fix"]
