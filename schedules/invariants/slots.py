"""Buffer-safe: no buffer of an instruction list is overwritten while its content is needed.

A buffer holds one microbatch at a time, brought by ``LoadMicroBatch`` at the first stage and by
``RecvActivation`` at the others. Of it are needed

- the input, until ``ForwardPass`` and ``BackwardPass`` have read it;
- the output of ``ForwardPass``, until ``SendActivation`` has sent it (not at the last stage) and
  ``BackwardPass`` has read it;
- the received gradient, from ``RecvGrad`` to ``BackwardPass``;
- the gradient of the input, from ``BackwardPass`` to ``SendGrad`` (not at the first stage);
- at the last stage the labels, from ``LoadMicroBatch`` to ``ForwardPass``.

Bringing the next microbatch overwrites all but the labels; a second ``ForwardPass``, ``RecvGrad``,
``BackwardPass`` or ``LoadMicroBatch`` overwrites what the first one made. A send counts as done
where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schedules.dependencies import MISSING
from schedules.formats.instructions import INSTRUCTIONS, NO_ACTION, NO_BUFFER, InstructionList
from schedules.invariants.invariant import Answer, Undecided
from schedules.invariants.run import Run
from schedules.schedule import IntArray
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed

LOAD, FORWARD, BACKWARD, SEND, RECEIVE, SEND_GRAD, RECEIVE_GRAD = (
    INSTRUCTIONS.index(name)
    for name in (
        "LoadMicroBatch",
        "ForwardPass",
        "BackwardPass",
        "SendActivation",
        "RecvActivation",
        "SendGrad",
        "RecvGrad",
    )
)
"""Codes of the instructions that work on a buffer."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Visits:
    """The instructions that work on buffers, buffer after buffer, each in program order.

    A stay is what lies between two instructions that bring a microbatch into the same buffer.

    Attributes
    ----------
    instructions : InstructionList
    index : ndarray of int
        Which instruction each visit is.
    code, rank, microbatch : ndarray of int
        Its code and rank; what it brings or finds in the buffer.
    brings : ndarray of bool
        Whether it brings a microbatch.
    since : ndarray of int
        Visit that brought what is in the buffer before it; `MISSING` if it is empty.
    first : ndarray of int
        First visit of the same buffer.
    """

    instructions: InstructionList
    index: IntArray
    code: IntArray
    rank: IntArray
    microbatch: IntArray
    brings: Mask
    since: IntArray
    first: IntArray

    @classmethod
    def of(cls, instructions: InstructionList) -> Visits:
        """Sort the instructions by buffer."""
        ranks = np.diff(instructions.offsets)
        rank = np.repeat(np.arange(len(ranks)), ranks)
        brings = instructions.code == np.where(rank == 0, LOAD, RECEIVE)
        so_far = np.cumsum(brings)
        brought = so_far - np.append(0, so_far)[instructions.offsets[:-1]][rank] - 1
        on_buffer = np.flatnonzero(instructions.buffer != NO_BUFFER)
        order = np.lexsort((instructions.buffer[on_buffer], rank[on_buffer]))
        index = on_buffer[order]
        slot = np.stack([rank[index], instructions.buffer[index]])
        begins = np.append(True, (np.diff(slot) != 0).any(axis=0))[: len(index)]
        place = np.arange(len(index))
        first = np.maximum.accumulate(np.where(begins, place, 0))
        latest = np.maximum.accumulate(np.where(brings[index], place, MISSING))
        since = np.where(brings[index], np.append(MISSING, latest)[: len(index)], latest)
        since = np.where(since >= first, since, MISSING)
        return cls(
            instructions,
            index,
            instructions.code[index],
            rank[index],
            np.where(latest >= first, brought[index[latest]], MISSING),
            brings[index],
            since,
            first,
        )

    def done(self, code: int) -> IntArray:
        """How often an instruction has come in the stay that each visit finds."""
        so_far = np.append(0, np.cumsum(self.code == code))
        return np.where(self.since == MISSING, 0, so_far[:-1] - so_far[self.since])

    def ever_done(self, code: int) -> IntArray:
        """How often an instruction has come in the buffer before each visit."""
        so_far = np.append(0, np.cumsum(self.code == code))
        return np.asarray(so_far[:-1] - so_far[self.first])

    def place(self, visit: int) -> str:
        """Row and cell of a visit."""
        index, rank = int(self.index[visit]), int(self.rank[visit])
        cell = index - int(self.instructions.offsets[rank]) + 1
        return f"{self.instructions.schedule.name}:row {rank + 1}:cell {cell}"

    def words(self, visit: int) -> str:
        """Name and buffer of a visit."""
        buffer = int(self.instructions.buffer[self.index[visit]])
        return f"{INSTRUCTIONS[int(self.code[visit])]} of buffer {buffer}"


