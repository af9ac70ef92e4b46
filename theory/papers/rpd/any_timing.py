"""The range of PipeDream's delays over all timings of its static order.

Problem    Durations and messages decide which updates fall between F(j, m) and B(i, m). A run is an
           order of all actions that keeps every rank's order and all dependencies; each such order
           is the run of some durations.
Method     What an action needs is a set with F(u, q) for q ≤ f(u) and B(u, q) for q < b(u): closed
           under what comes before, and each threshold forced by that of a neighbour. The same for
           what needs an action. With L_u = p − 1 − u F(u, q) is before B(u, r) iff q ≤ r + L_u.
Guarantee  Between Σ_u least(u) and Σ_u most(u) updates, both attained; most of all for i = j = 0,
           (p − 1)(3p + 2)/2.
Source     ours; RPD paper, appendix C, takes every action to last one slot.
"""

from collections.abc import Callable, Iterator
from functools import cache

import sympy
import z3

from schedules.actions import Kind
from schedules.families import build
from schedules.families.one_f_one_b import ORDER
from schedules.invariants.any_timing import worst_delays
from schedules.invariants.run import Run
from theory.judging import prover
from theory.laws.static_orders.symbols import p

i, j, u = sympy.symbols("i j u", integer=True, nonnegative=True)
Pair = tuple[prover.Term, prover.Term]
Thresholds = Callable[[prover.Term], Pair]
"""f(u) and b(u)."""

_p, _i, _j, _m, _u, _q, _r, _M = z3.Ints("p i j m u q r M")
_INSIDE = (_p >= 2, _i >= 0, _i < _p, _j >= 0, _j < _p, _u >= 0, _u < _p, _m >= _p)
_SMALLEST = {"p": 2, "i": 0, "j": 0, "u": 0}


def _left(stage: prover.Term) -> prover.Term:
    return _p - 1 - stage


def _either(at: prover.Term, middle: prover.Term, low: Pair, high: Pair) -> Pair:
    """Thresholds for stages up to the middle one, and behind it."""
    return z3.If(at <= middle, low[0], high[0]), z3.If(at <= middle, low[1], high[1])


SETS: dict[str, tuple[prover.Term, Thresholds, Thresholds]] = {
    "needed by F(j, m)": (
        _j,
        lambda x: _either(x, _j, (_m, _m - _left(x)), (_m - 1 - (x - _j), _m - _left(_j))),
        lambda x: (_m, _m - _left(_j)),
    ),
    "needed by B(i, m)": (
        _i,
        lambda x: _either(x, _i - 1, (_m + _left(_i), _m - (_i - x)), (_m + _left(x), _m + 1)),
        lambda x: (_m + _left(_i), _m + 1),
    ),
    "not in need of F(j, m)": (
        _j,
        lambda x: _either(x, _j - 1, (_m + _j - x, _m - _left(_j)), (_m - 1, _m - _left(x))),
        lambda x: (_m - 1, _m - _left(_j)),
    ),
    "not in need of B(i, m)": (
        _i,
        lambda x: _either(x, _i, (_m + _left(x), _m), (_m + _left(_i), _m + 1 + x - _i)),
        lambda x: (_m + _left(_i), _m),
    ),
}
"""By what they are: the stage of the action, f and b at stage x, and at that stage."""


@cache
def _closed(name: str) -> prover.Outcome:
    """Whatever comes before a member is one, and no smaller (or larger) set is closed."""
    middle, at, own = SETS[name]
    (f, b), (f_before, b_before), (f_after, b_after) = at(_u), at(_u - 1), at(_u + 1)
    order = z3.And(f <= b + _left(_u), b - 1 + _left(_u) <= f)
    data = z3.Implies(_u > 0, z3.And(f <= f_before, b_before <= b))
    needed = name.startswith("needed")
    from_f, from_b = f == b + _left(_u), f == b - 1 + _left(_u)
    towards = z3.And(f == f_after, from_f) if needed else z3.And(b == b_after, from_f)
    away = z3.And(b == b_before, from_b) if needed else z3.And(f == f_before, from_b)
    here = z3.And(f == own(_u)[0], b == own(_u)[1])
    forced = z3.If(_u == middle, here, z3.If(_u < middle, towards, away))
    says = f"what is {name}: closed under order and dependencies, each threshold forced"
    goal = z3.And(order, data, b - 1 <= f, forced)
    return prover.decide_from(prover.Statement(name, says, _INSIDE, goal), _SMALLEST)


