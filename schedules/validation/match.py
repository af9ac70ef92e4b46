"""Match: the n-th send of a channel and its n-th receive carry the same tensor, each once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedules.actions import Action, Kind, among
from schedules.dependencies import MISSING
from schedules.messages.channels import NEIGHBOUR, Channels, folded
from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import Arrow, Case, Finding, Marks, Violation, listed

MOST_NAMED = 10_000
"""Messages without other half among which that of the first ones is looked for."""

OTHER_HALF = {
    Kind.SEND_F: Kind.RECV_F,
    Kind.RECV_F: Kind.SEND_F,
    Kind.SEND_B: Kind.RECV_B,
    Kind.RECV_B: Kind.SEND_B,
}


def match(schedule: Schedule, plan: Channels, *, recorded: bool = False) -> list[Violation]:
    r"""Which sends meet a receive of another tensor, and what is left over or comes twice.

    Messages carry no tags, so a receive takes whatever comes next: wrong tensors without a hang.
    What was recorded may have several tensors of one label: a stage with two outputs sends both.

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
    lonely, partner = _paired(schedule, plan)
    findings = [_left_over(schedule, plan, lonely), _swapped(schedule, plan, partner)]
    findings += [] if recorded else [_repeated(schedule, plan, partner)]
    return listed(schedule, "match", findings)


def _paired(schedule: Schedule, plan: Channels) -> tuple[IntArray, IntArray]:
    """What has no other half, and for each other send the receive that it should meet.

    Where only sends, or only receives, of a channel name tensors that the other side does not,
    these are what is left over: without them the n-th meets the n-th again. Elsewhere it is what
    comes behind the end of the other side.
    """
    lonely, partner = plan.partner == MISSING, plan.partner.copy()
    index = np.flatnonzero(plan.channel >= 0)
    channel, sends = plan.channel[index], plan.sends[index]
    forward = among(schedule.kind[index], (Kind.SEND_F, Kind.RECV_F))
    step = np.where(forward, NEIGHBOUR[Kind.SEND_F], NEIGHBOUR[Kind.SEND_B])
    arrives = schedule.stage[index] + np.where(sends, step, 0)
    columns = [channel, forward.astype(np.int64), arrives, schedule.microbatch[index]]
    labels = folded([*columns, schedule.pipeline[index]])
    tensor = np.unique(labels, return_inverse=True)[1].reshape(-1)
    surplus = _count_before(tensor, sends) >= _count_of_other_side(tensor, sends)
    count = int(channel.max(initial=-1)) + 1
    has_send, has_receive = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    has_send[channel[surplus & sends]] = True
    has_receive[channel[surplus & ~sends]] = True
    one_sided = (has_send != has_receive)[channel]
    lonely[index[one_sided]] = surplus[one_sided]
    kept = index[one_sided & ~surplus]
    order = kept[np.lexsort((plan.ordinal[kept], plan.channel[kept]))]
    partner[order[plan.sends[order]]] = order[~plan.sends[order]]
    partner[lonely] = MISSING
    return np.flatnonzero(lonely & (plan.channel >= 0)), partner


def _count_before(tensor: IntArray, sends: NDArray[np.bool_]) -> IntArray:
    """How many messages of the same tensor and side stand before each."""
    side = 2 * tensor + sends
    order = np.argsort(side, kind="stable")
    found = np.empty(len(side), dtype=np.int64)
    found[order] = np.arange(len(side)) - np.searchsorted(side[order], side[order])
    return found


def _count_of_other_side(tensor: IntArray, sends: NDArray[np.bool_]) -> IntArray:
    """How many messages of the same tensor the other side of each has."""
    counts = np.bincount(2 * tensor + sends, minlength=2 * int(tensor.max(initial=-1)) + 2)
    return counts[2 * tensor + ~sends]


