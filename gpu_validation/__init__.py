"""Runs real schedules with torch, records what happens, and compares it with the model.

A schedule becomes a program a rank, every rank runs its program over a transport, what it does goes
to a log, and the log is compared with what `schedules` predicts. The version in the log is found
from the tensors that a computation used, never from the plan.

Imports torch, numpy and the package `schedules`, and nothing else of this project; torch only where
something is run. It imports on a node without z3, jinja2, rich and matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_validation.errors import MeasureError
from gpu_validation.faults import Fault
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.spec import RunResult, RunSpec

if TYPE_CHECKING:
    from gpu_validation.judging import Judgement, judge
    from gpu_validation.recorder import Recorder

__all__ = [
    "Fault",
    "Judgement",
    "MeasureError",
    "ModelSpec",
    "OptimizerSpec",
    "Recorder",
    "RunResult",
    "RunSpec",
    "judge",
]


def __getattr__(name: str) -> Any:
    """Import what records and judges only when it is asked for."""
    if name == "Recorder":
        from gpu_validation.recorder import Recorder

        return Recorder
    if name in ("Judgement", "judge"):
        from gpu_validation import judging

        return getattr(judging, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
