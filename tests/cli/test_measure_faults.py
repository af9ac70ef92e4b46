"""``measure`` when something is wrong: bad input, broken logs, ranks that fail, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import staleproof.cli
from gpu_validation.cli import main
from gpu_validation.models import ModelSpec
from schedules import build
from schedules.formats.trace import write_trace
from schedules.formats.trace_reader import read_trace
from tests.failing_ranks import bombs, heard, obeying_ctrl_c, wait_for
from tests.run_logs import faithful_log

__all__ = ["bombs", "heard", "obeying_ctrl_c"]

pytest.importorskip("torch")

Problem = Callable[..., dict[str, str]]

SIZE = ("-p", 2, "-m", 6)


def measure(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    """The command in this process, where torch is loaded once: exit code and result."""
    capsys.readouterr()
    code = staleproof.cli.main(["measure", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_losses_that_are_no_numbers_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    # Finite weights, whose step is so large that the next outputs are not.
    code, found = measure(capsys, "pipedream", "-p", 2, "-m", 8, "--lr", "1e38")
    check = next(check for check in found["checks"] if check["name"] == "losses")
    assert (code, check["holds"]) == (1, False)
    assert "lower the learning rate" in check["says"]
    assert "nan" in found["measured"]["losses"] or "inf" in found["measured"]["losses"]


@pytest.mark.parametrize(
    ("arguments", "where", "what"),
    [
        (["pipedream", "-p", "2", "--device", "tpu"], "device", "cpu, cuda"),
        (["pipedream", "-p", "2", "--transport", "smoke"], "transport", "threads, gloo"),
        (["pipedream", "-p", "2", "--transport", "nccl"], "transport", "nccl GPUs"),
        (["pipedream", "-p", "2", "--order", "any"], "order", "static, free-running"),
        (["gpipe", "-p", "2", "--order", "free-running"], "gpipe", "that a rule generates"),
        (["pipedream", "-p", "2", "--model", "gpt"], "model", "mlp, transformer"),
        (["pipedream", "-p", "2", "--policy", "stsh"], "--policy", "stash"),
        (["pipedream", "-p", "2", "--policy", "predict", "--horizon", "x"], "--horizon", "'x'"),
        (["pipedream", "-p", "2", "--interval", "2"], "--interval", "--policy"),
        (["pipedream", "-p", "2", "--replay"], "--replay", "--check"),
        (["pipedream", "-p", "2", "--check", "a.jsonl", "--repeats", "2"], "--repeats", "nothing"),
        (["pipedream", "-p", "2", "--lr", "fast"], "--lr", "'fast'"),
        (["pipedream", "-p", "2", "--lr", "0"], "optimizer sgd", "positive"),
        (["pipedream", "-p", "2", "--set", "noam"], "--set", "name=value"),
        (["pipedream", "-p", "2", "-o", "no/such/folder.jsonl"], "no/such/folder.jsonl", "folder"),
        (["pipedream"], "-p", "number of ranks"),
        (["pipedrem", "-p", "2"], "family", "pipedrem"),
        (["missing.csv"], "missing.csv", "No such file"),
        (["pipedream", "-p", "2", "--check", "missing.jsonl"], "missing.jsonl", "No such file"),
        (["gpipe", "-p", "9999", "-m", "1"], "-p", "at most 1024 ranks"),
        (["gpipe", "-p", "9", "--width", "1000000"], "device cpu", "GiB"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], where: str, what: str) -> None:
    error = problem("measure", *arguments)
    assert where in error["where"]
    assert what in error["what"]


def test_what_a_model_lacks_is_said(problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "models.py"
    path.write_text(
        "from torch import nn\n"
        "def good():\n    return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))\n"
        "def broken():\n    return nn.Sequential(nn.Linear(4, 4), nn.Linear(5, 4))\n",
        encoding="utf-8",
    )
    common = ("gpipe", "-p", 2, "-m", 2, "--width", 4, "--module")
    error = problem("measure", *common, f"{path}:broken")
    assert "stage 1 fails on it" in error["what"]
    assert "no" in problem("measure", *common, f"{tmp_path}/none.py:good")["what"]
    assert main([str(word) for word in (*common, f"{path}:good", "--json")]) == 0


def log_lines(run: int = 1) -> list[str]:
    return write_trace(faithful_log(build("pipedream", 2, 6), run=run)).splitlines(keepends=True)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("".join(log_lines())[:-20], "the last line is torn"),
        ("".join([*log_lines(1), *log_lines(2)]), "the same as the first, found another"),
        ("".join(line for line in log_lines() if '"rank": 1' not in line), "none of rank 1"),
        (write_trace(faithful_log(build("pipedream", 2, 8))), "it has microbatches 8"),
        (write_trace(faithful_log(build("pipedream", 3, 6))), "it has ranks 3"),
        (write_trace(faithful_log(build("gpipe", 2, 6))), "it has policy flush"),
        ("", "starts with a header"),
        ('{"schema": "staleproof-trace/1", "unit": "ns"}\nnonsense\n', "here"),
    ],
)
def test_faults_in_logs(problem: Problem, tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text, encoding="utf-8")
    error = problem("measure", "pipedream", *SIZE, "--check", path)
    assert what in error["what"]
    assert str(path) in error["where"]


FAILING = """
import threading, time
from torch import nn
calls = 0
class Layer(nn.Linear):
    def forward(self, x):
        global calls
        calls += 1
        if calls > 12:
            {0}
        return super().forward(x)
