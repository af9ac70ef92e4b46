"""1F1B of the from-scratch blog, with the pairs of messages that it posts together.

Source: see `schedules.families.blog`. Its code asserts at least two microbatches.

Rule, for stage s of p:

- warm-up: min(p − s − 1, M) forwards, each after its receive; its send is posted at once, but the
  last one is kept. The last stage, which has no warm-up, does its first forward here;
- steady: for each remaining microbatch the kept send and the next gradient's receive together,
  a backward, then its send and the next activation's receive together, a forward, whose send is
  kept. Where no forward is left, the gradient's send alone;
- drain: the remaining backwards, each between its receive (with a send still kept) and its send.

Known. A steady round begins with the backward, so before its first backward stage s < p − 1 has
done p − s − 1 forwards, one fewer than in DAPPLE's and PyTorch's 1F1B:

- stage s < p − 1 holds min(p − s − 1, M) activations, not p − s; the last stage holds 1;
- stage p − 2 holds one microbatch at a time, so the next one follows only when that one is back
  from the last stage: one microbatch every 2(F + B), half of what the ranks could do. The makespan
  is p(F + B) + 2(M − 1)(F + B), with F = B = 1 thus 2p + 4(M − 1) against 2(M + p − 1) for GPipe
  and 1F1B, and the bubble tends to 1/2 for large M instead of 0.
"""

from __future__ import annotations

from typing import Final

from schedules.actions import Action, Kind
from schedules.families.blog import (
    posted_together,
    receive_backward,
    receive_forward,
    require_several_microbatches,
    require_stages,
    send_backward,
    send_forward,
)
from schedules.families.family import Family, require_room
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule


def warm_up(stage: int, stages: int, microbatches: int) -> int:
    """Forwards of a stage before its steady rounds."""
    return min(stages - stage - 1, microbatches)


def rounds(stage: int, stages: int, microbatches: int) -> list[list[Action]]:
    """A stage's program: computations alone, messages in the batches they are posted in.

    Batches are what the code hands to one call and waits for as a whole; an empty one is dropped.

    Examples
    --------
    >>> for posted in rounds(1, 3, 2):
    ...     print(*posted)
    1RECV_F0
    1F0
    1SEND_F0 1RECV_B0
    1B0
    1SEND_B0 1RECV_F1
    1F1
    1SEND_F1 1RECV_B1
    1B1
    1SEND_B1
    """
    ahead = warm_up(stage, stages, microbatches)
    # The last stage has no warm-up; its first forward comes before the steady rounds all the same.
    first_steady = ahead or 1
    program: list[list[Action]] = []
    kept: list[Action] = []
    for m in range(first_steady):
        program += [kept, receive_forward(stage, m), [Action(Kind.F, stage, m)]]
        kept = send_forward(stage, stages, m)
    for m in range(microbatches):
        forward = m + first_steady
        program += [kept + receive_backward(stage, stages, m), [Action(Kind.B, stage, m)]]
        kept = []
        if m < microbatches - ahead and forward < microbatches:
            program.append(send_backward(stage, m) + receive_forward(stage, forward))
            program.append([Action(Kind.F, stage, forward)])
            kept = send_forward(stage, stages, forward)
        else:
            program.append(send_backward(stage, m))
    return [posted for posted in program if posted]


def build(stages: int, microbatches: int) -> Schedule:
    """Generate one step for p ≥ 2 stages and M ≥ 2 microbatches.

    Messages posted together form a `Group` of kind ``"batch"``.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> schedule = build(2, 2)
    >>> print(*schedule.rank(0))
    0F0 0SEND_F0 0RECV_B0 0B0 0F1 0SEND_F1 0RECV_B1 0B1
    >>> schedule.groups[0]
    Group(rank=0, first=1, count=2, kind='batch')
    """
    FAMILY.checked(stages, microbatches, {})
    require_stages(FAMILY.name, stages)
    require_several_microbatches(FAMILY.name, microbatches)
    require_room(FAMILY.name, stages, microbatches)
    programs = [rounds(stage, stages, microbatches) for stage in range(stages)]
    return posted_together(FAMILY.name, programs, microbatches, FAMILY.policy)


FAMILY: Final = Family(
    name="blog-1f1b",
    source="from-scratch PyTorch blog, 1F1B pipeline",
    summary="1F1B with one forward fewer ahead, sends and receives in batches: half speed",
    policy=WeightPolicy("flush"),
    build=build,
    figures=Figures(
        makespan="2*p + 4*(M - 1)",
        work="2*M",
        peak="Min(Max(p - 1 - r, 1), M)",
    ),
)
