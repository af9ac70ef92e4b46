"""What starts and completes, and the least buffer that it takes, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, timeline
from schedules.actions import COMPUTE
from schedules.dependencies import MISSING
from schedules.errors import ParameterError
from schedules.formats.pytorch_csv import parse_csv
from schedules.lowering import lower
from schedules.messages import capacity
from schedules.messages.capacity import deadlock_facts, least_buffer
from schedules.messages.channels import channels
from schedules.messages.model import QUEUE_KEYS, QueueKey, QueueModel
from schedules.messages.progress import Progress, progress
from schedules.messages.progress import run as run_queues
from schedules.messages.queues import Inputs, Queues, queues
from schedules.schedule import Group

FLUSH = WeightPolicy("flush")
HEAD_ON = "0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0"


def run(schedule: Schedule, key: QueueKey = "rank", buffer: int | None = 0) -> Progress:
    return progress(schedule, channels(schedule), QueueModel(key, buffer))


def facts(schedule: Schedule) -> list[int | None]:
    return list(deadlock_facts(schedule, channels(schedule)).values())


def parsed(text: str) -> Schedule:
    return parse_csv(text, "a.csv")


def grouped(schedule: Schedule, *groups: Group) -> Schedule:
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    return Schedule.from_orders(
        "grouped",
        orders,
        schedule.microbatches,
        FLUSH,
        placement=schedule.placement,
        groups=groups,
    )


def test_two_sends_head_on() -> None:
    schedule = parsed(HEAD_ON)
    found = run(schedule)
    assert not found.finished
    assert found.start.tolist() == [0, 1] + [MISSING] * 2 + [0] + [MISSING] * 3
    assert found.end.tolist() == [1] + [MISSING] * 7
    # One message in flight lets both sends go, and so do queues of their own for receives.
    assert facts(schedule) == [1, 1, 0]


def test_a_message_ends_with_the_later_half() -> None:
    schedule = parsed("0F0,0SEND_F0\n1F1,1F2,1RECV_F0,1F0")
    found = run(schedule)
    assert found.start.tolist() == [0, 1, 0, 1, 2, 2]
    assert found.end.tolist() == [1, 2, 1, 2, 2, 3]


def test_a_ring_needs_a_queue_for_each_peer() -> None:
    # Everyone sends to the next rank before it receives from the one before.
    rows = ["0SEND_F0,3RECV_F0,3F0", "1SEND_F0,1RECV_F0,1F0", "2SEND_F0,2RECV_F0,2F0"]
    assert facts(parsed("\n".join(rows))) == [1, 0, 0]


def test_the_least_buffer_counts_the_messages_that_have_to_wait() -> None:
    # Rank 1 posts its receives behind 1B0, which comes from rank 0 by way of rank 2, and that
    # message stands behind three sends to rank 1.
    schedule = parsed(
        "0SEND_F0,0SEND_F1,0SEND_F2,3SEND_B0\n"
        "1RECV_B0,1B0,1RECV_F0,1RECV_F1,1RECV_F2\n"
        "2RECV_B0,2B0,2SEND_B0"
    )
    assert facts(schedule) == [3, 0, 0]
    assert [run(schedule, "rank", k).finished for k in (0, 1, 2, 3, 4)] == [False] * 3 + [True] * 2
    assert run(schedule, "rank", None).finished
    plan = channels(schedule)
    assert [least_buffer(schedule, plan, key) for key in QUEUE_KEYS] == [3, 0, 0]


def test_what_is_known_to_complete_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = parsed(HEAD_ON)
    plan = channels(schedule)
    tried: list[int | None] = []

    def counted(line: Queues, reads: Inputs, buffer: int | None) -> Progress:
        tried.append(buffer)
        return run_queues(line, reads, buffer)

    monkeypatch.setattr(capacity, "run", counted)
    expected = {"rank": 1, "peer": 1, "direction": 0}
    for known, runs in (
        (None, [0, 1, 0, 0]),
        (QueueModel("rank", 1), [0, 0, 0]),
        (QueueModel("rank", None), [0, 0, 0]),
        (QueueModel("rank", 7), [0, 0, 0]),
        (QueueModel("direction", 0), [0, 1, 0]),
    ):
        tried.clear()
        assert deadlock_facts(schedule, plan, known) == expected
        assert tried == runs
    assert deadlock_facts(schedule, plan, QueueModel()) == dict.fromkeys(QUEUE_KEYS, 0)


def test_a_missing_half_is_beyond_every_buffer_only_where_someone_waits_for_it() -> None:
    no_send = parsed("0F0\n1RECV_F0,1F0")
    assert facts(no_send) == [None, None, None]
    no_receive = parsed("0F0,0SEND_F0\n1F0")
    assert facts(no_receive) == [1, 1, 1]
    assert run(no_receive).end.tolist() == [1, MISSING, 1]
    third = parsed("0SEND_F0,0SEND_F1,0SEND_F2\n1RECV_F0,1RECV_F1")
    assert [run(third, "rank", k).end[2] != MISSING for k in (0, 1, 2)] == [False, True, True]
    second = parsed("0SEND_F0,0SEND_F1,0SEND_F2\n1RECV_F0")
    assert [run(second, "rank", k).end[2] != MISSING for k in range(4)] == [False] * 2 + [True] * 2


def test_a_message_is_posted_behind_all_computations_before_it() -> None:
    # 1F0 waits for its receive, and so the send that stands behind it is not posted.
    schedule = parsed("0RECV_B1,0B1,0F0,0SEND_F0\n1RECV_F0,1F0,1B1,1SEND_B1")
    found = run(schedule, "direction", None)
    assert found.start.tolist() == [0] + [MISSING] * 3 + [0] + [MISSING] * 3
    assert facts(schedule) == [None, None, None]


def test_the_first_message_of_every_queue_is_posted_behind_its_computation() -> None:
    schedule = parsed("0RECV_B0\n1F0,1SEND_B0,1SEND_F0\n2RECV_F0")
    for key in QUEUE_KEYS:
        assert run(schedule, key).start.tolist()[2:4] == [1, 1]


def test_parameter_collectives_stand_in_the_compute_queue() -> None:
    schedule = parsed("0UNSHARD,0F0,0SEND_F0,0RESHARD\n1RECV_F0,1UNSHARD,1F0,1REDUCE_GRAD")
    line = queues(schedule, channels(schedule), "rank")
    assert line.offsets.tolist() == [0, 3, 6, 7, 8]
    assert run(schedule).finished


def test_every_receive_of_a_label_that_stands_before_a_computation_holds_it_up() -> None:
    twice = parsed("0SEND_F0,0SEND_F0\n1RECV_F0,1RECV_F0,1F0")
    assert run(twice).finished
    second_never_comes = parsed("0SEND_F0,0F0\n1RECV_F0,1RECV_F0,1F0")
    assert run(second_never_comes).end.tolist()[-1] == MISSING
    behind = parsed("0SEND_F0,0F0\n1RECV_F0,1F0,1RECV_F0")
    assert run(behind).end.tolist() == [0, 1, 0, 1, MISSING]


def test_a_batch_starts_together_and_completes_member_by_member() -> None:
    head_on = parsed(HEAD_ON)
    both = grouped(head_on, Group(0, 1, 2, "batch"), Group(1, 0, 2, "batch"))
    assert facts(both) == [0, 0, 0]
    one = grouped(head_on, Group(0, 1, 2, "batch"))
    assert facts(one) == [0, 0, 0]
    # The queue goes on when all members are complete: 0SEND_F1 stands behind both of them.
    text = "0SEND_F0,0RECV_B0,0SEND_F1\n1RECV_F0,1RECV_F1,1F1,1SEND_B0"
    held_up = grouped(parsed(text), Group(0, 0, 2, "batch"))
    assert run(held_up).end.tolist() == [0, MISSING, MISSING, 0, MISSING, MISSING, MISSING]
    assert facts(held_up) == [None, None, 0]


def test_a_batch_is_split_by_queue() -> None:
    # Rank 1 talks to both neighbours in one batch; 2 answers only after more from 1.
    text = "0SEND_F0\n1RECV_F0,1SEND_F1,1SEND_F2\n2RECV_F1,2F1,2RECV_F2"
    schedule = grouped(parsed(text), Group(1, 0, 2, "batch"))
    plan = channels(schedule)
    by_rank = queues(schedule, plan, "rank")
    assert by_rank.entry[1] == by_rank.entry[2] != by_rank.entry[3]
    assert by_rank.members(int(by_rank.entry[1])) == [1, 2]
    by_peer = queues(schedule, plan, "peer")
    assert by_peer.entry[1] != by_peer.entry[2]
    silent = grouped(
        parsed("0F0\n1RECV_F0,1SEND_F1,1SEND_F2\n2RECV_F1,2F1,2RECV_F2"), Group(1, 0, 2, "batch")
    )
    assert run(silent).end[3] == MISSING
    assert run(silent, "peer").end[3] != MISSING


def test_a_batch_is_posted_where_its_last_member_stands() -> None:
    # A computation between the members has to run first; here it waits for one of them.
    schedule = grouped(parsed("0SEND_F0\n1RECV_F0,1F0,1SEND_F1\n2RECV_F1"), Group(1, 0, 3, "batch"))
    assert facts(schedule) == [None, None, None]
    assert facts(parsed("0SEND_F0\n1RECV_F0,1F0,1SEND_F1\n2RECV_F1")) == [0, 0, 0]


def test_an_overlap_group_keeps_its_written_order() -> None:
    # B's gradient depends on the F that it is overlapped with.
    text = "(0F0;0B0)OVERLAP_F_B\n1F0,1B0"
    assert facts(parsed(text)) == [0, 0, 0]
    inside = parsed("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0")
    assert facts(grouped(inside, Group(0, 0, 4, "overlap"))) == [0, 0, 0]
    head_on = grouped(parsed(HEAD_ON), Group(0, 1, 2, "overlap"))
    assert facts(head_on) == [1, 1, 0]


def test_sending_to_oneself() -> None:
    schedule = parsed("0F0,0SEND_F0,1RECV_F0,1F0")
    assert facts(schedule) == [1, 1, 0]
    assert facts(grouped(schedule, Group(0, 1, 2, "batch"))) == [0, 0, 0]
    receive_first = parsed("1RECV_F0,0F0,0SEND_F0,1F0")
    assert facts(receive_first) == [None, None, 0]


def test_computations_alone_wait_for_each_other() -> None:
    circle = parsed("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1")
    assert facts(circle) == [None, None, None]
    assert run(circle).end.tolist() == [1, MISSING, MISSING, MISSING, 2] + [MISSING] * 3
    # On one rank the order is that of the program, right or wrong.
    assert facts(parsed("0B0,0F0")) == [0, 0, 0]


def test_a_round_barrier_is_waited_for_across_ranks() -> None:
    placement = Placement.one_stage_a_rank(2)
    before = [[Action(Kind.F, 0, 0), Action(Kind.B, 0, 0)], [Action(Kind.REDUCE, 1, 0)]]
    schedule = Schedule.from_orders("r", before, 1, FLUSH, placement=placement)
    assert run(schedule).start.tolist() == [0, 1, 2]
    with_messages = [
        [Action(Kind.F, 0, 0), Action(Kind.SEND_F, 0, 0), Action(Kind.B, 0, 0)],
        [Action(Kind.REDUCE, 1, 0), Action(Kind.RECV_F, 1, 0), Action(Kind.F, 1, 0)],
    ]
    held = Schedule.from_orders("r", with_messages, 1, FLUSH, placement=placement)
    assert run(held).start.tolist() == [0, 1, 1, 2, 2, 2]
    # Nothing else waits across ranks where there are messages: here 1F0 runs without its input.
    orders = [
        [Action(Kind.F, 0, 1), Action(Kind.F, 0, 0), Action(Kind.SEND_F, 0, 1)],
        [Action(Kind.F, 1, 0), Action(Kind.RECV_F, 1, 1), Action(Kind.F, 1, 1)],
    ]
    orders[0].append(Action(Kind.REDUCE, 0, 0))
    alone = Schedule.from_orders("r", orders, 2, FLUSH, placement=placement)
    assert run(alone).start.tolist() == [0, 1, 2, 2, 0, 1, 2]


def test_computations_run_when_the_timeline_says_if_nothing_holds_messages_up() -> None:
    schedule = lower(build("interleaved-1f1b", 3, 6))
    found = run(schedule, "direction", None)
    computes = np.isin(schedule.kind, list(COMPUTE))
    assert found.start[computes].tolist() == timeline(schedule).start[computes].tolist()


@pytest.mark.parametrize("orders", [[], [[]], [[], []], [[Action(Kind.UNSHARD, 0)]]])
def test_next_to_nothing_completes(orders: list[list[Action]]) -> None:
    assert facts(Schedule.from_orders("empty", orders, 0, FLUSH)) == [0, 0, 0]


@pytest.mark.parametrize(
    ("key", "buffer"), [("ranks", 0), ("", 0), ("rank", -1), ("peer", 1.5), ("rank", True)]
)
def test_what_is_no_model(key: QueueKey, buffer: int) -> None:
    with pytest.raises(ParameterError, match="found"):
        QueueModel(key, buffer)


def test_models_are_named_in_words() -> None:
    assert len({str(QueueModel(key, 2)) for key in QUEUE_KEYS}) == 3