@dataclass(frozen=True)
class Content:
    """Something in a buffer that may still be needed."""

    what: str
    until: str
    needed: Callable[[Visits], Mask]


def _loads_labels(visits: Visits) -> Mask:
    return np.asarray((visits.rank > 0) & ~_sends_on(visits) & (visits.code == LOAD))


def _sends_on(visits: Visits) -> Mask:
    return np.asarray(visits.rank < len(visits.instructions.offsets) - 2)


INPUT: Final = Content(
    "the input",
    "ForwardPass",
    lambda visits: (visits.since != MISSING) & (visits.done(FORWARD) == 0),
)
OUTPUT: Final = Content(
    "the output",
    "SendActivation",
    lambda visits: _sends_on(visits) & (visits.done(FORWARD) > visits.done(SEND)),
)
ACTIVATION: Final = Content(
    "the activation",
    "BackwardPass",
    lambda visits: visits.done(FORWARD) > visits.done(BACKWARD),
)
RECEIVED: Final = Content(
    "the received gradient",
    "BackwardPass",
    lambda visits: visits.done(RECEIVE_GRAD) > visits.done(BACKWARD),
)
GRADIENT: Final = Content(
    "the gradient",
    "SendGrad",
    lambda visits: (visits.rank > 0) & (visits.done(BACKWARD) > visits.done(SEND_GRAD)),
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
    ("second BackwardPass in a buffer", lambda visits: visits.code == BACKWARD, (GRADIENT,)),
    ("second labels in a buffer", _loads_labels, (LABELS,)),
)
"""Mistake, which instructions overwrite, and what."""


def decide_buffer_safe(run: Run, _: int) -> Answer:
    """No buffer is overwritten while its content is still needed."""
    if run.instructions is None:
        return Undecided("only an instruction list (a DeepSpeed file) says what is in which buffer")
    visits = Visits.of(run.instructions)
    findings = [
        _overwritten(visits, mistake, writes(visits), contents)
        for mistake, writes, contents in OVERWRITES
    ]
    findings.append(_without_labels(visits))
    return listed(run.schedule, "buffer-safe", findings)


def _without_labels(visits: Visits) -> Finding:
    """Forwards of the last stage whose labels went into another buffer, or nowhere."""
    loaded, used = visits.ever_done(LOAD), visits.ever_done(FORWARD)
    at_the_end = (visits.rank > 0) & ~_sends_on(visits)
    wrong = np.sort(np.flatnonzero(at_the_end & (visits.code == FORWARD) & (loaded <= used)))

    def describe(case: int) -> Case:
        visit = int(wrong[case])
        return Case(
            visits.place(visit),
            "the last stage finds its labels in the buffer of its input, but no LoadMicroBatch "
            f"has come since the last forward of what {visits.words(visit)} reads",
            "load the labels into the same buffer before it",
            {**_data(visits, visit), "microbatch": int(visits.microbatch[visit])},
            Marks((int(visits.instructions.action[visits.index[visit]]),)),
        )

    return Finding("forward without labels", len(wrong), describe)


def _data(visits: Visits, visit: int) -> dict[str, object]:
    """A visit as plain data."""
    index = visits.index[visit]
    return {
        "rank": int(visits.rank[visit]),
        "buffer": int(visits.instructions.buffer[index]),
        "instruction": INSTRUCTIONS[int(visits.code[visit])],
        "step": int(visits.instructions.step[index]),
    }


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
            f"take another buffer, or more of them (rank {int(visits.rank[visit])} has "
            f"{visits.instructions.pipe_buffers[int(visits.rank[visit])]})",
            {
                **_data(visits, visit),
                "microbatch": microbatch,
                "brought": visits.place(earlier),
                "needed": [content.what.removeprefix("the ") for content in needs],
                "until": [content.until for content in needs],
            },
            _marks(visits, visit, earlier, buffer),
        )

    return Finding(mistake, len(wrong), describe)


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
