"""Why a schedule hangs: the cycle or the orphan, its last steps, the violations made of them."""

from __future__ import annotations

import json

import pytest

from schedules import Schedule, WeightPolicy, build
from schedules.formats.pytorch_csv import parse_csv
from schedules.lowering import lower
from schedules.messages.channels import channels
from schedules.messages.model import QueueKey, QueueModel
from schedules.messages.progress import progress
from schedules.messages.steps import MOST_RANKS, execution_steps
from schedules.messages.waits import SHOWN_LINKS, blockages, describe, phrases
from schedules.schedule import Group
from schedules.validation.deadlock_free import deadlock_free
from schedules.validation.match import match
from schedules.validation.violation import Arrow, Violation
from tests.rows import rows

HEAD_ON = "0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0"
DROPPED = "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0,1F1"


def hangs(schedule: Schedule, key: QueueKey = "rank", buffer: int | None = 0) -> list[Violation]:
    return deadlock_free(schedule, channels(schedule), QueueModel(key, buffer))


def links(text: str, key: QueueKey = "rank", buffer: int | None = 0) -> list[list[str]]:
    """Of every blockage: kind, then a line for each link."""
    schedule = parse_csv(text, "a.csv")
    found = progress(schedule, channels(schedule), QueueModel(key, buffer))

    def name(index: int | None) -> str:
        return "nothing" if index is None else str(schedule.action(index))

    return [
        [each.kind, *(f"{name(k.action)} {k.why} {name(k.awaited)}" for k in each.links)]
        for each in blockages(found)
    ]


def test_two_sends_head_on() -> None:
    expected = ["cycle", "0SEND_F0 counterpart 1RECV_F0", "1SEND_B0 counterpart 0RECV_B0"]
    assert links(HEAD_ON) == [expected]


def test_every_reason_to_wait() -> None:
    posting = "0RECV_B0,0B0,0SEND_F0\n1RECV_F0,1F0,1SEND_B0"
    assert links(posting, "direction", None) == [
        [
            "cycle",
            "0RECV_B0 counterpart 1SEND_B0",
            "1SEND_B0 posting 1F0",
            "1F0 input 1RECV_F0",
            "1RECV_F0 counterpart 0SEND_F0",
            "0SEND_F0 posting 0B0",
            "0B0 input 0RECV_B0",
        ]
    ]
    # Rank 1 takes its activations behind 1RECV_B0, which comes from rank 0 by way of rank 2.
    late = "0SEND_F0,0SEND_F1,3SEND_B0\n1RECV_B0,1B0,1RECV_F0,1RECV_F1\n2RECV_B0,2B0,2SEND_B0"
    assert links(late, "rank", 1) == [
        [
            "cycle",
            "0SEND_F1 room 1RECV_F0",
            "1RECV_B0 counterpart 2SEND_B0",
            "2RECV_B0 counterpart 3SEND_B0",
        ]
    ]


def test_computations_wait_without_messages() -> None:
    text = "0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1"
    assert links(text) == [["cycle", "0B0 dependency 1B0", "1F1 dependency 0F1"]]


def links_of(schedule: Schedule) -> list[list[str]]:
    """Of every blockage: kind, then the words of each link."""
    stuck = blockages(progress(schedule, channels(schedule), QueueModel()))
    return [[each.kind, *phrases(schedule, each)] for each in stuck]


def test_barriers_in_a_circle() -> None:
    schedule = rows("0F0 0BARRIER 0F1 0SEND_F1\n1F0 1RECV_F1 1F1 1U 1BARRIER")
    assert links_of(schedule) == [
        [
            "cycle",
            "0BARRIER (a.json:ranks[0][1]) waits for rank 1 to get past 1U (a.json:ranks[1][3]), "
            "which stands behind 1F1",
            "1F1 (a.json:ranks[1][2]) waits for its input 1RECV_F1 (a.json:ranks[1][1])",
            "1RECV_F1 (a.json:ranks[1][1]) has started and waits for its counterpart 0SEND_F1 "
            "(a.json:ranks[0][3])",
            "0SEND_F1 (a.json:ranks[0][3]) is posted behind 0F1 (a.json:ranks[0][2]), which "
            "stands behind 0BARRIER",
        ]
    ]


