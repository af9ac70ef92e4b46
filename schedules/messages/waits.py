"""Why a schedule does not come to its end: who waits for whom at the heads of the queues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from schedules.actions import Kind
from schedules.dependencies import MISSING, barriers
from schedules.messages.channels import NONE
from schedules.messages.progress import Progress
from schedules.schedule import IntArray, Schedule

SHOWN_LINKS: Final = 8
"""Links that a message spells out."""

Why = Literal["input", "sent", "dependency", "counterpart", "room", "posting", "barrier"]

WAITS: Final[Mapping[Why, str]] = {
    "input": "waits for its input",
    "sent": "waits until a send is complete, of",
    "dependency": "waits for",
    "counterpart": "has started and waits for its counterpart",
    "room": "has started and waits for room in its channel, until the start of",
    "posting": "is posted behind",
    "barrier": "waits for",
}
"""What the first action of a link waits for, in words."""


@dataclass(frozen=True)
class Link:
    """One wait, by flat indices.

    Attributes
    ----------
    action : int
        At the head of its queue and not complete.
    awaited : int or None
        What it waits for, at or behind the head of its own queue; None where that is not there.
    why : str
        ``input``: a computation waits for a receive; ``sent``: a WAIT_SEND waits for its send;
        ``dependency``: a computation waits for an action of another
        rank, without a message; ``counterpart``: a message that has started waits for the other
        half; ``room``: a send waits until an earlier message is taken out of its channel;
        ``posting``: a message is not posted before this action has run; ``barrier``: a BARRIER
        waits for another rank to come to its counterpart, so for the last action before that,
        or None where the other rank has no counterpart.
    """

    action: int
    awaited: int | None
    why: Why


@dataclass(frozen=True)
class Blockage:
    """Waits that explain a hang.

    Attributes
    ----------
    kind : str
        ``"cycle"``: each link waits for the queue of the next one, the last for the first;
        ``"orphan"``: the last link waits for a message, or a BARRIER, that is not there.
    links : tuple of Link
    """

    kind: Literal["cycle", "orphan"]
    links: tuple[Link, ...]


def blockages(found: Progress) -> list[Blockage]:
    r"""Everything that keeps queues from coming to their ends; empty if all do.

    From every head one wait is followed, so that each leads to one cycle or one orphan; every
    cycle and every orphan found is listed once. A cycle begins on its lowest rank.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> from schedules.messages.model import QueueModel
    >>> from schedules.messages.progress import progress
    >>> schedule = parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0", "a.csv")
    >>> [stuck] = blockages(progress(schedule, channels(schedule), QueueModel()))
    >>> describe(schedule, stuck)
    '0SEND_F0 (a.csv:row 1:cell 2) has started and waits for its counterpart 1RECV_F0
    (a.csv:row 2:cell 2), which stands behind 1SEND_B0; 1SEND_B0 (a.csv:row 2:cell 1) has started
    and waits for its counterpart 0RECV_B0 (a.csv:row 1:cell 3), which stands behind 0SEND_F0'
    """
    heads = _Heads(found)
    followed: dict[int, Link] = {}
    walk_of: dict[int, int] = {}
    result: list[Blockage] = []
    for number, first in enumerate(heads.all()):
        path: list[int] = []
        action: int | None = first
        while action is not None and action not in walk_of:
            walk_of[action] = number
            path.append(action)
            followed[action] = link = heads.link(action)
            action = None if link.awaited is None else heads.in_front_of(link.awaited)
        if action is None:
            result.append(Blockage("orphan", tuple(followed[a] for a in path)))
        elif walk_of[action] == number:
            cycle = path[path.index(action) :]
            turn = cycle.index(min(cycle))
            links = [followed[a] for a in cycle[turn:] + cycle[:turn]]
            result.append(Blockage("cycle", tuple(links)))
    return result


@dataclass(frozen=True)
class _Heads:
    """The heads of stuck queues, and what they wait for."""

    found: Progress

    def all(self) -> Iterable[int]:
        """One action at the head of every stuck queue, compute queues first."""
        return [self._head(entry) for entry in self.found.stuck.values()]

    def _head(self, entry: int) -> int:
        members = self.found.queues.members(entry)
        return next(a for a in members if self.found.end[a] == MISSING)

    def in_front_of(self, action: int) -> int:
        """The head that has to complete before an action, itself if it is in the head entry."""
        line = self.found.queues
        entry = int(line.entry[action])
        head = self.found.stuck[int(line.queue[entry])]
        return action if entry == head else self._head(head)

    def link(self, action: int) -> Link:
        """What the action at the head of a queue waits for."""
        found = self.found
        plan = found.queues.plan
        if plan.channel[action] == NONE:
            return self._of_computation(action)
        if found.start[action] == MISSING:
            return Link(action, int(found.queues.posted_behind[action]), "posting")
        awaited = int(found.completed_by[action])
        why: Why = "counterpart" if awaited == plan.partner[action] else "room"
        return Link(action, None if awaited == MISSING else awaited, why)

    def _of_computation(self, action: int) -> Link:
        message = self._awaited_messages.get(action)
        if message is not None:
            sends = bool(self.found.queues.plan.sends[message])
            return Link(action, message, "sent" if sends else "input")
        # Whatever else a BARRIER waits for, the one without counterpart never ends.
        if action in self._endless:
            return Link(action, None, "barrier")
        stops = self.found.queues.schedule.kind[action] == Kind.BARRIER
        return Link(action, self._awaited_sources[action], "barrier" if stops else "dependency")

    @cached_property
    def _endless(self) -> frozenset[int]:
        return frozenset(self.found.inputs.barriers.endless.tolist())

    @cached_property
    def _awaited_messages(self) -> dict[int, int]:
        reads = self.found.inputs
        return self._incomplete(reads.reader, reads.message)

    @cached_property
    def _awaited_sources(self) -> dict[int, int]:
        reads = self.found.inputs
        return self._incomplete(reads.target, reads.source)

    def _incomplete(self, target: IntArray, source: IntArray) -> dict[int, int]:
        """For every target its first source that does not complete."""
        waits = np.flatnonzero(self.found.end[source] == MISSING)[::-1]
        return dict(zip(target[waits].tolist(), source[waits].tolist(), strict=True))


def describe(schedule: Schedule, blockage: Blockage) -> str:
    """Put a blockage into words; an example is in `blockages`."""
    links = blockage.links
    if len(links) <= SHOWN_LINKS:
        return "; ".join(phrases(schedule, blockage))
    shown = phrases(schedule, blockage)
    # An orphan is what matters, so the end of its chain is always told.
    tail = [shown[-1]] if blockage.kind == "orphan" else []
    head = shown[: SHOWN_LINKS - len(tail)]
    return "; ".join([*head, f"… and {len(links) - SHOWN_LINKS} more waits", *tail])


def phrases(schedule: Schedule, blockage: Blockage) -> list[str]:
    """One phrase a link."""
    links = blockage.links
    after: Sequence[Link | None] = [*links[1:], links[0] if blockage.kind == "cycle" else None]
    return [_phrase(schedule, link, next_) for link, next_ in zip(links, after, strict=True)]


def _phrase(schedule: Schedule, link: Link, following: Link | None) -> str:
    text = f"{named(schedule, link.action)} {WAITS[link.why]} "
    if link.why == "barrier":
        text += _other_rank(schedule, link)
    if link.awaited is None:
        return text + ("" if link.why == "barrier" else "that is not there")
    text += named(schedule, link.awaited)
    if following is None or following.action == link.awaited:
        return text
    return f"{text}, which stands behind {schedule.action(following.action)}"


def _other_rank(schedule: Schedule, link: Link) -> str:
    """The rank that has not come to a BARRIER."""
    if link.awaited is not None:
        return f"rank {int(schedule.rank_of_action[link.awaited])} to get past "
    rank, number = barriers(schedule).lacking(link.action)
    return f"rank {rank}, which has no BARRIER number {number}"


def named(schedule: Schedule, index: int) -> str:
    """An action and its place."""
    return f"{schedule.action(index)} ({schedule.place(index)})"
