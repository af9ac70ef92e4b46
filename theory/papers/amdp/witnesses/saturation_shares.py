"""Parts of the ranks' time in which plays first come first served work, after start-up."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import sympy

from schedules.actions import Kind
from theory.kernel.vectors import Scalar
from theory.ledger import Evidence
from theory.papers.amdp.placements import CHIMERA, STRAIGHT
from theory.papers.amdp.runs.fifo import READINGS, TIES, Play, Tie
from theory.papers.amdp.runs.steady_play import steady
from theory.smt.queries import remembered

SIZES: Final = tuple(range(2, 17, 2))
SHIFTED: Final = SIZES[1::2]
"""Stages d of the plays with F = B; of those in Chimera's placement."""
DURATIONS: Final = ((1, 1), (1, 2), (2, 1), (1, 3), (2, 3))
"""(F, B)."""
FAMILY_TIE: Final = Tie(Kind.B, "earlier minibatch")
"""That of the family `amdp`."""


@remembered
def active(
    stages: int, forward: int, backward: int, reading: str, tie: Tie, placement: str = STRAIGHT
) -> Fraction | None:
    """Part of the ranks' time in which they work, once a play repeats itself.

    Examples
    --------
    >>> from theory.papers.amdp.runs.fifo import QUEUE, TURNS
    >>> str(active(6, 1, 1, TURNS, FAMILY_TIE)), str(active(6, 1, 1, QUEUE, FAMILY_TIE))
    ('6/7', '1')
    """
    found = steady(Play(stages, forward, backward, reading, placement=placement), tie)
    return None if found is None else found.active


def again(stages: int, reading: str, tie: Tie, placement: str) -> Scalar:
    """The play once more, F = B; no number if it has no period."""
    found = steady(Play(stages, 1, 1, reading, placement=placement), tie)
    return sympy.nan if found is None else found.active


def equal_durations() -> Evidence:
    """Shares for F = B by reading and tie rule."""
    return Evidence(
        "neither",
        "part of the time in which ranks work after start-up, F = B",
        {
            "d": list(SIZES),
            **{
                f"{reading}: {tie.name}": [active(d, 1, 1, reading, tie) for d in SIZES]
                for reading in READINGS
                for tie in TIES
            },
        },
    )


def longer_backwards() -> Evidence:
    """Shares for B = 2F, and for the smallest d beyond."""
    sizes = SIZES[:4]
    return Evidence(
        "neither",
        f"the same for B = 2F, {FAMILY_TIE.name}",
        {
            "d": list(sizes),
            **{how: [active(d, 1, 2, how, FAMILY_TIE) for d in sizes] for how in READINGS},
            "Chimera's placement, d = 8": {
                how: active(8, 1, 2, how, FAMILY_TIE, CHIMERA) for how in READINGS
            },
        },
    )
