"""Delays of PipeDream's rule where N microbatches are let in, fewer than there are stages.

Rounds of N follow each other every 2p slots; inside of one, starts are two slots apart. So
c(k) = N·z + min(N, ⌈ρ/2⌉) updates of a stage lie in the k slots from a first one on, with
k = 2p·z + ρ and 0 < ρ ≤ 2p, and their sum over v = 1 … k is
G(k) = N·z·(p(z + 1) − N + 1 + ρ) + d·(ρ + 1 − d) with d = min(N, ⌈ρ/2⌉). Sums over stages
follow as where updates have an interval (`theory.laws.delays.stage_sums`).

The mean, where an event counts updates of its slot: of two updates of a round one counts the other,
so places are (N·p − 1)/2 in the mean. What forwards count is 0 in the mean: update r' of stage u
and F of r and j are x = 2(r − r') + j + u + 1 − 2p slots apart, those of p − 1 − u and p − 1 − j
with r and r' exchanged −x − 2p, and ⌈(x + 1)/2p⌉ + ⌈(−x − 2p)/2p⌉ = 0, one of the two being counted
in its slot; where u = j neither is, and x is odd.

The extremes: delays fall in i and j, as slots do. B(0) of a microbatch ends the 2p slots that begin
with its F, and 2p slots have N·p updates; F(p − 1) and B(p − 1) are neighbours. So what is left to
count are updates in the slot of an event of the first or the last stage. With δ their distance in
the round, they are those of 0 < δ ≤ x and of −δ > y, one a microbatch, with x and y the halves of
p and p − 1, so min(others, x) + max(0, others − y) of them; most and least at the ends of a round.

Where a stage updates after every K gradients, ⌊n/K⌋ updates are counted of n gradients: delays are
then sums over stages, in m, as N and K have no common period in general.

In a whole run the first N forwards count nothing, so B(0, N − 1) is largest, with N·p − 1 updates
of its round and those w of the next that precede it, at so many stages less two for each w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import sympy
import z3

from schedules.closed_forms.affine import LET_IN, ONE, Piecewise, Quotient
from schedules.closed_forms.let_in import InFlight, stages_hold
from schedules.closed_forms.start_times import StartTimes
from schedules.linearization import Linearization
from theory.laws.delays.closed import described
from theory.laws.delays.domains import (
    a_microbatch,
    a_stage,
    domain,
    product_facts,
    products_in_order,
)
from theory.laws.delays.pace import one_more, tie_of
from theory.laws.delays.shape import as_expression, least_of, prove_in_flight
from theory.laws.delays.stage_sums import SHORT, C, Notation, ceiling, identity, stages_add_up
from theory.laws.delays.staleness import prove_largest
from theory.laws.delays.symbols import Microbatch, Times
from theory.laws.stamp_terms import neighbours, products
from theory.smt.solver import Outcome, Statement, Term, decide, merge

_P, _M, _N, _I, _J, _R, _K = sympy.symbols("p M N i j r k", integer=True)
_NAMED: Final = {"p": _P, "s": _I, LET_IN: _N}
_U, _MICROBATCH = sympy.symbols("u m", integer=True)
_NO_NUMBERS: Final = dict.fromkeys(("max", "min", "mean", "whole_run_max", "whole_run_least_m"))
_Z, _RHO, _D = sympy.symbols("z rho d", integer=True)


def held(N: Quotient, in_flight: InFlight) -> Piecewise:
    """Activations in flight at stage s, at most."""
    return least_of(*stages_hold(N, in_flight))


def stale(most: Piecewise) -> Piecewise:
    """Local staleness of stage s, at most: one less than what is in flight."""
    return least_of(*(piece.value.plus(ONE, -1) for piece in most.pieces[::-1]))


@dataclass(frozen=True)
class LetIn:
    """The closed forms of such a law.

    Attributes
    ----------
    start_times : StartTimes
        With N as their period.
    lines : Linearization
    most : Piecewise
        Activations in flight at each stage.
    interval : int
        K, gradients of an update.
    """

    start_times: StartTimes
    lines: Linearization
    most: Piecewise
    interval: int = 1

    @cached_property
    def bound(self) -> sympy.Expr:
        """N."""
        return self.start_times.period.to_sympy()

    @property
    def domain(self) -> str:
        """The values that the law is stated for."""
        N = sympy.sstr(self.bound)
        later = sympy.sstr(ceiling(_P - int(tie_of(self.lines, by_forward=False) <= 0), 2))
        last = "m" if self.interval == 1 else sympy.sstr(self._last)
        return (
            f"p >= {self.start_times.least}, 0 <= i < p, 0 <= j < p, m = ({N})*q + r, "
            f"0 <= r < {N}, q >= 1, {last} < M + 1 - {later}"
        )

    @property
    def _last(self) -> sympy.Expr:
        """The last microbatch of the update of m."""
        K = sympy.Integer(self.interval)
        return K * sympy.floor(_MICROBATCH / K) + K - 1

    def gradients(self, m: Any, stage: Any, count: Any, *, by_forward: bool) -> sympy.Expr:
        """Those of stage u in front of B of m at a stage, or of F; with K > 1."""
        r = sympy.Mod(m, _N)
        tie = tie_of(self.lines, by_forward=by_forward)
        one = {-1: stage > _U, 0: sympy.false, 1: stage < _U}[tie]
        k = 2 * r + (stage + 1 - 2 * _P if by_forward else -stage) + _U
        counted = sympy.Piecewise((1, one), (0, True))
        return _N * sympy.floor(m / _N) + count(k + counted)

    def updates(self, m: Any, stage: Any, count: Any, *, by_forward: bool) -> sympy.Expr:
        """The same of updates, of all stages."""
        own = self.gradients(m, stage, count, by_forward=by_forward)
        return sympy.Sum(sympy.floor(own / self.interval), (_U, 0, _P - 1))

    @property
    def least(self) -> int:
        """The least p that the law is stated for."""
        return self.start_times.least

    def places(self, p: int) -> int:
        """How many microbatches have an r of their own."""
        return int(self.start_times.period.at({"p": p}))

    def index(self, i: Any, r: Any, how: Notation) -> sympy.Expr:
        """Updates before that of number r at stage i, but for N·p·q."""
        return how.over_stages(2 * r - i, i, _P, 0, tie_of(self.lines, by_forward=False))

    def recorded(self, j: Any, r: Any, how: Notation) -> sympy.Expr:
        """Updates before F of number r at stage j, but for N·p·q."""
        x = 2 * r + j + 1 - 2 * _P
        return how.over_stages(x, j, _P, 0, tie_of(self.lines, by_forward=True))

    @cached_property
    def delay(self) -> sympy.Expr:
        """D[i][j] of number r, in N and p."""
        if self.interval > 1:
            index = self.updates(self._last, _I, _counted, by_forward=False)
            return index - self.updates(_MICROBATCH, _J, _counted, by_forward=True)
        own = Notation(lambda k, _: _counted(k), lambda k, _: _added(k))
        return self.index(_I, _R, own) - self.recorded(_J, _R, own)

    def numbers(self) -> dict[str, sympy.Expr]:
        """Extremes and mean in N and p, for which there is a form."""
        if self.interval > 1:
            return {}
        first, last = (_fewest(self.lines, _N, _P, _WRITTEN, last=last) for last in (False, True))
        later = _later(self.lines, _N, _P, _WRITTEN)
        found = {
            "max": _N * _P - 1 - first,
            "min": last,
            "whole_run_max": _N * _P - 1 + later * (_stages(self.lines, _N, _P) + 1 - later),
            "whole_run_least_m": _N + later,
        }
        if self.lines.backward_counts and self.lines.forward_counts:
            found["mean"] = (_N * _P - 1) / 2
        return found

    def to_json(self) -> dict[str, Any]:
        """The closed forms by the keys of ``derive``; ``short`` has N, c(k) and G(k) as names."""
        q, r = sympy.floor((_M - 1) / self.bound), sympy.Mod(_M - 1, self.bound)
        makespan = 2 * _P * q + 2 * _P + 2 * r
        local = _R - _counted(2 * _R + 2 * _I + 1 - 2 * _P)
        numbers = {**_NO_NUMBERS, **self.numbers()}
        short = {
            "index": self.index(_I, _R, SHORT),
            "recorded": self.recorded(_J, _R, SHORT),
            "local_staleness": _R - C(2 * _R + 2 * _I + 1 - 2 * _P),
            "c(k)": _N * _Z + _D,
            "G(k)": _total(_Z, _RHO, _D),
            **{name: form for name, form in numbers.items() if form is not None},
        }
        if self.interval > 1:
            local = self._stale(C)
            short["index"] = self.updates(self._last, _I, C, by_forward=False)
            short["recorded"] = self.updates(_MICROBATCH, _J, C, by_forward=True)
            short["local_staleness"] = local
            local = self._stale(_counted)
            del short["G(k)"]
        where = {
            "N": self.bound,
            "z": ceiling(_K, 2 * _P) - 1,
            "rho": _K - 2 * _P * _Z,
            "d": sympy.Min(_N, sympy.ceiling(_RHO / 2)),
        }
        return {
            "start_times": described(self.start_times),
            "delay": self._case(self.delay),
            **{name: None if form is None else self._text(form) for name, form in numbers.items()},
            "local_staleness": self._case(local),
            "local_staleness_whole_run": self._case(as_expression(stale(self.most), _NAMED))
            if self.interval == 1
            else None,
            "makespan": self._text(makespan),
            "bubble": self._text(1 - 2 * _M / makespan),
            "in_flight": self._case(as_expression(self.most, _NAMED)),
            "short": {
                **{name: sympy.sstr(form) for name, form in short.items()},
                "where": {name: sympy.sstr(form) for name, form in where.items()},
            },
        }

    def _stale(self, count: Any) -> sympy.Expr:
        """Updates of stage i between F of m and its own, with K > 1."""
        read = self.gradients(_MICROBATCH, _I, count, by_forward=True).subs(_U, _I)
        K = sympy.Integer(self.interval)
        return sympy.floor(_MICROBATCH / K) - sympy.floor(read / K)

    def _case(self, form: sympy.Expr) -> list[dict[str, str]]:
        return [{"when": "True", "expr": self._text(form)}]

    def _text(self, form: sympy.Expr) -> str:
        """A form in N as one in p."""
        return str(sympy.sstr(form.subs(_N, self.bound)))

    def at(self, p: int, **stages: int) -> dict[str, Any]:
        """Numbers at p, and at i, j and r where these are given; with K > 1 a formula in m."""
        forms = self.numbers()
        if {"i", "j", *["r"] * (self.interval == 1)} <= stages.keys():
            forms["delay"] = self.delay
        named = {"p": p, "N": self.places(p), **stages}
        put = {sympy.Symbol(name, integer=True): number for name, number in named.items()}
        found = {name: form.subs(put) for name, form in forms.items()}
        numbers = {name: int(one) if one.is_Integer else str(one) for name, one in found.items()}
        return {"p": p, **stages, **numbers}


def _counted(k: Any) -> sympy.Expr:
    """c(k)."""
    z = ceiling(k, 2 * _P) - 1
    return _N * z + sympy.Min(_N, ceiling(k - 2 * _P * z, 2))


def _added(k: Any) -> sympy.Expr:
    """G(k)."""
    z = ceiling(k, 2 * _P) - 1
    rest = k - 2 * _P * z
    d = sympy.Min(_N, ceiling(rest, 2))
    return _total(z, rest, d)


def _total(z: Any, rho: Any, d: Any) -> sympy.Expr:
    """G(k) of a k that is 2p·z + ρ."""
    return _N * z * (_P * (z + 1) - _N + 1 + rho) + d * (rho + 1 - d)


@dataclass(frozen=True)
class _Ways:
    """How halves are rounded down, and the larger of two numbers taken."""

    half: Callable[[Any], Any]
    larger: Callable[[Any, Any], Any]


_WRITTEN: Final = _Ways(lambda x: sympy.floor(x / sympy.Integer(2)), sympy.Max)
_ASKED: Final = _Ways(lambda x: x / 2, lambda x, y: z3.If(x < y, y, x))


def _halves(p: Any, ways: _Ways, *, by_forward: bool) -> tuple[Any, Any]:
    """The x and y of updates in the slot of an event."""
    halves = (ways.half(p), ways.half(p - 1))
    return halves if by_forward else halves[::-1]


def _which(lines: Linearization, *, last: bool) -> tuple[bool, bool]:
    """Whether updates of others in the slot of F, and of B, are what delays of an end consist of.

    At the first stage delays lack what F counts and B does not, at the last they have the others.
    """
    u, stage = (0, 1) if last else (1, 0)
    forward, backward = (bool(lines.counted(u, stage, by_forward=of)) for of in (True, False))
    return (not forward, backward) if last else (forward, not backward)


def _fewest(lines: Linearization, N: Any, p: Any, ways: _Ways, *, last: bool) -> Any:
    """The least of such updates over a round."""
    halves = (_halves(p, ways, by_forward=by_forward) for by_forward in (True, False))
    parts = (ways.larger(0, N - 1 - far) for _, far in halves)
    there = [part for part, here in zip(parts, _which(lines, last=last), strict=True) if here]
    return sum(there[1:], there[0])


def _stages(lines: Linearization, N: Any, p: Any) -> Any:
    """Stages whose first update of the second round precedes B(0, N − 1), if above 0."""
    return 2 * N - p - 3 + int(lines.counted(1, 0, by_forward=False))


def _later(lines: Linearization, N: Any, p: Any, ways: _Ways) -> Any:
    """Microbatches of the second round of which some update does."""
    return ways.larger(0, N - ways.half(p + 3 - int(lines.counted(1, 0, by_forward=False))))


def few_let_in(
    times: Times, lines: Linearization, most: Piecewise, interval: int = 1
) -> tuple[Outcome, ...]:
    """Prove the law, for all p, N below p, M, stages and microbatches."""
    if interval > 1:
        says = "every event counts so many gradients of each stage, and so many updates"
        counts = [decide(one) for one in (*_counts(times, lines), _windows(interval))]
        return (
            merge("counts", says, counts),
            merge("makespan", "no action ends later than B(0, M − 1)", [decide(_makespan(times))]),
            prove_in_flight(times, most),
        )
    stated = {
        "counts": (
            "every event counts so many updates of each stage, and they add up",
            [*_counts(times, lines), *_pairs(), *_sums()],
        ),
        "extremes": ("no entry over i, j and r is beyond the extremes", [*_extremes(times, lines)]),
        "whole-run": ("no delay is beyond that of B(0, N − 1)", [*_whole_run(times, lines)]),
        "makespan": ("no action ends later than B(0, M − 1)", [_makespan(times)]),
    }
    return (
        *(
            merge(name, says, [decide(one) for one in parts])
            for name, (says, parts) in stated.items()
        ),
        prove_largest(times, stale(most), per_microbatch=True),
        prove_in_flight(times, most),
    )


@dataclass(frozen=True)
class _Event:
    """Symbols of a query: an event of round q and place r, and an update of v, w and stage u."""

    known: tuple[Term, ...]
    update: Term


_p, _n, _q, _v, _z, _r, _w, _u, _i, _j = z3.Ints("p N q v z r w u i j")


def _known(times: Times, *factors: Term) -> _Event:
    sizes = [_p >= times.guess.least, _n >= 1, _p > _n, _q >= 0, _v >= 0]
    sizes += [part for place in (_r, _w) for part in (place >= 0, place < _n)]
    sizes += [part for stage in (_u, _i, _j) for part in (stage >= 0, stage < _p)]
    every = [_q, _v, *factors, z3.IntVal(0)]
    for by in (_p, _n):
        sizes += products(every, by) + neighbours(every, by)
    return _Event(tuple(sizes), 2 * _p * _v + 2 * _w + 2 * _p - 1 - _u)


def _forward(stage: Term) -> Term:
    return 2 * _p * _q + 2 * _r + stage


def _backward(stage: Term) -> Term:
    return 2 * _p * _q + 2 * _r + 2 * _p - 1 - stage


def _counts(times: Times, lines: Linearization) -> Iterator[Statement]:
    """Starts are those of rounds, and events count so many updates of each stage."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    known = (*domain(size), a_stage(size, s), a_microbatch(size, m))
    begun = times.forward(s, m) == 2 * m.product + 2 * m.place + s
    ended = times.backward(s, m) == 2 * m.product + 2 * size.p + 2 * m.place - s - 1
    says = "from the second round on F and B start two slots apart, and rounds 2p"
    yield Statement("rounds", says, known, z3.And(z3.Implies(m.round >= 1, begun), ended))
    here, rest, M = _known(times, _z, _q + _z), z3.Int("rest"), z3.Int("M")
    few = z3.If((rest + 1) / 2 < _n, (rest + 1) / 2, _n)
    events = {"recorded": (_forward(_j), _j, True), "place": (_backward(_i), _i, False)}
    for name, (event, stage, by_forward) in events.items():
        k = event - (2 * _p * _q + 2 * _p - 1 - _u)
        k += one_more(lines, _u, stage, by_forward=by_forward)
        within = (_q >= 1, k == 2 * _p * _z + rest, rest >= 1, rest <= 2 * _p)
        tie = z3.And(here.update == event, lines.counted(_u, stage, by_forward=by_forward))
        seen = z3.Or(here.update < event, tie)
        goal = seen == z3.Or(_v < _q + _z, z3.And(_v == _q + _z, _w < few))
        counted = _n * _q + _n * _z + few
        later = (_p - int(tie_of(lines, by_forward=False) <= 0) + 1) / 2
        made = z3.Implies(_n * _q + _r + later <= M, counted <= M)
        says = "it counts N·q + c(k) updates of stage u, all of them made"
        yield Statement(name, says, (*here.known, *within), z3.And(goal, counted >= 0, made))


