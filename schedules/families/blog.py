"""What the three schedules of a from-scratch PyTorch implementation share.

Source: the author's blog series on distributed training in PyTorch, the instalment on pipeline
parallelism (repository llm-parallelism-pytorch): classes for a naive, a GPipe and a 1F1B pipeline
over ``torch.distributed`` point-to-point messages. The families carry its messages in program
order. A stage is a rank; stage 0 receives no activation and sends no gradient, the last stage
sends no activation and receives no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence

from schedules.actions import Action, Kind
from schedules.errors import ParameterError
from schedules.policies import WeightPolicy
from schedules.schedule import Group, Schedule


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


def one_by_one(stage: int, stages: int, forwards: range, backwards: range) -> list[Action]:
    """All forwards, then all backwards, each between its own receive and its own send.

    Examples
    --------
    >>> print(*one_by_one(1, 3, range(1), range(1)))
    1RECV_F0 1F0 1SEND_F0 1RECV_B0 1B0 1SEND_B0
    """
    order = []
    for m in forwards:
        order += receive_forward(stage, m)
        order.append(Action(Kind.F, stage, m))
        order += send_forward(stage, stages, m)
    for m in backwards:
        order += receive_backward(stage, stages, m)
        order.append(Action(Kind.B, stage, m))
        order += send_backward(stage, m)
    return order


def posted_together(
    name: str, programs: Sequence[Sequence[list[Action]]], microbatches: int, policy: WeightPolicy
) -> Schedule:
    """A schedule of one program a rank; several actions of one entry form a batch."""
    orders, groups = [], []
    for rank, program in enumerate(programs):
        order: list[Action] = []
        for posted in program:
            if len(posted) > 1:
                groups.append(Group(rank, len(order), len(posted), "batch"))
            order += posted
        orders.append(order)
    return Schedule.from_orders(name, orders, microbatches, policy, groups=groups)


def require_stages(family: str, stages: int) -> None:
    """Refuse a single stage: in the code, the first stage always sends to a second.

    Raises
    ------
    ParameterError
        Fewer than two.
    """
    if stages < 2:
        raise ParameterError(
            f"the first and the last stage are different ones, found p = {stages}",
            f"family {family}",
            "take p ≥ 2",
        )


def require_several_microbatches(family: str, microbatches: int) -> None:
    """Refuse a single microbatch, as the code asserts.

    Raises
    ------
    ParameterError
        Fewer than two.
    """
    if microbatches < 2:
        raise ParameterError(
            f"the batch is cut into at least 2 microbatches, found M = {microbatches}",
            f"family {family}",
            "take M ≥ 2, or the family blog-naive",
        )
