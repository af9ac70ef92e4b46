"""Traces of a profiler as logs: what is read of them, and what is refused."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import staleproof.cli
from gpu_validation.errors import MeasureError
from gpu_validation.judging import judge
from gpu_validation.merging import merged_logs, steps_of
from gpu_validation.profiler_trace import rank_profiles
from gpu_validation.timing import layer_table
from schedules import build
from schedules.errors import FormatError
from schedules.formats.cells import token
from schedules.planning.layers import read_layers


def ranges(rank: int, ranks: int = 2, steps: int = 1, category: str = "user_annotation") -> Any:
    """What the profiler of a rank would leave of 1F1B, p = 2, M = 3, with updates of our own."""
    schedule = build("1f1b", 2, 3)
    first, last = (int(bound) for bound in schedule.offsets[rank : rank + 2])
    names = [token(schedule.action(index)) for index in range(first, last)]
    events = [
        {"ph": "X", "cat": category, "name": f"PP:{name}", "ts": 10.5 + 7 * at, "dur": 5.125}
        for at, name in enumerate(names * steps)
    ]
    noise = [{"ph": "X", "cat": "cpu_op", "name": "PP:0F0", "ts": 0, "dur": 1}, {"ph": "M"}]
    info = {"rank": rank, "world_size": ranks}
    return {"distributedInfo": info, "traceEvents": [*reversed(events), *noise]}


def written(folder: Path, *documents: Any, packed: bool = False) -> Path:
    folder.mkdir()
    for number, document in enumerate(documents):
        text = document if isinstance(document, str) else json.dumps(document)
        if packed:
            (folder / f"{number}.json.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / f"{number}.json").write_text(text)
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_order_and_times_are_those_of_the_ranges(tmp_path: Path, packed: bool) -> None:
    traces = written(tmp_path / "traces", ranges(1), ranges(0), packed=packed)
    log = merged_logs([traces])
    found = {one.name: one.holds for one in judge(traces, build("1f1b", 2, 3)).findings}
    assert (found["order"], found["versions"], found["stash"]) == (True, None, None)
    assert (log.timeline.end - log.timeline.start).tolist() == [5125] * len(log.schedule)
    assert int(log.timeline.start[0]) == 10_500
    other = judge(traces, build("gpipe", 2, 3))
    assert not other.agree
    assert {one.name: one.holds for one in other.findings}["order"] is False


def test_what_comes_again_is_another_step(tmp_path: Path) -> None:
    traces = written(tmp_path / "traces", ranges(0, steps=3), ranges(1, steps=3))
    assert len(steps_of(merged_logs([traces]))) == 3


def test_ranges_on_the_device_count_before_those_of_the_host(tmp_path: Path) -> None:
    both = ranges(0, ranks=1)
    late = {"ph": "X", "cat": "gpu_user_annotation", "name": "PP:0F0", "ts": 900, "dur": 1}
    both["traceEvents"].append(late)
    log = merged_logs([written(tmp_path / "traces", both)])
    assert log.timeline.start.tolist() == [900_000]


def test_gpipe_of_pytorch_names_its_ranges_otherwise(tmp_path: Path) -> None:
    names = ("Forward 0", "Forward 1", "Backward 0", "Backward 1", "Forward of mine", "Forward x")
    events = [
        {"ph": "X", "cat": "user_annotation", "name": name, "ts": 9 * at, "dur": 2}
        for at, name in enumerate(names)
    ]
    log = merged_logs([written(tmp_path / "traces", {"traceEvents": events})])
    found = [token(log.schedule.action(index)) for index in range(len(log.schedule))]
    assert found == ["0F0", "0F1", "0B0", "0B1"]


def timed(**changes: Any) -> Any:
    document = ranges(0, ranks=1)
    document["traceEvents"][0] |= changes
    return document


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        (["{"], "a trace is JSON"),
        (["[]"], "traceEvents"),
        ([{"traceEvents": 3}], "traceEvents"),
        ([{"traceEvents": []}], "found none"),
        ([ranges(0), ranges(0)], "found rank 0 of 2 beside others"),
        ([ranges(0), ranges(1, ranks=3)], "found rank 1 of 3 beside others"),
        ([timed(ts="soon")], "'soon'"),
        ([timed(dur=-1)], "-1"),
        ([timed(ts=True)], "True"),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path: Path, documents: list[Any], said: str) -> None:
    with pytest.raises(FormatError, match=r"trace|range") as caught:
        merged_logs([written(tmp_path / "traces", *documents)])
    assert said in str(caught.value)


def test_a_packed_trace_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "traces", ranges(0, ranks=1), packed=True)
    (folder / "0.json.gz").write_bytes((folder / "0.json.gz").read_bytes()[:-9])
    with pytest.raises(FormatError):
        merged_logs([folder])


def test_what_the_stages_took_is_a_table_of_layers(tmp_path: Path) -> None:
    log = merged_logs([written(tmp_path / "traces", ranges(0), ranges(1))])
    (tmp_path / "stages.csv").write_text(layer_table(log))
    layers = read_layers(tmp_path / "stages.csv")
    took = [(one.forward, one.input_gradient, one.weight_gradient) for one in layers.layers]
    assert took == [(5125, Fraction(5125, 2), Fraction(5125, 2))] * 2


def test_launch_times_and_stages_without_backwards_make_no_layers(tmp_path: Path) -> None:
    log = merged_logs([written(tmp_path / "traces", ranges(0), ranges(1))])
    launched = {0: {"host": "a (launch times of rank 0)"}}
    with pytest.raises(MeasureError, match="launch times"):
        layer_table(replace(log, extra=launched))
    half = ranges(0, ranks=1)
    half["traceEvents"] = [one for one in half["traceEvents"] if "B" not in one.get("name", "")]
    with pytest.raises(MeasureError, match="none of both of stage 0"):
        layer_table(merged_logs([written(tmp_path / "half", half)]))


def test_communication_and_overlap_are_those_of_the_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def event(category: str, name: str, start: float, length: float, thread: int = 7) -> Any:
        return {"ph": "X", "cat": category, "name": name, "ts": start, "dur": length, "tid": thread}

    on_cpu, on_gpu = ranges(0), ranges(1)
    for one in on_cpu["traceEvents"][:-2]:
        one["tid"] = 7  # From 10.5 to 50.625 µs.
    on_cpu["traceEvents"] += [
        event("user_annotation", "gloo:send", 10.5, 10),
        event("cpu_op", "aten::mm", 15.5, 10),
        event("cpu_op", "aten::mm", 0, 99, thread=8),
    ]
    on_gpu["traceEvents"] += [
        event("kernel", "ncclDevKernel_SendRecv", 20.5, 8),
        event("kernel", "ampere_sgemm", 26.5, 50),
    ]
    traces = written(tmp_path / "traces", on_cpu, on_gpu)
    device, (first, second) = rank_profiles(sorted(traces.iterdir()))
    assert device == "cuda"
    run = first.run
    assert (run, second.run) == ((10_500, 10_500 + 5_125 + 7_000 * 5),) * 2
    assert (first.communication, first.computation) == (((10_500, 20_500),), ((15_500, 25_500),))
    assert (second.communication, second.computation[0][0]) == (((20_500, 28_500),), 26_500)
    (traces / "1.json").unlink()
    arguments = ["measure", "--check", str(traces), "--against", "1f1b", "-p", "2", "-m", "3"]
    assert staleproof.cli.main(arguments) == 2  # A rank is missing.
    written(tmp_path / "both", on_cpu, ranges(1))
    assert staleproof.cli.main([*arguments[:2], str(tmp_path / "both"), *arguments[3:]]) == 1
    assert "while the same rank computes: 50.0% of it" in capsys.readouterr().out
