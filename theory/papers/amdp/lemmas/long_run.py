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
from theory.papers.amdp.lemmas.durations import ANY, Time
from theory.papers.amdp.lemmas.greedy import decided, feasible, supported
from theory.papers.amdp.lemmas.minibatches import Minibatch, Number, Pipeline
from theory.papers.amdp.lemmas.start_times import FREE, Law, before
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement


def _late_backward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    return _later(line, FREE.backward(line, s, m))


def _late_forward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    """Later than in `FREE` unless it comes before the stage's first backward."""
    free = FREE.forward(line, s, m)
    behind = line.p - 1 - s
    at_once = line.choose(m.round == 0, m.place, 2 * line.p) <= 2 * behind
    late = _later(line, free)
    return Time(line.choose(at_once, free.forwards, late.forwards), free.backwards)


def _later(line: Pipeline, time: Time) -> Time:
    return replace(time, forwards=time.forwards + line.n)


def _early_forward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    return Time(m.product + s, m.product)


def _early_backward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    return Time(m.product + line.p, m.product + line.p - 1 - s)


LATEST: Final = replace(
    FREE, name="at the latest", forward=_late_forward, backward=_late_backward, cone=ANY
)
EARLIEST: Final = replace(
    FREE, name="at the earliest", forward=_early_forward, backward=_early_backward, cone=ANY
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
