"""Watching over a run: collect how every rank ends, and stop all of them when one fails.

One process watches: the one that started the ranks, or the first rank under ``torchrun``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import torch.distributed as dist

from gpu_validation.errors import (
    InterruptedRunError,
    RankError,
    RankFailedError,
    RankHangError,
    RankState,
    hang,
)
from gpu_validation.event_log import Event, Sink, forget
from gpu_validation.spec import Launched
from gpu_validation.transports.board import Board, End, partial_outcomes

SETTLE_SECONDS: Final = 0.5
"""Time in which the end of a process is looked for when others have lost their connection to it."""

GRACE_SECONDS: Final = 2.0
"""Time that ranks have to hand over what they recorded once one has failed."""

Dead = Callable[[], dict[int, str]]
"""Ranks whose process has ended, and how."""


@dataclass
class _Seen:
    """What the watcher knows of a rank."""

    state: RankState
    count: int = 0
    reports: int = 0
    events: list[Event] = field(default_factory=list)
    end: End | None = None


class Watcher:
    """Watches one run.

    - `timeout`: seconds without progress after which the run is given up.
    - `dead`: which processes have ended; None where nobody sees that.
    - `sink`: is told of events as they are reported.
    """

    def __init__(
        self, board: Board, ranks: int, timeout: float, dead: Dead | None, sink: Sink = forget
    ) -> None:
        self._board, self._timeout, self._sink = board, timeout, sink
        self._sees, self._dead = dead is not None, dead or dict
        self._ranks = [_Seen(RankState(r, "none", "starts", False)) for r in range(ranks)]
        self._since = time.monotonic()
        self._started = False

    def watch(self, start: Callable[[], None] = lambda: None) -> Launched:
        """Start the run, and wait until it is over; what was recorded until a failure is kept."""
        failure = None
        try:
            start()
            while failure is None and not self._all_ended():
                time.sleep(self._board.poll)
                failure = self._failure()
            if self._sees and isinstance(failure, RankFailedError):
                failure = self._first_cause(failure)
        except KeyboardInterrupt:
            failure = self._interrupted()
        except dist.DistError:
            failure = store_gone()
        if failure is not None:
            try:
                with suppress(dist.DistError):
                    self._stop(failure)
            except KeyboardInterrupt:
                # A launcher that has seen a rank die sends SIGTERM just when others lose it.
                failure = self._interrupted()
        ends, events = [seen.end for seen in self._ranks], [seen.events for seen in self._ranks]
        return Launched(partial_outcomes(ends, events), failure)

    def _failure(self) -> RankError | None:
        """Look once at every rank; what is wrong, if anything."""
        # Who is dead is asked first: what a process said before its end is read afterwards.
        dead, moved = self._dead(), self._read()
        for seen in self._ranks:
            if seen.end is not None and seen.end.failure is not None:
                raised = seen.end.failure
                return self._hang() if isinstance(raised, RankHangError) else raised
        death = self._death(dead)
        if death is not None:
            return death
        if moved or not self._started:
            self._since = time.monotonic()
            self._started = self._board.arrived() >= len(self._ranks)
        elif time.monotonic() - self._since > self._timeout:
            return self._hang()
        return None

    def _death(self, dead: dict[int, str]) -> RankFailedError | None:
        """The error for the first process that ended without a word."""
        for rank, how in dead.items():
            if self._ranks[rank].end is None:
                return _died(self._ranks[rank].state, how)
        return None

    def _first_cause(self, failure: RankFailedError) -> RankFailedError:
        """What is behind a failure: ranks that lose a connection raise before a death is seen."""
        until = time.monotonic() + SETTLE_SECONDS
        death = None
        while death is None and time.monotonic() < until:
            time.sleep(self._board.poll)
            dead = self._dead()
            self._read()
            death = self._death(dead)
        return death or failure

    def _read(self) -> bool:
        """Read new reports and ends; returns whether any rank made progress."""
        before = sum(seen.count for seen in self._ranks), self._ended()
        for rank, seen in enumerate(self._ranks):
            while (report := self._board.take_report(rank, seen.reports)) is not None:
                seen.reports += 1
                seen.state, seen.count = report.state, report.count
                seen.events.extend(report.events)
                self._sink(rank, report.events)
            seen.end = seen.end or self._board.take_end(rank)
        return before != (sum(seen.count for seen in self._ranks), self._ended())

    def _ended(self) -> int:
        return sum(seen.end is not None for seen in self._ranks)

    def _all_ended(self) -> bool:
        return self._ended() == len(self._ranks)

    def _hang(self) -> RankHangError:
        # Who has given up waiting is no more to blame than others that wait.
        unfinished = [
            seen.state for seen in self._ranks if seen.end is None or not seen.end.finished
        ]
        return hang(unfinished, self._timeout)

    def _interrupted(self) -> InterruptedRunError:
        with suppress(dist.DistError):
            self._read()
        states = "; ".join(str(seen.state) for seen in self._ranks if seen.end is None)
        return InterruptedRunError(
            f"the run was interrupted while {states or 'all ranks had finished'}",
            "run",
            "start it again; if torchrun ended it, see which rank it names",
        )

    def _stop(self, failure: RankError) -> None:
        """Tell all ranks to stop, and collect what they still hand over."""
        self._board.stop(failure)
        until = time.monotonic() + GRACE_SECONDS
        while not self._all_ended() and time.monotonic() < until:
            dead = self._dead()
            self._read()
            if all(seen.end is not None or seen.state.rank in dead for seen in self._ranks):
                return
            time.sleep(self._board.poll)


def store_gone() -> InterruptedRunError:
    """The error for a launcher that is gone, and with it the store through which ranks talk."""
    return InterruptedRunError(
        "ranks talk through the store of their launcher, and it is gone",
        "run",
        "see what ended the launcher, and start it again",
    )


def _died(state: RankState, how: str) -> RankFailedError:
    """The error for a process that is gone."""
    return RankFailedError(
        f"every rank finishes its program, but the process of rank {state.rank} ended ({how}); it "
        f"last said that it {state.doing} (last event: {state.last})",
        f"rank {state.rank}",
        "see what ended it, for example a lack of memory",
        state.rank,
    )
