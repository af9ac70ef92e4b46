"""Lowering: compute orders become compute + communication, and back.

Every pass takes a schedule and returns a new one, checks what it is given and what it returns,
and raises `schedules.errors.InvalidScheduleError` otherwise.
"""

from schedules.lowering.check import check_messages
from schedules.lowering.erase import erase_messages
from schedules.lowering.parameters import gather_parameters, reduce_gradients
from schedules.lowering.passes import PLACEMENTS, lower

__all__ = [
    "PLACEMENTS",
    "check_messages",
    "erase_messages",
    "gather_parameters",
    "lower",
    "reduce_gradients",
]