@cache
def _order() -> prover.Outcome:
    forward, backward = (
        ORDER.stamp(kind, _u, number, _p, _M, z3.If)[0]
        for kind, number in ((Kind.F, _q), (Kind.B, _r))
    )
    inside = (_p >= 2, _u >= 0, _u < _p, _q >= 0, _q < _M, _r >= 0, _r + _p <= _M)
    says = "F(u, q) stands before B(u, r) iff q ≤ r + p − 1 − u"
    statement = prover.Statement(
        "order", says, inside, (forward < backward) == (_q <= _r + _left(_u))
    )
    return prover.decide_from(statement, {"p": 2, "u": 0, "q": 0, "r": 0})


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield _order()
    for name in SETS:
        yield _closed(name)
    names = {p: _p, i: _i, j: _j, u: _u}
    most, least = (prover.term(formulas[name], names) for name in ("most", "least"))
    b = {name: at(_u)[1] for name, (_, at, _) in SETS.items()}
    own = z3.If(_u == _i, 1, 0)  # B(i, m) is not between
    between = b["needed by B(i, m)"] - own - b["not in need of F(j, m)"]
    right = z3.And(
        most == b["not in need of B(i, m)"] - b["needed by F(j, m)"],
        least == z3.If(between > 0, between, 0),
    )
    says = "updates of stage u that may, and that must, fall between"
    yield prover.decide_from(prover.Statement("between", says, _INSIDE, right), _SMALLEST)
    at_zero = {i: 0, j: 0}
    largest = prover.term(formulas["most"].subs(at_zero), names)
    yield prover.decide_from(
        prover.Statement("i = j = 0", "is where most is largest", _INSIDE, most <= largest),
        _SMALLEST,
    )
    rest = sympy.summation(p + u, (u, 1, p - 1))
    first, later = (formulas["most"].subs({**at_zero, u: x}) for x in (0, u + 1))
    same = sympy.expand(first - (p - 1)) == 0 and sympy.simplify(later - (p + u + 1)) == 0
    total = sympy.expand(p - 1 + rest - formulas["worst"]) == 0
    yield prover.Compared(
        "most sums up to the worst entry", "sympy.summation", bool(same and total)
    )


def _runs() -> tuple[prover.Line]:
    """The largest delay of every stage, with the clocks of `schedules.invariants.any_timing`."""
    same = True
    for stages, active in ((k, a) for k in range(2, 7) for a in range(k)):
        found = worst_delays(Run(build("pipedream", stages, 6 * stages)))[0][active, 3 * stages]
        at = [{p: stages, i: active, j: block} for block in range(stages)]
        stated = [sum(_PRINTED["most"].subs({**one, u: x}) for x in range(stages)) for one in at]
        same &= int(found) == max(stated)
    known = prover.Exhausted("the largest entry of every stage, p ≤ 6, by vector clocks", 20, same)
    return (prover.Line("ours", known.says, "all of them", prover.Decision((known,))),)


_BEHIND = sympy.Max(0, u - i)
_PRINTED = {
    "most": p - 1 - sympy.Min(u, j) + _BEHIND + sympy.Min(1, _BEHIND),
    "least": sympy.Max(0, p - 1 - sympy.Max(u, j) - sympy.Max(0, i - u) + sympy.Min(1, _BEHIND)),
    "worst": (p - 1) * (3 * p + 2) / 2,
}

CLAIM = prover.row(
    "rpd.any-timing-range",
    "ours",
    "Over all timings of PipeDream's static order the steady delay of block j at an update of "
    "stage i (from 0) goes from Σ_u max(0, p − 1 − max(u, j) − max(0, i − u) + [u > i]) to "
    "Σ_u (p − 1 − min(u, j) + max(0, u − i) + [u > i]), both attained; at worst it is "
    "(p − 1)(3p + 2)/2.",
    r"\max d = \frac{(p - 1)(3 p + 2)}2",
    _PRINTED,
    _grounds,
    steps=_runs,
    assumes=(
        "messages are buffered without limit",
        "a run under some durations is any order that keeps each rank's order and the dependencies",
    ),
    origin="ours",
)
