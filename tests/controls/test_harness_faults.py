"""Injected faults show in logs and weights; ranks that fail or hang are named and stop the run."""

from __future__ import annotations

import _thread
import threading
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpu_validation.errors import RankError, RankFailedError, RankHangError, SpecError
from gpu_validation.event_log import is_partial
from gpu_validation.faults import FAULT_NAMES, Fault
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.run import RunResult, RunSpec, run
from gpu_validation.single_thread import replay
from gpu_validation.transports import threads
from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build
from schedules.formats.trace_reader import read_trace
from tests.failing_ranks import obeying_ctrl_c
from tests.harness import computed, logged_versions, predicted_versions, same_weights

__all__ = ["obeying_ctrl_c"]

F, B = Kind.F, Kind.B

SCHEDULE = build("pipedream", 3, 9)

SPEC = RunSpec(SCHEDULE, optimizer=OptimizerSpec(lr=0.05), hashing="full")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Let torch do what it does once, so that time-outs below may be short."""
    run(SPEC)


def hashes(result: RunResult) -> dict[tuple[int, int], set[object]]:
    """All hashes that a version of a stage is logged with."""
    found: dict[tuple[int, int], set[object]] = defaultdict(set)
    executed, extra = result.trace.schedule, result.trace.extra
    for i in computed(result).values():
        found[int(executed.stage[i]), int(result.trace.version[i])].add(extra[i].get("hash"))
    for i in np.flatnonzero(executed.kind == Kind.U).tolist():
        found[int(executed.stage[i]), int(str(extra[i]["current"]))].add(extra[i]["hash"])
    return found


def expected_weights() -> dict[tuple[int, int], dict[str, object]]:
    return replay(SCHEDULE, SPEC.model, SPEC.optimizer)  # type: ignore[return-value]


def test_a_sound_run_passes_what_the_faults_below_do_not() -> None:
    result = run(SPEC)
    assert logged_versions(result) == predicted_versions(SCHEDULE)
    assert all(len(values) == 1 for values in hashes(result).values())
    assert same_weights(result.weights, expected_weights())


def test_no_stash_uses_another_version_backwards() -> None:
    result = run(replace(SPEC, fault=Fault("no-stash", stage=0)))
    found, right = logged_versions(result), predicted_versions(SCHEDULE)
    differing = {key for key in right if found[key] != right[key]}
    assert differing == {(B, 0, m) for m in range(1, 9)}
    assert not same_weights(result.weights, expected_weights())


def test_no_stash_changes_nothing_under_flush() -> None:
    spec = replace(SPEC, schedule=replace(SCHEDULE, policy=WeightPolicy("flush")))
    assert run(spec).digests == run(replace(spec, fault=Fault("no-stash"))).digests


def test_in_place_writes_show_in_the_hashes_only() -> None:
    result = run(replace(SPEC, fault=Fault("in-place", stage=0)))
    assert logged_versions(result) == predicted_versions(SCHEDULE)
    found = hashes(result)
    assert {stage for (stage, _), values in found.items() if len(values) > 1} == {0}
    assert not same_weights(result.weights, expected_weights())


def test_a_swapped_microbatch_shows_in_the_version_and_in_the_weights() -> None:
    result = run(replace(SPEC, fault=Fault("swapped-microbatch", stage=0, microbatch=3)))
    found, right = logged_versions(result), predicted_versions(SCHEDULE)
    assert {key for key in right if found[key] != right[key]} == {(B, 0, 3), (B, 0, 4)}
    assert not same_weights(result.weights, expected_weights())


def test_a_swapped_microbatch_under_flush_shows_in_the_weights() -> None:
    schedule = build("zb-h1", 2, 4)
    fault = Fault("swapped-microbatch", stage=0, microbatch=0)
    one = run(RunSpec(schedule, fault=fault))
    assert not same_weights(one.weights, run(RunSpec(schedule)).weights)


@pytest.mark.parametrize("name", ["delayed-update", "dropped-update"])
def test_updates_that_come_late_or_never(name: str) -> None:
    fault = Fault(name, stage=1, microbatch=4)  # type: ignore[arg-type]
    result = run(replace(SPEC, fault=fault))
    found, right = logged_versions(result), predicted_versions(SCHEDULE)
    behind = {m for (kind, stage, m) in right if found[kind, stage, m] < right[kind, stage, m]}
    forwards = {m for m in behind if found[F, 1, m] < right[F, 1, m]}
    executed = result.trace.schedule
    updates = int(((executed.kind == Kind.U) & (executed.stage == 1)).sum())
    if name == "dropped-update":
        assert forwards == {6, 7, 8}
        assert updates == 8
    else:
        assert forwards == {6}
        assert updates == 9
    assert not same_weights(result.weights, expected_weights())


def test_the_last_update_of_all_can_come_late_too() -> None:
    schedule = build("gpipe", 2, 3)
    sound = run(RunSpec(schedule))
    late = run(RunSpec(schedule, fault=Fault("delayed-update", stage=1, microbatch=2)))
    assert late.digests == sound.digests


def failing(fault: Fault, timeout: float = 5.0, path: Path | None = None) -> RankError:
    """The error of a run with a fault; it may not take long, and no thread stays."""
    before, begun = set(threading.enumerate()), time.monotonic()
    with pytest.raises(RankError) as caught:
        run(replace(SPEC, fault=fault, timeout=timeout), path)
    assert time.monotonic() - begun < timeout + 5
    assert set(threading.enumerate()) <= before
    return caught.value


def test_a_rank_that_raises(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    error = failing(Fault("error", stage=1, microbatch=2), path=path)
    assert isinstance(error, RankFailedError)
    assert error.rank == 1
    assert error.where == "rank 1"
    assert "rank 1 does 1F2 and raises MeasureError" in error.what
    assert "(last event: 1SEND_F1)" in error.what
    log = read_trace(path)
    assert is_partial(log)
    assert error.partial is not None
    assert log.version.tolist() == error.partial.trace.version.tolist()
    done = computed(error.partial)
    assert (F, 1, 1) in done
    assert (F, 1, 2) not in done


def test_a_rank_that_hangs() -> None:
    error = failing(Fault("hang", stage=2, microbatch=3), timeout=0.4)
    assert isinstance(error, RankHangError)
    assert error.rank == 2
    assert "every rank makes progress within 0.4 s, but rank 2 does 2F3" in error.what
    assert "last event: 2" in error.what
    assert error.partial is not None
    assert is_partial(error.partial.trace)


def test_who_waits_for_nobody_stops_too() -> None:
    # Two pipelines of one stage, each on a rank of its own: nothing is sent.
    orders = [
        [Action(k, 0, m, m % 2) for m in range(rank, 60, 2) for k in (F, B)] for rank in (0, 1)
    ]
    schedule = Schedule.from_orders(
        "apart",
        orders,
        60,
        WeightPolicy("stash"),
        placement=Placement(((0,), (1,)), ((0,), (1,))),
    )
    before = set(threading.enumerate())
    with pytest.raises(RankFailedError, match="rank 0 does 0F2") as caught:
        run(RunSpec(schedule, fault=Fault("error", stage=0, microbatch=2), jitter=0.2, timeout=5))
    assert caught.value.partial is not None
    assert len(computed(caught.value.partial)) < 60
    assert set(threading.enumerate()) <= before


def test_in_a_free_run_who_waits_for_anything_is_not_to_blame() -> None:
    fault = Fault("hang", stage=1, microbatch=3)
    spec = replace(SPEC, order="free-running", fault=fault, timeout=0.5)
    with pytest.raises(RankHangError, match="but rank 1 does 1F3") as caught:
        run(spec)
    assert caught.value.rank == 1


def test_a_single_rank_that_hangs() -> None:
    spec = RunSpec(build("naive", 1, 3), fault=Fault("hang", microbatch=1), timeout=0.3)
    with pytest.raises(RankHangError, match="rank 0 does 0F1"):
        run(spec)


@pytest.mark.slow
def test_who_waits_long_for_ranks_that_work_does_not_hang() -> None:
    # Stage 0 waits for sixteen computations of rank 1, which take longer than the time-out.
    last = 8
    behind = [Action(F, s, 0) for s in range(1, last + 1)]
    behind += [Action(B, s, 0) for s in range(last, 0, -1)]
    schedule = Schedule.from_orders(
        "long", [[Action(F, 0, 0), Action(B, 0, 0)], behind], 1, WeightPolicy("flush")
    )
    result = run(RunSpec(schedule, jitter=0.5, timeout=1.5))
    executed = result.trace.schedule
    arrival = int(np.flatnonzero(executed.kind == Kind.RECV_B)[0])
    waited = result.trace.timeline.end[arrival] - result.trace.timeline.start[arrival]
    assert waited > 1.5e9


SLEEPER = """
import time, torch
class Sleeper(torch.nn.Linear):
    calls = 0
    def forward(self, x):
        Sleeper.calls += 1
        if Sleeper.calls == 4:
            time.sleep(8)
        return super().forward(x)
