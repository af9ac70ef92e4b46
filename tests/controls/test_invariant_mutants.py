"""Every invariant, held by a schedule and broken by one change to it.

The change is made to a schedule that keeps all that is required; the invariant that is about the
change must name it, and must be among what was decided.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from schedules import Schedule, build
from schedules.analysis import parse_sizes
from schedules.formats import Document
from schedules.formats.deepspeed import parse_deepspeed
from schedules.formats.pytorch_csv import parse_csv
from schedules.invariants import INVARIANTS, Report, check, parse_requirements
from schedules.policies import PolicyName
from tests.rows import rows

SAMPLE = Path(__file__).parents[1] / "data" / "schedules" / "deepspeed0.19.8_train_p2_m4.json"
SIZES = parse_sizes("[default]\nweights = 100\nactivations = 10", "sizes.toml")


@dataclass(frozen=True)
class Change:
    """One text in a schedule replaced by another one."""

    invariant: str
    schedule: str
    old: str
    new: str
    policy: PolicyName = "flush"
    interval: int = 1


STEP = "0F0 0F1 0B0 0B1 0U\n1F0 1B0 1F1 1B1 1U"
EACH = "0F0 0B0 0U 0F1 0B1 0U\n1F0 1B0 1U 1F1 1B1 1U"
SENT = (
    "0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1\n"
    "1RECV_F0 1F0 1RECV_F1 1F1 1B0 1SEND_B0 1B1 1SEND_B1"
)
REDUCED = "0F0 0B0 0REDUCE 0U\n1F0 1B0 1REDUCE 1U"
SHARDED = "0UNSHARD 0F0 0RESHARD 0UNSHARD 0B0 0RESHARD\n1UNSHARD 1F0 1B0 1RESHARD"
WAITED = (
    "0F0 0SEND_F0 0WAIT_SEND_F0 0F1 0SEND_F1 0WAIT_SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1\n"
    "1RECV_F0 1F0 1RECV_F1 1F1 1B0 1SEND_B0 1WAIT_SEND_B0 1B1 1SEND_B1"
)
ROUNDS = "0F0 0B0 0BARRIER 0F1 0B1\n1F0 1B0 1BARRIER 1F1 1B1"

CHANGES = (
    Change("complete", STEP, "1F1 1B1", "1B1"),
    Change("complete", STEP, "1B0", "1B0 1B0"),
    Change("causal", STEP, "1F0 1B0", "1B0 1F0"),
    Change("causal", SENT, "1RECV_F1 1F1", "1F1 1RECV_F1"),
    Change("causal", SHARDED, "0RESHARD 0UNSHARD 0B0", "0RESHARD 0B0 0UNSHARD"),
    Change("causal", SHARDED, "1UNSHARD 1F0", "1F0 1UNSHARD"),
    Change("causal", SHARDED, "1UNSHARD ", ""),
    Change("causal", SHARDED, "1B0 1RESHARD", "1RESHARD 1B0"),
    Change("causal", "0UNSHARD 0F0 0B0\n1UNSHARD 1F0 1B0", "1UNSHARD ", ""),
    Change("exclusive", STEP, "1U", "1U 0U"),
    Change("policy", EACH, "1F0 1B0 1U 1F1 1B1 1U", "1F0 1B0 1F1 1U 1B1 1U", "vertical-sync"),
    Change("stash", STEP, "1B1 1U", "1U 1B1"),
    Change("stash", EACH, "0B0 0U 0F1", "0B0 0F1 0U", "latest"),
    Change("versions<=1", EACH, "0B0 0U 0F1", "0F1 0B0 0U", "stash"),
    Change("staleness<=0", EACH, "0B0 0U 0F1", "0F1 0B0 0U", "stash"),
    Change("delay<=1", EACH, "0B0 0U 0F1", "0F1 0B0 0U", "stash"),
    Change("skew<=0", EACH, "0B0 0U 0F1", "0B0 0F1 0U", "stash"),
    Change("vertical-sync", EACH, "0B0 0U 0F1", "0B0 0F1 0U", "stash"),
    Change("flush", STEP, "0B1 0U", "0U 0B1"),
    Change("flush", STEP, "1B0 1F1", "1B0 1U 1F1"),
    Change("in-flight<=1", "0F0 0B0 0F1 0B1 0U", "0B0 0F1", "0F1 0B0"),
    Change("activations<=1", "0F0 0B0 0F1 0B1 0U", "0B0 0F1", "0F1 0B0"),
    Change("memory<=110", "0F0 0B0 0F1 0B1 0U", "0B0 0F1", "0F1 0B0"),
    Change("rank-memory<=110", "0F0 0B0 0F1 0B1 0U", "0B0 0F1", "0F1 0B0"),
    Change("send-buffers<=1", WAITED, "0WAIT_SEND_F0 0F1", "0F1 0WAIT_SEND_F0"),
    Change("send-buffers<=1", WAITED, " 0WAIT_SEND_F0", ""),
    Change("causal", WAITED, "0SEND_F0 0WAIT_SEND_F0", "0WAIT_SEND_F0 0SEND_F0"),
    Change(
        "deadlock-free",
        WAITED,
        "1RECV_F1 1F1 1B0 1SEND_B0 1WAIT_SEND_B0",
        "1B0 1SEND_B0 1WAIT_SEND_B0 1RECV_F1 1F1",
    ),
    Change("forward-only", "0F0 0F1\n1F0 1F1", " 1F1", ""),
    Change("forward-only", "0F0 0F1\n1F0 1F1", "1F1", "1F1 1B1"),
    Change("barrier", ROUNDS, "1BARRIER ", ""),
    Change("barrier", ROUNDS, "1BARRIER 1F1", "1F1 1BARRIER"),
    Change("barrier", ROUNDS, "0BARRIER", "0BARRIER 0BARRIER"),
    Change("update-once", STEP, " 1U", ""),
    Change("update-once", STEP, "0U", "0U 0U"),
    Change("update-once", STEP, "0B1 0U", "0U 0B1"),
    Change("update-once", EACH, "0B0 0U 0F1", "0U 0B0 0F1", "stash"),
    Change("update-once", EACH, "0B0 0U 0F1", "0B0 0F1", "stash"),
    Change("update-once", "0F0 0B0 0F1 0B1", "0B1", "0B1 0F2 0B2", "stash", interval=2),
    Change("update-once", REDUCED, "1REDUCE 1U", "1U 1REDUCE"),
    Change("update-once", REDUCED, "1B0 1REDUCE", "1REDUCE 1B0"),
    Change("update-once", REDUCED, "1REDUCE ", ""),
    Change("update-once", "0F0 0B0 0REDUCE\n1F0 1B0 1REDUCE", " 1REDUCE", ""),
    Change("update-once", "0F0 0B0 0REDUCE 0F1 0B1 0REDUCE", "0B1 0REDUCE", "0B1", "stash"),
    Change("update-once", "0F0 0B0 0REDUCE 0F1 0B1 0REDUCE", "0B0 0REDUCE", "0B0", "stash"),
    Change("update-once", REDUCED, "1REDUCE 1U", "1REDUCE 1REDUCE 1U"),
    Change("update-once", "0F0 0B0 0F1 0B1 0REDUCE", "0REDUCE", "0REDUCE 0REDUCE"),
    Change("match", SENT, "0SEND_F0 0F1 0SEND_F1", "0F1 0SEND_F1 0SEND_F0"),
    Change("match", SENT, "1SEND_B1", "1SEND_B1 1SEND_B0"),
    Change("deadlock-free", SENT, "1RECV_F1 1F1 1B0 1SEND_B0", "1B0 1SEND_B0 1RECV_F1 1F1"),
    Change("deadlock-free", SENT, "0RECV_B1 0B1", "0B1"),
)


def decided(schedule: Schedule | Document, requirement: str) -> Report:
    return check(schedule, parse_requirements(requirement), sizes=SIZES)


def broken_by(report: Report) -> set[str]:
    return {violation.invariant for violation in report.violations}


@pytest.mark.parametrize(
    "change", CHANGES, ids=lambda change: f"{change.invariant}: {change.old} → {change.new}"
)
def test_change_is_named(change: Change) -> None:
    name = change.invariant.partition("<=")[0]
    good = decided(rows(change.schedule, change.policy, change.interval), change.invariant)
    assert good.ok, good.violations
    assert change.old in change.schedule
    text = change.schedule.replace(change.old, change.new, 1)
    bad = decided(rows(text, change.policy, change.interval), change.invariant)
    assert not bad.ok
    assert name in broken_by(bad)
    assert name in bad.decided


def test_buffer_safe_names_a_shrunk_list_of_buffers() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    found = parse_deepspeed(text, "a.json")
    assert decided(Document(found.schedule, found), "buffer-safe").ok
    found = parse_deepspeed(text.replace('"buffer_id": 1', '"buffer_id": 0'), "a.json")
    report = decided(Document(found.schedule, found), "buffer-safe")
    assert "buffer-safe" in broken_by(report)
    assert "buffer-safe" in report.decided


def test_match_names_a_tensor_that_both_ranks_repeat() -> None:
    twice = SENT.replace("1RECV_F0", "1RECV_F0 1RECV_F0").replace("0SEND_F0", "0SEND_F0 0SEND_F0")
    assert broken_by(decided(rows(twice, "flush", 1), "match")) == {"match"}


def test_buffer_safe_names_two_gradients_received_at_once() -> None:
    document = json.loads(SAMPLE.read_text(encoding="utf-8"))
    steps = document["ranks"][0]["steps"]
    late = steps[5].pop(0)
    assert late == ["RecvGrad", {"buffer_id": 1}]
    steps[3].insert(1, late)  # before the backward of the gradient that came first
    found = parse_deepspeed(json.dumps(document), "a.json")
    assert broken_by(decided(Document(found.schedule, found), "buffer-safe")) >= {"buffer-safe"}


def test_delay_any_timing_names_a_wider_admission() -> None:
    narrow, wide = build("pipedream", 2, 8), build("pipedream", 2, 8, noam=4)
    bound = "delay-any-timing<=5"
    assert decided(narrow, bound).ok
    assert broken_by(decided(wide, bound)) == {"delay-any-timing"}


def test_every_invariant_has_a_control() -> None:
    covered = {change.invariant.partition("<=")[0] for change in CHANGES}
    assert covered | {"buffer-safe", "delay-any-timing"} == set(INVARIANTS)


@pytest.mark.parametrize("name", [name for name in INVARIANTS if INVARIANTS[name].needs_base])
def test_nothing_passes_on_a_broken_base(name: str) -> None:
    """What needs the base is neither decided nor passed over where the base is broken."""
    bound = {"none": "", "count": "<=1000", "size": "<=1000GB"}[INVARIANTS[name].bound]
    for text in ("0F0,0B0\n1B0,1F0", "0F0,0F1,0B0\n1F0,1B0", "0F0,0B0\n1F0,1B0,0F1,0B1"):
        report = decided(parse_csv(text, "a.csv"), f"{name}{bound}")
        assert not report.ok
        assert name in dict(report.undecided)
        assert name not in report.decided
