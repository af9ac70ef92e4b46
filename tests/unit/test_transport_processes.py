"""Runs on gloo: every family of the small set agrees with its prediction, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gpu_validation.errors import CapacityError
from gpu_validation.judging import judge_trace
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.prediction import predict
from gpu_validation.run import RunSpec, run
from gpu_validation.transports import Group, open_group
from gpu_validation.transports.gloo import connect
from gpu_validation.transports.launch import JoinedGroup, under_torchrun
from schedules import Kind, WeightPolicy, build
from tests.harness import failed_checks


@pytest.fixture(scope="module")
def four() -> Iterator[Group]:
    """Four processes for all runs."""
    with open_group("gloo", "cpu", 4) as group:
        yield group


FAMILIES = {
    "pipedream": build("pipedream", 4, 10),
    "gpipe": build("gpipe", 4, 6),
    "1f1b": build("1f1b", 4, 8),
    "localsgd": build("localsgd", 4, 16),
    "interleaved": build("interleaved-1f1b", 4, 4),
    "zbv": build("zbv", 4, 6),
    "chimera": build("chimera", 4, 4),
    "vertical-sync": replace(build("pipedream", 4, 10), policy=WeightPolicy("vertical-sync")),
}


@pytest.mark.parametrize("name", list(FAMILIES))
def test_four_processes_do_what_is_predicted(four: Group, name: str) -> None:
    spec = RunSpec(FAMILIES[name], "gloo", hashing="full", timeout=60.0)
    assert failed_checks(spec, four) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_other_numbers_of_processes(ranks: int) -> None:
    spec = RunSpec(build("pipedream", ranks, 6), "gloo", optimizer=OptimizerSpec("adamw"))
    with open_group("gloo", "cpu", ranks) as group:
        assert failed_checks(spec, group) == []


def test_a_transformer_with_pauses(four: Group) -> None:
    schedule = build("pipedream", 4, 8)
    model = ModelSpec("transformer", width=8, length=6)
    assert failed_checks(RunSpec(schedule, "gloo", model=model, jitter=0.01), four) == []


def test_runs_in_one_group_do_not_mix(four: Group) -> None:
    schedule = build("pipedream", 4, 6)
    digests = [
        run(RunSpec(schedule, "gloo", model=ModelSpec(seed=seed)), group=four).digests
        for seed in (1, 2, 1)
    ]
    assert digests[0] == digests[2] != digests[1]


def test_messages_are_logged_with_their_peers(four: Group) -> None:
    trace = run(RunSpec(build("gpipe", 4, 3), "gloo"), group=four).trace
    sends = (trace.schedule.kind == Kind.SEND_F) & (trace.schedule.rank_of_action == 1)
    assert trace.peer[sends].tolist() == [2, 2, 2]
    assert set(trace.channels) == {"0>1", "1>0", "1>2", "2>1", "2>3", "3>2"}


def test_a_free_order_respects_the_rule(four: Group) -> None:
    schedule = build("pipedream", 4, 16)
    spec = RunSpec(schedule, "gloo", order="free-running", jitter=0.003)
    findings = judge_trace(run(spec, group=four).trace, predict(schedule), free=True)
    assert [found.name for found in findings if found.applies and not found.holds] == []
    assert "staleness-bound" in {found.name for found in findings}


def test_torchrun_is_recognised_by_what_it_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    assert not under_torchrun()
    settings = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert under_torchrun()
    with pytest.raises(CapacityError, match="has started 2"):
        JoinedGroup(connect, 3)
