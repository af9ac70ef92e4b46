"""``measure``: its result, its exit codes, bad input, and logs that were written elsewhere."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import staleproof.cli
from gpu_validation.cli import main
from schedules import build, timeline
from schedules.formats.chrome import write_chrome
from schedules.formats.trace import write_trace
from schedules.formats.trace_reader import read_trace
from tests.run_logs import event, faithful_log, with_version

torch = pytest.importorskip("torch")

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


def measure(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    """The command in this process, where torch is loaded once: exit code and result."""
    capsys.readouterr()
    code = staleproof.cli.main(["measure", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


SIZE = ("-p", 2, "-m", 6)


@pytest.fixture(scope="module")
def measured(result: Result, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Any, Path]:
    log = tmp_path_factory.mktemp("logs") / "run.jsonl"
    code, found = result("measure", "pipedream", *SIZE, "-o", log)
    return code, found, log


def test_contract(measured: tuple[int, Any, Path]) -> None:
    code, found, log = measured
    assert (code, found["agree"]) == (0, True)
    assert {"predicted", "measured", "checks", "controls", "agree"} <= set(found)
    assert all(check["holds"] is True for check in found["checks"])
    assert [check["name"] for check in found["checks"]] == [
        "order", "versions", "local-staleness", "stash", "hash", "lamport", "real-time",
        "causality", "messages", "losses", "final-weights",
    ]  # fmt: skip
    assert {c["name"]: (c["applicable"], c["caught"]) for c in found["controls"]} == dict.fromkeys(
        [
            "no-stash", "in-place-write", "swapped-microbatch", "wrong-schedule",
            "delayed-update", "dropped-update", "miscounted-update", "wrong-receiver",
            "clock-ahead", "late-forward",
        ],
        (True, True),
    )  # fmt: skip
    assert found["log"] == str(log)


def test_measured_is_what_was_predicted(measured: tuple[int, Any, Path]) -> None:
    _, found, _ = measured
    predicted, seen = found["predicted"], found["measured"]
    assert seen["local_staleness"] == predicted["local_staleness"]
    assert seen["local_staleness"] == [[0, 1, 1, 1, 1, 1], [0] * 6]
    assert seen["global_delays"] == predicted["global_delays"]
    assert seen["global_delays"]["ascending"]["steady"] == [[3, 1], [2, 0]]
    low, high = predicted["any_timing"]["least"], predicted["any_timing"]["most"]
    assert low <= seen["real_time_delays"]["least"] <= seen["real_time_delays"]["most"] <= high


def test_a_reader_learns_where_it_ran(measured: tuple[int, Any, Path]) -> None:
    _, found, _ = measured
    where = found["environment"]
    assert where["libraries"]["torch"] == torch.__version__
    assert where["cores"] >= 1
    assert found["measured"]["device_peak_bytes"] == "not measured"
    assert "nothing about the speed of a pipeline" in found["measured"]["timing"]["note"]
    assert found["measured"]["memory_is"].startswith("counted, not measured")
    assert found["measured"]["hashed_backwards"] == {
        "backwards": 12, "in_measured_runs": 2, "in_a_run_that_hashes_everything": 12,
    }  # fmt: skip
    assert [row["versions"] for row in found["measured"]["memory"]] == [
        row["predicted_versions"] for row in found["measured"]["memory"]
    ]


def test_the_log_is_a_trace_of_the_run(measured: tuple[int, Any, Path]) -> None:
    _, found, log = measured
    trace = read_trace(log)
    assert trace.unit == "ns"
    assert trace.schedule.name == "pipedream"
    assert found["setup"]["microbatches"] == trace.schedule.microbatches == 6
    assert {"host", "lamport_start", "current"} <= set(trace.extra[event(trace, 0, 0, 0)])  # type: ignore[arg-type]


def test_a_log_can_be_judged_elsewhere(
    measured: tuple[int, Any, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, log = measured
    code, found = measure(capsys, "pipedream", *SIZE, "--check", log)
    assert (code, found["agree"]) == (0, True)
    assert "final-weights" not in [check["name"] for check in found["checks"]]
    assert all(control["caught"] for control in found["controls"] if control["applicable"])
    assert [control["name"] for control in found["controls"] if not control["applicable"]] == [
        "swapped-microbatch"
    ]
    code, found = measure(capsys, "pipedream", *SIZE, "--check", log, "--replay")
    assert (code, found["checks"][-1]["name"]) == (0, "final-weights")
    code, found = measure(capsys, "pipedream", *SIZE, "--check", log, "--replay", "--seed", 1)
    assert (code, found["checks"][-1]["holds"]) == (1, False)


def test_disagreement_is_exit_code_1(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    schedule = build("pipedream", 2, 6)
    log = faithful_log(schedule)
    broken = with_version(log, event(log, 1, 0, 3), 0)  # type: ignore[arg-type]
    path = tmp_path / "broken.jsonl"
    path.write_text(write_trace(broken), encoding="utf-8")
    code, found = measure(capsys, "pipedream", *SIZE, "--check", path)
    assert (code, found["agree"]) == (1, False)
    failed = {check["name"]: check for check in found["checks"] if not check["holds"]}
    assert {"versions", "stash"} <= set(failed)
    assert failed["versions"]["witness"] == {"action": "0B3", "predicted": 2, "found": 0}


def test_text_names_what_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "undecided.jsonl"
    path.write_text(write_trace(faithful_log(build("gpipe", 2, 6), hashing=False)), "utf-8")
    code = staleproof.cli.main(["measure", "gpipe", *map(str, SIZE), "--check", str(path)])
    out = capsys.readouterr().out
    assert code == 1
    assert "  undecided hash: the log has no hashes; measure with hashing on\n" in out
    assert out.endswith("machine and model are not shown to agree: hash undecided\n")


def test_a_schedule_file_is_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "step.csv"
    path.write_text("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", encoding="utf-8")
    code, found = measure(capsys, path, "--policy", "stash", "--hashing", "full")
    assert (code, found["setup"]["policy"]["name"]) == (0, "stash")


def test_a_free_run_is_a_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = measure(
        capsys, "pipedream", "-p", 3, "-m", 9, "--order", "free-running", "--jitter", "0.002"
    )
    assert code == 0
    spread = found["measured"]["distribution"]
    assert [sum(counts.values()) for counts in spread["local_staleness"]] == [9, 9, 9]
    assert spread["local_staleness_bounds"] == [2, 2, 0]
    assert spread["local_staleness"][2] == {"0": 9}
    names = [check["name"] for check in found["checks"]]
    assert names[:2] == ["order", "staleness-bound"]


def test_repeats_have_a_spread(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = measure(capsys, "gpipe", "-p", 2, "-m", 2, "--repeats", 3)
    assert (code, found["measured"]["runs"]) == (0, 3)
    spread = found["measured"]["timing"]["makespan_spread"]
    assert spread["least"] <= spread["median"] <= spread["most"]


def test_perfetto(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "run.trace.json"
    code, _ = measure(capsys, "gpipe", "-p", 2, "-m", 2, "--chrome", out)
    events = json.loads(out.read_text(encoding="utf-8"))["traceEvents"]
    assert code == 0
    assert {"F 0 0 0", "B 1 1 0"} <= {entry["name"] for entry in events if entry["ph"] == "X"}
    log = faithful_log(build("gpipe", 2, 2))
    path = tmp_path / "log.jsonl"
    path.write_text(write_trace(log), encoding="utf-8")
    measure(capsys, "gpipe", "-p", 2, "-m", 2, "--check", path, "--chrome", out)
    assert out.read_text(encoding="utf-8") == write_chrome(log)


def test_times_that_only_one_rank_could_have_had(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    schedule = build("pipedream", 2, 6)
    path = tmp_path / "run.jsonl"
    path.write_text(write_trace(faithful_log(schedule, timeline(schedule))), encoding="utf-8")
    code, found = measure(capsys, "pipedream", *SIZE, "--check", path)
    assert code == 0
    assert found["measured"]["timing"]["makespan"] == timeline(schedule).length


@pytest.mark.slow
def test_the_module_is_the_same_command(measured: tuple[int, Any, Path]) -> None:
    _, found, _ = measured
    done = subprocess.run(
        [sys.executable, "-m", "gpu_validation", "pipedream", *map(str, SIZE), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    again = json.loads(done.stdout)
    assert again["predicted"].keys() == found["predicted"].keys()
    assert again["predicted"]["global_delays"] == found["predicted"]["global_delays"]
    assert again["checks"][0] == found["checks"][0]


def test_only_one_process_of_several_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MASTER_ADDR", "node0")
    monkeypatch.setenv("RANK", "1")
    log = tmp_path / "run.jsonl"
    assert main(["gpipe", "-p", "2", "-m", "2", "--json", "-o", str(log)]) == 0
    assert capsys.readouterr() == ("", "")
    assert not log.exists()
