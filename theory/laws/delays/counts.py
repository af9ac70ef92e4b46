"""Prove how many updates every forward and backward counts, and the sums over stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import lcm

import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.counts import CountForm, Region
from schedules.closed_forms.floor_sums import FloorTerm, K, P, X, antidifference, floor_terms
from schedules.linearization import Linearization
from theory.errors import UnsupportedFormError
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.smt.solver import Outcome, Statement, Term, decide, have_model, merge
from theory.verdicts import Verdict

Update = Callable[[Term, Microbatch], Term]
"""Slot of the update with a given number at a stage."""


def prove_counts(times: Times, counts: CountForm, linearization: Linearization) -> Outcome:
    """Prove every count of a `CountForm`, for all p, M, stages and (steady) microbatches.

    The number n of updates at stage u before an event at stage x is right iff update n − 1 is
    counted and update n is not; updates of a stage follow each other in time.
    """
    statements = [
        statement
        for kind in (Kind.F, Kind.B)
        for apart, here in stages_apart(counts, kind, z3.Int("x"), times.size.p)
        for statement in (
            *(_count(times, apart, linearization, kind, region, here) for region in Region),
            _cap(times, apart, kind, here),
        )
        if not here or have_model(statement.hypotheses, "stages that count alike") != "unsat"
    ]
    return merge(
        "counts",
        "updates of stage u counted by F(x, m) and B(x, m), as m plus a floor",
        [decide(statement) for statement in statements],
    )


def stages_apart(
    counts: CountForm, kind: Kind, x: Term, p: Term
) -> Iterator[tuple[CountForm, tuple[Term, ...]]]:
    """The form at all stages that count alike, and which stages these are."""
    if kind is Kind.B:
        yield counts, ()
        return
    earlier: list[Term] = []
    for apart in counts.forwards():
        numerator = {**counts.numerator, Kind.F: apart.numerator}
        own = () if apart.guard is None else (apart.guard.at({"x": x, "p": p}) >= 0,)
        yield replace(counts, numerator=numerator, apart=()), (*earlier, *own)
        earlier += [z3.Not(guard) for guard in own]


def _cap(times: Times, counts: CountForm, kind: Kind, here: tuple[Term, ...]) -> Statement:
    """In the steady window no count reaches beyond the M microbatches there are."""
    size, m = times.size, Microbatch.named("m")
    u, x = z3.Ints("u x")
    window = in_window(size, m, counts)
    available = size.microbatches if counts.per_microbatch else z3.IntVal(1)
    goals = []
    for region in Region:
        floor = relative_count(counts, kind, region, u, x, size.p)
        number = _shifted(size, m, floor, counts)
        goals.append(z3.Implies(in_region(region, u, x), number.index <= available))
    return Statement(
        f"count-{kind.name}-cap",
        f"{kind.name}(x, m) counts no update beyond microbatch M − 1",
        (*domain(size), a_stage(size, u), a_stage(size, x), *here, a_microbatch(size, m), window),
        z3.And(*goals),
    )


def in_window(size: Size, m: Microbatch, counts: CountForm) -> Term:
    """The microbatch is one of those for which the form holds."""
    if counts.from_start:
        return m.index >= 0
    first = counts.first.at({"p": size.p})
    return z3.And(m.index >= first, m.index < size.microbatches - size.p)


def update_slot(times: Times, counts: CountForm) -> Update:
    """Slot of update number n of a stage: its n-th backward, or the step's last one."""
    if counts.per_microbatch:
        return times.backward
    size = times.size
    final = Microbatch(size.microbatches - 1, z3.Int("p*(M-1)"))
    return lambda stage, _: times.backward(stage, final)


def relative_count(
    counts: CountForm, kind: Kind, region: Region, u: Term, x: Term, p: Term
) -> Term:
    """The floor of a count form as a solver term."""
    numerator = counts.numerator[kind][region].at({"u": u, "x": x, "p": p})
    if counts.period == 1:
        return z3.IntVal(numerator) if isinstance(numerator, int) else numerator
    return numerator / z3.IntVal(counts.period)


def in_region(region: Region, u: Term, x: Term) -> Term:
    """Whether u lies in a region relative to x."""
    return {Region.BELOW: u < x, Region.AT: u == x, Region.ABOVE: u > x}[region]


