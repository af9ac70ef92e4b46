"""Delays between averages, where replicas take the numbers of one pipeline in turn.

Legend: p stages, n ≥ p replicas, J numbers r = 0, 1, … in a round.

All ranks average at one time, when the last backward of stage 0 has ended. So every round is a run
of its own numbers alone, and all updates of earlier rounds are counted. In a round B(u, y) stands
in slot 2y + 2p − 1 − u: in front of slot t are ⌈(t − 2p + 1 + u)/2⌉ updates of stage u, if that is
from 0 to J; to count those of the slot too is to take t + 1. Sums of these over stages telescope:
⌈k/2⌉ is G(k + 1) − G(k) for k > 0, with G(k) = ⌊k²/4⌋ for k > 0, and else 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import sympy
import z3

from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.linearization import Linearization, get_linearization
from schedules.stamps import At, Stamp, StampedOrder
from theory.laws.exact_starts import Exact
from theory.laws.proved_delays import NO_FORMS, StepDelays, Values
from theory.laws.stamped import Lanes
from theory.laws.step_delays import Known, timed
from theory.laws.timetable_proofs import Symbolic, merged
from theory.laws.timetables import stamp
from theory.smt.solver import Statement, Term

_N: Final = "replicas"

EARLY: Final = Affine((("r", 1), ("s", 1)))
LATE: Final = Affine((("r", 2), ("s", 3), ("p", -2)), 2)
GATED: Final = Affine((("r", 2), ("s", 1), ("p", 2), (_N, -2)))
"""Slots of forwards: none waits for backwards; they alternate; a replica has to be free."""

FIRST: Final = Piecewise(
    (Piece(Affine((("r", 1), ("s", 2), ("p", -2)), 2), LATE), Piece(None, EARLY))
)
LATER: Final = Piecewise(
    (Piece(Affine((("s", 1), (_N, 1), ("p", -2)), 1), LATE), Piece(None, GATED))
)
"""In the first local step, and in those behind it."""

_P, _REPLICAS, _JOBS, _R, _I, _J = sympy.symbols(f"p {_N} jobs r i j", integer=True)
_STEPS: Final = sympy.Symbol("local_steps", integer=True)
_HERE, _BEYOND, _OVER, _LEFT = sympy.symbols(
    "here beyond over left", integer=True, nonnegative=True
)
"""A stage and how many there are behind it; numbers of a round beyond a border, and those left."""

_STAGES: Final = _HERE + _BEYOND + 1
_G: Final = sympy.Function("G")
_COUNTED: Final = "every F and B counts the updates in front of it, stage by stage"

Span = tuple[Any, Any, int]
"""Stages from one to another, and how many slots more an event counts of these."""


def _forward(at: At) -> Stamp:
    values = {"s": at.rank, "r": at.x, "p": at.p, _N: at.values[_N]}
    first, later = (form.at(values, at.choose) for form in (FIRST, LATER))
    return (at.choose(at.x < at.values[_N], first, later),)


def _backward(at: At) -> Stamp:
    return (2 * (at.x + at.p) - 1 - at.rank,)


def of_a_round(order: StampedOrder) -> StampedOrder:
    """The order of one round, its stamps the slots."""
    return replace(order, forward=_forward, backward=_backward, beside={}, closes=None)


def by_rounds(every: Lanes, one: Lanes, end: Term) -> Iterator[Statement]:
    """Each round of an order is `one`, behind those before it, and over at `end`."""
    for kind in "FB":
        divide = one.size.divisions()
        at = Symbolic(one).one(z3.IntVal(0), "rank", "x", divide)
        rounds, step, slot = stamp(every.order, kind, at)
        slots = 2 * at.values[_N] * step + slot
        goal = z3.And(
            rounds == 0, slots == stamp(one.order, kind, at)[0], slot >= 0, slot < 2 * at.values[_N]
        )
        known = Symbolic(one).known(divide, at)
        yield Statement(f"first {kind}", "stamps of the first round are slots", known, goal)
        divide = every.size.divisions()
        at = Symbolic(every).one(z3.IntVal(0), "rank", "x", divide)
        then = at.number(at.x + at.values["jobs"])
        (number, *own), (further, *others) = (stamp(every.order, kind, at) for at in (at, then))
        same = (a == b for a, b in zip(own, others, strict=True))
        known = Symbolic(every).known(divide, at, then)
        says = "those of the next round are the same"
        yield Statement(f"next {kind}", says, known, z3.And(further == number + 1, *same))
    last = one.at(z3.IntVal(0), z3.IntVal(0), one.size.M - 1, one.size.divisions())
    says = "a round is over with the last backward of stage 0, behind which all average"
    yield Statement("closed", says, one.size.suppose, _backward(last)[0] + 1 == end)


def spans(lines: Linearization, stage: Any, p: Any, *, by_forward: bool) -> list[Span]:
    """Stages of which an event counts no update of its slot, and of which it does."""
    if not (lines.forward_counts if by_forward else lines.backward_counts):
        return [(0, p, 0)]
    if lines.ascending:
        return [(0, stage, 1), (stage, p, 0)]
    return [(0, stage + 1, 0), (stage + 1, p, 1)]


@dataclass(frozen=True)
class Rounds:
    """Delays of the gradients of a round: closed forms of what events count of its updates."""

    lines: Linearization

    def index(self, *, ends: bool = True) -> sympy.Expr:
        """What B counts, of stage i and number r; also where a round does not end."""
        stages = spans(self.lines, _HERE, _STAGES, by_forward=False)
        slots, jobs = 2 * _OVER - _HERE, _OVER + 1 + _LEFT
        found = _sum(stages, slots, near=False)
        found -= _sum(stages, slots - 2 * jobs, near=True) if ends else 0
        return _printed(found, _I, {_OVER: _R, _LEFT: _JOBS - 1 - _R})

    def recorded(self, slot: Affine) -> sympy.Expr:
        """What F counts, of stage j and number r, in such a slot."""
        sign, border = -1 if slot is EARLY else 1, _REPLICAS if slot is GATED else 2 * _BEYOND
        values = {"r": border + sign * _OVER, "s": _HERE, "p": _STAGES, _N: _REPLICAS}
        stages = spans(self.lines, _HERE, _STAGES, by_forward=True)
        found = _sum(stages, slot.at(values) - 2 * _STAGES + 1, near=slot is EARLY)
        return _printed(found, _J, {_OVER: sign * (_R - border)})

    def largest(self) -> sympy.Expr:
        """D[0][0] of the last number whose F is early, where the round does not end soon."""
        found = self.index(ends=False) - self.recorded(EARLY)
        return found.subs({_I: 0, _J: 0, _R: _OVER}).subs(
            _OVER, sympy.Min(_REPLICAS, 2 * _P - 1) - 1
        )

    def cases(self) -> Iterator[tuple[Any, sympy.Expr]]:
        """Of `recorded`, with conditions."""
        names = {"j": _J, "r": _R, "p": _P, _N: _REPLICAS}
        for here, form in ((_R < _REPLICAS, FIRST), (_R >= _REPLICAS, LATER)):
            rows = form.renamed({"s": "j"}).described()
            for row, piece in zip(rows, form.pieces, strict=True):
                when = sympy.And(here, sympy.sympify(row["when"], locals=names))
                yield when, self.recorded(piece.value)

    def to_json(self, chosen: Values) -> dict[str, Any]:
        """As plain data."""
        index, cases = self.index(), list(self.cases())
        own = sympy.Max(0, index - index.subs(_I, _J))
        full = sympy.Min(sympy.Symbol("M", integer=True), _REPLICAS * _STEPS)
        largest, whole = (
            sympy.sstr(sympy.Piecewise((self.largest(), where)).subs(chosen))
            for where in (_JOBS >= 2 * _REPLICAS, full >= 2 * _REPLICAS)
        )

        def rows(of: list[tuple[Any, sympy.Expr]]) -> list[dict[str, str]]:
            texts = ([sympy.sstr(one.subs(chosen)) for one in case] for case in of)
            return [dict(zip(("when", "expr"), row, strict=True)) for row in texts]

        return {
            "delay": rows([(when, index - form) for when, form in cases]),
            "delay_of": "number r of every round, of replicas·local_steps jobs, or of what is left",
            "index": rows([(sympy.true, index)]),
            "recorded": rows(cases),
            "equivalent_delay": sympy.sstr(own.subs(chosen)),
            "max": largest,
            "min": "0",
            "mean": None,
            "whole_run_max": whole,
        }


def _sum(stages: list[Span], slots: sympy.Expr, *, near: bool) -> sympy.Expr:
    """Over stages u, of half of u and `slots`, where these are above 0."""
    total = sympy.Integer(0)
    for lo, hi, more in stages:
        first, last = (_halves(sympy.expand(slots + end + more), near=near) for end in (lo, hi))
        total += last - first
    return total


def _halves(k: sympy.Expr, *, near: bool) -> sympy.Expr:
    """⌊k²/4⌋, less the same of k below 0; or of k above 0 alone, if that is not often."""
    if (1 - k).is_nonnegative:
        return sympy.Integer(0)
    odd = sum((c % 2 * one for one, c in k.as_coefficients_dict().items()), sympy.Integer(0))
    even = (k - odd) / 2
    whole = even**2 + even * odd + _G(odd)
    if (k + 1).is_nonnegative:
        return whole
    return _G(sympy.Max(0, k)) if near else whole - _G(sympy.Max(0, -k))


def _printed(form: sympy.Expr, stage: sympy.Symbol, names: Values) -> sympy.Expr:
    """In symbols of the law."""
    found = form.subs(names, simultaneous=True).subs({_BEYOND: _P - 1 - stage, _HERE: stage})
    return sympy.expand(found).replace(_G, lambda k: sympy.floor(k**2 / 4))


def round_delays(known: Known, linearization: str) -> StepDelays:
    """Prove what is counted in a round, from slots that are proved."""
    lines = get_linearization(linearization)
    exact, proof = timed(known)
    if exact is None:
        return StepDelays(linearization, None, (), NO_FORMS)
    proof.append(merged("delay", _COUNTED, counted(exact, lines)))
    return StepDelays(linearization, Rounds(lines), tuple(proof))


def counted(exact: Exact, lines: Linearization) -> Iterator[Statement]:
    """Events of a round count what is said of every stage, and sums of that are what is said."""
    whole, divide = exact.whole, exact.lanes.size.divisions()
    one, two = (
        whole.one(z3.IntVal(0), *names, divide) for names in (("rank", "x"), ("rank_2", "y"))
    )
    known, p, M = whole.known(divide, one, two), exact.lanes.size.p, exact.lanes.size.M
    update, n = exact.start("B", two), one.values[_N]
    for kind, by_forward in (("F", True), ("B", False)):
        begin = exact.start(kind, one)
        seen = z3.Or(
            update < begin,
            z3.And(update == begin, lines.counted(two.rank, one.rank, by_forward=by_forward)),
        )
        stages = spans(lines, one.rank, p, by_forward=by_forward)
        ends = [0, *(hi for _, hi, _ in stages)]
        goal = [lo == end for (lo, *_), end in zip(stages, ends, strict=False)]
        goal += [a <= b for a, b in pairwise(ends)] + [ends[-1] == p]
        yield Statement(f"stages {kind}", "every stage is counted once", known, z3.And(*goal))
        for lo, hi, more in stages:
            slots = begin - 2 * p + 1 + two.rank + more
            within = slots <= 2 * M if by_forward else True
            says = "an event counts so many updates of a stage; F no more than there are"
            here = (*known, two.rank >= lo, two.rank < hi)
            goal = z3.And(seen == (2 * two.x < slots), within)
            yield Statement(f"recorded {kind}", says, here, goal)
    borders = {EARLY: 2 * (p - 1 - one.rank) >= one.x, LATE: 2 * (p - 1 - one.rank) <= one.x}
    values, cases = {"s": one.rank, "r": one.x, "p": p, _N: n}, []
    for here, form in ((one.x < n, FIRST), (one.x >= n, LATER)):
        for piece in form.pieces:
            case = here if piece.guard is None else z3.And(here, piece.guard.at(values) >= 0)
            here = z3.And(here, z3.Not(case))
            slot = exact.start("F", one) == piece.value.at(values)
            cases.append(z3.Implies(case, z3.And(slot, borders.get(piece.value, True))))
    says = "F is in one of three slots, and numbers are on one side of a border"
    yield Statement("slots", says, known, z3.And(*cases))
    yield from _telescoping()
    yield from _extremes(exact, lines, (one, two), known)


def _telescoping() -> Iterator[Statement]:
    """Sums over stages, of half a number of slots."""
    a, b, J, half = z3.Ints("a b J half")

    def sums(half: Term, odd: Term) -> Term:
        """G(2·half + odd)."""
        return z3.If(2 * half + odd > 0, half * half + half * odd, 0)

    known = (b >= 0, b <= 1)
    step = z3.If(b == 0, sums(a, z3.IntVal(1)), sums(a + 1, z3.IntVal(0))) - sums(a, b)
    says = "G(k + 1) − G(k) is ⌈k/2⌉ for k > 0, and else 0"
    yield Statement("telescopes", says, known, step == _from_zero(a + b))
    says = "what is from 0 to J is what is above 0 less what is above J"
    goal = _clamped(half, J) == _from_zero(half) - _from_zero(half - J)
    yield Statement("clamped", says, (J >= 0,), goal)


def _from_zero(number: Term) -> Term:
    return z3.If(number > 0, number, 0)


def _clamped(number: Term, most: Term) -> Term:
    return z3.If(number > most, most, _from_zero(number))


def _extremes(
    exact: Exact, lines: Linearization, pair: tuple[At, At], known: tuple[Term, ...]
) -> Iterator[Statement]:
    """Of every stage an entry counts no less than none, and no more than the largest does."""
    one, two = pair
    p, M, u, n = exact.lanes.size.p, exact.lanes.size.M, z3.Int("u"), one.values[_N]
    last = z3.If(n < 2 * p - 1, n, 2 * p - 1) - 1

    def halves(begin: Term, stage: Term, *, by_forward: bool) -> Term:
        counts = lines.counted(u, stage, by_forward=by_forward)
        return (begin - 2 * p + 2 + u + z3.If(counts, 1, 0)) / 2

    index = halves(exact.start("B", one), one.rank, by_forward=False)
    recorded = _from_zero(halves(exact.start("F", two), two.rank, by_forward=True))
    first = replace(one, rank=z3.IntVal(0), stage=z3.IntVal(0), x=last)
    of_it = halves(exact.start("B", first), first.rank, by_forward=False)
    largest = of_it - _from_zero(halves(exact.start("F", first), first.rank, by_forward=True))
    entry = _clamped(index, M) - recorded
    known = (*known, one.x == two.x, u >= 0, u < p)
    goal = z3.And(
        entry >= 0,
        entry <= largest,
        exact.start("F", first) == last,
        z3.Implies(2 * n <= M, z3.And(last < M, of_it >= 0, of_it <= M)),
        z3.Implies(z3.And(one.rank == p - 1, one.x == 0), entry == 0),
    )
    yield Statement("extremes", "entries lie between the extremes, which are attained", known, goal)
