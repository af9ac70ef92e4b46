"""Shares of its time that a rank works in runs of one pipeline with F = B."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy

from schedules.actions import Kind
from schedules.timeline import timeline
from theory.account import Refutation
from theory.judging.replaying import first_violation
from theory.kernel import le
from theory.papers.amdp.runs.fifo import ADMISSION
from theory.papers.amdp.runs.replays import SIZES, one_pipeline
from theory.papers.amdp.symbols import d, i, n


def share(stages: int, admission: int, stage: int) -> Fraction:
    """Share of its time that a rank works while rounds 2 and 3 start there, if F = B.

    Examples
    --------
    >>> share(5, 2, 3)
    Fraction(2, 5)
    """
    schedule = one_pipeline(stages, admission, 6 * admission, stage_cap=False)
    start = timeline(schedule).start
    own = schedule.stage == stage
    opening = own & (schedule.kind == Kind.F) & (schedule.microbatch == 2 * admission)
    closing = own & (schedule.kind == Kind.F) & (schedule.microbatch == 4 * admission)
    begin, end = int(start[opening][0]), int(start[closing][0])
    return Fraction(int((own & (start >= begin) & (start < end)).sum()), end - begin)


def unlike(form: sympy.Expr) -> Refutation | None:
    """The first steady state of n = 2 in which a rank works another share than stated."""
    depths = sorted({p for p, _ in SIZES if p >= ADMISSION})
    cells = ({d: p, n: ADMISSION, i: stage} for p in depths for stage in range(p))
    return first_violation(share, "==", form, cells, (le(ADMISSION, d),), "share")


def whole_run(stages: int, admission: int, minibatches: int) -> Fraction:
    """Share of its time that a rank works in a run, if F = B.

    Examples
    --------
    >>> whole_run(2, 2, 2), whole_run(4, 1, 3)
    (Fraction(2, 3), Fraction(1, 4))
    """
    line = timeline(one_pipeline(stages, admission, minibatches, stage_cap=False))
    return Fraction(2 * minibatches, line.length)


def short_run(form: sympy.Expr) -> Refutation | None:
    """The first run that stays below its ratio, a form in d and n."""
    cells: Iterator[dict[Any, int]] = (
        {d: stages, n: admission, "M": rounds * admission}
        for stages, admission in SIZES
        for rounds in ((1, 3, 9) if 2 <= admission <= stages else ())
    )
    return first_violation(whole_run, ">=", form, cells, (le(2, n), le(n, d)), "share")