def test_barrier_that_a_rank_lacks() -> None:
    schedule = rows("0F0 0BARRIER 0F1 0BARRIER\n1F0 1BARRIER 1F1 1BARRIER\n2F0 2BARRIER 2F1")
    lacks = "waits for rank 2, which has no BARRIER number 2"
    assert links_of(schedule) == [
        ["orphan", f"0BARRIER (a.json:ranks[0][3]) {lacks}"],
        ["orphan", f"1BARRIER (a.json:ranks[1][3]) {lacks}"],
    ]
    violation = hangs(schedule)[0]
    assert violation.message.endswith(
        f"{lacks}; add a BARRIER to that rank, or drop that of the others"
    )
    assert violation.witness["chain"] == [
        {
            "action": "0BARRIER",
            "place": "a.json:ranks[0][3]",
            "waits_for": None,
            "waits_for_place": None,
            "why": "barrier",
        }
    ]
    assert violation.marks.arrows == ()


def test_orphans() -> None:
    assert links("0F0\n1RECV_F0,1F0") == [
        ["orphan", "1F0 input 1RECV_F0", "1RECV_F0 counterpart nothing"]
    ]
    assert links("0F0,0SEND_F0\n1F0") == [["orphan", "0SEND_F0 counterpart nothing"]]
    assert links("0F0,0SEND_F0,0SEND_F1\n1F0", "rank", 1) == [
        ["orphan", "0SEND_F1 counterpart nothing"]
    ]


def test_orphan_behind_an_orphan() -> None:
    # The third receive of rank 1 has no send; rank 2 is only behind it.
    text = "0F0,0SEND_F0\n1RECV_F0,1F0,1RECV_F1,1F1,1SEND_F1\n2RECV_F1,2F1"
    assert links(text) == [["orphan", "1F1 input 1RECV_F1", "1RECV_F1 counterpart nothing"]]


def test_independent_reasons_are_all_told() -> None:
    both = "0SEND_F0,0RECV_B0\n1SEND_B0,1RECV_F0\n2SEND_F0,2RECV_B0\n3SEND_B0,3RECV_F0\n4F0"
    assert [kind for kind, *_ in links(both)] == ["cycle", "cycle"]
    schedule = parse_csv(both, "a.csv")
    assert [each.place for each in hangs(schedule)] == ["a.csv:row 1:cell 1", "a.csv:row 3:cell 1"]


def test_a_member_of_a_batch_waits_for_itself_alone() -> None:
    text = "0SEND_F0,0RECV_B0,0B0\n1F0"
    schedule = parse_csv(text, "a.csv")
    batch = Schedule.from_orders(
        "batch",
        [list(schedule.rank(0)), list(schedule.rank(1))],
        1,
        WeightPolicy("flush"),
        groups=[Group(0, 0, 2, "batch")],
    )
    chains = [violation.witness["chain"] for violation in hangs(batch)]
    found = [[link["action"] for link in chain] for chain in chains if isinstance(chain, list)]
    assert found == [["0B0", "0RECV_B0"], ["0SEND_F0"]]


def test_violation_of_a_cycle() -> None:
    [violation] = hangs(parse_csv(HEAD_ON, "a.csv"))
    assert (violation.invariant, violation.place) == ("deadlock-free", "a.csv:row 1:cell 2")
    assert violation.witness == {
        "kind": "cycle",
        "queues": "rank",
        "buffer": 0,
        "cycle": [
            {
                "action": "0SEND_F0",
                "place": "a.csv:row 1:cell 2",
                "waits_for": "1RECV_F0",
                "waits_for_place": "a.csv:row 2:cell 2",
                "why": "counterpart",
            },
            {
                "action": "1SEND_B0",
                "place": "a.csv:row 2:cell 1",
                "waits_for": "0RECV_B0",
                "waits_for_place": "a.csv:row 1:cell 3",
                "why": "counterpart",
            },
        ],
        "steps": ["rank 0 runs 0F0", "rank 1 starts 1SEND_B0", "rank 0 starts 0SEND_F0"],
    }
    assert violation.marks.actions == (1, 4)
    assert violation.marks.arrows == (Arrow(1, 5, "waits for"), Arrow(4, 2, "waits for"))
    assert violation.message == (
        "a.csv:row 1:cell 2: queues must come to their ends, but these wait for each other in a "
        "circle (one queue a rank, buffer 0): 0SEND_F0 (a.csv:row 1:cell 2) has started and waits "
        "for its counterpart 1RECV_F0 (a.csv:row 2:cell 2), which stands behind 1SEND_B0; 1SEND_B0 "
        "(a.csv:row 2:cell 1) has started and waits for its counterpart 0RECV_B0 "
        "(a.csv:row 1:cell 3), which stands behind 0SEND_F0; reorder the messages of one of these "
        "ranks, or post them in one batch"
    )


