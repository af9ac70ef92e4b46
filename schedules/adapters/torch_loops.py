"""What PyTorch's classes of one stage a rank post: their loops, which no order of theirs states.

Source: ``_step_microbatches`` of ``ScheduleGPipe`` and ``Schedule1F1B``; the same from PyTorch 2.6
to 2.15, which `tests/data/torch_orders.json` has recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from schedules.actions import WAITED_SENDS, Action, Kind
from schedules.policies import WeightPolicy
from schedules.programs import posted_together
from schedules.schedule import Schedule

Program = list[list[Action]]
"""Computations and waits alone, messages in the batches they are posted in."""


def receive_forward(stage: int, microbatch: int) -> list[Action]:
    """The message that brings a forward its input; none at stage 0.

    Examples
    --------
    >>> receive_forward(0, 3)
    []
    """
    return [Action(Kind.RECV_F, stage, microbatch)] if stage else []


def send_forward(stage: int, stages: int, microbatch: int) -> list[Action]:
    """The message that takes a forward's output away; none at the last stage."""
    return [Action(Kind.SEND_F, stage, microbatch)] if stage < stages - 1 else []


def receive_backward(stage: int, stages: int, microbatch: int) -> list[Action]:
    """The message that brings a backward its gradient; none at the last stage."""
    return [Action(Kind.RECV_B, stage, microbatch)] if stage < stages - 1 else []


def send_backward(stage: int, microbatch: int) -> list[Action]:
    """The message that takes the gradient of a stage's input away; none at stage 0."""
    return [Action(Kind.SEND_B, stage, microbatch)] if stage else []


def gpipe(stage: int, stages: int, microbatches: int) -> Program:
    """All forwards, a wait for every send, all backwards, a wait for every send.

    Examples
    --------
    >>> print(*(action for posted in gpipe(0, 2, 1) for action in posted))
    0F0 0SEND_F0 0WAIT_SEND_F0 0RECV_B0 0B0
    """
    program: Program = []
    sends: list[Action] = []
    for m in range(microbatches):
        sent = send_forward(stage, stages, m)
        program += [receive_forward(stage, m), [Action(Kind.F, stage, m)], sent]
        sends += sent
    program += waits(sends)
    sends = []
    for m in range(microbatches):
        sent = send_backward(stage, m)
        program += [receive_backward(stage, stages, m), [Action(Kind.B, stage, m)], sent]
        sends += sent
    return program + waits(sends)


def one_f_one_b(stage: int, stages: int, microbatches: int) -> Program:
    """1F1B whose steady rounds post a send and the next receive together and wait for both.

    Examples
    --------
    >>> for posted in one_f_one_b(0, 2, 1):
    ...     print(*posted)
    0F0
    0SEND_F0 0RECV_B0
    0WAIT_SEND_F0
    0B0
    """
    program: Program = []
    ahead = min(microbatches, stages - stage)
    kept: list[Action] = []
    for m in range(ahead):
        program += [receive_forward(stage, m), [Action(Kind.F, stage, m)], *waits(kept)]
        kept = send_forward(stage, stages, m)
        if m < ahead - 1:
            program.append(kept)
    steady = microbatches - ahead
    sent: list[Action] = []
    for m in range(microbatches):
        if m <= steady:
            program += [kept + receive_backward(stage, stages, m), *waits(kept)]
        else:
            program.append(receive_backward(stage, stages, m))
        program += [[Action(Kind.B, stage, m)], *waits(sent)]
        sent = send_backward(stage, m)
        if m < steady:
            forward = ahead + m
            program += [sent + receive_forward(stage, forward), *waits(sent)]
            program.append([Action(Kind.F, stage, forward)])
            kept, sent = send_forward(stage, stages, forward), []
        else:
            program.append(sent)
    return program + waits(sent)


def waits(sends: list[Action]) -> Program:
    """A wait for each of these sends."""
    return [[Action(WAITED_SENDS[send.kind], send.stage, send.microbatch)] for send in sends]


LOOPS: Final[Mapping[str, Callable[[int, int, int], Program]]] = {
    "ScheduleGPipe": gpipe,
    "Schedule1F1B": one_f_one_b,
}
"""The loop of each class of one stage a rank."""


def loop(
    name: str,
    ranks: int,
    microbatches: int,
    policy: WeightPolicy,
    behind: Sequence[Sequence[Action]] = (),
) -> Schedule:
    """What the ranks of a class in `LOOPS` do, messages, their batches and waits included.

    `behind` is what each rank does at the end.

    Examples
    --------
    >>> print(*loop("Schedule1F1B", 2, 1, WeightPolicy("flush")).rank(1))
    1RECV_F0 1F0 1B0 1SEND_B0 1WAIT_SEND_B0
    """
    programs = [
        [posted for posted in LOOPS[name](rank, ranks, microbatches) if posted]
        for rank in range(ranks)
    ]
    for program, actions in zip(programs, behind, strict=False):
        program += [[action] for action in actions]
    return posted_together(name, programs, microbatches, policy)
