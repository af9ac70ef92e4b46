"""`Run`: one schedule under check, and what several invariants compute from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedules.analysis.sizes import Sizes
from schedules.delays import History, history, next_update
from schedules.dependencies import MISSING, EdgeKind, Tables, edges
from schedules.errors import InvalidScheduleError
from schedules.formats.instructions import InstructionList
from schedules.formats.registry import Document
from schedules.formats.trace import Trace
from schedules.linearization import DEFAULT, get_linearization
from schedules.messages.channels import Channels, Links, channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import Progress, progress
from schedules.planning.costs import Costs
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline, timeline
from schedules.validate import has_messages
from schedules.versions import Versions, complete_tables, update_after, versions, weights_of_action


@dataclass(frozen=True, eq=False)
class Run:
    """A schedule and what is assumed about the world around it.

    What is computed is computed once, when it is first asked for.

    Attributes
    ----------
    schedule : Schedule
    instructions : InstructionList or None
        What a file with buffers said.
    trace : Trace or None
        What was recorded: peers and channels, versions, times.
    model : QueueModel
    sizes : Sizes or None
    linearization : str
    costs : Costs or None
        Measured layers on its stages; they say the times too.
    """

    schedule: Schedule
    instructions: InstructionList | None = None
    trace: Trace | None = None
    model: QueueModel = field(default_factory=QueueModel)
    sizes: Sizes | None = None
    linearization: str = DEFAULT
    costs: Costs | None = None

    @classmethod
    def of(
        cls,
        subject: Document | Schedule,
        model: QueueModel,
        sizes: Sizes | None = None,
        linearization: str = DEFAULT,
        costs: Costs | None = None,
    ) -> Run:
        """The run of a schedule, or of a document with all that it holds."""
        found = Document(subject) if isinstance(subject, Schedule) else subject
        sizes = sizes if costs is None else costs.sizes
        parts = found.schedule, found.instructions, found.trace
        return cls(*parts, model, sizes, linearization, costs)

    @cached_property
    def links(self) -> Links | None:
        """Recorded peers and communicators of the messages."""
        return None if self.trace is None else Links(self.trace.peer, self.trace.channel)

    @cached_property
    def has_messages(self) -> bool:
        """Whether the schedule has sends or receives."""
        return has_messages(self.schedule) is not None

    @cached_property
    def lacks_messages(self) -> bool:
        """Whether there are none though computations need something from another rank."""
        if self.has_messages:
            return False
        return bool((edges(self.schedule).kind == EdgeKind.MESSAGE).any())

    @cached_property
    def progress(self) -> Progress:
        """How far the schedule gets in the model."""
        return progress(self.schedule, self.plan, self.model)

    @cached_property
    def plan(self) -> Channels:
        """Which send meets which receive."""
        return channels(self.schedule, self.links)

    @cached_property
    def timeline(self) -> Timeline:
        """The run in unit time, or on measured layers."""
        return timeline(self.schedule) if self.costs is None else self.costs.timeline(self.schedule)

    @property
    def finishes(self) -> bool:
        """Whether there is a timeline: nothing waits in a circle, or for what never comes.

        False where that is not known: it is not looked for on measured layers.
        """
        if self.costs is not None:
            return False
        try:
            return self.timeline.schedule is self.schedule
        except InvalidScheduleError:
            return False

    @cached_property
    def versions(self) -> Versions:
        """Weight versions of every forward and backward."""
        return versions(self.schedule)

    @cached_property
    def tables(self) -> Tables:
        """Where every forward, backward and gradient stands."""
        return complete_tables(self.schedule)

    @cached_property
    def updates(self) -> IntArray:
        """Flat indices of what updates weights."""
        return np.flatnonzero(update_after(self.schedule))

    @cached_property
    def history(self) -> History:
        """The global history under the linearization of the check."""
        return history(self.timeline, get_linearization(self.linearization))

    @cached_property
    def _sorted_updates(self) -> tuple[IntArray, IntArray]:
        """Updates by weight copy, and where those of each copy begin."""
        weights = weights_of_action(self.schedule)[self.updates]
        order = np.argsort(weights, kind="stable")
        owners = self.schedule.stages * self.schedule.placement.copy_count
        return self.updates[order], np.searchsorted(weights[order], np.arange(owners))

    def update_at_or_after(self, actions: IntArray) -> IntArray:
        """Flat index of the first update of an action's weights, from that action on; or −1."""
        found = next_update(self.schedule, self.updates, actions)
        return np.where(found < 0, MISSING, np.append(self.updates, MISSING)[found])

    def update_that_ends(self, action: int, version: int) -> int:
        """Flat index of the update that replaced a version of an action's weights."""
        updates, begin = self._sorted_updates
        return int(updates[begin[weights_of_action(self.schedule)[action]] + version])

    def words(self, index: int) -> str:
        """An action and its place."""
        return f"{self.schedule.action(index)} ({self.schedule.place(index)})"

    def in_file_order(self, chosen: NDArray[np.bool_], table: IntArray) -> list[tuple[int, int]]:
        """The chosen (stage, microbatch), in the order in which a table's actions stand."""
        stage, microbatch = np.nonzero(chosen)
        order = np.argsort(table[stage, microbatch], kind="stable")
        return list(zip(stage[order].tolist(), microbatch[order].tolist(), strict=True))
