"""Faults that a run can be told to have, as data: the negative controls of a measurement.

===================== ===================================================================
fault                 what happens, at one stage
===================== ===================================================================
``no-stash``          every backward uses the newest weights instead of those its forward read
``in-place``          every update also overwrites the tensors of the version before (``.data``)
``swapped-microbatch`` a backward uses what the forward of the lowest other microbatch in flight
                      left, and the other way round; nothing happens if there is none
``delayed-update``    an update is made right before the next one, or at the end
``dropped-update``    an update is never made
``error``, ``hang``   the rank fails, or stops for good, before it first computes on a microbatch
===================== ===================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from gpu_validation.errors import SpecError, require_one_of

FaultName = Literal[
    "no-stash",
    "in-place",
    "swapped-microbatch",
    "delayed-update",
    "dropped-update",
    "error",
    "hang",
]

FAULT_NAMES: Final[tuple[FaultName, ...]] = get_args(FaultName)


@dataclass(frozen=True)
class Fault:
    """One injected fault.

    Attributes
    ----------
    name : str
        One of `FAULT_NAMES`.
    stage : int
        Where.
    microbatch : int
        At which microbatch; ``no-stash`` and ``in-place`` concern all.

    Raises
    ------
    SpecError
        Unknown name, or a negative number.

    Examples
    --------
    >>> Fault("dropped-update", stage=1, microbatch=3).name
    'dropped-update'
    """

    name: FaultName
    stage: int = 0
    microbatch: int = 0

    def __post_init__(self) -> None:
        require_one_of(self.name, FAULT_NAMES, "fault")
        if self.stage < 0 or self.microbatch < 0:
            raise SpecError(
                "a fault names a stage and a microbatch, from 0; found "
                f"stage {self.stage}, microbatch {self.microbatch}",
                f"fault {self.name}",
                "count from 0",
            )
