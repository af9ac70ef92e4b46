"""Active ratio: one pipeline of d stages that admits two minibatches works 2/d of the time.

Problem    the share of its time that a rank with one stage of one pipeline works. The source says
           "approximately", and 2/d of the pipeline that it controls, n = 2: read as the share in
           the long run.
Method     start times (`greedy`), for all d, n and M: in the steady state everything repeats every
           d(F + B), n minibatches further on. F > B with stage 0 alone bounded: `long_run`.
Guarantee  for n ≤ d it is n/d, as more than d minibatches keep no rank active for more than all of
           its time; if n ≥ 3 and stage 0 alone is bounded, that is proved of the order of F = B
           only. A run of M = nq + r + 1 minibatches takes (F + B)(d(q + 1) + r), so its share falls
           short of n/d by (d(n − 1) − r(d − n))/(d(d(q + 1) + r)): by nothing for n = 1, and
           otherwise by at least n(n − 1) and at most d(n − 1) over that.
Source     overall architecture.
"""

from collections.abc import Iterator
from itertools import chain

import sympy
import z3

from schedules.actions import Kind
from theory.judging import prover
from theory.papers.amdp.lemmas import durations, greedy, minibatches, start_times
from theory.papers.amdp.lemmas.long_run import long_run
from theory.papers.amdp.runs import replays
from theory.papers.amdp.symbols import d, n, q, r
from theory.papers.amdp.witnesses import active_shares

_CORE = {
    "ratio": n / d,
    "period": d,
    "makespan": d * (q + 1) + r,
    "shortfall": d * (n - 1) - r * (d - n),
}
"""For any n. The last three: in units of F + B; of F + B with M = nq + r + 1; over d times that."""

ASSUMES = (
    "F takes equally long at all stages, and so does B; messages take no time",
    "within a stage PipeDream's rule decides, where a case does not name another order",
)

_LAWS: tuple[tuple[start_times.Law, durations.Cone], ...] = (
    (start_times.CAPPED, start_times.CAPPED.cone),
    (start_times.TWO, start_times.TWO.cone),
    (start_times.FREE, durations.EQUAL),
    (start_times.FREE, durations.LONG_BACKWARDS),
)

TWO_ADMITTED = 1
"""Which of them has n ≤ 2 and no bound but at stage 0."""


def _units(
    form: sympy.Expr, line: minibatches.Pipeline, m: minibatches.Minibatch
) -> durations.Time:
    """So many times F + B, with d·q under the name that the minibatch has for it."""
    rounds = sympy.Symbol("rounds", integer=True)
    names = {d: line.p, n: line.n, q: m.round, r: m.place, rounds: m.product}
    number = prover.term(sympy.expand(form).subs(d * q, rounds), names)
    return durations.Time(number, number)


def _same(cone: durations.Cone, one: durations.Time, two: durations.Time) -> prover.Term:
    return z3.And(durations.no_earlier(cone, one, two), durations.no_earlier(cone, two, one))


def _makespan(law: start_times.Law, cone: durations.Cone, form: sympy.Expr) -> prover.Statement:
    line, s, m, last = law.somewhere("m", "l")
    total, end = _units(form, line, last), law.end(Kind.B, line, z3.IntVal(0), last)
    ends = (law.end(kind, line, s, m) for kind in (Kind.F, Kind.B))
    in_time = (durations.no_earlier(cone, total, one) for one in ends)
    return prover.Statement(
        f"{law.name}: makespan",
        f"{law.says}: all is over by the makespan, and the last backward of stage 0 ends at it",
        (*law.inside(line, s, m, last), z3.Not(last.precedes(m))),
        z3.And(*in_time, durations.no_earlier(cone, end, total)),
    )


def _period(law: start_times.Law, cone: durations.Cone, form: sympy.Expr) -> prover.Statement:
    line, s, m = law.somewhere("m")
    following = minibatches.Minibatch(m.round + 1, m.place, m.product + line.p)
    span = _units(form, line, m)

    def repeats(kind: Kind) -> prover.Term:
        start, again = law.start(kind, line, s, m), law.start(kind, line, s, following)
        then = durations.Time(start.forwards + span.forwards, start.backwards + span.backwards)
        return _same(cone, again, then)

    return prover.Statement(
        f"{law.name}: period",
        f"{law.says}: one period later F and B of every stage repeat, n minibatches further on",
        law.inside(line, s, m),
        z3.And(z3.Implies(m.round >= 1, repeats(Kind.F)), repeats(Kind.B)),
    )


@prover.remembered
def decided_of(which: int, what: str, form: sympy.Expr) -> prover.Outcome:
    """Whether `form` is the period or the makespan of one of the laws, by its position.

    A stage that starts F and B of minibatch m + n one period after those of minibatch m, for every
    m from n on, does n forwards and n backwards in each period: n(F + B) of d(F + B) units of time.
    A run of M = nq + r + 1 minibatches ends with the last backward of stage 0, at (F + B)(d(q + 1)
    + r), and a rank works M(F + B) of it.
    """
    law, cone = _LAWS[which]
    statement = (_period if what == "period" else _makespan)(law, cone, form)
    return prover.decide_from(statement, greedy.SMALLEST)


