"""Runs on threads: times, versions and final weights are exactly those that the model says."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from gpu_validation.errors import (
    CapacityError,
    MeasureError,
    NotRunnableError,
    RankError,
    SpecError,
)
from gpu_validation.event_log import is_partial
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.run import RunSpec, require_runnable, run
from gpu_validation.runner import Runner
from gpu_validation.single_thread import replay
from gpu_validation.transports import open_group
from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, versions
from schedules.formats.trace_reader import read_trace
from schedules.lowering import lower
from tests.harness import (
    computed,
    current,
    lamport,
    logged_versions,
    predicted_versions,
    same_weights,
    slots,
)

MOMENTUM = OptimizerSpec("momentum", lr=0.05)

RANKS = [2, 3, 4]

FAMILIES = [
    "pipedream", "gpipe", "1f1b", "localsgd", "naive", "interleaved-1f1b", "looped-bfs", "zb-h1",
    "zbv", "dualpipev", "chimera",
]  # fmt: skip

POLICIES = [
    WeightPolicy("stash"),
    WeightPolicy("latest"),
    WeightPolicy("vertical-sync"),
    WeightPolicy("double-buffer", interval=4),
    WeightPolicy("flush"),
    WeightPolicy("predict", horizon=3),
    WeightPolicy("predict"),
    WeightPolicy("stash", interval=2),
    WeightPolicy("latest", interval=3),
]


@pytest.mark.parametrize(
    ("family", "ranks"),
    # Chimera has an even number of ranks.
    [(name, p) for name in FAMILIES for p in RANKS if not (name == "chimera" and p % 2)],
)
def test_a_family_runs_as_predicted(family: str, ranks: int) -> None:
    schedule = build(family, ranks, 3 * ranks)
    result = run(RunSpec(schedule, optimizer=MOMENTUM))
    assert lamport(result) == slots(schedule)
    assert logged_versions(result) == predicted_versions(schedule)
    assert same_weights(result.weights, replay(schedule, result.spec.model, MOMENTUM))
    assert not is_partial(result.trace)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("policy", "family", "model"),
    [*product(POLICIES, ["pipedream", "zb-h1"], ["mlp", "transformer"])],
    ids=str,
)
def test_a_policy_runs_as_predicted(policy: WeightPolicy, family: str, model: str) -> None:
    schedule = replace(build(family, 3, 9), policy=policy)
    spec = RunSpec(schedule, model=ModelSpec(model, width=8), optimizer=MOMENTUM)
    result = run(spec)
    assert lamport(result) == slots(schedule)
    assert logged_versions(result) == predicted_versions(schedule)
    found = versions(schedule)
    for kind, table in ((Kind.F, found.at_forward), (Kind.B, found.at_backward)):
        for (stage, microbatch), number in current(result, kind).items():
            assert number == table[stage, microbatch]
    assert same_weights(result.weights, replay(schedule, spec.model, MOMENTUM))


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adamw", "nadam"])
def test_every_optimizer_gives_the_weights_of_the_replay(optimizer: str) -> None:
    numbers = OptimizerSpec(optimizer, lr=0.01, weight_decay=0.1)  # type: ignore[arg-type]
    schedule = build("pipedream", 2, 6)
    result = run(RunSpec(schedule, optimizer=numbers))
    assert same_weights(result.weights, replay(schedule, result.spec.model, numbers))
    others = replay(schedule, result.spec.model, replace(numbers, lr=0.011))
    assert not same_weights(result.weights, others)


def test_local_staleness_is_that_of_the_model() -> None:
    schedule = build("pipedream", 4, 12)
    result = run(RunSpec(schedule))
    at_forward, at_backward = current(result, Kind.F), current(result, Kind.B)
    found = versions(schedule).local_staleness
    for where, number in at_backward.items():
        assert number - at_forward[where] == found[where]


def test_updates_are_events_with_the_hash_of_what_they_made() -> None:
    result = run(RunSpec(build("pipedream", 2, 4), hashing="full"))
    executed, extra = result.trace.schedule, result.trace.extra
    made: dict[tuple[int, int], object] = {}
    for i in np.flatnonzero(executed.kind == Kind.U).tolist():
        made[int(executed.stage[i]), int(str(extra[i]["current"]))] = extra[i]["hash"]
    assert sorted(made) == [(s, v) for s in range(2) for v in range(1, 5)]
    assert len(set(made.values())) == len(made)
    for (kind, stage, _), i in computed(result).items():
        if result.trace.version[i]:
            assert extra[i]["hash"] == made[stage, int(result.trace.version[i])], Kind(kind)
    assert result.digests == {(s, 0): made[s, 4] for s in range(2)}


@pytest.mark.parametrize(("hashing", "kinds"), [("off", 0), ("full", 24)])
def test_hashing_can_be_left_out(hashing: str, kinds: int) -> None:
    result = run(RunSpec(build("pipedream", 2, 4), hashing=hashing))  # type: ignore[arg-type]
    assert sum("hash" in extra for extra in result.trace.extra.values()) == kinds


def test_predicted_weights_are_marked_and_are_not_the_newest() -> None:
    schedule = replace(build("pipedream", 2, 6), policy=WeightPolicy("predict", horizon=2))
    result = run(RunSpec(schedule, hashing="full"))
    index, extra = computed(result), result.trace.extra
    assert "horizon" not in extra[index[Kind.F, 0, 0]]
    late = extra[index[Kind.F, 0, 5]]
    assert late["horizon"] == 2
    executed = result.trace.schedule
    made = {
        str(extra[i]["hash"])
        for i in np.flatnonzero((executed.kind == Kind.U) & (executed.stage == 0)).tolist()
    }
    assert late["hash"] not in made


def test_replicas_are_averaged() -> None:
    schedule = build("localsgd", 2, 8, replicas=2, local_steps=2)
    result = run(RunSpec(schedule))
    for stage in range(2):
        one, other = result.weights[stage, 0], result.weights[stage, 1]
        assert all(np.array_equal(one[name], other[name]) for name in one)
    index, extra = computed(result), result.trace.extra
    assert "averages" not in extra[index[Kind.F, 0, 0]]
    assert extra[index[Kind.F, 1, 7]]["averages"] == 1


def test_a_lowered_schedule_runs_like_the_one_it_came_from() -> None:
    schedule = build("interleaved-1f1b", 2, 4)
    one, other = run(RunSpec(schedule)), run(RunSpec(lower(schedule)))
    assert same_weights(one.weights, other.weights)
    assert lamport(one) == lamport(other)


def test_explicit_updates_replace_those_of_the_policy() -> None:
    F, B, U = Kind.F, Kind.B, Kind.U
    order = [
        Action(F, 0, 0), Action(B, 0, 0), Action(F, 0, 1), Action(U, 0, 0), Action(B, 0, 1),
        Action(F, 0, 2), Action(B, 0, 2), Action(U, 0, 2),
    ]  # fmt: skip
    schedule = Schedule.from_orders("made", [order], 3, WeightPolicy("stash"))
    result = run(RunSpec(schedule, optimizer=MOMENTUM))
    assert logged_versions(result) == predicted_versions(schedule)
    assert [logged_versions(result)[F, 0, m] for m in range(3)] == [0, 0, 1]
    assert same_weights(result.weights, replay(schedule, result.spec.model, MOMENTUM))


def test_versions_that_nobody_needs_are_freed() -> None:
    def most(policy: WeightPolicy, microbatches: int) -> list[int]:
        schedule = replace(build("pipedream", 3, microbatches), policy=policy)
        return [memory.versions for memory in run(RunSpec(schedule)).memory.values()]

    assert most(WeightPolicy("stash"), 9) == most(WeightPolicy("stash"), 18) == [3, 2, 1]
    assert most(WeightPolicy("vertical-sync"), 18) == [3, 3, 3]
    assert most(WeightPolicy("double-buffer", interval=3), 18) == [2, 2, 2]
    assert most(WeightPolicy("latest"), 18) == [1, 1, 1]
    assert most(WeightPolicy("flush"), 18) == [1, 1, 1]


def test_memory_is_split_by_purpose() -> None:
    result = run(RunSpec(build("pipedream", 2, 6), optimizer=OptimizerSpec("adamw")))
    first, last = result.memory[0, 0], result.memory[1, 0]
    weights = sum(array.nbytes for array in result.weights[0, 0].values())
    assert first.weights == first.stash == weights
    assert first.optimizer == 2 * weights
    assert last.stash == 0
    alone = run(RunSpec(build("pipedream", 2, 6, noam=1))).memory[0, 0]
    assert first.activations == 2 * alone.activations
    assert alone.activations >= result.spec.model.batch * result.spec.model.width * 4


def test_the_log_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    result = run(RunSpec(build("pipedream", 2, 4)), path)
    log = read_trace(path)
    assert log.unit == "ns"
    assert log.version.tolist() == result.trace.version.tolist()
    assert log.extra == result.trace.extra
    assert log.schedule.parameters == result.trace.schedule.parameters
    assert [*tmp_path.iterdir()] == [path]
    assert versions(log.schedule).read.tolist() == versions(result.spec.schedule).read.tolist()


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="there is no folder"):
        run(RunSpec(build("naive", 1, 1)), tmp_path / "missing" / "run.jsonl")
    assert not [*tmp_path.iterdir()]


def test_more_ranks_than_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if thread.name == "rank 2":
            raise RuntimeError("can't start new thread")
        start(thread)

    before = set(threading.enumerate())
    monkeypatch.setattr(threading.Thread, "start", limited)
    with pytest.raises(RankError, match="but 3 cannot be started: can't start new thread"):
        run(RunSpec(build("pipedream", 3, 3)))
    assert set(threading.enumerate()) <= before


def test_two_runs_have_two_numbers_and_the_same_weights() -> None:
    with open_group("threads", "cpu", 2) as group:
        spec = RunSpec(build("pipedream", 2, 4))
        one, other = run(spec, group=group), run(spec, group=group)
    assert one.digests == other.digests
    assert one.losses == other.losses
    assert one.trace.schedule.parameters["run"] != other.trace.schedule.parameters["run"]


def test_without_recording_only_results_are_left() -> None:
    spec = RunSpec(build("pipedream", 2, 4))
    assert len(run(replace(spec, record=False)).trace.schedule) == 0
    assert run(replace(spec, record=False)).digests == run(spec).digests


def test_a_run_leaves_nothing_behind() -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    threads = set(threading.enumerate())
    before = torch.get_num_threads(), torch.is_grad_enabled()
    run(RunSpec(build("pipedream", 3, 6), model=ModelSpec("transformer", width=8)))
    assert (torch.get_num_threads(), torch.is_grad_enabled()) == before
    assert set(threading.enumerate()) <= threads
    assert torch.equal(torch.rand(3), expected)


def test_losses_by_microbatch() -> None:
    result = run(RunSpec(build("pipedream", 2, 5)))
    assert len(result.losses) == 5
    assert all(loss is not None and 0 < loss < 10 for loss in result.losses)


def test_what_is_not_valid_is_not_run() -> None:
    wrong = Schedule.from_orders("wrong", [[Action(Kind.F, 0, 0)]], 1, WeightPolicy("flush"))
    with pytest.raises(NotRunnableError, match="only a valid schedule is run, found 1 violation"):
        run(RunSpec(wrong))


def test_barriers_and_averages_over_ranks_are_not_run() -> None:
    order = [Action(Kind.F, 0, 0), Action(Kind.B, 0, 0)]
    barrier = [*order, Action(Kind.BARRIER, 0, 0)]
    with pytest.raises(
        NotRunnableError, match="barriers, recomputation and offloading are not run"
    ):
        require_runnable(RunSpec(Schedule.from_orders("b", [barrier], 1, WeightPolicy("flush"))))
    mirrored = [replace(action, microbatch=1, pipeline=1) for action in order]
    reducing = Schedule.from_orders(
        "r",
        [[*order, Action(Kind.REDUCE, 0)], mirrored],
        2,
        WeightPolicy("flush"),
        placement=Placement(((0,), (1,)), ((0,), (1,))),
    )
    with pytest.raises(NotRunnableError, match=r"copies of stage 0 lie on ranks \[0, 1\]"):
        require_runnable(RunSpec(reducing))


@pytest.mark.parametrize("family", ["gpipe", "localsgd", "1f1b", "interleaved-1f1b"])
def test_what_has_no_rule_does_not_run_freely(family: str) -> None:
    with pytest.raises(NotRunnableError, match="only a family that a rule generates"):
        require_runnable(RunSpec(build(family, 2, 4), order="free-running"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"transport": "nccl"}, "gloo connects CPUs and nccl GPUs, found nccl with device cpu"),
        ({"transport": "gloo", "device": "cuda"}, "gloo connects CPUs and nccl GPUs"),
        ({"transport": "pigeons"}, "transport is one of threads, gloo, nccl, torch, found"),
        ({"device": "tpu"}, "device is one of cpu, cuda, found 'tpu'"),
        ({"share_gpus": True}, "ranks that share GPUs are processes, .* found threads with"),
        ({"share_gpus": True, "transport": "torch"}, "ranks that share GPUs are processes"),
        ({"order": "random"}, "order is one of static, free-running"),
        ({"hashing": "md5"}, "hashing is one of off, sampled, full"),
        ({"timeout": 0.0}, "a time-out is a positive number of seconds"),
        ({"timeout": float("nan")}, "a time-out is a positive number of seconds"),
        ({"jitter": -1.0}, "a pause lasts 0 or more seconds"),
        ({"jitter": 61.0}, "less than the time-out of 60 s"),
    ],
)
def test_specifications_outside_the_domain(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        RunSpec(build("naive", 1, 1), **wrong)  # type: ignore[arg-type]


def test_what_the_machine_cannot_hold() -> None:
    huge = ModelSpec(width=1_000_000)
    with pytest.raises(CapacityError, match=r"p = 3 ranks with 3 stages take 298\d\d\.. GiB"):
        run(RunSpec(build("pipedream", 3, 3), model=huge))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there() -> None:
    with pytest.raises(CapacityError, match="device 'cuda' is an NVIDIA GPU"):
        run(RunSpec(build("pipedream", 2, 2), device="cuda"))


@pytest.mark.gpu
@pytest.mark.parametrize("family", ["pipedream", "gpipe", "zb-h1", "localsgd", "interleaved-1f1b"])
def test_a_family_runs_on_one_gpu_as_predicted(family: str) -> None:
    schedule = build(family, 3, 9)
    model = ModelSpec("transformer", width=64, batch=8)
    result = run(RunSpec(schedule, device="cuda", model=model, optimizer=MOMENTUM, hashing="full"))
    assert lamport(result) == slots(schedule)
    assert logged_versions(result) == predicted_versions(schedule)
    expected = replay(schedule, model, MOMENTUM, "cuda")
    for key, weights in result.weights.items():
        for name, values in weights.items():
            assert np.abs(values.astype(float) - expected[key][name].astype(float)).max() < 1e-4
    extra = result.trace.extra
    for i in computed(result).values():
        assert 0 < int(str(extra[i]["device_start"])) <= int(str(extra[i]["device_end"]))
        assert str(extra[i].get("hash", "cuda-rows:")).startswith("cuda-rows:")
    assert result.device_peak > 0


@pytest.mark.gpu
def test_nothing_waits_for_the_device_inside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Runner.run

    def strict(runner: Runner) -> None:
        torch.cuda.set_sync_debug_mode("error")
        try:
            sound(runner)
        finally:
            torch.cuda.set_sync_debug_mode("default")

    monkeypatch.setattr(Runner, "run", strict)
    # One rank, since the mode belongs to the process; two stages, so that tensors are handed on.
    one_rank = Schedule.from_orders(
        "one rank",
        [
            [Action(kind, s, m) for m in range(4) for kind, s in
             ((Kind.F, 0), (Kind.F, 1), (Kind.B, 1), (Kind.B, 0))]
        ],
        4,
        WeightPolicy("stash"),
    )  # fmt: skip
    run(RunSpec(one_rank, device="cuda", optimizer=MOMENTUM, hashing="full"))
