"""One rank of a replay: a process with a compute thread and a communication thread.

The main thread walks the rank's program: it waits at a computation until the computation's own
receives are complete, and hands messages to the communication thread, which completes them one
after the other. A message is complete when both sides know that the tensor has arrived: the
receiver answers every tensor, and the sender waits for the answer. So sends are rendezvous
whatever the backend does with small tensors, and the channel still has no tags but its number.
"""

from __future__ import annotations

import os
import socket
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Literal

from tests.gloo_replay.steps import Step, Unit

LABEL_SIZE = 4

Event = tuple[
    Literal["ready", "head", "end", "done", "alive", "failed"], int, tuple[int, ...] | str
]
"""What a rank tells: the word, a flat index, and the label that arrived or a text."""

Exchange = Callable[[Step], tuple[int, ...]]


@dataclass(frozen=True)
class Place:
    """Where the ranks of a replay meet."""

    rank: int
    ranks: int
    store: str
    limit_seconds: float


def run_rank(place: Place, program: tuple[Unit, ...], line: Connection) -> None:
    """Run the program of one rank; the main function of its process."""
    say = _speaker(line)
    leave = threading.Event()
    threading.Thread(target=_listen, args=(line, say, leave), daemon=True).start()
    try:
        exchange, close = _join(place)
        say("ready")
        Rank(exchange, say).run(program)
        say("done")
        # Others may still need this rank's connections.
        leave.wait()
        close()
    except Exception:
        say("failed", -1, traceback.format_exc(limit=-3))


def _speaker(line: Connection) -> Callable[..., None]:
    lock = threading.Lock()

    def say(word: str, index: int = -1, more: tuple[int, ...] | str = ()) -> None:
        with lock:
            line.send((word, index, more))

    return say


def _listen(line: Connection, say: Callable[..., None], leave: threading.Event) -> None:
    """Answer the parent; end with it, whatever the other threads are stuck in."""
    try:
        while line.recv() == "alive?":
            say("alive")
        leave.set()
    except (EOFError, OSError):
        os._exit(1)


def _join(place: Place) -> tuple[Exchange, Callable[[], None]]:
    """Enter the process group: how a message is exchanged, and how to leave."""
    import torch
    import torch.distributed as dist

    loopback = [name for _, name in socket.if_nameindex() if name.startswith("lo")]
    if loopback:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback[0])
    dist.init_process_group(
        "gloo",
        init_method=f"file://{place.store}",
        rank=place.rank,
        world_size=place.ranks,
        timeout=timedelta(seconds=place.limit_seconds),
    )

    def exchange(step: Step) -> tuple[int, ...]:
        there, back = 2 * step.channel, 2 * step.channel + 1
        answer = torch.zeros(1, dtype=torch.int64)
        if step.sends:
            dist.send(torch.tensor(step.label, dtype=torch.int64), step.peer, tag=there)
            dist.recv(answer, step.peer, tag=back)
            return step.label
        arrived = torch.zeros(LABEL_SIZE, dtype=torch.int64)
        dist.recv(arrived, step.peer, tag=there)
        dist.send(answer, step.peer, tag=back)
        return tuple(int(value) for value in arrived.tolist())

    return exchange, dist.destroy_process_group


class Rank:
    """The two queues of a rank.

    Parameters
    ----------
    exchange : callable
        Completes one message and returns the label that was exchanged.
    say : callable
        Tells the parent ``"head"`` when an action becomes the head of its queue, ``"end"`` when
        it is complete.
    """

    def __init__(self, exchange: Exchange, say: Callable[..., Any]) -> None:
        self.exchange, self.say = exchange, say
        self.posted: SimpleQueue[Unit | None] = SimpleQueue()
        self.complete: dict[int, threading.Event] = {}

    def run(self, program: tuple[Unit, ...]) -> None:
        """Run the program; return when every action is complete."""
        steps = [step for unit in program for step in unit]
        self.complete = {step.index: threading.Event() for step in steps if step.sends is not None}
        failures: list[BaseException] = []
        thread = threading.Thread(target=self._communicate, args=(failures,), daemon=True)
        thread.start()
        for unit in program:
            if unit[0].sends is None:
                self._compute(unit)
            else:
                self.posted.put(unit)
        self.posted.put(None)
        thread.join()
        if failures:
            raise failures[0]

    def _compute(self, unit: Unit) -> None:
        for step in unit:
            self.say("head", step.index)
            for index in step.awaits:
                self.complete[index].wait()
            self.say("end", step.index)

    def _communicate(self, failures: list[BaseException]) -> None:
        try:
            while (unit := self.posted.get()) is not None:
                self._start_together(unit, failures)
        except BaseException as error:
            failures.append(error)

    def _start_together(self, unit: Unit, failures: list[BaseException]) -> None:
        """Complete the members of a batch: at the same time, but in order on each channel."""
        lanes: dict[tuple[int, bool | None], list[Step]] = {}
        for step in unit:
            lanes.setdefault((step.channel, step.sends), []).append(step)
        first, *others = lanes.values()
        threads = [
            threading.Thread(target=self._lane, args=(lane, failures), daemon=True)
            for lane in others
        ]
        for thread in threads:
            thread.start()
        self._lane(first, failures)
        for thread in threads:
            thread.join()

    def _lane(self, steps: list[Step], failures: list[BaseException]) -> None:
        try:
            for step in steps:
                self.say("head", step.index)
                label = self.exchange(step)
                self.say("end", step.index, label)
                self.complete[step.index].set()
        except BaseException as error:
            failures.append(error)