def _windows(interval: int) -> Statement:
    """Update v of a stage comes with its gradient K·v + K − 1, in its slot."""
    n, v, K = z3.Int("n"), z3.Int("v"), z3.IntVal(interval)
    says = "of n gradients that are counted the updates are ⌊n/K⌋"
    return Statement("windows", says, (n >= 0, v >= 0), (K * v + K - 1 < n) == (v < n / K))


def _pairs() -> Iterator[Statement]:
    """Of two updates of a round one counts the other; pairs of stages cancel in the mean."""
    n, x, c, d = z3.Ints("n x c d")
    known = [n >= 1, n * (c - 1) < x + 1, x + 1 <= n * c, n * (d - 1) < -x, -x <= n * d]
    known += products([c + d, z3.IntVal(0), z3.IntVal(1), z3.IntVal(2)], n)
    says = "⌈(x + 1)/n⌉ + ⌈−x/n⌉ = 1, so what one counts and the other does not adds up"
    yield Statement("pairs", says, tuple(known), c + d == 1)
    known[1:3] = [n * (c - 1) < x, x <= n * c, n * c != x]
    says = "⌈x/n⌉ + ⌈−x/n⌉ = 1 where n does not divide x"
    yield Statement("pairs of odd distance", says, tuple(known), c + d == 1)


