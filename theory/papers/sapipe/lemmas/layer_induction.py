"""When a sequential model never stalls, for every number of layers: induction from layer to layer.

Let R_i be when backward i ends and S_i when forward i begins without a stall, both after the
start of the iteration's first backward; R = R_1 = S_1, and P is the time of one iteration's
computation. The channel sends gradients m, …, 1 one at a time. If it is busy until β at first,
gradient i has been sent at c_i = max(c_{i+1}, R_i) + v_i, with c_{m+1} = β; a_i is c_i for β =
0. Each lemma is decided for durations left open: "base" is about layer m, "step" leads from
layer i + 1 to layer i, so that by induction it holds for every layer and every m.

1. c_i = max(a_i, β + v_i + … + v_m) [channel].
2. a_i is between v_i + … + v_m and R + v_i + … + v_m, less than a_{i−1}, and for i ≤ k at most
   max(R, a_{k+1}) + v_i + … + v_k [arrivals].
3. The conditions for all j > k together say a_{k+1} ≤ S_{k+1} [members].
4. With them, an iteration that finds a backlog of at most max(0, a_1 − P) and, among it, all
   older gradients never stalls and leaves such a backlog [sufficient]. The first finds none; by
   induction over iterations no iteration stalls.
5. Without the condition on the channel, Σv ≤ P, every iteration without a stall adds the same
   Σv − P > 0 to the backlog [growing]; what grows by a fixed amount passes any bound, so R as
   well, and then a gradient is late [late]. Where another condition fails, the first iteration
   stalls [necessary].
"""

from collections.abc import Iterator
from typing import Any

import sympy
import z3

from theory.claims import Formulas
from theory.papers.sapipe.lemmas.conditions import j, k, m, read
from theory.smt.solver import Statement, Term

_BACKLOG, _BEFORE = z3.Reals("backlog before")


def prefix(name: str, last: Any) -> Term:
    """A prefix sum as a solver term; 0 for no layer."""
    return z3.RealVal(0) if last == 0 else z3.Real(f"{name}[{sympy.sstr(last)}]")


def _at(name: str, last: Any, layer: Any = j) -> Term:
    return prefix(name, sympy.sympify(last).subs(j, layer))


def _duration(name: str, layer: Any) -> Term:
    return prefix(name, layer) - prefix(name, sympy.sympify(layer) - 1)


_R = prefix("b", m)
_P = _R + prefix("u", m)
_V = prefix("v", m)
_BEGINS = _R + prefix("u", k)
"""S_{k+1}."""


def _larger(one: Term, other: Term) -> Term:
    return z3.If(one >= other, one, other)


def _sent(before: Term, layer: Any) -> Term:
    """When a gradient has been sent, from when the one before has been."""
    ends = _R - _at("b", j - 1, layer)
    return _larger(before, ends) + _duration("v", layer)


def _rest(layer: Any) -> Term:
    """v_i + … + v_m."""
    return _V - _at("v", j - 1, layer)


def _layer(layer: Any) -> tuple[Term, ...]:
    """Durations of a layer are above 0, and those of the layers around it are not below."""
    found = []
    for name in "buv":
        found += [
            _duration(name, layer) > 0,
            _at(name, j - 1, layer) >= 0,
            prefix(name, m) >= _at(name, j, layer),
        ]
    return tuple(found)


def _behind_stale(layer: Any) -> tuple[Term, ...]:
    """That layer is none of the first k."""
    return tuple(_at(n, j - 1, layer) >= prefix(n, k) for n in "buv") + tuple(
        prefix(n, k) >= 0 for n in "buv"
    )


def _members(in_time: sympy.Expr) -> Iterator[Statement]:
    sent, room = z3.Real("a"), _BEGINS + prefix("v", k)

    def early(arrival: Term, layer: Any) -> Term:
        return arrival + _at("v", j - 1, layer) <= room

    for name, layer, rest in (
        ("members, base", m, z3.BoolVal(True)),
        ("members, step", j, sent + prefix("v", j) <= room),
    ):
        here = read(in_time.subs(j, layer), prefix) >= 0
        arrival = _sent(z3.RealVal(0) if layer is m else sent, layer)
        yield Statement(
            name,
            "the conditions for all layers from i on say a_i + v_{k+1} + … + v_{i−1} ≤ S_{k+1}",
            (*_layer(layer), *_behind_stale(layer), sent > 0),
            early(arrival, layer) == z3.And(rest, here),
        )


def _channel() -> Iterator[Statement]:
    says = "with a backlog gradient i has been sent at max(a_i, backlog + v_i + … + v_m)"
    alone = z3.Real("a")
    base = _larger(_sent(z3.RealVal(0), m), _BACKLOG + _rest(m))
    yield Statement("channel, base", says, (*_layer(m), _BACKLOG >= 0), _sent(_BACKLOG, m) == base)
    before = _larger(alone, _BACKLOG + _V - prefix("v", j))
    now = _larger(_sent(alone, j), _BACKLOG + _rest(j))
    yield Statement(
        "channel, step", says, (*_layer(j), _BACKLOG >= 0, alone > 0), _sent(before, j) == now
    )


