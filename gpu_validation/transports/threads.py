"""Ranks as threads of one process, with mailboxes between them.

On a GPU every rank has a stream of its own. The sender puts an event on its stream behind the
tensor, the receiver lets its own stream wait for the event, and the allocator learns that the
tensor is in use there: the host never waits for the device.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import torch

from gpu_validation.devices import local_device
from gpu_validation.errors import (
    InterruptedRunError,
    RankError,
    RankFailedError,
    RankHangError,
    StoppedError,
    failed,
    hang,
    state_of,
)
from gpu_validation.event_log import EVENTS_SECONDS, EventLog, Sink, forget
from gpu_validation.executor import run_rank
from gpu_validation.messages import Label, Message
from gpu_validation.repeatable import keep_to_one_torch_thread, one_torch_thread
from gpu_validation.spec import Launched, RankOutcome, RunSpec

POLL_SECONDS: Final = 0.05

GRACE_SECONDS: Final = 3.0
"""Time that the other ranks have to stop once one has failed."""

Letter: TypeAlias = tuple[Message, "torch.cuda.Event | None"]
"""A message, and on a GPU the event behind which its tensor is ready."""


@dataclass
class Hub:
    """What the ranks share: mailboxes, results, and whether one has failed."""

    recorders: list[EventLog]
    changed: threading.Condition = field(default_factory=threading.Condition)
    boxes: list[dict[Label, Letter]] = field(default_factory=list)
    arrivals: list[int] = field(default_factory=list)
    here: int = 0
    outcomes: dict[int, RankOutcome] = field(default_factory=dict)
    failure: RankError | None = None

    def __post_init__(self) -> None:
        self.boxes = [{} for _ in self.recorders]
        self.arrivals = [0 for _ in self.recorders]

    def fail(self, failure: RankError) -> None:
        """Stop every rank; the first failure counts."""
        with self.changed:
            self.failure = self.failure or failure
            self.changed.notify_all()

    def finish(self, rank: int, outcome: RankOutcome) -> None:
        """Take the results of a rank."""
        with self.changed:
            self.outcomes[rank] = outcome
            self.changed.notify_all()

    def progress(self) -> int:
        """A number that grows with whatever a rank does."""
        return self.here + sum(recorder.count for recorder in self.recorders)

    def blame(self, timeout: float) -> None:
        """Fail because nothing moves any more."""
        unfinished = [state_of(r) for r in self.recorders if r.rank not in self.outcomes]
        self.fail(hang(unfinished, timeout))

    def watch(self, timeout: float, sink: Sink = forget) -> None:
        """Wait until every rank is done or one has failed, or fails to make progress."""
        count, since = -1, time.monotonic()
        told, told_of = since, [0 for _ in self.recorders]
        while True:
            with self.changed:
                if self.changed.wait_for(self._over, POLL_SECONDS):
                    return
            if sink is not forget and time.monotonic() - told > EVENTS_SECONDS:
                told = time.monotonic()
                for rank, recorder in enumerate(self.recorders):
                    events = recorder.since(told_of[rank])
                    told_of[rank] += len(events)
                    sink(rank, events)
            # Building may take long; `START_SECONDS` of the executor bounds it.
            if self.progress() != count or self.here < len(self.recorders):
                count, since = self.progress(), time.monotonic()
            elif time.monotonic() - since > timeout:
                self.blame(timeout)

    def _over(self) -> bool:
        return self.failure is not None or len(self.outcomes) == len(self.recorders)


class ThreadEndpoint:
    """A rank's mailbox; see `gpu_validation.messages.Endpoint`."""

    def __init__(self, hub: Hub, rank: int) -> None:
        self._hub, self._rank, self._seen = hub, rank, 0

    @property
    def rank(self) -> int:
        """The rank whose end it is."""
        return self._rank

    def send(self, peer: int, message: Message) -> None:
        """Put a message into the mailbox of another rank."""
        event = None
        if message.tensor is not None and message.tensor.is_cuda:
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record()
        with self._hub.changed:
            self._hub.boxes[peer][message.label] = (message, event)
            self._hub.arrivals[peer] += 1
            self._hub.changed.notify_all()

    def take(self, label: Label, timeout: float) -> Message:
        """Wait for a message."""
        box = self._hub.boxes[self._rank]
        self._wait(lambda: label in box, timeout, str(label))
        with self._hub.changed:
            message, event = box.pop(label)
        if event is not None and message.tensor is not None:
            stream = torch.cuda.current_stream()
            stream.wait_event(event)
            message.tensor.record_stream(stream)
        return message

    def ready(self, label: Label) -> bool:
        """Whether a message is in the mailbox."""
        with self._hub.changed:
            return label in self._hub.boxes[self._rank]

    def wait_any(self, timeout: float) -> None:
        """Wait for any message that has come since the last call."""
        self._wait(lambda: self._hub.arrivals[self._rank] != self._seen, timeout, "any message")
        self._seen = self._hub.arrivals[self._rank]

    def meet(self, timeout: float) -> None:
        """Wait until every rank is here."""
        with self._hub.changed:
            self._hub.here += 1
            self._hub.changed.notify_all()
        self._wait(lambda: self._hub.here == len(self._hub.recorders), timeout, "the other ranks")

    def check(self) -> None:
        """Raise if another rank has failed."""
        failure = self._hub.failure
        if failure is not None:
            raise StoppedError(
                f"a rank stops when another one fails, here because of: {failure}",
                f"rank {self._rank}",
                "see the failure of that rank",
                self._rank,
            )

    def close(self, failed: bool) -> None:
        """Leave; with `failed`, stop the others."""
        if failed:
            where, fix = f"rank {self._rank}", "see its error"
            self._hub.fail(RankFailedError("this rank left the run", where, fix, self._rank))

    def _wait(self, holds: Callable[[], bool], timeout: float, what: str) -> None:
        """Wait as long as some rank makes progress at least every `timeout` seconds."""
        came, before = False, -1
        while not came and before != self._hub.progress():
            before = self._hub.progress()
            with self._hub.changed:
                came = self._hub.changed.wait_for(
                    lambda: holds() or self._hub.failure is not None, timeout
                )
        self.check()
        if not came:
            raise RankHangError(
                f"a rank waits for {what} while others make progress, at least every {timeout:g} s",
                f"rank {self._rank}",
                "see what the sender does, or allow more time",
                self._rank,
            )


