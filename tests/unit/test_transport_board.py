"""What ranks tell each other, the mailbox, and the watcher over them, without processes."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from torch.distributed import HashStore  # type: ignore[attr-defined]

from gpu_validation.errors import (
    RankError,
    RankFailedError,
    RankHangError,
    RankState,
    StoppedError,
)
from gpu_validation.event_log import Event, EventLog
from gpu_validation.messages import Label
from gpu_validation.run import RunSpec
from gpu_validation.spec import Launched, RankOutcome
from gpu_validation.transports import watching
from gpu_validation.transports.board import PIECE_BYTES, Board, End, Report
from gpu_validation.transports.mailbox import Mailbox
from gpu_validation.transports.member import Member, Run
from gpu_validation.transports.watching import Dead, Watcher
from schedules import Action, Kind, build

LABEL = Label(Kind.SEND_F, 0, 3, 0)


@pytest.fixture
def board() -> Board:
    return Board(HashStore(), 0)


def failure(rank: int = 1) -> RankFailedError:
    return RankFailedError("what", f"rank {rank}", "fix", rank)


def report(rank: int, count: int, last: str = "none", waiting: bool = False) -> Report:
    return Report(RankState(rank, last, "waits" if waiting else "does 1F2", waiting), count)


def nobody() -> dict[int, str]:
    return {}


# The board


def test_large_values_travel_in_pieces(board: Board) -> None:
    weights = {(0, 0): {"w": np.arange(3 * PIECE_BYTES // 8, dtype=np.int64)}}
    assert board.take_end(0) is None
    board.end(0, End(RankOutcome(0, weights=weights), True))
    found = board.take_end(0)
    assert found is not None
    assert np.array_equal(found.outcome.weights[0, 0]["w"], weights[0, 0]["w"])
    # It is forgotten once it has been read.
    assert board.take_end(0) is None


def test_errors_keep_their_class_and_parts(board: Board) -> None:
    assert board.stopped() is None
    board.stop(RankHangError("slow", "rank 2", "wait", 2))
    found = board.stopped()
    assert isinstance(found, RankHangError)
    assert (found.what, found.where, found.fix, found.rank) == ("slow", "rank 2", "wait", 2)


def test_runs_do_not_mix() -> None:
    store = HashStore()
    Board(store, 0).stop(failure())
    assert Board(store, 1).stopped() is None


def test_everybody_learns_how_a_run_went(board: Board) -> None:
    assert not board.over()
    board.close(Launched((RankOutcome(0, seconds=2.0),), failure(0)))
    told = board.launched()
    assert board.over()
    assert told.outcomes == (RankOutcome(0, seconds=2.0),)
    assert str(told.failure) == str(failure(0))


# The mailbox


def test_letters_are_handed_out_once_and_waited_for(board: Board) -> None:
    box = Mailbox[int](Member(0, 2, 0, board))
    threading.Timer(0.15, box.put, (LABEL, 7)).start()
    assert not box.ready(LABEL)
    assert box.take(LABEL) == 7
    assert not box.ready(LABEL)


def test_waiting_for_anything_counts_what_has_come(board: Board) -> None:
    box = Mailbox[int](Member(0, 2, 0, board))
    box.put(LABEL, 1)
    box.wait_any()
    threading.Timer(0.05, box.put, (LABEL, 2)).start()
    box.wait_any()
    assert box.take(LABEL) == 2


def test_waiting_ends_with_a_stop_or_a_failure(board: Board) -> None:
    member = Member(4, 5, 0, board)
    box = Mailbox[int](member)
    board.stop(failure())
    threading.Timer(0.05, member.stopping.set).start()
    with pytest.raises(StoppedError, match="because of: rank 1: what; fix"):
        box.take(LABEL)
    broken = Mailbox[int](Member(0, 2, 0, board))
    broken.put(LABEL, 1)
    broken.fail(RuntimeError("the connection is gone"))
    # What has come before can still be used.
    assert broken.take(LABEL) == 1
    with pytest.raises(RuntimeError, match="gone"):
        broken.take(LABEL)


# A member


def test_members_meet_or_give_up(board: Board) -> None:
    with pytest.raises(RankHangError, match="for the other ranks"):
        Member(0, 2, 0, board).meet(0.05)
    Member(1, 2, 0, board).meet(0.05)
    assert board.arrived() == 2


def spec() -> RunSpec:
    return RunSpec(build("gpipe", 1, 1))


def work(recorder: EventLog, count: int) -> None:
    for m in range(count):
        recorder.add(Kind.F, Action(Kind.F, 0, m), time.monotonic_ns(), {"current": 0})


def test_a_program_reports_and_hands_over(board: Board) -> None:
    def program(_: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
        work(recorder, 3)
        # Long enough for two looks at the events.
        time.sleep(0.7)
        return RankOutcome(member.rank, recorder.finish())

    run = Run(program, spec(), Member(0, 1, 0, board))
    run.start()
    while not run.attend():
        pass
    end = board.take_end(0)
    assert end is not None
    assert (end.finished, end.failure, len(end.outcome.events)) == (True, None, 3)
    reports: list[Report] = []
    while (found := board.take_report(0, len(reports))) is not None:
        reports.append(found)
    assert reports[-1].state.last == "0F2"
    streamed = [event for found in reports for event in found.events]
    assert [event.microbatch for event in streamed] == [0, 1, 2]


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3)])
def test_a_program_that_fails_says_so(board: Board, error: BaseException) -> None:
    def program(_: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
        work(recorder, 2)
        raise error

    run = Run(program, spec(), Member(0, 1, 0, board))
    run.start()
    while not run.attend():
        pass
    end = board.take_end(0)
    assert end is not None
    assert isinstance(end.failure, RankFailedError)
    assert "last event: 0F1" in str(end.failure)
    assert len(end.outcome.events) == 2


def test_a_program_that_is_stuck_is_left_behind(board: Board) -> None:
    release = threading.Event()

    def program(_: RunSpec, member: Member, recorder: EventLog) -> RankOutcome:
        work(recorder, 2)
        release.wait()
        return RankOutcome(member.rank)

    run = Run(program, spec(), Member(0, 1, 0, board))
    run.start()
    assert not run.attend()
    board.stop(failure())
    assert run.attend()
    release.set()
    end = board.take_end(0)
    assert end is not None
    assert (end.finished, end.failure, len(end.outcome.events)) == (False, None, 2)


def test_events_can_be_read_from_a_number_on() -> None:
    recorder = EventLog(0)
    work(recorder, 3)
    assert [event.microbatch for event in recorder.since(1)] == [1, 2]
    assert recorder.since(0) == recorder.finish()
    # What a device knows is not asked for while the rank runs.
    recorder.add(Kind.F, Action(Kind.F, 0, 3), 0, {"current": 0, "device_end": lambda: 5})
    assert set(recorder.since(3)[0].extra) == {"host", "current"}
    assert recorder.finish()[3].extra["device_end"] == 5


# The watcher


def watched(board: Board, dead: Dead = nobody, timeout: float = 0.2) -> Launched:
    for _ in range(2):
        board.arrive()
    return Watcher(board, 2, timeout, dead).watch()


def test_all_ends_make_a_result(board: Board) -> None:
    for rank in range(2):
        board.end(rank, End(RankOutcome(rank, seconds=rank), True))
    launched = watched(board)
    assert launched.failure is None
    assert [outcome.seconds for outcome in launched.outcomes] == [0, 1]


def test_who_does_not_wait_is_to_blame_for_a_hang(board: Board) -> None:
    board.report(0, 0, report(0, 4, waiting=True))
    board.report(1, 0, report(1, 5, last="1F1"))
    launched = watched(board)
    assert isinstance(launched.failure, RankHangError)
    assert launched.failure.rank == 1
    assert "rank 1 does 1F2 (last event: 1F1)" in str(launched.failure)
    assert board.stopped() is not None


class Clock:
    """Stands in for ``time``: sleeping lets rank 0 report every 0.25 s, five times in all."""

    def __init__(self, board: Board) -> None:
        self.board, self.now, self.reports = board, 0.0, 0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.reports < 5 and self.now > 0.25 * self.reports:
            made = report(0, self.reports + 1, last=f"0F{self.reports}")
            self.board.report(0, self.reports, made)
            self.reports += 1


def test_progress_puts_the_time_out_off(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(board)
    monkeypatch.setattr(watching, "time", clock)
    failure = watched(board, timeout=0.6).failure
    assert isinstance(failure, RankHangError)
    assert "last event: 0F4" in str(failure)
    # The last report comes at 1.0 s; the others are given some time to hand over.
    assert clock.now - watching.GRACE_SECONDS == pytest.approx(1.6, abs=3 * board.poll)


def test_a_hang_is_not_counted_before_all_are_here(board: Board) -> None:
    for rank in range(2):
        threading.Timer(0.5, board.end, (rank, End(RankOutcome(rank), True))).start()
    launched = Watcher(board, 2, 0.1, nobody).watch()
    assert launched.failure is None


def test_a_death_counts_before_the_connections_it_breaks(board: Board) -> None:
    event = Event(1, Kind.F, 1, 0, 0, -1, None, 0, 1, 2)
    board.report(1, 0, Report(RankState(1, "1F0", "does 1B0", False), 1, (event,)))
    board.end(0, End(RankOutcome(0), False, failure(0)))
    launched = watched(board, lambda: {0: "with exit code 0", 1: "by signal SIGKILL"})
    assert isinstance(launched.failure, RankFailedError)
    assert launched.failure.rank == 1
    assert "SIGKILL" in str(launched.failure)
    # What it had reported is all there is of it.
    assert launched.outcomes[1].events == (event,)


def test_a_rank_that_raises_is_the_failure(board: Board) -> None:
    board.end(1, End(RankOutcome(1), False, failure(1)))
    board.end(0, End(RankOutcome(0), True))
    launched = watched(board)
    assert isinstance(launched.failure, RankError)
    assert str(launched.failure) == str(failure(1))
