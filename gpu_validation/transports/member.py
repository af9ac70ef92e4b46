"""One rank's process: it runs in a thread, while the main thread reports and obeys.

So a rank that hangs in a library can still tell where it stands, and can be stopped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gpu_validation.errors import RankHangError, StoppedError, failed, state_of
from gpu_validation.event_log import EVENTS_SECONDS, Event, EventLog
from gpu_validation.repeatable import keep_to_one_torch_thread
from gpu_validation.spec import RankOutcome, RunSpec
from gpu_validation.transports.board import Board, End, Report

REPORT_SECONDS: Final = 0.05
"""How often a rank says where it stands, if that has changed."""


@dataclass(frozen=True)
class Member:
    """What the program of a rank needs to know of its surroundings.

    - `number`: which run of these ranks.
    - `stopping`: set when the rank is to stop.
    """

    rank: int
    ranks: int
    number: int
    board: Board
    stopping: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise if another rank has failed."""
        if self.stopping.is_set():
            raise StoppedError(
                "a rank stops when another one fails, here because of: "
                f"{self.board.stopped() or 'the end of the run'}",
                f"rank {self.rank}",
                "see the failure of that rank",
                self.rank,
            )

    def meet(self, timeout: float) -> None:
        """Wait until every rank is here."""
        self.board.arrive()
        until = time.monotonic() + timeout
        while self.board.arrived() < self.ranks:
            self.check()
            if time.monotonic() > until:
                raise RankHangError(
                    f"a rank waits at most {timeout:g} s for the other ranks",
                    f"rank {self.rank}",
                    "see what they do, or allow more time",
                    self.rank,
                )
            time.sleep(0.005)


Program = Callable[[RunSpec, Member, EventLog], RankOutcome]
"""What a rank does in a run."""


class Run:
    """One run of one rank."""

    def __init__(self, program: Program, spec: RunSpec, member: Member) -> None:
        self._program, self._spec, self._member = program, spec, member
        self._recorder = EventLog(member.rank, spec.record)
        self._reports = self._sent = 0
        self._last_words: tuple[object, ...] = ()
        self._last_events = time.monotonic()
        self._end: End | None = None
        self._thread = threading.Thread(target=self._work, name=f"rank {member.rank}", daemon=True)

    def start(self) -> None:
        """Start the program."""
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the program to end, so long."""
        self._thread.join(seconds)

    def attend(self, patience: float = REPORT_SECONDS) -> bool:
        """Wait a little, report, and look whether to stop; returns whether the rank has left.

        A rank that is told to stop hands over what it has recorded, whatever it is about.
        """
        self._thread.join(patience)
        member = self._member
        if not self._thread.is_alive():
            assert self._end is not None
            member.board.end(member.rank, self._end)
            return True
        self._report()
        if member.board.stopped() is None:
            return False
        member.stopping.set()
        # A rank that waits for a message leaves at once; one that computes is left behind.
        self._thread.join(REPORT_SECONDS)
        member.board.end(member.rank, self._end or self._partial())
        return True

    def _report(self) -> None:
        recorder, now = self._recorder, time.monotonic()
        words = (recorder.count, recorder.doing, recorder.waiting)
        events: tuple[Event, ...] = ()
        if now - self._last_events > EVENTS_SECONDS:
            events, self._last_events = recorder.since(self._sent), now
            self._sent += len(events)
        if words == self._last_words and not events:
            return
        self._last_words = words
        report = Report(state_of(recorder), recorder.count, events)
        self._member.board.report(self._member.rank, self._reports, report)
        self._reports += 1

    def _partial(self) -> End:
        return End(RankOutcome(self._member.rank, self._recorder.finish(failed=True)), False)

    def _work(self) -> None:
        keep_to_one_torch_thread()
        try:
            outcome = self._program(self._spec, self._member, self._recorder)
            self._end = End(outcome, True)
        except StoppedError:
            self._end = self._partial()
        except RankHangError as error:
            self._end = End(self._partial().outcome, False, error)
        except Exception as error:
            self._end = End(self._partial().outcome, False, failed(self._recorder, error))
        except SystemExit as error:
            why = RuntimeError(f"the program asked to exit with {error.code!r}")
            self._end = End(self._partial().outcome, False, failed(self._recorder, why))