class ThreadGroup:
    """Starts a thread a rank for every run; see `gpu_validation.transports.Group`."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks

    def run(self, spec: RunSpec, sink: Sink = forget) -> Launched:
        """Run once."""
        hub = Hub([EventLog(rank, spec.record) for rank in range(self._ranks)])
        with one_torch_thread():
            threads = [
                threading.Thread(
                    target=_run, args=(spec, hub, rank), name=f"rank {rank}", daemon=True
                )
                for rank in range(self._ranks)
            ]
            try:
                for thread in threads:
                    thread.start()
                hub.watch(spec.timeout, sink)
            except RuntimeError as error:
                hub.fail(
                    RankFailedError(
                        f"every rank has a thread, but {self._ranks} cannot be started: {error}",
                        "transport threads",
                        "take fewer ranks",
                    )
                )
            except KeyboardInterrupt:
                hub.fail(InterruptedRunError("the run was interrupted", "run", "start it again"))
            # A rank that hangs cannot be ended; it is left behind and stops when it wakes up.
            until = time.monotonic() + GRACE_SECONDS
            for thread in filter(threading.Thread.is_alive, threads):
                thread.join(max(0.0, until - time.monotonic()))
        return Launched(
            tuple(
                hub.outcomes.get(recorder.rank) or _partial(recorder) for recorder in hub.recorders
            ),
            hub.failure,
        )


@contextmanager
def open_group(device: str, ranks: int) -> Iterator[ThreadGroup]:
    """Give a group of threads; nothing is started before the first run."""
    yield ThreadGroup(ranks)


def _partial(recorder: EventLog) -> RankOutcome:
    """What a rank leaves that did not finish."""
    return RankOutcome(recorder.rank, recorder.finish(failed=True))


def _run(spec: RunSpec, hub: Hub, rank: int) -> None:
    """Run one rank: what its thread does."""
    recorder = hub.recorders[rank]
    keep_to_one_torch_thread()
    try:
        with _stream_of_its_own(spec.device):
            outcome = run_rank(spec, ThreadEndpoint(hub, rank), recorder)
        hub.finish(rank, outcome)
    except StoppedError:
        pass
    except RankHangError:
        hub.blame(spec.timeout)
    except Exception as error:
        hub.fail(failed(recorder, error))


@contextmanager
def _stream_of_its_own(device: str) -> Iterator[None]:
    if device == "cpu":
        yield
        return
    # A new thread is at device 0, whatever the process has chosen.
    stream = torch.cuda.Stream(local_device())  # type: ignore[no-untyped-call]
    with torch.cuda.stream(stream):
        yield
    stream.synchronize()
