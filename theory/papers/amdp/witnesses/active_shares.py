"""Shares of its time that a rank works in runs of one pipeline with F = B."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import sympy

from schedules.actions import Kind
from schedules.timeline import timeline
from theory.account import Refutation, Violation
from theory.kernel import le
from theory.papers.amdp.runs.fifo import ADMISSION
from theory.papers.amdp.runs.replays import SIZES, one_pipeline
from theory.papers.amdp.symbols import d, n


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
    for stages in sorted({p for p, _ in SIZES if p >= ADMISSION}):
        for stage in range(stages):
            found, stated = share(stages, ADMISSION, stage), form.subs(d, stages)
            if sympy.Rational(found) != stated:
                where = {"d": stages, "n": ADMISSION, "i": stage}
                again = partial(share, stages, ADMISSION, stage)
                wrong = Violation(again, "==", form, {d: stages}, (le(ADMISSION, d),))
                return Refutation({**where, "share": found, "stated": stated}, wrong)
    return None


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
    for stages, admission in SIZES:
        for rounds in (1, 3, 9) if admission <= stages else ():
            found = whole_run(stages, admission, rounds * admission)
            stated = form.subs({d: stages, n: admission})
            if sympy.Rational(found) < stated:
                where = {"d": stages, "n": admission, "M": rounds * admission}
                again = partial(whole_run, stages, admission, rounds * admission)
                at, supposed = {d: stages, n: admission}, (le(2, n), le(n, d))
                wrong = Violation(again, "==", form, at, supposed)
                return Refutation({**where, "share": found, "stated": stated}, wrong)
    return None