def factory():
    return nn.Sequential(Layer(4, 4), Layer(4, 4))
"""


@pytest.mark.parametrize(
    ("fault", "what"),
    [("raise RuntimeError('no more')", "no more"), ("time.sleep(20)", "makes progress within 1 s")],
)
def test_a_rank_that_fails_is_named_and_the_log_is_kept(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    what: str,
) -> None:
    monkeypatch.setattr("gpu_validation.transports.threads.GRACE_SECONDS", 0.2)
    (tmp_path / "model.py").write_text(FAILING.format(fault), encoding="utf-8")
    log = tmp_path / "run.jsonl"
    arguments = ["pipedream", "-p", "2", "-m", "20", "--width", "4", "--timeout", "1"]
    arguments += ["--module", f"{tmp_path}/model.py:factory", "-o", str(log)]
    code, found = measure(capsys, *arguments)
    assert (code, found["agree"], found["checks"]) == (1, False, [])
    assert what in found["error"]["what"]
    assert "rank" in found["error"]["where"]
    assert "last event: " in found["error"]["what"]
    trace = read_trace(log)
    assert trace.schedule.parameters["partial"] == 1
    assert len(trace.schedule) > 4


def test_a_failed_run_says_where_its_log_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text(FAILING.format("raise RuntimeError"), encoding="utf-8")
    log = tmp_path / "run.jsonl"
    model = ["--width", "4", "--module", f"{tmp_path}/model.py:factory"]
    assert main(["pipedream", "-p", "2", "-m", "20", *model, "-o", str(log)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(f"the log until then is in {log}, marked as partial\n")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="needs signals")
@pytest.mark.usefixtures("obeying_ctrl_c")
@pytest.mark.parametrize(
    "program", ["staleproof", pytest.param("gpu_validation", marks=pytest.mark.slow)]
)
def test_ctrl_c_leaves_a_valid_log(
    bombs: Callable[[str], ModelSpec], tmp_path: Path, program: str
) -> None:
    log = tmp_path / "run.jsonl"
    command = [sys.executable, "-m", program, *(["measure"] if program == "staleproof" else [])]
    child = subprocess.Popen(
        [
            *(*command, "pipedream", "-p", "2", "-m", "400", "--jitter", "0.05", "-o", str(log)),
            *("--module", bombs("telling").name, "--width", "4"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(tmp_path / "running")
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err.strip().splitlines()[-1]) == (130, f"{program}: interrupted")
    trace = read_trace(log)
    assert trace.schedule.parameters["partial"] == 1
    assert 0 < len(trace.schedule) < 400 * 4
    assert main(["pipedream", "-p", "2", "-m", "400", "--check", str(log), "--json"]) == 1


def test_a_reader_that_leaves_ends_it_quietly(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(log_lines()), encoding="utf-8")
    ends = os.pipe()
    os.close(ends[0])
    command = [sys.executable, "-m", "gpu_validation", "pipedream", "-p", "2", "-m", "6"]
    done = subprocess.run(
        [*command, "--check", str(path)], stdout=ends[1], stderr=subprocess.PIPE, check=False
    )
    os.close(ends[1])
    assert (done.returncode, done.stderr) == (141, b"")