def _count(
    times: Times,
    counts: CountForm,
    linearization: Linearization,
    kind: Kind,
    region: Region,
    here: tuple[Term, ...],
) -> Statement:
    size, m = times.size, Microbatch.named("m")
    u, x = z3.Ints("u x")
    floor = relative_count(counts, kind, region, u, x, size.p)
    number = _shifted(size, m, floor, counts)
    update = update_slot(times, counts)
    slot = times.forward(x, m) if kind is Kind.F else update(x, m)
    counted = linearization.counted(u, x, by_forward=kind is Kind.F)
    if region is Region.AT:
        counted = False

    def before(n: Microbatch) -> Term:
        return z3.Or(update(u, n) < slot, z3.And(update(u, n) == slot, counted))

    hypotheses = (
        *domain(size),
        a_stage(size, u),
        a_stage(size, x),
        *here,
        a_microbatch(size, m),
        in_region(region, u, x),
        in_window(size, m, counts),
    )
    if counts.per_microbatch:
        goal = z3.And(
            number.index >= 0,
            z3.Implies(number.index > 0, before(size.shift(number, -1))),
            z3.Or(number.index >= size.microbatches, z3.Not(before(number))),
        )
    else:
        goal = z3.And(number.index >= 0, number.index <= 1, before(number) == (number.index == 1))
    return Statement(
        f"count-{kind.name}-{region.name.lower()}",
        f"updates of u {region.name.lower()} x counted by {kind.name}(x, m)",
        hypotheses,
        goal,
    )


def _shifted(size: Size, m: Microbatch, floor: Term, counts: CountForm) -> Microbatch:
    """The update number m + floor (or floor alone), its product named where it is known."""
    if not counts.per_microbatch:
        return Microbatch(floor, z3.Int("p*n"))
    if z3.is_int_value(floor):
        return size.shift(m, floor.as_long())
    return Microbatch(m.index + floor, z3.Int("p*n"))


def prove_floor_sums(counts: CountForm) -> Outcome:
    """Prove floor values and ranges on every residue class, by unsat queries."""
    outcomes = []
    for numerator in (*(one.numerator for one in counts.forwards()), counts.numerator[Kind.B]):
        numerators = tuple(numerator.items())
        for a in range(counts.period):
            for b in range(counts.period):
                terms = floor_terms(numerators, counts.period, a, b)
                outcomes += [decide(_floor_statement(term)) for term in terms]
    return merge("floors", "every floor is affine on its residue class and range", outcomes)


def _floor_statement(term: FloorTerm) -> Statement:
    q, (a, b, e) = term.period, term.residues
    big_p, big_x, k = z3.Ints("P X k")
    p, x, u = q * big_p + a, q * big_x + b, q * k + e
    names = {P: big_p, X: big_x, K: k}
    first, stop, value = (linear_term(form, names) for form in (term.first, term.stop, term.value))
    numerator = term.numerator.at({"u": u, "x": x, "p": p})
    inside = z3.And(u >= 0, u < p, in_region(term.region, u, x))
    return Statement(
        f"floor-{term.region.name.lower()}-{a}{b}{e}",
        "range and value of a floor",
        (p >= 2, x >= 0, x < p),
        z3.And(
            inside == z3.And(first <= k, k < stop),
            first <= stop,
            z3.Implies(inside, z3.And(q * value <= numerator, numerator < q * value + q)),
        ),
    )


def linear_term(form: sympy.Expr, names: dict[sympy.Symbol, Term]) -> Term:
    """A polynomial with integer coefficients as a solver term.

    Raises
    ------
    UnsupportedFormError
        It is none.
    """
    total: Term = z3.IntVal(0)
    for powers, coefficient in _polynomial(form, names).terms():
        if not coefficient.is_Integer:
            raise _unsupported(form)
        product: Term = z3.IntVal(int(coefficient))
        for symbol, power in zip(names, powers, strict=True):
            for _ in range(power):
                product = product * names[symbol]
        total = total + product
    return total


def equals(value: Term, form: sympy.Expr, names: dict[sympy.Symbol, Term]) -> Term:
    """``value = form`` for a polynomial with rational coefficients, denominators cleared.

    Raises
    ------
    UnsupportedFormError
        The form is no such polynomial in the named symbols.
    """
    coefficients = _polynomial(form, names).coeffs()
    if not all(c.is_Rational for c in coefficients):
        raise _unsupported(form)
    scale = lcm(*(int(c.q) for c in coefficients))
    return scale * value == linear_term(sympy.expand(scale * form), names)


def _polynomial(form: sympy.Expr, names: dict[sympy.Symbol, Term]) -> sympy.Poly:
    try:
        return sympy.Poly(form, *names)
    except sympy.PolynomialError:
        raise _unsupported(form) from None


def _unsupported(form: sympy.Expr) -> UnsupportedFormError:
    return UnsupportedFormError(
        f"a formula has to be a polynomial with rational coefficients, found {form}",
        "claim",
        "write it out on residue classes",
    )


def prove_telescoping() -> Outcome:
    """Check the antidifference rule: G(0) = 0 and G(k + 1) − G(k) = g(k) for quadratics g."""
    c0, c1, c2 = sympy.symbols("c0 c1 c2")
    g = c0 + c1 * K + c2 * K**2
    total = antidifference(g, K)
    rest = sympy.expand(total.subs(K, K + 1) - total - g)
    holds = rest == 0 and total.subs(K, 0) == 0
    return Outcome(
        "telescoping",
        "sums over stages telescope: G(0) = 0 and G(k + 1) − G(k) = term(k)",
        Verdict.PROVED if holds else Verdict.REFUTED,
        {},
        "sympy identity",
        rests_on=("comparison",),
    )
