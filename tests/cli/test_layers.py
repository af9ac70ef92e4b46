"""`--layers`: schedules in measured times."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]

LAYERS = Path(__file__).parents[2] / "examples" / "plan" / "transformer.csv"
HEAD = (
    "layer,forward (ms),input_gradient (ms),weight_gradient (ms),activation_bytes,parameter_bytes"
)
TRACE = "0F0\n"


@pytest.fixture
def equal(tmp_path: Path) -> Path:
    """Sixteen equal layers, messages that take no time."""
    path = tmp_path / "equal.csv"
    path.write_text(HEAD + "".join(f"\nblock{k},1,1,1,100,10" for k in range(16)))
    return path


def test_layers_are_split_over_chunks_too(result: Result, equal: Path) -> None:
    """Sixteen half stages are no larger than eight whole ones, and take no longer."""
    code, found = result("compare", "1f1b", "zbv", "-p", 8, "-m", 64, "--layers", equal)
    assert code == 0
    whole, halves = found["schedules"]
    assert whole["peak_bytes"] == halves["peak_bytes"] == 8 * 2 * 100 + 2 * 10
    assert whole["makespan"] == 3 * 2 * (64 + 7)
    assert halves["makespan"] < whole["makespan"]
    assert whole["exposed_communication"] == halves["exposed_communication"] == 0
    assert whole["partition"] == list(range(0, 17, 2))


def test_compare_in_measured_times(result: Result, run: Run) -> None:
    code, found = result("compare", "gpipe", "1f1b", "-p", 8, "-m", 16, "--layers", LAYERS)
    assert code == 0
    _, flushed = found["schedules"]
    links = {(link["source"], link["target"]): link for link in flushed["links"]}
    assert links[3, 4]["messages"] == 16
    # 0.02 ms and 16 MB at 12.5 MB a ms
    assert links[3, 4]["busy"] == links[4, 3]["busy"] == "104/5"
    assert links[0, 1]["busy"] == "72/25"
    text = run("compare", "1f1b", "-p", 8, "-m", 16, "--layers", LAYERS).stdout
    for words in ("transformer.csv (ms)", "critical path", "waiting for messages", "4→3"):
        assert words in text


def test_check_weighs_layers(result: Result, run: Run) -> None:
    arguments = ("check", "1f1b", "-p", 8, "-m", 16, "--layers", LAYERS, "--require")
    code, found = result(*arguments, "rank-memory<=16GB")
    assert (code, found["ok"]) == (0, True)
    assert found["facts"]["unit"] == "ms"
    assert found["facts"]["partition"][-1] == 34
    most = max(found["facts"]["rank_memory"])
    assert result(*arguments, f"rank-memory<={most - 1}B")[0] == 1
    assert "  unit: ms\n" in run(*arguments, "rank-memory<=16GB").stdout


def test_delays_and_pictures(run: Run, result: Result, tmp_path: Path) -> None:
    code, found = result("delays", "pipedream", "-p", 4, "--layers", LAYERS)
    assert (code, found["stages"]) == (0, 4)
    assert "ms, idle" in run("delays", "pipedream", "-p", 4, "--layers", LAYERS).stdout
    out = tmp_path / "a.svg"
    code, drawn = result("draw", "pipedream", "-p", 4, "--layers", LAYERS, "-o", out)
    assert (code, drawn["length"]) == (0, found["length"])
    assert "outlined: a critical path" in out.read_text()


def test_what_is_rounded_or_assumed_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(f"{HEAD}\na,1,1,1,100,1\nb,1,1,1,100,1\n")
    (tmp_path / "odd.toml").write_text("[links]\nbandwidth = 1_000_000_000_007")
    done = run("compare", "gpipe", "-p", 2, "--layers", path)
    assert done.returncode == 0
    assert "message times are rounded up to 1/1000 ms; durations are exact" in done.stderr
    assert "no column output_bytes" in done.stderr


@pytest.mark.parametrize(
    ("row", "links", "where", "words"),
    [
        ("a,-1,1,1,1,1", "", "row 2:forward", "0 or more, found '-1'"),
        ("a,1,1,1,1.5,1", "", "row 2:activation_bytes", "whole number of bytes"),
        ("a,0,0,0,1,1", "", "m.csv", "some layer takes some time"),
        ("a,1,1,1,1", "", "row 2", "6 cells"),
        ("a,1,1,1,1,1", "", "layers", "2 stages and 1 layers"),
        ("a,0.1234567890123,1,1,1,1", "", "m.csv", "fewer digits|1/n with n"),
        ("a,1,1,1,1,1", "[link]", "m.toml", "not 'link'"),
        ("a,1,1,1,1,1", "[links]\nbandwidth = 0", "m.toml:links.bandwidth", "above 0"),
        ("a,1,1,1,1,1", "[links]\nlatency = -1", "m.toml:links.latency", "0 or more"),
        ("a,1,1,1,1,1", "[links.0.x]\nlatency = 1", "m.toml:links.0.x", "rank to a rank"),
        ("a,1,1,1,1,1", "[links", "m.toml", "is TOML"),
    ],
)
def test_bad_input(
    problem: Problem, tmp_path: Path, row: str, links: str, where: str, words: str
) -> None:
    path = tmp_path / "m.csv"
    path.write_text(f"{HEAD}\n{row}\n")
    if links:
        (tmp_path / "m.toml").write_text(links)
    error = problem("compare", "gpipe", "-p", 2, "--layers", path)
    assert where in error["where"]
    assert any(each in error["what"] for each in words.split("|"))


def test_one_source_of_bytes_and_of_times(
    problem: Problem, run: Run, equal: Path, tmp_path: Path
) -> None:
    for command in (("compare", "gpipe"), ("check", "gpipe")):
        error = problem(*command, "-p", 2, "--layers", equal, "--sizes", "sizes.toml")
        assert error["where"] == "--sizes"
    trace = tmp_path / "run.jsonl"
    assert run("convert", "gpipe", trace, "-p", 2, "-m", 3).returncode == 0
    assert "recorded" in problem("compare", trace, "--layers", equal)["what"]
    assert "recorded" in problem("draw", trace, "--layers", equal, "-o", "a.svg")["what"]
