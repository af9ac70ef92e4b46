"""Match: the n-th send of a channel and its n-th receive carry the same tensor."""

from __future__ import annotations

import numpy as np

from schedules.actions import Kind
from schedules.dependencies import MISSING
from schedules.messages.channels import NEIGHBOUR, Channels
from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import Arrow, Case, Finding, Marks, Violation, listed


def match(schedule: Schedule, plan: Channels) -> list[Violation]:
    r"""Which sends meet a receive of another tensor, and what is left over on either side.

    Messages carry no tags, so a receive takes whatever comes next: wrong tensors without a hang.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> swapped = parse_csv("0F0,0F1,0SEND_F0,0SEND_F1\n1RECV_F1,1RECV_F0,1F0,1F1", "a.csv")
    >>> [found.message for found in match(swapped, channels(swapped))][0]
    'a.csv:row 1:cell 3: the n-th send of a channel meets its n-th receive, and both name the same
    tensor, but send 1 from rank 0 to rank 1, 0SEND_F0, meets 1RECV_F1 (a.csv:row 2:cell 1); put
    the sends, or the receives, in the order of the other side'
    """
    findings = [_swapped(schedule, plan), _left_over(schedule, plan)]
    return listed(schedule, "match", findings)


def _swapped(schedule: Schedule, plan: Channels) -> Finding:
    sends = np.flatnonzero(plan.sends & (plan.partner != MISSING))
    receives = plan.partner[sends]
    forward = schedule.kind[sends] == Kind.SEND_F
    same = forward == (schedule.kind[receives] == Kind.RECV_F)
    step = np.where(forward, NEIGHBOUR[Kind.SEND_F], NEIGHBOUR[Kind.SEND_B])
    same &= schedule.stage[receives] == schedule.stage[sends] + step
    same &= schedule.microbatch[receives] == schedule.microbatch[sends]
    same &= schedule.pipeline[receives] == schedule.pipeline[sends]
    wrong = sends[~same]

    def describe(case: int) -> Case:
        send = int(wrong[case])
        receive = int(plan.partner[send])
        return Case(
            schedule.place(send),
            "the n-th send of a channel meets its n-th receive, and both name the same tensor, "
            f"but {_ordinal(schedule, plan, send)}, {schedule.action(send)}, meets "
            f"{_labelled(schedule, receive, send)} ({schedule.place(receive)})",
            "put the sends, or the receives, in the order of the other side",
            {
                **_channel(schedule, plan, send),
                "send": str(schedule.action(send)),
                "send_place": schedule.place(send),
                "receive": str(schedule.action(receive)),
                "receive_place": schedule.place(receive),
            },
            Marks((send, receive), (Arrow(send, receive, "meets"),)),
        )

    return Finding("send that meets another tensor's receive", len(wrong), describe)


def _labelled(schedule: Schedule, receive: int, send: int) -> str:
    action = schedule.action(receive)
    if schedule.pipeline[receive] != schedule.pipeline[send]:
        return f"{action} of pipeline {action.pipeline} from pipeline {schedule.pipeline[send]}"
    return str(action)


def _left_over(schedule: Schedule, plan: Channels) -> Finding:
    lonely = np.flatnonzero((plan.channel >= 0) & (plan.partner == MISSING))
    elsewhere = _over_another_communicator(schedule, plan, lonely)

    def describe(case: int) -> Case:
        index = int(lonely[case])
        action = schedule.action(index)
        half, other = ("send", "receive") if plan.sends[index] else ("receive", "send")
        why, remedy = "", f"add the missing {other}, or drop {action}"
        if index in elsewhere:
            found = elsewhere[index]
            why = (
                f" over its communicator: {schedule.action(found)} ({schedule.place(found)}) is "
                "over another"
            )
            remedy = f"let both use one communicator; or {remedy}"
        return Case(
            schedule.place(index),
            f"every {half} has its {other}, but {_ordinal(schedule, plan, index)}, {action}, has "
            f"none{why}",
            remedy,
            {
                **_channel(schedule, plan, index),
                half: str(action),
                f"{half}_place": schedule.place(index),
                other: None,
            },
            Marks((index,)),
        )

    return Finding("message without its other half", len(lonely), describe)


def _over_another_communicator(
    schedule: Schedule, plan: Channels, lonely: IntArray
) -> dict[int, int]:
    """For what is left over, the first leftover of the other side between the same ranks."""
    first: dict[tuple[int, int, bool], int] = {}
    for index in lonely.tolist():
        first.setdefault((*_ends(schedule, plan, index), bool(plan.sends[index])), index)
    found = {}
    for index in lonely.tolist():
        other = first.get((*_ends(schedule, plan, index), not plan.sends[index]))
        if other is not None:
            found[index] = other
    return found


def _ends(schedule: Schedule, plan: Channels, index: int) -> tuple[int, int]:
    own, peer = int(schedule.rank_of_action[index]), int(plan.peer[index])
    return (own, peer) if plan.sends[index] else (peer, own)


def _ordinal(schedule: Schedule, plan: Channels, index: int) -> str:
    """``send 3 from rank 0 to rank 1``, counted from 1."""
    source, destination = _ends(schedule, plan, index)
    half = "send" if plan.sends[index] else "receive"
    return f"{half} {plan.ordinal[index] + 1} from rank {source} to rank {destination}"


def _channel(schedule: Schedule, plan: Channels, index: int) -> dict[str, object]:
    source, destination = _ends(schedule, plan, index)
    return {
        "source": source,
        "destination": destination,
        "channel": int(plan.channel[index]),
        "ordinal": int(plan.ordinal[index]),
    }