def _identity(says: str, *differences: sympy.Expr) -> prover.Compared:
    holds = all(sympy.simplify(difference) == 0 for difference in differences)
    return prover.Compared(says, __name__, holds)


def _algebra(formulas: prover.Formulas) -> Iterator[prover.Compared]:
    ratio, period, makespan, short = (formulas[name] for name in _CORE)
    run = (n * q + r + 1) / makespan
    yield _identity("n of F and B in each period are the ratio", ratio - n / period)
    yield _identity(
        "the share of a whole run falls short of the ratio by the stated difference",
        ratio - run - short / (d * makespan),
    )
    yield _identity(
        "for 0 ≤ r < n ≤ d it is at least n(n − 1) and at most d(n − 1) over d times the makespan",
        short - n * (n - 1) - (d - n) * (n - 1 - r),
        d * (n - 1) - short - r * (d - n),
    )
    yield _identity("the share of a whole run tends to the ratio", _limit(run) - ratio)


def _stated(form: sympy.Expr) -> prover.Compared:
    """That the ratio of any n is as printed for n = 2."""
    return _identity("for n = 2 the ratio n/d is as stated", form - _CORE["ratio"].subs(n, 2))


def _limit(run: sympy.Expr) -> sympy.Expr:
    """As q grows, with everything else fixed."""
    many = sympy.Symbol("q", positive=True)
    return sympy.limit(run.subs(q, many), many, sympy.oo)


def _times(formulas: prover.Formulas, which: int) -> Iterator[prover.Outcome]:
    """Start times, period and makespan under one of the laws."""
    law, cone = _LAWS[which]
    yield static_order(law, cone) if cone is durations.LONG_BACKWARDS else greedy.established(law)
    yield decided_of(which, "period", formulas["period"])
    yield decided_of(which, "makespan", formulas["makespan"])


static_order = prover.remembered(greedy.static_times)


def _holds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    times = (outcome for which in range(len(_LAWS)) for outcome in _times(formulas, which))
    return chain(times, _algebra(formulas))


def _account(formulas: prover.Formulas) -> prover.Account:
    """Of n = 2 what is proved of the first two laws, at any F and B; the cases say n/d."""
    algebra, stated, runs = tuple(_algebra(_CORE)), _stated(formulas["ratio"]), replays.agreement()
    times = [tuple(_times(_CORE, which)) for which in range(len(_LAWS))]
    everything, limit = tuple(chain.from_iterable(times)), long_run()
    exact = prover.Decision((*algebra, *everything, runs))
    short = active_shares.short_run(_CORE["ratio"])
    cases = {
        (
            "the steady state: every stage bounded by min(n, d − i), or n ≤ 2, or B ≥ F in the "
            "static order of F = B",
            "every d(F + B) from F(i, n) on, a rank does n forwards and n backwards",
        ): exact,
        (
            "the limit of long runs, at any F and B; with n ≥ 3 and stage 0 alone bounded, in the "
            "static order of F = B",
            "with stage 0 alone bounded in the order of F = B, which F > B delays by nF at most",
        ): prover.Decision((*exact.grounds, limit)),
        (
            "the limit of long runs, n ≥ 3, stage 0 alone bounded, F ≠ B, the rule deciding in the "
            "run",
            "the rule's order may be another than that of F = B; the source speaks of n = 2. "
            "Tried: 396 exact runs (3 ≤ n ≤ d ≤ 10, 11 ratios of F to B from 1/10 to 10, M = 40n), "
            "all of which settle at n/d; no order was found that serves for a proof",
        ): prover.OPEN,
        (
            "a whole run, exactly, n ≥ 2",
            f"always less{prover.witnessed(short)}",
        ): prover.Decision(fails=short),
        (
            "a whole run of M = nq + r + 1 minibatches, r < n, as M/(d(q + 1) + r); every stage "
            "bounded, or n ≤ 2, or B ≥ F in the static order of F = B",
            "n/d for n = 1, and below it for n ≥ 2, by at least n(n − 1) and at most d(n − 1) over "
            "d(d(q + 1) + r)",
        ): exact,
    }
    of_two: tuple[prover.Ground, ...] = (*times[0], *times[1], *algebra, stated, runs)
    return prover.Account(
        prover.Decision(of_two, active_shares.unlike(formulas["ratio"])),
        cases=prover.cases(cases),
        assumes=ASSUMES,
        steps=prover.lines((*everything, *algebra, stated, limit)),
        evidence=replays.compared(),
    )


CLAIM = prover.row(
    "amdp.active-ratio",
    "overall architecture",
    "In the long run, a single pipeline of d ≥ 2 stages that admits n = 2 minibatches keeps each "
    "of its d ranks active 2/d of the time.",
    r"\lim_{M \to \infty} \frac{M (F + B)}{T(M)} = \frac{2}{d} \text{ for } n = 2",
    _CORE,
    _holds,
    printed={"ratio": 2 / d},
    account=_account,
    cost=2.0,
)
