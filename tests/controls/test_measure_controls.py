"""Negative controls on real runs: what is broken is caught, and only what is run counts."""

import dataclasses
from typing import Any

import pytest

pytest.importorskip("torch")

from gpu_validation import measure as module
from gpu_validation.checks import CHECKS, Finding, final_weights, observed
from gpu_validation.checks.finding import holds
from gpu_validation.controls import CONTROLS
from gpu_validation.errors import RankFailedError
from gpu_validation.faults import Fault
from gpu_validation.judging import edited, judge_log
from gpu_validation.measure import chosen_order, judge, measure, replayed
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.prediction import predict
from gpu_validation.report import of_measurement
from gpu_validation.run import RunResult, RunSpec, run
from schedules import Schedule, WeightPolicy, build

PIPEDREAM = build("pipedream", 3, 8)
ALL = {
    "no-stash", "in-place-write", "swapped-microbatch", "wrong-schedule", "delayed-update",
    "dropped-update", "miscounted-update", "wrong-receiver", "clock-ahead", "late-forward",
}  # fmt: skip
ON_LOGS = {"miscounted-update", "wrong-receiver", "clock-ahead", "late-forward"}
SYNCHRONOUS = {"swapped-microbatch", "wrong-schedule", "dropped-update"} | ON_LOGS


def with_policy(**policy: Any) -> Schedule:
    return dataclasses.replace(PIPEDREAM, policy=WeightPolicy(**policy))


@pytest.mark.parametrize(
    ("schedule", "applicable"),
    [
        (PIPEDREAM, ALL),
        (build("gpipe", 2, 4), SYNCHRONOUS),
        (build("1f1b", 2, 4), SYNCHRONOUS),
        (build("interleaved-1f1b", 2, 4), SYNCHRONOUS),
        (build("zbv", 2, 4), SYNCHRONOUS),
        (
            build("localsgd", 2, 8),
            ON_LOGS | {"wrong-schedule", "delayed-update", "dropped-update"},
        ),
        (with_policy(name="latest"), ALL - {"no-stash", "in-place-write"}),
        (with_policy(name="stash", interval=2), ALL),
        (with_policy(name="predict", horizon=2), ALL),
        (with_policy(name="vertical-sync"), ALL),
    ],
    ids=lambda value: f"{value.name}-{value.policy.name}" if isinstance(value, Schedule) else "",
)
def test_machine_and_model_agree(schedule: Schedule, applicable: set[str]) -> None:
    found = measure(RunSpec(schedule, jitter=0.0005))
    failed = [
        (check.name, check.says) for check in found.findings if check.applies and not check.holds
    ]
    assert failed == []
    assert {control.name for control in found.controls if control.applicable} == applicable
    assert [
        control.name for control in found.controls if control.applicable and not control.caught
    ] == []
    assert found.agree


def test_control_runs_hash_everything() -> None:
    found = measure(RunSpec(PIPEDREAM, hashing="off"))
    by = {control.name: set(control.by) for control in found.controls}
    assert by["in-place-write"] == {"stash", "hash", "final-weights"}
    assert [check.name for check in found.findings if check.holds is None] == ["hash"]
    assert not found.agree, "the run itself was not hashed, so that one check is undecided"


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (None, set()),
        (Fault("no-stash", 0), {"versions", "stash", "final-weights"}),
        (Fault("in-place", 0), {"stash", "hash", "final-weights"}),
        (Fault("swapped-microbatch", 0, 0), {"final-weights"}),
        (Fault("swapped-microbatch", 0, 2), {"versions", "stash", "final-weights"}),
        (Fault("delayed-update", 1, 3), {"versions", "local-staleness", "final-weights"}),
        (Fault("dropped-update", 2, 7), {"versions", "final-weights"}),
    ],
)
def test_a_fault_fails_what_it_should(fault: Fault | None, expected: set[str]) -> None:
    spec = RunSpec(PIPEDREAM, hashing="full", fault=fault)
    findings = judge(run(spec), predict(PIPEDREAM), replayed(spec))
    assert {finding.name for finding in findings if not finding.holds} == expected


