"""The proof of the law of fewer microbatches let in than stages (`theory.laws.delays.let_in`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy
import z3

from schedules.closed_forms.affine import Piecewise
from schedules.linearization import Linearization
from theory.laws.delays.domains import (
    a_microbatch,
    a_stage,
    domain,
    product_facts,
    products_in_order,
)
from theory.laws.delays.let_in import stale
from theory.laws.delays.pace import one_more, tie_of
from theory.laws.delays.rounds import (
    ASKED,
    counted_ends,
    fewest,
    halves,
    preceding,
    preceding_stages,
    sum_at,
)
from theory.laws.delays.shape import prove_in_flight
from theory.laws.delays.stage_sums import identity, stages_add_up
from theory.laws.delays.staleness import prove_largest
from theory.laws.delays.symbols import Microbatch, Times
from theory.laws.stamp_terms import neighbours, products
from theory.smt.solver import Outcome, Statement, Term, decide, merge


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
    N, z, rho, d, p = sympy.symbols("N z rho d p", integer=True)
    now, count = sum_at(z, rho, d), N * z + d
    border = {rho: 2 * d - 1}  # where d is one more than of ρ − 1
    round_ends = sum_at(z, 1, 1) - sum_at(z - 1, 2 * p, N) - (N * z + 1)
    grows = (now - sum_at(z, rho - 1, d) - count, round_ends)
    begins = (now - sum_at(z, rho - 1, d - 1) - count).subs(border)
    zero = sum_at(-1, 2 * p, N)
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
        total, least = z3.IntVal(0), fewest(lines, _n, _p, ASKED, last=last)
        mine, others = (_r, _n - 1 - _r) if last else (_n - 1 - _r, _r)
        for there, by_forward in zip(counted_ends(lines, last=last), (True, False), strict=True):
            near, far = halves(_p, ASKED, by_forward=by_forward)
            count = z3.If(mine < near, mine, near) + z3.If(others > far, others - far, 0)
            total = total + count if there else total
        goal = z3.And(total >= least, z3.Implies(mine == 0, total == least))
        says = "so many updates are in these slots at least, and at an end of the round no more"
        yield Statement("least", says, here.known, goal)


def _of_slot(here: _Event, lines: Linearization, *, by_forward: bool, last: bool) -> Statement:
    """Updates of other stages in the slot of an event of the first or last: one for each w."""
    stage, ahead = (_p - 1, _r - _w) if last else (z3.IntVal(0), _w - _r)
    near, far = halves(_p, ASKED, by_forward=by_forward)
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
    theirs = counted_ends(lines, last=last)[0 if by_forward else 1] == (by_forward != last)
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
    stages = preceding_stages(lines, _n, _p) - 2 * _w
    goal = z3.And(
        seen == z3.And(_v == 1, _p - 1 - _u < stages),
        stages < _p,
        (stages > 0) == (_w < preceding(lines, _n, _p, ASKED)),
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
