"""What a rank does: take inputs, compute, send on at once, update, note everything.

The unit Lamport clock of a rank says when an action would start if every action took its unit
duration: start = max(own clock, clocks of the inputs used), end = start + unit duration. It
travels with every message. For a static order this is `schedules.timeline` exactly, however long
anything takes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cached_property
from typing import Any, Final

from torch import Tensor

from gpu_validation.devices import DeviceClock, Stamp
from gpu_validation.errors import MeasureError
from gpu_validation.event_log import Deferred, EventLog
from gpu_validation.hashing import content_hash
from gpu_validation.messages import NO_VERSION, Endpoint, Label, Message, needed, sender
from gpu_validation.orders import free_running, static_order
from gpu_validation.profiling import SEND, WAIT, marker
from gpu_validation.spec import RunSpec
from gpu_validation.stage import Stage
from gpu_validation.weights import Weights, average
from gpu_validation.workplace import Workplace
from schedules.actions import Action, Kind
from schedules.formats.trace import NONE, Extra
from schedules.timeline import unit_durations
from schedules.versions import Versions, versions

SAMPLE: Final = 8
"""With sampled hashing, the weights used for every so many microbatches are hashed."""

_RECEIVE: Final = {Kind.SEND_F: Kind.RECV_F, Kind.SEND_B: Kind.RECV_B}


class Runner:
    """Carries actions out, one after the other.

    A subclass may let something else choose the actions (`carry_out`) and carry the messages
    (`receive`, `send`).
    """

    def __init__(
        self, spec: RunSpec, endpoint: Endpoint, recorder: EventLog, workplace: Workplace
    ) -> None:
        self.spec, self.schedule = spec, spec.schedule
        self.endpoint, self.recorder, self.workplace = endpoint, recorder, workplace
        self.rank, self.clock = endpoint.rank, 0
        self.losses: dict[int, Tensor] = {}
        self._units = unit_durations(spec.schedule)
        self._local: dict[Label, Message] = {}
        self._chance = random.Random(f"{spec.seed} {endpoint.rank}")
        self._mark = marker(spec.profile)
        self._computations = {
            Kind.F: self._forward, Kind.B: self._backward, Kind.I: self._backward,
            Kind.W: self._weight_gradient,
        }  # fmt: skip

    def run(self) -> None:
        """Run the whole program, and make the updates that are left at its end."""
        self._device = DeviceClock(self.spec.device)
        self.carry_out()
        for stage, pipeline in self.workplace.stages:
            copy = self.workplace.copy(stage, pipeline)
            self._apply(Action(Kind.U, stage, NONE, pipeline), copy.left())

    def carry_out(self) -> None:
        """Do every action of the rank."""
        for action in self._order():
            self.do(action)

    def do(self, action: Action) -> None:
        """Do one action, and record it."""
        self.endpoint.check()
        if action.kind in self._computations:
            self._provoke(action)
            self._computations[action.kind](action)
        elif action.kind is Kind.U:
            self._update(action)
        elif action.kind is Kind.REDUCE:
            self._reduce(action)
        else:
            self.recorder.add(action.kind, action, time.monotonic_ns(), {})

    def _order(self) -> Iterator[Action]:
        """What to do, one action after the other; says what the rank is about meanwhile."""
        free = self.spec.order == "free-running"
        actions = (
            free_running(self.schedule, self.endpoint)
            if free
            else static_order(self.schedule, self.rank)
        )
        while True:
            self.recorder.waiting = free
            self.recorder.doing = "waits for anything to become ready"
            with self._mark(WAIT) if free else nullcontext():
                action = next(actions, None)
            self.recorder.waiting = False
            if action is None:
                return
            self.recorder.doing = f"does {action}"
            yield action

    def _provoke(self, action: Action) -> None:
        """Pause, or fail, where the run is told to."""
        if self.spec.jitter:
            time.sleep(self._chance.uniform(0.0, self.spec.jitter))
        fault = self.spec.fault
        if fault is None or (action.stage, action.microbatch) != (fault.stage, fault.microbatch):
            return
        if fault.name == "error":
            raise MeasureError("this run was told to fail here", str(action), "drop the fault")
        while fault.name == "hang":
            self.endpoint.check()
            time.sleep(0.01)

    def _forward(self, action: Action) -> None:
        stage, m = self.workplace.stage(action), action.microbatch
        message = self.receive(action)
        inputs, labels = self.workplace.data(action)
        zero = self._to_read(action, stage.copy.current)
        if message is not None:
            assert message.tensor is not None
            inputs, zero = message.tensor, message.version
        assert inputs is not None
        begun = self._begin(message)
        output, used = stage.forward(m, inputs, labels, zero)
        self._note(action, begun, stage, used, {"read_zero": zero})
        if stage.last:
            self.losses[m] = output
        else:
            self.send(action, Kind.SEND_F, zero, output)

    def _to_read(self, action: Action, newest: int) -> int:
        """The version that stage 0 reads: under double buffering that of the window before."""
        if self.spec.schedule.policy.name != "double-buffer":
            return newest
        return int(self._windows.read[action.stage, action.microbatch])

    @cached_property
    def _windows(self) -> Versions:
        """Which window each microbatch is in, as the program order says."""
        return versions(self.spec.schedule)

    def _backward(self, action: Action) -> None:
        """B or I."""
        stage, m = self.workplace.stage(action), action.microbatch
        message = self.receive(action)
        gradient = None if message is None else message.tensor
        begun = self._begin(message)
        whole = action.kind is Kind.B
        work = stage.backward if whole else stage.backward_input
        found, used = work(m, gradient)
        self._note(action, begun, stage, used, {})
        if action.stage:
            self.send(action, Kind.SEND_B, NO_VERSION, found)
        else:
            self._tell_barriers(action)
        if whole and stage.copy.complete:
            self._update(action)

    def _weight_gradient(self, action: Action) -> None:
        stage = self.workplace.stage(action)
        begun = self._begin(None)
        used = stage.backward_weight(action.microbatch)
        self._note(action, begun, stage, used, {})
        if stage.copy.complete:
            self._update(action)

    def _update(self, action: Action) -> None:
        copy = self.workplace.copy(action.stage, action.pipeline)
        self._apply(action, copy.due(action.microbatch))

    def _apply(self, action: Action, sums: list[tuple[int, Weights]]) -> None:
        """Make a version of every sum of gradients."""
        copy = self.workplace.copy(action.stage, action.pipeline)
        for microbatch, gradients in sums:
            begun = self._begin(None)
            copy.apply(gradients)
            cause = Action(Kind.U, action.stage, microbatch, action.pipeline)
            extra = self._extra(cause, begun) | {"current": copy.current}
            if self.spec.hashing != "off":
                extra["hash"] = content_hash(copy.newest)
            self.recorder.add(Kind.U, cause, begun[0], extra)

    def _reduce(self, action: Action) -> None:
        """Average the copies of a stage, once the backward that is waited for is over."""
        begun = self._begin(self.receive(action))
        copies = self.workplace.copies_of(action.stage)
        if len(copies) > 1:
            average(copies)
        self.recorder.add(Kind.REDUCE, action, begun[0], self._extra(action, begun))

    def receive(self, action: Action) -> Message | None:
        """What an action needs, from the rank itself or from another one; None if nothing."""
        label = needed(self.schedule, action.kind, action.stage, action.microbatch, action.pipeline)
        if label is None:
            return None
        peer = sender(self.schedule, label)
        if peer == self.rank:
            return self._local.pop(label)
        start = time.monotonic_ns()
        doing, self.recorder.doing = self.recorder.doing, f"waits for {label} of rank {peer}"
        self.recorder.waiting = True
        with self._mark(WAIT):
            message = self.endpoint.take(label)
        self.recorder.waiting, self.recorder.doing = False, doing
        if label.kind in _RECEIVE:
            self.recorder.add(
                _RECEIVE[label.kind], action, start, {}, peer=peer, channel=f"{peer}>{self.rank}"
            )
        return message

    def send(self, action: Action, kind: Kind, version: int, tensor: Tensor | None) -> None:
        """Send on what an action has made, to where the next stage or the one before is."""
        label = Label(kind, action.stage, action.microbatch, action.pipeline)
        message = Message(label, self.clock, version, tensor)
        ahead = 1 if kind is Kind.SEND_F else -1
        peer = self.schedule.placement.ranks[action.pipeline][action.stage + ahead]
        if peer == self.rank:
            self._local[label] = message
            return
        start = time.monotonic_ns()
        with self._mark(SEND):
            self.endpoint.send(peer, message)
        self.recorder.add(kind, action, start, {}, peer=peer, channel=f"{self.rank}>{peer}")

    def _tell_barriers(self, action: Action) -> None:
        """Tell every stage that waits for this backward that it is over."""
        for label, peer in self.workplace.barriers(action.microbatch):
            message = Message(label, self.clock, NO_VERSION, None)
            if peer == self.rank:
                self._local[label] = message
            else:
                with self._mark(SEND):
                    self.endpoint.send(peer, message)

    def _begin(self, message: Message | None) -> tuple[int, int, Stamp]:
        """Host time, Lamport clock and device time at which an action starts."""
        if message is not None:
            self.clock = max(self.clock, message.clock)
        return time.monotonic_ns(), self.clock, self._device.stamp()

    def _extra(self, action: Action, begun: tuple[int, int, Stamp]) -> dict[str, Extra | Deferred]:
        """Advance the clock by the action's unit duration, and say when it started and ended."""
        self.clock = begun[1] + self._units[action.kind]
        times = self._device.between(begun[2])
        return {"lamport_start": begun[1], "lamport_end": self.clock, **times}

    def _note(
        self,
        action: Action,
        begun: tuple[int, int, Stamp],
        stage: Stage,
        used: Weights,
        more: dict[str, Any],
    ) -> None:
        """Record a computation; its version is that of the tensors it used."""
        copy = stage.copy
        tag = copy.identities.tag_of(used)
        extra = self._extra(action, begun) | {"current": copy.current, **more}
        extra |= {"horizon": tag.horizon} if tag.horizon else {}
        extra |= {"averages": tag.averages} if tag.averages else {}
        full = self.spec.hashing == "full"
        if full or (self.spec.hashing == "sampled" and action.microbatch % SAMPLE == 0):
            extra["hash"] = content_hash(used)
        self.recorder.add(action.kind, action, begun[0], extra, version=tag.version)
