"""Errors of the replay."""

from __future__ import annotations

from schedules.errors import ScheduleError


class ReplayError(ScheduleError):
    """A replay could not be carried out."""


class NotReplayableError(ReplayError):
    """The schedule has no messages, or something that a replay cannot run."""


class WorkerError(ReplayError):
    """A process of the replay failed or did not start."""
