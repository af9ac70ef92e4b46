"""Real processes that send real tensors over gloo do what the model says.

The model: one queue a rank, no buffer. Compared are the set of actions that complete, at a hang
too, and the tensors that arrive under another name.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from schedules import Group, Kind, Schedule, build
from schedules.dependencies import MISSING
from schedules.formats import read_document
from schedules.formats.pytorch_csv import parse_csv, write_csv
from schedules.lowering import lower
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from schedules.schedule import IntArray
from schedules.validation.match import match
from tests.gloo_replay import NotReplayableError, Replay, WorkerError, replay, run
from tests.mutations.mutant import Operator
from tests.mutations.operators import ON_ROWS
from tests.mutations.subjects import DATA, batched, subject

pytest.importorskip("torch.distributed", reason="torch is not installed")

RANK_QUEUES = QueueModel("rank", 0)
PATIENCE = 2.0
ROOT = Path(__file__).parents[2]
TOGETHER = 4
"""Replays at a time: those that hang only wait."""

SMALL = sorted(DATA.glob("*_p2_m4.comms.csv")) + sorted(DATA.glob("deepspeed*_p2_m4.json"))
LARGER = sorted(DATA.glob("*_p4_m8.comms.csv")) + sorted(DATA.glob("deepspeed*_p4_m8.json"))
OPERATORS: dict[str, Operator] = {operator.name: operator for operator in ON_ROWS}

MIXED = ("swap sends of a channel", "swap receives of a channel")
BROKEN = (
    *MIXED,
    "swap neighbouring receives",
    "swap a send and a receive",
    "drop a send",
    "drop a receive",
    "repeat a message",
)
MUTATED = (
    "torch2.13_1F1B_p2_m4.comms.csv",
    "torch2.13_ZBVZeroBubble_p2_m4.comms.csv",
    "pipedream, batched",
)


def replays(schedules: list[Schedule]) -> list[Replay]:
    with ThreadPoolExecutor(TOGETHER) as pool:
        return list(pool.map(lambda schedule: replay(schedule, PATIENCE), schedules))


def assert_as_predicted(found: Replay) -> None:
    schedule = found.schedule
    plan = channels(schedule)
    predicted = progress(schedule, plan, RANK_QUEUES)
    assert found.completed == predicted.finished
    assert sorted(found.ended) == np.flatnonzero(predicted.end != MISSING).tolist()
    assert bool(found.heads) != found.completed
    assert not set(found.heads) & set(found.ended)
    differs = [
        index
        for index in np.flatnonzero(plan.partner != MISSING).tolist()
        if not plan.sends[index]
        and index in found.ended
        and is_wrong(schedule, plan.partner, index)
    ]
    assert [wrong.index for wrong in found.wrong] == differs
    assert bool(match(schedule, plan)) or not found.wrong


def is_wrong(schedule: Schedule, partner: IntArray, receive: int) -> bool:
    sent, received = schedule.action(int(partner[receive])), schedule.action(receive)
    forward = received.kind == Kind.RECV_F
    expected = (
        Kind.SEND_F if forward else Kind.SEND_B,
        received.stage + (-1 if forward else 1),
        received.microbatch,
        received.pipeline,
    )
    return (sent.kind, sent.stage, sent.microbatch, sent.pipeline) != expected


@pytest.mark.slow
@pytest.mark.slow
def test_stored_schedules_complete() -> None:
    for found in replays([read_document(path).schedule for path in SMALL]):
        assert_as_predicted(found)
        assert found.completed
        assert not found.wrong
    assert len(SMALL) == 14


@pytest.mark.slow
def test_three_and_four_ranks_batches_and_pipelines() -> None:
    schedules = [
        lower(build("gpipe", 3, 2)),
        lower(build("chimera", 4, 4)),
        batched(lower(build("pipedream", 3, 4), "just-in-time")),
        lower(build("zb-h1", 3, 3)),
    ]
    for found in replays(schedules):
        assert_as_predicted(found)
        assert found.completed


def mutants(names: tuple[str, ...], operators: tuple[str, ...], at_most: int) -> list[Schedule]:
    return [
        mutant.document.schedule
        for name in names
        for operator in operators
        for mutant in OPERATORS[operator].mutants(subject(name), at_most)
        if mutant.document is not None
    ]


@pytest.mark.slow
@pytest.mark.slow
def test_a_few_mutants() -> None:
    found = replays(mutants(MUTATED, BROKEN, 1))
    for one in found:
        assert_as_predicted(one)
    assert sum(not one.completed for one in found) >= 6
    assert sum(bool(one.wrong) for one in found) >= 6


@pytest.mark.slow
def test_larger_files() -> None:
    for found in replays([read_document(path).schedule for path in LARGER]):
        assert_as_predicted(found)
        assert found.completed


@pytest.mark.slow
@pytest.mark.parametrize("operator", BROKEN)
def test_more_mutants(operator: str) -> None:
    names = (*MUTATED, "torch2.13_DualPipeV_p2_m4.comms.csv", "deepspeed0.19.8_train_p2_m4.json")
    for found in replays(mutants(names, (operator,), 3)):
        assert_as_predicted(found)


# Batches


def crossed(count: int) -> Schedule:
    """Both ranks send first: it completes only if each send is in a batch with a receive."""
    text = "0F0,0SEND_F0,0RECV_B0,0F1,0B0\n1F1,1B1,1SEND_B0,1RECV_F0,1F0"
    schedule = parse_csv(text, "crossed.csv")
    groups = (Group(0, 1, count, "batch"), Group(1, 2, count, "batch"))
    return Schedule.from_orders(
        "crossed",
        [list(schedule.rank(rank)) for rank in range(2)],
        schedule.microbatches,
        schedule.policy,
        placement=schedule.placement,
        groups=groups if count else (),
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("members", "completes"), [(2, True), (0, False)])
def test_a_batch_starts_together(members: int, completes: bool) -> None:
    found = replay(crossed(members), PATIENCE)
    assert found.completed == completes
    assert_as_predicted(found)


# A small message does not slip into a buffer


def test_a_send_waits_for_its_receive() -> None:
    text = "0F0,0SEND_F0,0SEND_F1,0RECV_B0\n1RECV_F0,1SEND_B0,1RECV_F1"
    found = replay(parse_csv(text, "rendezvous.csv"), PATIENCE)
    assert [str(found.schedule.action(index)) for index in found.heads] == ["0SEND_F1", "1SEND_B0"]


@pytest.mark.slow
def test_heads_of_a_hang() -> None:
    text = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0"
    found = replay(parse_csv(text, "no-gradient.csv"), PATIENCE)
    assert not found.completed
    assert [str(found.schedule.action(index)) for index in found.heads] == ["0RECV_B0", "0B0"]


# Shutdown and errors


@pytest.mark.slow
def test_a_hang_ends_in_time_and_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes end because they are told to, not because they are killed in the end."""
    monkeypatch.setattr(run, "STOP_SECONDS", 60.0)
    hung = parse_csv("0RECV_B0,0F0\n1F0", "orphan.csv")
    replay(hung, 0.2)
    begin = time.monotonic()
    assert not replay(hung, 0.2).completed
    assert time.monotonic() - begin < 30
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: build("gpipe", 2, 2), "sends and receives"),
        (lambda: lower(build("localsgd", 2, 8)), "no barriers"),
        (lambda: lower(build("gpipe", run.MOST_RANKS + 1, 1)), "at most 8 ranks"),
        (lambda: parse_csv("0F0,1F0,0SEND_F0", "self.csv"), "stays on rank 0"),
    ],
)
def test_what_cannot_be_replayed(make: Callable[[], Schedule], rule: str) -> None:
    with pytest.raises(NotReplayableError, match=rule):
        replay(make())


