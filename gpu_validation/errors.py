"""What can go wrong while a schedule is run and measured, one class a meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_validation.event_log import EventLog
from schedules.errors import ScheduleError

if TYPE_CHECKING:
    from gpu_validation.spec import RunResult


class MeasureError(ScheduleError):
    """Base of every error of this package."""


class SpecError(MeasureError):
    """What was asked for does not exist or lies outside its domain."""


def require_one_of(value: str, known: Sequence[str], name: str) -> None:
    """Refuse a name that does not exist, with those that do."""
    if value not in known:
        raise SpecError(
            f"{name} is one of {', '.join(known)}, found {value!r}", name, "name one of them"
        )


class NotRunnableError(MeasureError):
    """The schedule, as it stands, cannot be run by this executor."""


class ModelError(MeasureError):
    """A model cannot be split into the stages of the schedule, or its stages do not chain."""


class LogError(MeasureError):
    """A log is not that of the schedule it is compared with, or not whole."""


class CapacityError(MeasureError):
    """The machine lacks the devices or the memory that the run needs."""


class RankError(MeasureError):
    """A rank did not finish its program.

    - `rank`: the rank that is to blame; −1 where it cannot be told.
    - `partial`: what the ranks recorded until then, marked as partial.
    """

    def __init__(self, what: str, where: str, fix: str, rank: int = -1) -> None:
        super().__init__(what, where, fix)
        self.rank = rank
        self.partial: RunResult | None = None

    def __reduce__(self) -> tuple[type[RankError], tuple[str, str, str, int]]:
        """It travels between processes without what was recorded."""
        return type(self), (self.what, self.where, self.fix, self.rank)


class RankFailedError(RankError):
    """A rank raised an error or its process ended."""


class RankHangError(RankError):
    """A rank made no progress for longer than the time-out."""


class InterruptedRunError(RankError):
    """The run was interrupted from outside, by Ctrl-C for example."""


class StoppedError(RankError):
    """A rank stopped because another one failed."""


@dataclass(frozen=True)
class RankState:
    """Where a rank stands.

    - `last`: its last event.
    - `doing`: what it does or waits for.
    - `waiting`: whether it waits for another rank.
    """

    rank: int
    last: str
    doing: str
    waiting: bool

    def __str__(self) -> str:
        return f"rank {self.rank} {self.doing} (last event: {self.last})"


def state_of(recorder: EventLog) -> RankState:
    """Where the rank of a recorder stands."""
    return RankState(recorder.rank, recorder.last, recorder.doing, recorder.waiting)


def hang(unfinished: Sequence[RankState], timeout: float) -> RankHangError:
    """The error for a run in which nothing happened for `timeout` seconds.

    Who waits for others is not to blame, unless all do.
    """
    busy = [state for state in unfinished if not state.waiting]
    guilty = busy or list(unfinished)
    return RankHangError(
        f"every rank makes progress within {timeout:g} s, but {'; '.join(map(str, guilty))}",
        " and ".join(f"rank {state.rank}" for state in guilty) or "run",
        "see what holds this rank up, or allow more time"
        if busy
        else "these ranks wait for each other: run `staleproof check` on the schedule",
        guilty[0].rank if len(guilty) == 1 else -1,
    )


def failed(recorder: EventLog, error: Exception) -> RankFailedError:
    """The error for a rank that raised one."""
    reason = str(error).strip().splitlines()
    said = reason[0] if reason else "no message"
    return RankFailedError(
        f"every rank finishes its program, but rank {recorder.rank} {recorder.doing} and raises "
        f"{type(error).__name__}: {said} (last event: {recorder.last})",
        f"rank {recorder.rank}",
        "correct what the error says",
        recorder.rank,
    )