def _sums() -> Iterator[Statement]:
    """G grows by c(k), as ρ does by 1, from the end of one round to the next too."""
    N, z, rho, d, total = _N, _Z, _RHO, _D, _total
    now, count = total(z, rho, d), N * z + d
    border = {rho: 2 * d - 1}  # where d is one more than of ρ − 1
    round_ends = total(z, 1, 1) - total(z - 1, 2 * _P, N) - (N * z + 1)
    grows = (now - total(z, rho - 1, d) - count, round_ends)
    begins = (now - total(z, rho - 1, d - 1) - count).subs(border)
    zero = total(-1, 2 * _P, N)
    yield identity("adds up", "G(k) − G(k − 1) = c(k), and G(0) = 0", *grows, begins, zero)
    yield from stages_add_up()


def _extremes(times: Times, lines: Linearization) -> Iterator[Statement]:
    """Entries fall in i and j, and at the ends updates are counted in one slot or two."""
    here = _known(times, _q - 1, _q + 1)
    falls = z3.And(_backward(_i + 1) < _backward(_i), _forward(_j) < _forward(_j + 1))
    ends = z3.And(
        _backward(z3.IntVal(0)) == _forward(z3.IntVal(0)) + 2 * _p - 1,
        _backward(_p - 1) == _forward(_p - 1) + 1,
    )
    says = "B falls and F grows by stages; from F to B are 2p slots at one end, 2 at the other"
    yield Statement("ends", says, here.known, z3.And(falls, ends))
    for last in (False, True):
        for by_forward in (True, False):
            yield _of_slot(here, lines, by_forward=by_forward, last=last)
        total, least = z3.IntVal(0), _fewest(lines, _n, _p, _ASKED, last=last)
        mine, others = (_r, _n - 1 - _r) if last else (_n - 1 - _r, _r)
        for there, by_forward in zip(_which(lines, last=last), (True, False), strict=True):
            near, far = _halves(_p, _ASKED, by_forward=by_forward)
            count = z3.If(mine < near, mine, near) + z3.If(others > far, others - far, 0)
            total = total + count if there else total
        goal = z3.And(total >= least, z3.Implies(mine == 0, total == least))
        says = "so many updates are in these slots at least, and at an end of the round no more"
        yield Statement("least", says, here.known, goal)