@pytest.mark.parametrize(
    "schedule",
    [
        PIPEDREAM,
        build("gpipe", 2, 4),
        build("zbv", 2, 4),
        build("localsgd", 2, 8),
        with_policy(name="latest"),
        with_policy(name="stash", interval=2),
        with_policy(name="predict", horizon=2),
        with_policy(name="vertical-sync"),
    ],
    ids=lambda value: f"{value.name}-{value.policy.name}-{value.policy.interval}",
)
def test_the_log_of_a_fault_fails_what_its_edit_fails(schedule: Schedule) -> None:
    spec, declared = RunSpec(schedule, hashing="full"), predict(schedule)
    sound = observed(run(spec).trace)
    for name, fault in module._FAULT_OF.items():
        target = CONTROLS[name].target(declared)
        if target is None:
            continue
        broken = dataclasses.replace(spec, fault=Fault(fault, target.stage, target.microbatch))
        _, findings, _ = judge_log(run(broken).trace, schedule)
        by = tuple(finding.name for finding in findings if finding.holds is False)
        result = edited(CONTROLS[name], sound, declared)
        assert (name, result.by) == (name, by)
        if name == "swapped-microbatch":
            assert (by, result.applicable) == ((), False), "a log does not show it"
        else:
            assert result.caught


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*CHECKS, "final-weights"])
def test_no_check_can_go_blind_unnoticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(*_: Any) -> Finding:
        return holds(name, 1, "does not look")

    if name in CHECKS:
        monkeypatch.setitem(CHECKS, name, blind)
    else:
        monkeypatch.setattr(final_weights, "check", blind)
    found = measure(RunSpec(PIPEDREAM))
    assert all(check.holds for check in found.findings if check.applies)
    missed = [control for control in found.controls if control.applicable and not control.caught]
    assert missed
    assert all(name in control.says for control in missed)
    assert not found.agree


def test_a_constant_hash_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu_validation.runner.content_hash", lambda _: "rows:0")
    found = measure(RunSpec(PIPEDREAM))
    by_name = {check.name: check for check in found.findings}
    assert by_name["hash"].holds is None
    assert "versions 1 and 2 of stage 0 have the same content" in by_name["hash"].says
    assert not found.agree


def test_every_backward_is_hashed_once() -> None:
    found = measure(RunSpec(PIPEDREAM))
    assert found.hashed_backwards == {
        "backwards": 24,
        "in_measured_runs": 3,
        "in_a_run_that_hashes_everything": 24,
    }
    stash = next(check for check in found.findings if check.name == "stash")
    assert "24 backwards used the version of their forwards, 3 of them compared" in stash.says
    full = measure(RunSpec(PIPEDREAM, hashing="full"))
    assert full.hashed is None
    assert full.hashed_backwards["in_measured_runs"] == 24


def test_the_run_that_hashes_everything_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(spec: RunSpec, *arguments: Any, **options: Any) -> RunResult:
        if spec.hashing == "full" and spec.fault is None:
            spec = dataclasses.replace(spec, fault=Fault("in-place", 0))
        return run(spec, *arguments, **options)

    monkeypatch.setattr(module, "run", spoilt)
    found = measure(RunSpec(PIPEDREAM))
    assert {check.name for check in found.findings if check.holds is False} == {
        "stash", "hash", "final-weights",
    }  # fmt: skip
    assert not found.agree


@pytest.mark.parametrize("name", ["no-stash", "in-place", "delayed-update"])
def test_where_a_control_does_not_apply_its_run_does_not_differ(name: Any) -> None:
    schedule = build("gpipe", 2, 4)
    spec = RunSpec(schedule, hashing="full", fault=Fault(name, 0, 0))
    findings = judge(run(spec), predict(schedule), replayed(spec))
    assert [finding.name for finding in findings if not finding.holds] == []


def test_a_fault_that_never_happened_is_not_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def sound(spec: RunSpec, *arguments: Any, **options: Any) -> RunResult:
        return run(dataclasses.replace(spec, fault=None), *arguments, **options)

    monkeypatch.setattr(module, "run", sound)
    found = measure(RunSpec(PIPEDREAM))
    assert {control.name for control in found.controls if control.caught} == {
        "wrong-schedule",
        *ON_LOGS,
    }
    assert all(check.holds for check in found.findings)
    assert not found.agree


@pytest.mark.parametrize(
    "changes",
    [
        {"model": ModelSpec(seed=1)},
        {"model": ModelSpec(depth=2)},
        {"optimizer": OptimizerSpec(lr=0.02)},
        {"optimizer": OptimizerSpec("adamw")},
    ],
)
def test_a_replay_of_something_else_differs(changes: dict[str, Any]) -> None:
    spec = RunSpec(PIPEDREAM)
    other = replayed(dataclasses.replace(spec, **changes))
    findings = {found.name: found for found in judge(run(spec), predict(PIPEDREAM), other)}
    assert [name for name, found in findings.items() if not found.holds] == ["final-weights"]


def test_a_free_run_is_replayed_in_the_order_it_chose() -> None:
    spec = RunSpec(PIPEDREAM, order="free-running", jitter=0.003)
    result = run(spec)
    chosen = chosen_order(result)
    assert chosen.order == "static"
    declared = predict(PIPEDREAM)
    assert all(found.holds for found in judge(result, declared, replayed(chosen)))
    assert chosen.schedule.parameters == PIPEDREAM.parameters


