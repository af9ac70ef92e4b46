"""What starts and what completes: a greedy run of all queues to its fixpoint, in linear time.

Every condition of the model is a conjunction of events that stay true once they happened, so the
greedy run reaches what any order of execution reaches; see ``docs/explanation/deadlock.md``. Its
events are the entries of the queues: the end of a message is the start of it and of the one that
completes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schedules.dependencies import MISSING, EdgeKind, Edges
from schedules.durations import durations_of_actions
from schedules.messages.channels import NONE, Channels
from schedules.messages.model import QueueModel
from schedules.messages.queues import Inputs, Queues, completed_by, inputs, queues
from schedules.schedule import IntArray, Schedule
from schedules.timeline import play


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a schedule gets in a model.

    Attributes
    ----------
    queues : Queues
    inputs : Inputs
    completed_by : ndarray of int, shape (actions,)
        As `schedules.messages.queues.completed_by`.
    start, end : ndarray of int, shape (actions,)
        Earliest times where computations take their unit durations and messages no time;
        `MISSING` for what never starts, or never completes.
    stuck : mapping of int to int
        For every queue that does not come to its end: the first entry that does not complete.
    """

    queues: Queues
    inputs: Inputs
    completed_by: IntArray
    start: IntArray
    end: IntArray
    stuck: Mapping[int, int]

    @property
    def finished(self) -> bool:
        """Whether everything completes."""
        return not self.stuck

    @cached_property
    def steps(self) -> IntArray:
        """Step of one possible execution in which each action starts; `MISSING` if never.

        What waits for something stands in a later step.
        """
        line = self.queues
        conditions = _conditions(line, self.inputs, self.completed_by)
        step, _ = _play(line, conditions, np.ones_like(line.first))
        return step[line.entry]


def progress(schedule: Schedule, plan: Channels, model: QueueModel) -> Progress:
    r"""Run a schedule as far as it gets.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> text = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0"
    >>> schedule = parse_csv(text, "a.csv")
    >>> found = progress(schedule, channels(schedule), QueueModel())
    >>> found.finished, found.end.tolist()
    (True, [1, 1, 3, 4, 1, 2, 3, 3])
    """
    return run(queues(schedule, plan, model.queues), inputs(schedule, plan), model.buffer)


def run(line: Queues, reads: Inputs, buffer: int | None) -> Progress:
    """Run the given queues; `progress` builds them."""
    partner = completed_by(line.plan, buffer)
    taken = durations_of_actions(line.schedule)[line.first]
    begin, stuck = _play(line, _conditions(line, reads, partner), taken)
    start = begin[line.entry]
    end = np.where(start == MISSING, MISSING, start + taken[line.entry])
    messages = line.messages
    met = np.where(partner[messages] == MISSING, MISSING, start[partner[messages]])
    incomplete = (start[messages] == MISSING) | (met == MISSING)
    end[messages] = np.where(incomplete, MISSING, np.maximum(start[messages], met))
    heads = _incomplete(line, messages[incomplete], stuck)
    return Progress(line, reads, partner, start, end, heads)


def _conditions(line: Queues, reads: Inputs, partner: IntArray) -> Edges:
    """What entries wait for beside the start of the one before them in their queue.

    What never happens is one more entry, behind all others, that waits for itself.
    """
    entry, never = line.entry, len(line.first)
    messages = line.messages

    def when_started(action: IntArray) -> IntArray:
        return np.where(action == MISSING, never, entry[action])

    behind = line.posted_behind[line.first]
    posted = behind != NONE
    # An entry that is posted with the one before it has nothing more to wait for.
    posted[1:] &= (behind[1:] != behind[:-1]) | (line.queue[1:] != line.queue[:-1])
    following = entry[messages] + 1
    queued = following < line.offsets[line.queue[entry[messages]] + 1]
    message, reader, endless = reads.message, reads.reader, reads.barriers.endless
    pairs = (
        (entry[behind[posted]], np.flatnonzero(posted)),
        (when_started(partner[messages[queued]]), following[queued]),
        (entry[message], entry[reader]),
        (when_started(partner[message]), entry[reader]),
        (entry[reads.source], entry[reads.target]),
        (np.full(len(endless), never), entry[endless]),
        (np.array([never]), np.array([never])),
    )
    source = np.concatenate([pair[0] for pair in pairs])
    target = np.concatenate([pair[1] for pair in pairs])
    return Edges(source, target, np.full(len(source), EdgeKind.DATA))


def _play(line: Queues, found: Edges, taken: IntArray) -> tuple[IntArray, dict[int, int]]:
    """Start of every entry, `MISSING` if never; first entry of each queue that never starts."""
    offsets = np.append(line.offsets, line.offsets[-1] + 1)
    begin, stuck = play(offsets, np.append(taken, 0), found, np.zeros_like(found.source))
    del stuck[len(offsets) - 2]
    for queue, entry in stuck.items():
        begin[entry : int(line.offsets[queue + 1])] = MISSING
    return begin[:-1], stuck


def _incomplete(line: Queues, messages: IntArray, stuck: Mapping[int, int]) -> dict[int, int]:
    """First entry of each queue that does not complete."""
    heads = dict(stuck)
    entries = line.entry[messages]
    owners = line.queue[entries]
    order = np.lexsort((entries, owners))
    owner, where = np.unique(owners[order], return_index=True)
    heads.update(zip(owner.tolist(), entries[order][where].tolist(), strict=True))
    return dict(sorted(heads.items()))
