"""Training methods with late gradients, as update rules on states (PipeSGD, SAPipe, AsyncPP)."""

from schedules.methods.compensation import delay_compensated
from schedules.methods.delayed_nesterov import DelayedNesterov
from schedules.methods.distributed_sgd import DistributedSGD
from schedules.methods.errors import GradientError
from schedules.methods.method import Method, OneStepStale
from schedules.methods.pipesgd import PipeSGD
from schedules.methods.running import advance, outcomes, run
from schedules.methods.sapipe import SAPipe
from schedules.methods.sapipe_dc import SAPipeDC
from schedules.methods.sapipe_wp import SAPipeWP
from schedules.methods.stale_elements import prefix, stale_share
from schedules.methods.state import State
from schedules.methods.vectors import Vector

__all__ = [
    "DelayedNesterov",
    "DistributedSGD",
    "GradientError",
    "Method",
    "OneStepStale",
    "PipeSGD",
    "SAPipe",
    "SAPipeDC",
    "SAPipeWP",
    "State",
    "Vector",
    "advance",
    "delay_compensated",
    "outcomes",
    "prefix",
    "run",
    "stale_share",
]