def _between(arrival: Term, after: Any) -> Term:
    """Bounds of a_i, the layers up to i − 1 = `after` being left."""
    rest = _V - prefix("v", after)
    return z3.And(rest <= arrival, arrival <= _R + rest)


def _arrivals() -> Iterator[Statement]:
    says = "a_i lies between v_i + … + v_m and R + v_i + … + v_m, and grows towards layer 1"
    alone, fresh = z3.Reals("a a[k+1]")
    first = _sent(z3.RealVal(0), m)
    yield Statement("arrivals, base", says, _layer(m), _between(first, m - 1))
    later = _sent(alone, j)
    yield Statement(
        "arrivals, step",
        says,
        (*_layer(j), _between(alone, j)),
        z3.And(_between(later, j - 1), later > alone),
    )
    most = _larger(_R, fresh)
    yield Statement(
        "stale arrivals, step",
        "for i ≤ k, a_i is at most max(R, a_{k+1}) + v_i + … + v_k",
        (
            *_layer(j),
            alone <= most + prefix("v", k) - prefix("v", j),
            prefix("v", j) <= prefix("v", k),
        ),
        later <= most + prefix("v", k) - prefix("v", j - 1),
    )


def _found(fits: Term, last: Term) -> tuple[Term, ...]:
    """What an iteration finds: the condition on the channel, and a backlog of at most a_1 − P."""
    most = _larger(last - _P, z3.RealVal(0))
    return (fits, *_layer(j), _BACKLOG >= 0, most >= _BACKLOG)


def _sufficient(fits: Term) -> Iterator[Statement]:
    """One iteration with the conditions; its stale layer j, and its fresh layer j."""
    last, fresh, here = z3.Reals("a[1] a[k+1] a[j]")
    begins, found = _R + prefix("u", j - 1), _found(fits, last)
    left = _larger(last, _BACKLOG + _V) - _P
    yield Statement(
        "sufficient, stale",
        "after a backlog of at most max(0, a_1 − P) no stale layer waits, and no more is left",
        (*found, last <= _R + _V, _BEFORE <= _BACKLOG),
        z3.And(begins >= _BEFORE, left <= _larger(last - _P, z3.RealVal(0))),
    )
    arrivals = (
        *(last <= _larger(_R, fresh) + prefix("v", k), _V - prefix("v", k) <= fresh),
        *(here <= fresh, fresh <= _BEGINS),
    )
    yield Statement(
        "sufficient, fresh",
        "after such a backlog no fresh layer waits",
        (*found, *_behind_stale(j), *arrivals),
        _larger(here, _BACKLOG + _rest(j)) <= begins,
    )


def _failing(fits: Term) -> Iterator[Statement]:
    alone, more = z3.Real("a[1]"), _V - _P
    yield Statement(
        "growing",
        "without the condition on the channel every iteration without a stall adds Σv − P > 0",
        (z3.Not(fits), *_layer(m), _BACKLOG >= 0),
        z3.And(_larger(alone, _BACKLOG + _V) - _P >= _BACKLOG + more, more > 0),
    )
    yield Statement(
        "late",
        "with a backlog above R gradient 1 is late, the older one or the one just computed",
        (_BACKLOG > _R, _V > 0, _BEFORE == _BACKLOG),
        z3.And(_BEFORE > _R, _larger(alone, _BACKLOG + _V) > _R),
    )
    fresh = z3.Real("a[k+1]")
    rest = _V - prefix("v", k)
    yield Statement(
        "necessary",
        "where a_{k+1} > S_{k+1}, gradient k + 1 of the first iteration is late",
        (rest > 0, rest <= fresh, fresh > _BEGINS),
        _larger(fresh, rest) > _BEGINS,
    )


def statements(formulas: Formulas) -> Iterator[Statement]:
    """All steps, for conditions on the channel and, for all j > k, on arrivals."""
    fits = read(formulas["channel"], prefix) >= 0
    yield from _members(formulas["in time"])
    yield from _sufficient(fits)
    yield from _failing(fits)
    yield from _channel()
    yield from _arrivals()


def same(says: str, one: sympy.Expr, other: sympy.Expr) -> Statement:
    """Two conditions are the same formula, for all durations, every k and every m."""
    goal = read(one, prefix) == read(other, prefix)
    return Statement("same", says, _layer(m), goal)


def never_below(says: str, form: sympy.Expr) -> Statement:
    """A formula in k and m is at least 0, for all durations, every 0 ≤ k ≤ m and every m."""
    some = [prefix(name, k) >= 0 for name in "buv"]
    most = [prefix(name, k) <= prefix(name, m) for name in "buv"]
    return Statement("never below", says, (*_layer(m), *some, *most), read(form, prefix) >= 0)


def always_fails(says: str, form: sympy.Expr) -> Statement:
    """A formula about layer 1 is below 0, for all durations."""
    return Statement("always fails", says, _layer(1), read(form, prefix) < 0)