def test_a_process_that_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    # It cannot be called with these arguments: the process ends before it says anything.
    before = multiprocessing.active_children()
    monkeypatch.setattr(run, "run_rank", os.getpid)
    with pytest.raises(WorkerError, match="is gone"):
        replay(lower(build("gpipe", 2, 1)))
    assert set(multiprocessing.active_children()) <= set(before)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    path = tmp_path / "orphan.csv"
    path.write_text("0RECV_B0,0F0\n1F0", encoding="utf-8")
    command = [sys.executable, "-m", "tests.gloo_replay", str(path), "--patience", "600"]
    parent = subprocess.Popen(command, start_new_session=True, cwd=ROOT)
    try:
        assert in_time(lambda: len(members(parent.pid)) > 3)
    finally:
        parent.kill()
        parent.wait()
    assert in_time(lambda: not members(parent.pid))


def members(session: int) -> list[int]:
    """The processes of a session that are no zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = stat.read_text(encoding="utf-8").rpartition(")")
        except OSError:
            continue  # it has just ended
        state, _, _, its_session, *_ = rest.split()
        if int(its_session) == session and state != "Z":
            found.append(int(stat.parent.name))
    return found


def in_time(holds: Callable[[], bool], seconds: float = 60) -> bool:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


# As a tool


def tool(path: Path) -> tuple[int, dict[str, object]]:
    command = [sys.executable, "-m", "tests.gloo_replay", str(path), "--patience", "1"]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=100, check=False, cwd=ROOT
    )
    return ended.returncode, json.loads(ended.stdout)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (write_csv(lower(build("gpipe", 2, 1))), 0),
        ("0F0,0F1,0SEND_F0,0SEND_F1\n1RECV_F1,1RECV_F0,1F0", 1),
        ("0F0\n1F0", 2),
    ],
)
def test_tool(tmp_path: Path, text: str, code: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    ended, found = tool(path)
    assert ended == code
    assert ("error" in found) == (code == 2)
    if code == 1:
        assert found["completed"]
        assert found["wrong"] == [
            {
                "action": "1RECV_F1",
                "place": f"{path}:row 2:cell 1",
                "expected": "0SEND_F1",
                "arrived": "0SEND_F0",
            },
            {
                "action": "1RECV_F0",
                "place": f"{path}:row 2:cell 2",
                "expected": "0SEND_F0",
                "arrived": "0SEND_F1",
            },
        ]