def _same_tensor(schedule: Schedule, sends: IntArray, receives: IntArray) -> NDArray[np.bool_]:
    """Which sends carry what their receives name."""
    forward = schedule.kind[sends] == Kind.SEND_F
    same = forward == (schedule.kind[receives] == Kind.RECV_F)
    step = np.where(forward, NEIGHBOUR[Kind.SEND_F], NEIGHBOUR[Kind.SEND_B])
    same &= schedule.stage[receives] == schedule.stage[sends] + step
    same &= schedule.microbatch[receives] == schedule.microbatch[sends]
    same &= schedule.pipeline[receives] == schedule.pipeline[sends]
    return np.asarray(same)


def _swapped(schedule: Schedule, plan: Channels, partner: IntArray) -> Finding:
    sends = np.flatnonzero(plan.sends & (partner != MISSING))
    wrong = sends[~_same_tensor(schedule, sends, partner[sends])]

    def describe(case: int) -> Case:
        send = int(wrong[case])
        receive = int(partner[send])
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


def _repeated(schedule: Schedule, plan: Channels, partner: IntArray) -> Finding:
    """Tensors that are sent and received once more, so that each message has its other half."""
    sends = np.flatnonzero(plan.sends & (partner != MISSING))
    sends = sends[_same_tensor(schedule, sends, partner[sends])]
    columns = [schedule.kind, schedule.stage, schedule.microbatch, schedule.pipeline]
    tensor = folded([column[sends].astype(np.int64) for column in columns])
    _, first, which = np.unique(tensor, return_index=True, return_inverse=True)
    before = sends[first][which.reshape(-1)]
    again, before = sends[before != sends], before[before != sends]

    def describe(case: int) -> Case:
        send, earlier = int(again[case]), int(before[case])
        receive = int(partner[send])
        action = schedule.action(send)
        return Case(
            schedule.place(send),
            f"each tensor is sent once, but {_ordinal(schedule, plan, send)}, {action}, repeats "
            f"that of {schedule.place(earlier)}",
            f"drop it, and {schedule.action(receive)} ({schedule.place(receive)})",
            {
                **_channel(schedule, plan, send),
                "send": str(action),
                "send_place": schedule.place(send),
                "first_place": schedule.place(earlier),
                "receive_place": schedule.place(receive),
            },
            Marks((send, earlier, receive)),
        )

    return Finding("tensor that is sent again", len(again), describe)


def _labelled(schedule: Schedule, receive: int, send: int) -> str:
    action = schedule.action(receive)
    if schedule.pipeline[receive] != schedule.pipeline[send]:
        return f"{action} of pipeline {action.pipeline} from pipeline {schedule.pipeline[send]}"
    return str(action)


def _left_over(schedule: Schedule, plan: Channels, lonely: IntArray) -> Finding:
    elsewhere = _over_another_communicator(schedule, plan, lonely)
    named = {schedule.action(index): index for index in reversed(lonely[:MOST_NAMED].tolist())}

    def describe(case: int) -> Case:
        index = int(lonely[case])
        action = schedule.action(index)
        half, other = ("send", "receive") if plan.sends[index] else ("receive", "send")
        missing = _other_half(action)
        why, remedy = "", f"add {missing} on rank {int(plan.peer[index])}, or drop {action}"
        if index in elsewhere:
            found = elsewhere[index]
            why = (
                f" over its communicator: {schedule.action(found)} ({schedule.place(found)}) is "
                "over another"
            )
            remedy = f"let both use one communicator; or {remedy}"
        elif missing in named:
            found = named[missing]
            way = "goes to" if plan.sends[found] else "comes from"
            why = f": {missing} ({schedule.place(found)}) {way} rank {int(plan.peer[found])}"
            remedy = "correct the peer of one of them"
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


def _other_half(action: Action) -> Action:
    """The message that an action should meet."""
    kind = OTHER_HALF[action.kind]
    stage = action.stage + NEIGHBOUR[action.kind]
    return Action(kind, stage, action.microbatch, action.pipeline)


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