def _of_slot(here: _Event, lines: Linearization, *, by_forward: bool, last: bool) -> Statement:
    """Updates of other stages in the slot of an event of the first or last: one for each w."""
    stage, ahead = (_p - 1, _r - _w) if last else (z3.IntVal(0), _w - _r)
    near, far = _halves(_p, _ASKED, by_forward=by_forward)
    event = _forward(stage) if by_forward else _backward(stage)
    away = _p - 1 - _u if last else _u
    one, other = (2 * ahead - int(by_forward) + (0, 2 * _p)[k] for k in (0, 1))
    close, apart = z3.And(ahead > 0, ahead <= near), -ahead > far
    rounds = (_q, _q - 1) if last else (_q, _q + 1)
    if by_forward:
        rounds = (_q, _q - 1) if last else (_q - 1, _q)
    these = z3.Or(
        z3.And(close, _v == rounds[0], away == one), z3.And(apart, _v == rounds[1], away == other)
    )
    there = z3.And(
        z3.Implies(close, z3.And(one >= 1, one < _p)),
        z3.Implies(apart, z3.And(other >= 1, other < _p)),
    )
    name = f"slot of {'F' if by_forward else 'B'}, {'last' if last else 'first'} stage"
    says = "updates of other stages in this slot, one for each w; whether it counts them"
    counts = lines.counted(_u, stage, by_forward=by_forward)
    theirs = _which(lines, last=last)[0 if by_forward else 1] == (by_forward != last)
    goal = z3.And((here.update == event) == these, there, counts == z3.BoolVal(theirs))
    return Statement(name, says, (*here.known, _q >= 1, away > 0), goal)