def factory():
    return torch.nn.Sequential(torch.nn.Linear(4, 4), Sleeper(4, 4))
"""


def test_a_rank_that_does_not_come_back_from_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "GRACE_SECONDS", 0.2)
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    model = ModelSpec(f"{tmp_path / 'sleeper.py'}:factory", width=4)
    spec = RunSpec(build("pipedream", 2, 8), model=model, timeout=0.4)
    begun = time.monotonic()
    with pytest.raises(RankHangError, match="rank 1 does 1F2") as caught:
        run(spec)
    assert time.monotonic() - begun < 7
    assert caught.value.rank == 1


def interrupt_when_running(before: set[threading.Thread]) -> None:
    """Press Ctrl-C once all ranks run."""
    while not any(t.name == "rank 2" for t in set(threading.enumerate()) - before):
        time.sleep(0.01)
    time.sleep(0.3)
    _thread.interrupt_main()


@pytest.mark.usefixtures("obeying_ctrl_c")
def test_ctrl_c_leaves_a_valid_log(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    before = set(threading.enumerate())
    threading.Thread(target=interrupt_when_running, args=(before,)).start()
    with pytest.raises(KeyboardInterrupt):
        run(replace(SPEC, fault=Fault("hang", stage=1, microbatch=3), timeout=30), path)
    log = read_trace(path)
    assert is_partial(log)
    assert len(log.schedule) < len(run(SPEC).trace.schedule)


def test_a_fault_elsewhere_changes_nothing() -> None:
    for name in FAULT_NAMES:
        fault = Fault(name, stage=7, microbatch=1)
        assert run(replace(SPEC, fault=fault)).digests == run(SPEC).digests


@pytest.mark.parametrize("wrong", [("sabotage", 0, 0), ("hang", -1, 0), ("hang", 0, -1)])
def test_faults_outside_the_domain(wrong: tuple[str, int, int]) -> None:
    with pytest.raises(SpecError, match="fault"):
        Fault(*wrong)  # type: ignore[arg-type]
