"""What can go wrong while a schedule is run and measured, one class a meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedules.errors import ScheduleError

if TYPE_CHECKING:
    from gpu_validation.spec import RunResult


class MeasureError(ScheduleError):
    """Base of every error of this package."""


class SpecError(MeasureError):
    """What was asked for does not exist or lies outside its domain."""


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

    Attributes
    ----------
    rank : int
        The rank that is to blame; −1 where it cannot be told.
    partial : RunResult or None
        What the ranks recorded until then, marked as partial.
    """

    def __init__(self, what: str, where: str, fix: str, rank: int = -1) -> None:
        super().__init__(what, where, fix)
        self.rank = rank
        self.partial: RunResult | None = None


class RankFailedError(RankError):
    """A rank raised an error or its process ended."""


class RankHangError(RankError):
    """A rank made no progress for longer than the time-out."""


class InterruptedRunError(RankError):
    """The run was interrupted from outside, by Ctrl-C for example."""


class StoppedError(RankError):
    """A rank stopped because another one failed."""