def test_without_replay_or_broken_runs_the_rest_is_judged() -> None:
    spec = RunSpec(build("pipedream", 2, 6), model=ModelSpec(width=4))
    found = measure(spec, replaying=False, broken_runs=False)
    assert found.agree
    assert [f.name for f in found.findings if not f.applies] == ["final-weights"]
    says = {control.name: control.says for control in found.controls if control.applicable}
    assert "swapped-microbatch" not in says
    assert all("edited" in says[name] for name in ("no-stash", "dropped-update"))


def test_a_replay_without_room_is_undecided_and_loses_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_room(_: RunSpec) -> final_weights.Weights:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 9 bytes")

    monkeypatch.setattr(module, "replayed", no_room)
    found = measure(RunSpec(build("pipedream", 2, 6), model=ModelSpec(width=4)))
    assert not found.agree
    undecided = [f for f in found.findings if f.holds is None and f.applies]
    assert [f.name for f in undecided] == ["final-weights"]
    assert "ran out of memory" in undecided[0].says
    assert all(control.caught for control in found.controls if control.applicable)

    monkeypatch.setattr(module, "free_bytes", lambda _: 1)
    monkeypatch.setattr(module, "replayed", replayed)
    found = measure(RunSpec(build("pipedream", 2, 6), model=ModelSpec(width=4)), broken_runs=False)
    assert "and 0.0 GiB are free" in next(f.says for f in found.findings if f.holds is None)
    monkeypatch.setattr(module, "free_bytes", lambda _: None)

    def wrong(_: RunSpec) -> final_weights.Weights:
        raise RuntimeError("shapes differ")

    monkeypatch.setattr(module, "replayed", wrong)
    with pytest.raises(RuntimeError, match="shapes differ"):
        measure(RunSpec(build("gpipe", 2, 2), model=ModelSpec(width=4)))


@pytest.mark.parametrize(("error", "told"), [("MemoryError", True), ("ValueError", False)])
def test_a_later_run_without_room_loses_no_verdict(
    monkeypatch: pytest.MonkeyPatch, error: str, told: bool
) -> None:
    def no_room(spec: RunSpec, *args: Any, **more: Any) -> RunResult:
        if spec.hashing == "full":
            raise RankFailedError(f"rank 0 raises {error}: no message", "rank 0", "correct it", 0)
        return run(spec, *args, **more)

    monkeypatch.setattr(module, "run", no_room)
    spec = RunSpec(build("pipedream", 2, 6), model=ModelSpec(width=4))
    if not told:
        with pytest.raises(RankFailedError):
            measure(spec)
        return
    found = measure(spec)
    assert not found.agree
    assert [f.name for f in found.findings if f.holds is None] == ["hash"]
    assert "give --hashing off" in next(f.says for f in found.findings if f.name == "hash")
    failed = [c for c in found.controls if c.applicable and not c.caught]
    assert {c.name for c in failed} == {
        "no-stash", "in-place-write", "swapped-microbatch", "delayed-update", "dropped-update",
    }  # fmt: skip
    assert all("out of memory" in c.says for c in failed)


@pytest.mark.parametrize("name", ["pipedream", "pipedream-2bw", "xpipe", "pipemare", "gpipe"])
def test_a_replay_keeps_as_many_versions_as_are_read(name: str) -> None:
    from gpu_validation.capacity import most_versions
    from gpu_validation.single_thread import Replay

    schedule = build(name, 2, 32)
    replayed = Replay(schedule, ModelSpec(width=2), OptimizerSpec(), "cpu")
    most = dict.fromkeys(replayed.copies, 1)
    for position, index in enumerate(replayed.order):
        replayed.do(index, position)
        most = {key: max(most[key], len(copy.versions)) for key, copy in replayed.copies.items()}
    # What is said before anything is computed is what is kept.
    assert most == most_versions(schedule)
    assert max(most.values()) <= 4
    assert not replayed.read
    assert not replayed.gradients


@pytest.mark.gpu
@pytest.mark.parametrize("family", ["pipedream", "1f1b", "zbv"])
def test_machine_and_model_agree_on_a_gpu(family: str) -> None:
    spec = RunSpec(build(family, 2, 6), device="cuda", model=ModelSpec("transformer", width=64))
    found = measure(spec, tolerance=1e-4)
    assert [check.says for check in found.findings if check.applies and not check.holds] == []
    assert found.agree
    result = of_measurement(found)
    assert result["measured"]["device_peak_bytes"] > 0
    assert result["measured"]["timing"]["in_receives"] == "not measured"
    assert "nothing about the speed" in result["measured"]["timing"]["note"]