def _whole_run(times: Times, lines: Linearization) -> Iterator[Statement]:
    """No delay of the first round is beyond N·p − 1 and what of the next precedes B(0, N − 1)."""
    size, s, m, u = times.size, z3.Int("s"), Microbatch.named("m"), z3.Int("u")
    first = (*domain(size), a_stage(size, s), a_stage(size, u), a_microbatch(size, m), m.round == 0)
    end = 2 * size.p - 1 + 2 * (size.every - 1)
    begun = z3.Implies(z3.And(s == 0, m.place == size.every - 1), times.forward(s, m) < size.p)
    goal = z3.And(times.backward(s, m) >= size.p, times.backward(s, m) <= end, begun)
    at_end = z3.Implies(times.backward(s, m) == end, z3.And(s == 0, m.place == size.every - 1))
    says = "B(0, N − 1) is last of its round, and F(0, N − 1) before every update"
    yield Statement("first round", says, first, z3.And(goal, at_end))
    here, end = _known(times, z3.IntVal(1)), 2 * _p - 1 + 2 * (_n - 1)
    tie = int(lines.counted(1, 0, by_forward=False))
    seen = z3.Or(here.update < end, z3.And(here.update == end, tie == 1, _u > 0))
    stages = _stages(lines, _n, _p) - 2 * _w
    goal = z3.And(
        seen == z3.And(_v == 1, _p - 1 - _u < stages),
        stages < _p,
        (stages > 0) == (_w < _later(lines, _n, _p, _ASKED)),
    )
    says = "of later updates it counts those of so many stages and w, of the next round"
    yield Statement("next round", says, (*here.known, _v >= 1), goal)
    x, h = sympy.symbols("x h", integer=True)
    added = h * (x + 1 - h)
    says = "the sum of x − 2w over w < h is h(x + 1 − h)"
    yield identity("add up", says, added.subs(h, h + 1) - added - (x - 2 * h), added.subs(h, 0))


def _makespan(times: Times) -> Statement:
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    last = Microbatch.named("last", size.microbatches - 1)
    end = times.backward(z3.IntVal(0), last)
    return Statement(
        "makespan",
        "no action ends later than B(0, M − 1), at 2p·q + 2p + 2r of M − 1",
        (
            *domain(size),
            a_stage(size, s),
            a_microbatch(size, m),
            *product_facts(size, last),
            *products_in_order(size, m, last),
        ),
        z3.And(
            times.forward(s, m) < end,
            times.backward(s, m) <= end,
            end + 1 == 2 * last.product + 2 * size.p + 2 * last.place,
        ),
    )
