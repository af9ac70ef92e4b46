"""What a report says of the clock: which run, what it cannot show, and what shares the machine."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from gpu_validation import timing
from gpu_validation.checks import observed
from gpu_validation.environment import environment
from gpu_validation.prediction import Pace
from gpu_validation.report import of_measurement
from schedules import build, timeline
from schedules.formats.trace import trace_of
from schedules.lowering import erase_messages, lower


def times(makespan: int) -> timing.Timing:
    return timing.Timing({}, Pace(makespan, Fraction(0), ()), None)


def test_without_receives_in_the_log_nobody_knows_who_waited() -> None:
    for schedule, known in (
        (lower(build("1f1b", 3, 4)), True),
        (erase_messages(build("1f1b", 3, 4)), False),
        (build("1f1b", 1, 4), True),
    ):
        log = trace_of(timeline(schedule))
        found = timing.timing(log, observed(log))
        assert found is not None
        shown = timing.described(found)["in_receives"]
        assert shown != timing.NOT_MEASURED if known else shown == timing.NOT_MEASURED
        assert json.dumps(shown)


@pytest.mark.parametrize("lengths", [[7], [90, 5, 7], [90, 7, 5, 8], [7, 8]])
def test_the_median_run_stands_for_the_others(lengths: list[int]) -> None:
    found = timing.middle([times(length) for length in lengths])
    assert found is not None
    assert found.pace.makespan == 7


def test_no_run_has_no_median() -> None:
    assert timing.middle([]) is None


@pytest.mark.parametrize(
    ("transport", "device", "ranks", "cores", "begins"),
    [
        ("threads", "cpu", 2, 64, "all stages share one device"),
        ("threads", "cuda", 2, 64, "all stages share one device"),
        ("gloo", "cpu", 4, 2, "4 ranks share 2 cores"),
        ("torch", "cpu", 4, 3, "4 ranks share 3 cores"),
        ("gloo", "cpu", 4, None, "4 ranks share an unknown number of cores"),
        ("gloo", "cpu", 4, 4, None),
        ("nccl", "cuda", 4, 2, None),
        ("torch", "cuda", 4, 2, None),
        ("threads", "cpu", 1, 1, None),
        ("gloo", "cpu", 1, None, None),
    ],
)
def test_times_of_stages_that_share_the_machine_are_marked(
    transport: str, device: str, ranks: int, cores: int | None, begins: str | None
) -> None:
    note = timing.sharing(transport, device, ranks, cores)
    if begins is None:
        assert note is None
    else:
        assert note is not None
        assert note.startswith(f"{begins}, so these times say")
        assert note.endswith("nothing about the speed of a pipeline")
    turns = timing.sharing("nccl", "cuda", ranks, cores, share_gpus=True)
    assert turns is None if ranks == 1 else "take turns" in str(turns)


def test_threads_are_those_of_a_rank_and_not_of_this_process() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        assert environment("cpu")["torch_settings"]["threads_per_rank"] == 1
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_a_report_gives_the_median_run_and_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpu_validation.measure import measure
    from gpu_validation.spec import RunSpec

    found = measure(RunSpec(build("1f1b", 2, 4)), repeats=3)
    clocks = iter([times(9), times(2), times(4)] * 2)
    monkeypatch.setattr(timing, "timing", lambda *_: next(clocks))
    monkeypatch.setattr("gpu_validation.environment.cores", lambda: 1)
    shown = of_measurement(found)["measured"]["timing"]
    assert shown["makespan"] == 4
    assert shown["makespan_spread"] == {"least": 2.0, "median": 4.0, "most": 9.0}
    assert shown["note"].startswith("all stages share one device")
    processes = replace(found, spec=replace(found.spec, transport="gloo"))
    note = of_measurement(processes)["measured"]["timing"]["note"]
    assert note.startswith("2 ranks share 1 cores")
