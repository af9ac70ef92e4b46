"""What can go wrong in `schedules.methods` beyond a parameter outside its domain."""

from __future__ import annotations

from schedules.errors import ScheduleError


class GradientError(ScheduleError):
    """The gradients handed to a method do not fit its state, or the run has left finite numbers."""
