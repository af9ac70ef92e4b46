"""The largest delay of a whole run, start-up included, and the shortest run that shows it.

With M = ∞ the delay of (i, j, m) is largest at i = j = 0, because F(0, m) is the first forward
of m and B(0, m) its last backward; finite M only lowers counts. From m = w on it is the steady
D[0][0]. Of start-up, m < w, two kinds are known:

- the forward has recorded nothing yet, so the delay is p·m + A(0), largest at m = w − 1;
- the delay never falls from microbatch to microbatch, so it is largest in the steady state.

Where start times depend on M, or start-up is of neither kind, nothing is stated.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import Affine
from schedules.closed_forms.counts import CountForm, Region
from schedules.closed_forms.floor_sums import p_, x_
from schedules.linearization import Linearization
from theory.laws.delays.counts import equals, in_region, relative_count
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.matrix import ByResidue, DelayMatrix, identities
from theory.laws.delays.polynomials import floor_on_class, least_in_class, nonnegative_from
from theory.laws.delays.symbols import Microbatch, Times
from theory.smt.solver import Outcome, Statement, Term, decide, merge
from theory.verdicts import Verdict


@dataclass(frozen=True)
class WholeRun:
    """Supremum of the delays over every M, m, i and j, and the least M that attains it.

    Without a least M the delay never falls in start-up; the steady state attains it.
    """

    supremum: ByResidue
    least_m: ByResidue | None


def whole_run(
    times: Times, matrix: DelayMatrix, counts: CountForm, linearization: Linearization
) -> WholeRun | None:
    """State the supremum; `prove_whole_run` proves it."""
    classes = range(counts.period)
    corner = {a: matrix.corner(a, last=False) for a in classes}
    if counts.from_start:
        return WholeRun(corner, {a: sympy.Integer(1) for a in classes})
    if times.depends_on_microbatches:
        return None
    if decide(_rising(times, counts, linearization)).verdict is Verdict.PROVED:
        return WholeRun(corner, None)
    last = _first(counts) - 1
    supremum = {a: sympy.expand(p_ * last + _index_at_zero(matrix, a)) for a in classes}
    return WholeRun(supremum, {a: _least_m(counts, a) for a in classes})


def _first(counts: CountForm) -> sympy.Expr:
    """The first steady microbatch w, in p."""
    return counts.first.at({"p": p_})


def _index_at_zero(matrix: DelayMatrix, a: int) -> sympy.Expr:
    return matrix.index[a, 0].subs(x_, 0)


def _least_m(counts: CountForm, a: int) -> sympy.Expr:
    """Return w − 1 plus what B(0, ·) counts at the last stage beyond its own microbatch."""
    return sympy.expand(
        _first(counts) - 1 + floor_on_class(_last_stage(counts), counts.period, {"p": a})
    )


def _last_stage(counts: CountForm) -> Affine:
    numerator = counts.numerator[Kind.B][Region.ABOVE]
    at_last = numerator.coefficient("u") + numerator.coefficient("p")
    return Affine((("p", at_last),), numerator.constant - numerator.coefficient("u"))


def prove_whole_run(
    times: Times,
    counts: CountForm,
    linearization: Linearization,
    matrix: DelayMatrix,
    claimed: WholeRun,
) -> Outcome:
    """Prove a supremum and the least M that attains it, for all p ≥ 2."""
    says = "largest delay of any run, and the least M that shows it"
    if counts.from_start:
        same = counts.period > 0 and all(
            claimed.supremum[a] == matrix.corner(a, last=False)
            and claimed.least_m is not None
            and claimed.least_m[a] == 1
            for a in range(counts.period)
        )
        note = "every microbatch has the steady delays"
        return Outcome(
            "whole-run", says, _proved(same), {}, note if same else "differs", 1, ("comparison",)
        )
    if claimed.least_m is None:
        steady = [claimed.supremum[a] - matrix.corner(a, last=False) for a in range(counts.period)]
        rising = [decide(_domination(times)), decide(_rising(times, counts, linearization))]
        return merge("whole-run", says, [*rising, identities("corner", "D[0][0]", steady)])
    outcomes = [
        decide(_domination(times)),
        decide(_nothing_recorded(times, counts, linearization)),
        decide(_backward_counts(times, counts, linearization)),
        *(decide(_least_m_statement(counts, a, claimed.least_m[a])) for a in range(counts.period)),
        _comparison(matrix, counts, claimed.supremum, claimed.least_m),
    ]
    return merge("whole-run", says, outcomes)


def _proved(holds: bool) -> Verdict:
    return Verdict.PROVED if holds else Verdict.UNKNOWN


def _domination(times: Times) -> Statement:
    size, x, m = times.size, z3.Int("x"), Microbatch.named("m")
    return Statement(
        "domination",
        "F(0, m) is the first forward of m and B(0, m) its last backward",
        (*domain(size), a_stage(size, x), x > 0, a_microbatch(size, m)),
        z3.And(
            times.forward(z3.IntVal(0), m) < times.forward(x, m),
            times.backward(x, m) < times.backward(z3.IntVal(0), m),
        ),
    )


def _rising(times: Times, counts: CountForm, linearization: Linearization) -> Statement:
    """From m to m + 1 B(0, ·) counts at least one update of each stage more, F(0, ·) at most one.

    Updates that are counted are those up to a number, so it is enough to shift each by one.
    """
    size, u, m, n = times.size, z3.Int("u"), Microbatch.named("m"), Microbatch.named("n")
    zero, nought = z3.IntVal(0), Microbatch(z3.IntVal(0), z3.IntVal(0))

    def before(number: Microbatch, of: Microbatch, *, forward: bool) -> Term:
        slot = times.forward(zero, of) if forward else times.backward(zero, of)
        update = times.backward(u, number)
        counted = linearization.counted(u, zero, by_forward=forward)
        own = z3.And(u == 0, z3.Not(forward))
        return z3.Or(update < slot, z3.And(update == slot, counted, z3.Not(own)))

    later, following = size.shift(m, 1), size.shift(n, 1)
    return Statement(
        "rising",
        "the delay of (0, 0) does not fall from microbatch to microbatch in start-up",
        (
            *domain(size),
            a_stage(size, u),
            m.index >= 0,
            n.index >= 0,
            later.index <= counts.first.at({"p": size.p}),
        ),
        z3.And(
            z3.Implies(before(n, m, forward=False), before(following, later, forward=False)),
            before(nought, later, forward=False),
            z3.Implies(before(following, later, forward=True), before(n, m, forward=True)),
        ),
    )


def _nothing_recorded(times: Times, counts: CountForm, linearization: Linearization) -> Statement:
    size, u, m = times.size, z3.Int("u"), Microbatch.named("m")
    first = times.backward(u, Microbatch(z3.IntVal(0), z3.IntVal(0)))
    slot = times.forward(z3.IntVal(0), m)
    counted = linearization.counted(u, z3.IntVal(0), by_forward=True)
    return Statement(
        "nothing-recorded",
        "F(0, m) of the first w microbatches counts no update",
        (
            *domain(size),
            a_stage(size, u),
            a_microbatch(size, m),
            m.index < counts.first.at({"p": size.p}),
        ),
        z3.Not(z3.Or(first < slot, z3.And(first == slot, counted))),
    )


def _backward_counts(times: Times, counts: CountForm, linearization: Linearization) -> Statement:
    """B(0, m) counts m + floor updates also in start-up."""
    size, u, m = times.size, z3.Int("u"), Microbatch.named("m")
    zero, slot = z3.IntVal(0), times.backward(z3.IntVal(0), m)
    goals = []
    for region in (Region.AT, Region.ABOVE):
        floor = relative_count(counts, Kind.B, region, u, zero, size.p)
        number = Microbatch(m.index + floor, z3.Int("p*n"))
        counted = region is not Region.AT and linearization.counted(u, zero, by_forward=False)
        earlier, later = (
            z3.Or(update < slot, z3.And(update == slot, counted))
            for update in (times.backward(u, size.shift(number, -1)), times.backward(u, number))
        )
        right = z3.And(number.index >= 0, z3.Or(number.index == 0, earlier), z3.Not(later))
        goals.append(z3.Implies(in_region(region, u, zero), right))
    return Statement(
        "start-up-counts",
        "B(0, m) counts m plus the steady floor from the first microbatch on",
        (*domain(size), a_stage(size, u), a_microbatch(size, m)),
        z3.And(*goals),
    )


def _least_m_statement(counts: CountForm, a: int, claimed: sympy.Expr) -> Statement:
    """At m = w − 1 no stage counts beyond the claimed M, and the last stage reaches it."""
    p, u, least = z3.Ints("p u least")
    q, zero, first = counts.period, z3.IntVal(0), counts.first.at({"p": p})

    def count(region: Region, stage: Term) -> Term:
        return first - 1 + relative_count(counts, Kind.B, region, stage, zero, p)

    return Statement(
        f"least-m-{a}",
        "M microbatches suffice at every stage and are needed at the last one",
        (p >= 2, u >= 0, u < p, p % q == a, equals(least, claimed, {p_: p})),
        z3.And(
            z3.Implies(u == 0, count(Region.AT, u) <= least),
            z3.Implies(u > 0, count(Region.ABOVE, u) <= least),
            count(Region.ABOVE, p - 1) == least,
            least >= first,
        ),
    )


def _comparison(
    matrix: DelayMatrix, counts: CountForm, supremum: ByResidue, least_m: ByResidue
) -> Outcome:
    """Start-up beats the steady state, strictly wherever a shorter run could tie."""
    q, fails = counts.period, []
    for a in range(q):
        corner = matrix.corner(a, last=False)
        stated = p_ * (_first(counts) - 1) + _index_at_zero(matrix, a)
        if sympy.expand(stated - supremum[a]) != 0:
            fails.append(f"p ≡ {a}: supremum is not p(w − 1) + A(0)")
        if not nonnegative_from(supremum[a] - corner, least_in_class(a, q)):
            fails.append(f"p ≡ {a}: start-up is not shown to reach the steady maximum")
        late = _first_beyond(least_m[a] - _first(counts) - 1, a, q)
        if late is None or not nonnegative_from(supremum[a] - corner - 1, late):
            fails.append(f"p ≡ {a}: a steady microbatch might attain it with fewer")
    return Outcome(
        "comparison",
        "start-up at m = w − 1 gives the supremum, and no shorter run does",
        _proved(not fails),
        {},
        fails[0] if fails else "polynomial certificates",
        3 * q,
        ("comparison",),
    )


def _first_beyond(gap: sympy.Expr, a: int, q: int) -> int | None:
    """The least p ≡ a from which the least M exceeds w + 1, so that m = w might come earlier."""
    p = least_in_class(a, q)
    for _ in range(8):
        if gap.subs(p_, p) > 0:
            return p if nonnegative_from(gap, p) else None
        p += q
    return None
