"""Buffer-safe: no buffer of an instruction list is overwritten while its content is needed.

A buffer holds one microbatch at a time, brought by ``LoadMicroBatch`` at the first stage and by
``RecvActivation`` at the others. Of it are needed

- the input, until ``ForwardPass`` and ``BackwardPass`` have read it;
- the output of ``ForwardPass``, until ``SendActivation`` has sent it (not at the last stage) and
  ``BackwardPass`` has read it;
- the received gradient, from ``RecvGrad`` to ``BackwardPass``, which has to find one where its rank
  receives any; a rank keeps one of them, for all its buffers;
- the gradient of the input, from ``BackwardPass`` to ``SendGrad`` (not at the first stage);
- at the last stage the labels, from ``LoadMicroBatch`` to ``ForwardPass``: its k-th
  ``LoadMicroBatch`` brings those of microbatch k, which the forward has to be of.

Bringing the next microbatch overwrites all but the labels; a second ``ForwardPass``, ``RecvGrad``,
``BackwardPass`` or ``LoadMicroBatch`` overwrites what the first one made. A send counts as done
where it stands. ``BackwardOnlyPass`` counts as ``BackwardPass``: what its ``WeightPass`` needs is
kept beside the buffers. In a list without any backward nothing waits for one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from schedules.dependencies import MISSING
from schedules.formats.instructions import NO_ACTION
from schedules.invariants.invariant import Answer, Undecided
from schedules.invariants.labels import (
    other_labels,
    overwritten_gradients,
    without_gradient,
    without_labels,
)
from schedules.invariants.run import Run
from schedules.invariants.visits import (
    BACKWARDS,
    FORWARD,
    LOAD,
    RECEIVE_GRAD,
    SEND,
    SEND_GRAD,
    Mask,
    Visits,
)
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed


@dataclass(frozen=True)
class Content:
    """Something in a buffer that may still be needed."""

    what: str
    until: str
    needed: Callable[[Visits], Mask]
    made: tuple[int, ...] = ()
    used: tuple[int, ...] = ()

    def short(self, visits: Visits, rank: int) -> str | None:
        """What a rank lacks, if it has fewer instructions that use it than that make it."""
        own = visits.code[visits.rank == rank]
        made, used = (int(np.isin(own, codes).sum()) for codes in (self.made, self.used))
        if used >= made:
            return None
        return f"{self.until}, of which rank {rank} has {used} for {made}"


INPUT: Final = Content(
    "the input",
    "ForwardPass",
    lambda visits: (visits.since != MISSING) & (visits.done(FORWARD) == 0),
)
OUTPUT: Final = Content(
    "the output",
    "SendActivation",
    lambda visits: visits.sends_on & (visits.done(FORWARD) > visits.done(SEND)),
    (FORWARD,),
    (SEND,),
)
ACTIVATION: Final = Content(
    "the activation",
    "BackwardPass",
    lambda visits: (visits.done(FORWARD) > visits.done(*BACKWARDS)) & visits.trains,
    (FORWARD,),
    BACKWARDS,
)
RECEIVED: Final = Content(
    "the received gradient",
    "BackwardPass",
    lambda visits: visits.done(RECEIVE_GRAD) > visits.done(*BACKWARDS),
    (RECEIVE_GRAD,),
    BACKWARDS,
)
GRADIENT: Final = Content(
    "the gradient",
    "SendGrad",
    lambda visits: (visits.rank > 0) & (visits.done(*BACKWARDS) > visits.done(SEND_GRAD)),
    BACKWARDS,
    (SEND_GRAD,),
)

LABELS: Final = Content(
    "the labels",
    "ForwardPass",
    lambda visits: visits.ever_done(LOAD) > visits.ever_done(FORWARD),
)

OVERWRITES: Final[tuple[tuple[str, Callable[[Visits], Mask], tuple[Content, ...]], ...]] = (
    (
        "next microbatch in a buffer that is in use",
        lambda visits: visits.brings,
        (INPUT, OUTPUT, ACTIVATION, RECEIVED, GRADIENT),
    ),
    (
        "second ForwardPass in a buffer",
        lambda visits: visits.code == FORWARD,
        (OUTPUT, ACTIVATION),
    ),
    ("second RecvGrad in a buffer", lambda visits: visits.code == RECEIVE_GRAD, (RECEIVED,)),
    (
        "second BackwardPass in a buffer",
        lambda visits: np.isin(visits.code, BACKWARDS),
        (GRADIENT,),
    ),
    ("second labels in a buffer", lambda visits: visits.loads_labels, (LABELS,)),
)
"""Mistake, which instructions overwrite, and what."""


def decide_buffer_safe(run: Run, _: int) -> Answer:
    """No buffer is overwritten while its content is still needed."""
    if run.instructions is None:
        return Undecided("only an instruction list (a DeepSpeed file) says what is in which buffer")
    visits = Visits.of(run.instructions)
    findings = [without_gradient(visits), overwritten_gradients(visits)]
    findings += [
        _overwritten(visits, mistake, writes(visits), contents)
        for mistake, writes, contents in OVERWRITES
    ]
    findings += [without_labels(visits), other_labels(visits)]
    return listed(run.schedule, "buffer-safe", findings)


def _overwritten(
    visits: Visits, mistake: str, writes: Mask, contents: tuple[Content, ...]
) -> Finding:
    lost = np.array([writes & content.needed(visits) for content in contents])
    wrong = np.flatnonzero(lost.any(axis=0))
    wrong = wrong[np.argsort(visits.index[wrong])]

    def describe(case: int) -> Case:
        visit = int(wrong[case])
        earlier = int(visits.since[visit])
        microbatch = int(visits.microbatch[earlier])
        needs = [
            content for content, is_lost in zip(contents, lost[:, visit], strict=True) if is_lost
        ]
        words = " and ".join(f"{content.what} (until {content.until})" for content in needs)
        buffer = int(visits.instructions.buffer[visits.index[visit]])
        return Case(
            visits.place(visit),
            "a buffer is overwritten only when its content has been used, but "
            f"{visits.words(visit)} overwrites microbatch {microbatch}, brought by "
            f"{visits.words(earlier)} ({visits.place(earlier)}), of which are needed {words}",
            _remedy(visits, visit, needs),
            {
                **visits.data(visit),
                "microbatch": microbatch,
                "brought": visits.place(earlier),
                "needed": [content.what.removeprefix("the ") for content in needs],
                "until": [content.until for content in needs],
            },
            _marks(visits, visit, earlier, buffer),
        )

    return Finding(mistake, len(wrong), describe)


def _remedy(visits: Visits, visit: int, needs: list[Content]) -> str:
    """Another buffer; or the instruction that is not there, if there are too few of them."""
    rank = int(visits.rank[visit])
    lacking = {content.until: content.short(visits, rank) for content in reversed(needs)}
    if missing := [short for short in lacking.values() if short]:
        return f"add the missing {' and '.join(missing)}, before it"
    has = visits.instructions.pipe_buffers[rank]
    return f"take another buffer, or more of them (rank {rank} has {has})"


def _marks(visits: Visits, visit: int, earlier: int, buffer: int) -> Marks:
    """The instruction that overwrites, and the last action on what it overwrites."""
    action = visits.instructions.action[visits.index]
    writer = int(action[visit])
    touched = action[earlier:visit]
    victims = touched[touched != NO_ACTION]
    if not len(victims):
        return Marks(() if writer == NO_ACTION else (writer,))
    victim = int(victims[-1])
    if writer == NO_ACTION:
        return Marks((victim,))
    return Marks((writer, victim), (Arrow(writer, victim, f"overwrites buffer {buffer}"),))