def test_violation_of_an_orphan() -> None:
    [violation] = hangs(parse_csv("0F0\n1RECV_F0,1F0", "a.csv"), "peer", None)
    assert violation.place == "a.csv:row 2:cell 1"
    assert violation.witness["kind"] == "orphan"
    assert violation.witness["buffer"] is None
    assert violation.witness["queues"] == "peer"
    chain = violation.witness["chain"]
    assert isinstance(chain, list)
    assert chain[-1]["waits_for"] is chain[-1]["waits_for_place"] is None
    assert "has started and waits for its counterpart that is not there" in violation.message
    assert violation.marks.actions == (1, 2)
    assert violation.marks.arrows == (Arrow(2, 1, "waits for"),)


def test_witnesses_are_plain_data() -> None:
    late, dropped = lower(build("1f1b", 4, 8), "just-in-time"), parse_csv(DROPPED, "a.csv")
    violations = [*hangs(late), *hangs(dropped), *match(dropped, channels(dropped))]
    assert {violation.witness.get("kind") for violation in violations} == {"cycle", "orphan", None}
    for violation in violations:
        assert json.loads(json.dumps(violation.witness)) == violation.witness


@pytest.mark.parametrize("orphan", [False, True])
def test_long_waits_are_shortened_in_words_only(orphan: bool) -> None:
    ranks = 14
    lines = [f"{s}SEND_F0,{s}RECV_F0" for s in range(1, ranks)]
    lines.insert(0, f"0SEND_F0,{ranks}RECV_F0")
    if orphan:
        lines[-1] = f"{ranks - 1}F0"
        lines.append(f"{ranks}F0")
        lines[0] = "0SEND_F0"
    schedule = parse_csv("\n".join(lines), "a.csv")
    [stuck] = blockages(progress(schedule, channels(schedule), QueueModel()))
    assert stuck.kind == ("orphan" if orphan else "cycle")
    words = describe(schedule, stuck)
    assert len(stuck.links) > SHOWN_LINKS
    assert f"… and {len(stuck.links) - SHOWN_LINKS} more waits" in words
    assert words.count("has started and waits for") == SHOWN_LINKS
    assert words.endswith("that is not there") == orphan


def test_steps_are_shared_out_among_the_ranks() -> None:
    text = "0F0,0F1,0F2,0F3,0F4,0F5,0SEND_F0,0RECV_B0\n1SEND_B0,1RECV_F0,1F0\n2F0,2F1,2F2"
    schedule = parse_csv(text, "a.csv")
    found = progress(schedule, channels(schedule), QueueModel())
    assert execution_steps(found, [6, 8], most=4) == [
        "rank 1 starts 1SEND_B0",
        "rank 0 runs 0F5",
        "rank 0 starts 0SEND_F0",
    ]
    assert len(execution_steps(found, [6, 8], most=30)) == 8


def test_steps_tell_what_completes() -> None:
    schedule = parse_csv("0F0,0SEND_F0,0F1\n1RECV_F0,1F0,1RECV_F1,1F1", "a.csv")
    found = progress(schedule, channels(schedule), QueueModel())
    assert execution_steps(found, [3], most=20) == [
        "rank 1 starts 1RECV_F0",
        "rank 1 completes 1RECV_F0",
        "rank 1 runs 1F0",
        "rank 1 starts 1RECV_F1",
    ]


def test_steps_follow_a_few_ranks_only() -> None:
    lines = [f"{s}F0,{s}SEND_F0,{s}RECV_F0" for s in range(1, 12)]
    schedule = parse_csv("\n".join(["0F0,0SEND_F0,12RECV_F0", *lines]), "a.csv")
    found = progress(schedule, channels(schedule), QueueModel())
    steps = execution_steps(found, range(len(schedule)), most=100)
    assert len({step.split()[1] for step in steps}) == MOST_RANKS


def test_the_last_steps_are_kept() -> None:
    schedule = parse_csv("0F0,0SEND_F0,0F1,0SEND_F1\n1RECV_F0,1F0,1RECV_F1,1F1", "a.csv")
    found = progress(schedule, channels(schedule), QueueModel())
    everything = execution_steps(found, [4], most=100)
    assert len(everything) == 6
    for most in range(1, 7):
        assert execution_steps(found, [4], most) == everything[-most:]
