"""Bounds of start times at all durations, where only stage 0 is bounded and n ≤ d.

The order is that of F = B. With F > B its start times have no simple form, but they are at most
those of the law `FREE` and nF more: times at which no action has to wait ("feasible"). And
minibatch m + n starts at stage 0 when m is back, d(F + B) after it started at the earliest
("supported"). So minibatch nq + r is back between (F + B)d(q + 1) and (F + B)(d(q + 1) + r) +
nF.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import z3

from schedules.actions import Kind
from theory.papers.amdp.lemmas.durations import ANY
from theory.papers.amdp.lemmas.greedy import decided, feasible, supported
from theory.papers.amdp.lemmas.start_times import FREE, Law, before
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement

# Later than in `FREE` by nF, but not a forward that comes before the stage's first backward.
_LATE: Final = f"{FREE.forward[0]}) + (0 if (r if q == 0 else 2*p) <= 2*i else n"
LATEST: Final = replace(
    FREE,
    name="at the latest",
    forward=(f"({_LATE})", FREE.forward[1]),
    backward=("pq + r + p + n", "pq + r + i"),
    cone=ANY,
)
EARLIEST: Final = replace(
    FREE, name="at the earliest", forward=("pq + s", "pq"), backward=("pq + p", "pq + i"), cone=ANY
)


def same_order(law: Law) -> Statement:
    """The stages of a law do everything in the order of `FREE`."""
    line, s, a, b = FREE.somewhere("a", "b")
    pairs = [((Kind.F, a), (Kind.B, b)), ((Kind.B, b), (Kind.F, a))]
    same = [before(FREE, line, s, one, two) == before(law, line, s, one, two) for one, two in pairs]
    return Statement(
        "same order",
        "the later times have the order of F = B",
        FREE.inside(line, s, a, b),
        z3.And(*same),
    )


@remembered
def long_run() -> Outcome:
    """Prove both bounds, at all F, B > 0.

    Examples
    --------
    >>> long_run().verdict.name
    'PROVED'
    """
    statements = (same_order(LATEST), *feasible(LATEST, ANY), *supported(EARLIEST, ANY))
    says = (
        f"{FREE.says}, in the order of F = B: minibatch nq + r is back between (F + B)d(q + 1) and "
        "(F + B)(d(q + 1) + r) + nF"
    )
    return decided("long run", says, statements)
