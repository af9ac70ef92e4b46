"""Active ratio: one pipeline of d stages that admits n ≤ d minibatches works n/d of the time.

Problem: the share of its time that a rank with one stage of one pipeline works. The source says
"approximately", and 2/d for n = 2: read as the share in the long run. Here n ≤ d, as more than d
minibatches keep no rank active for more than all of its time.

Method: start times are proved by `greedy`, for all d, n and M. In the steady state everything
repeats every d(F + B), n minibatches further on. A run of M = nq + r + 1 minibatches takes
(F + B)(d(q + 1) + r), so its share falls short of n/d by (d(n − 1) − r(d − n))/(d(d(q + 1) + r)):
by nothing for n = 1, and otherwise by at least n(n − 1) and at most d(n − 1) over that, which only
vanishes in the limit. F > B with stage 0 alone bounded: `long_run`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any, Final

import sympy
import z3

from schedules.actions import Kind
from schedules.timeline import timeline
from theory.amdp.durations import EQUAL, LONG_BACKWARDS, Cone, Time, no_earlier
from theory.amdp.greedy import SMALLEST, established, static_times
from theory.amdp.long_run import long_run
from theory.amdp.minibatches import Minibatch, Pipeline
from theory.amdp.replays import SIZES, compared, difference, one_pipeline
from theory.amdp.start_times import CAPPED, FREE, TWO, Law
from theory.amdp.symbols import d, n, q, r
from theory.claims import Claim, Formulas
from theory.instances import decide_from, in_words
from theory.ledger import Case, Judgement
from theory.outcomes import steps, verdict_of
from theory.programs.symbols import term
from theory.queries import remembered
from theory.solver import Outcome, Statement, Term
from theory.verdicts import Verdict, weakest

_PRINTED: Final = {"ratio": n / d}
_CORE: Final = {
    **_PRINTED,
    "period": d,
    "makespan": d * (q + 1) + r,
    "shortfall": d * (n - 1) - r * (d - n),
}
"""The last three: in units of F + B; of F + B with M = nq + r + 1; over d times the makespan."""

ASSUMES: Final = (
    "F takes equally long at all stages, and so does B; messages take no time",
    "within a stage PipeDream's rule decides; with stage 0 alone bounded and n ≥ 3 its order is "
    "that of F = B",
)

_LAWS: Final[tuple[tuple[Law, Cone], ...]] = (
    (CAPPED, CAPPED.cone),
    (TWO, TWO.cone),
    (FREE, EQUAL),
    (FREE, LONG_BACKWARDS),
)


def _units(form: sympy.Expr, line: Pipeline, m: Minibatch) -> Time:
    """So many times F + B, with d·q under the name that the minibatch has for it."""
    rounds = sympy.Symbol("rounds", integer=True)
    names = {d: line.p, n: line.n, q: m.round, r: m.place, rounds: m.product}
    number = term(sympy.expand(form).subs(d * q, rounds), names)
    return Time(number, number)


def _same(cone: Cone, one: Time, two: Time) -> Term:
    return z3.And(no_earlier(cone, one, two), no_earlier(cone, two, one))


def _inside(law: Law, line: Pipeline, s: Term, *known: Minibatch) -> tuple[Term, ...]:
    return (*law.domain(line), s >= 0, s < line.p, *line.are_minibatches(*known))


def _makespan(law: Law, cone: Cone, form: sympy.Expr) -> Statement:
    line, s, m, last = Pipeline.symbolic(), z3.Int("s"), Minibatch.named("m"), Minibatch.named("l")
    total = _units(form, line, last)
    return Statement(
        f"{law.name}: makespan",
        f"{law.says}: all is over by the makespan, and the last backward of stage 0 ends at it",
        (*_inside(law, line, s, m, last), z3.Not(last.precedes(m))),
        z3.And(
            *(no_earlier(cone, total, law.end(kind, line, s, m)) for kind in (Kind.F, Kind.B)),
            _same(cone, law.end(Kind.B, line, z3.IntVal(0), last), total),
        ),
    )


def _period(law: Law, cone: Cone, form: sympy.Expr) -> Statement:
    line, s, m = Pipeline.symbolic(), z3.Int("s"), Minibatch.named("m")
    following = Minibatch(m.round + 1, m.place, m.product + line.p)
    span = _units(form, line, m)

    def repeats(kind: Kind) -> Term:
        start = law.start(kind, line, s, m)
        then = Time(start.forwards + span.forwards, start.backwards + span.backwards)
        return _same(cone, law.start(kind, line, s, following), then)

    return Statement(
        f"{law.name}: period",
        f"{law.says}: one period later F and B of every stage repeat, n minibatches further on",
        _inside(law, line, s, m),
        z3.And(z3.Implies(m.round >= 1, repeats(Kind.F)), repeats(Kind.B)),
    )


@remembered
def decided_of(which: int, what: str, form: sympy.Expr) -> Outcome:
    """Whether `form` is the period or the makespan of one of the laws, by its position."""
    law, cone = _LAWS[which]
    statement = (_period if what == "period" else _makespan)(law, cone, form)
    return decide_from(statement, SMALLEST)


@remembered
def _longer_backwards() -> Outcome:
    return static_times(FREE, LONG_BACKWARDS)


def _identity(name: str, says: str, *differences: sympy.Expr) -> Outcome:
    holds = all(sympy.simplify(difference) == 0 for difference in differences)
    verdict = Verdict.PROVED if holds else Verdict.UNKNOWN
    return Outcome(name, says, verdict, {}, "exact identity", 0)


def _algebra(formulas: Formulas) -> Iterator[Outcome]:
    ratio, period, makespan, short = (formulas[name] for name in _CORE)
    run = (n * q + r + 1) / makespan
    yield _identity("steady", "n of F and B in each period are the ratio", ratio - n / period)
    yield _identity(
        "run",
        "the share of a whole run falls short of the ratio by the stated difference",
        ratio - run - short / (d * makespan),
    )
    yield _identity(
        "between",
        "for 0 ≤ r < n ≤ d it is at least n(n − 1) and at most d(n − 1) over d times the makespan",
        short - n * (n - 1) - (d - n) * (n - 1 - r),
        d * (n - 1) - short - r * (d - n),
    )
    yield _identity("limit", "the share of a whole run tends to the ratio", _limit(run) - ratio)


def _limit(run: sympy.Expr) -> sympy.Expr:
    """As q grows, with everything else fixed."""
    many = sympy.Symbol("q", positive=True)
    return sympy.limit(run.subs(q, many), many, sympy.oo)


def _times(formulas: Formulas, which: int) -> Iterator[Outcome]:
    """Start times, period and makespan under one of the laws."""
    law, cone = _LAWS[which]
    yield _longer_backwards() if cone is LONG_BACKWARDS else established(law)
    yield decided_of(which, "period", formulas["period"])
    yield decided_of(which, "makespan", formulas["makespan"])


def _holds(formulas: Formulas) -> Verdict:
    times = (outcome for which in range(len(_LAWS)) for outcome in _times(formulas, which))
    outcomes = chain(times, _algebra(formulas))
    short = (found.verdict for found in outcomes if found.verdict is not Verdict.PROVED)
    return next(short, Verdict.PROVED)


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


def _unlike(form: sympy.Expr) -> dict[str, Any] | None:
    """The first steady state in which a rank works another share of its time than stated."""
    for stages, admission in SIZES:
        for stage in range(stages) if admission <= stages else ():
            found = share(stages, admission, stage)
            stated = form.subs({d: stages, n: admission})
            if sympy.Rational(found) != stated:
                where = {"d": stages, "n": admission, "i": stage}
                return {**where, "share": found, "stated": stated}
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


def _short_run(form: sympy.Expr) -> dict[str, Any] | None:
    """The first run that stays below its ratio."""
    for stages, admission in SIZES:
        for rounds in (1, 3, 9) if admission <= stages else ():
            found = whole_run(stages, admission, rounds * admission)
            stated = form.subs({d: stages, n: admission})
            if sympy.Rational(found) < stated:
                where = {"d": stages, "n": admission, "M": rounds * admission}
                return {**where, "share": found, "stated": stated}
    return None


def _cases(exact: Verdict, limit: Verdict, formulas: Formulas) -> tuple[Case, ...]:
    short = _short_run(formulas["ratio"])
    return (
        Case(
            "the steady state: every stage bounded by min(n, d − i), or n ≤ 2, or B ≥ F in the "
            "static order of F = B",
            exact,
            "every d(F + B) from F(i, n) on, a rank does n forwards and n backwards",
        ),
        Case(
            "the limit of long runs, at any F and B; with n ≥ 3 and stage 0 alone bounded, in the "
            "static order of F = B",
            limit,
            "with stage 0 alone bounded in the order of F = B, which F > B delays by nF at most",
        ),
        Case(
            "a whole run, exactly, n ≥ 2",
            Verdict.UNKNOWN if short is None else Verdict.REFUTED,
            f"always less{f': {in_words(short)}' if short else ''}",
        ),
        Case(
            "a whole run of M = nq + r + 1 minibatches, r < n, as M/(d(q + 1) + r); every stage "
            "bounded, or n ≤ 2, or B ≥ F in the static order of F = B",
            exact,
            "n/d for n = 1, and below it for n ≥ 2, by at least n(n − 1) and at most d(n − 1) over "
            "d(d(q + 1) + r)",
        ),
    )


def _judge(formulas: Formulas) -> Judgement:
    formulas = {**_CORE, **formulas}
    algebra = tuple(_algebra(formulas))
    times = [outcome for which in range(len(_LAWS)) for outcome in _times(formulas, which)]
    exact = weakest(outcome.verdict for outcome in (*algebra, *times))
    limit, wrong, differs = long_run(), _unlike(formulas["ratio"]), difference()
    outcomes = (*times, *algebra, limit)
    return Judgement(
        verdict=verdict_of(outcomes, wrong) if differs is None else Verdict.UNKNOWN,
        printed_proof="none",
        cases=_cases(exact, min(exact, limit.verdict), formulas),
        assumes=ASSUMES,
        steps=steps(outcomes),
        counterexample=wrong,
        evidence=compared(differs),
    )


CLAIM: Final = Claim(
    id="amdp.active-ratio",
    where="overall architecture",
    statement=(
        "In the long run, a single pipeline of d stages that admits n ≤ d minibatches keeps each "
        "of its d ranks active n/d of the time."
    ),
    latex=r"\lim_{M \to \infty} \frac{M (F + B)}{T(M)} = \frac{n}{d}",
    judge=_judge,
    printed=_PRINTED,
    core=_CORE,
    holds=_holds,
    cost=2.0,
)
