"""1F1B with a flush: GPipe's bubble with the activations of at most p − s microbatches.

Source: Fan et al., "DAPPLE", PPoPP 2021 (arXiv 2007.01045); Narayanan et al., "Memory-Efficient
Pipeline-Parallel DNN Training", ICML 2021 (arXiv 2006.09503), there PipeDream-Flush.

Rule, for stage s of p:

- warm-up: min(p − s − 1, M) forwards;
- steady: a forward and a backward in turn, while forwards are left;
- drain: the remaining backwards.

PyTorch 2.13 has it with M ≥ p only. The order that its `Schedule1F1B` states numbers the forwards
of the last rank from 1; what it executes, and this family, numbers them from 0.

Known:

- stage s holds min(p − s, M) microbatches;
- F = B = 1: makespan 2(M + p − 1), a bubble of (p−1)/(M + p − 1), both GPipe's.
"""

from __future__ import annotations

from typing import Final

from schedules.actions import Kind
from schedules.families.family import Family, from_rule
from schedules.policies import WeightPolicy
from schedules.rules import StaticOrder
from schedules.schedule import Schedule

ORDER: Final = StaticOrder(
    {
        Kind.F: lambda s, m, p, M, choose: choose(m < p - s, m, 2 * m - (p - s - 1)),
        Kind.B: lambda s, m, p, M, choose: choose(m <= M - (p - s), 2 * m + p - s, M + m),
    }
)
"""Forward m runs ahead or behind backward m − (p − s − 1); backward m behind forward m + p − s − 1
while there is one."""


def build(stages: int, microbatches: int) -> Schedule:
    """Generate one step for p ≥ 1 stages and M ≥ 1 microbatches.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> from schedules.timeline import timeline
    >>> for row in timeline(build(3, 4)).rows():
    ...     print(row)
    F0 F1 F2 . . B0 F3 B1 . B2 . B3
    . F0 F1 . B0 F2 B1 F3 B2 . B3 .
    . . F0 B0 F1 B1 F2 B2 F3 B3 . .
    """
    return from_rule(FAMILY, stages, microbatches)


FAMILY: Final = Family(
    name="1f1b",
    source="Fan et al. 2021 (DAPPLE); Narayanan et al. 2021 (PipeDream-Flush)",
    summary="a forward and a backward in turn: GPipe's bubble, at most p − s microbatches held",
    policy=WeightPolicy("flush"),
    build=build,
    rule=ORDER,
    affine=True,
)
