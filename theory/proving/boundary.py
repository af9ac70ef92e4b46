"""Certificates found where a bound of parameters is tight, carried into the whole domain.

Inside of ``γL ≤ 1`` there is room, and the numbers of squares may be chosen in many ways, none of
which is the same formula everywhere. At γL = 1 there is no room. What such a certificate lacks
elsewhere vanishes at the bound, so it is a multiple of 1 − γL, and if that is nonnegative, it is
the multiplier of the bound.

Or the room itself, d = 1 − γL, is taken for a number, in which the formulas are often shorter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

import sympy

from theory.kernel.relations import Relation, eq
from theory.kernel.rules.algebra import Combine
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Gram, Scalar, Vector
from theory.proving.forms import factored
from theory.proving.linear import linear
from theory.proving.problem import stated
from theory.proving.squares import with_squares

MOST: Final = 4
"""Bounds that are tried, and symbols of one that are replaced."""
FACTS: Final = 40
"""Where more are known, a certificate in what is left to a bound takes minutes to miss."""


def at_boundaries(
    theorem: Theorem, goal: Relation, facts: Mapping[str, Relation]
) -> Iterator[Combine]:
    """Candidates; the kernel decides whether they hold inside as well."""
    for name in _bounds(theorem, facts) if goal.kind == "<=" else ():
        tight = {**facts, name: Relation(facts[name].lhs, "==", facts[name].rhs)}
        for found in _found(theorem, goal, tight):
            carried = list(_carried(found, name, goal, facts))
            yield from carried
            for one in carried:
                yield from _shown(one, name, theorem, facts)


def from_boundaries(
    theorem: Theorem, goal: Relation, facts: Mapping[str, Relation]
) -> Iterator[Combine]:
    """Candidates in which what is left to a bound stands as one number."""
    tried = goal.kind == "<=" and len(facts) <= FACTS
    for name in _bounds(theorem, facts) if tried else ():
        bound = facts[name].gap
        room = sympy.Symbol(f"gap({bound})", positive=True)
        measured = {**facts, name: eq(bound, room)}
        for problem in stated((*theorem.symbols, room), goal, measured):
            for found in with_squares(problem):
                if isinstance(found, Combine):
                    yield _spelled(found, {room: bound}, name)


def _bounds(theorem: Theorem, facts: Mapping[str, Relation]) -> list[str]:
    """A few assumptions that bound parameters."""
    parameters = {*theorem.symbols}
    assumed = ((h.name, facts[h.name]) for h in theorem.hypotheses if h.name in facts)
    found = [
        name
        for name, fact in assumed
        if fact.kind == "<=" and fact.gap.free_symbols and fact.gap.free_symbols <= parameters
        if not fact.gap.atoms(sympy.Function)
    ]
    return found[:MOST]


def _spelled(found: Combine, values: Mapping[Scalar, Scalar], under: str) -> Combine:
    """A certificate with these in place of symbols, under a bound that it does not add."""
    return Combine(
        {n: _put(m, values) for n, m in found.facts.items() if n != under},
        tuple((_put(c, values), _vector(one, values)) for c, one in found.squares),
        tuple(_put(form, values) for form in found.plus),
        tuple(dict.fromkeys((*found.domain, under))),
    )


def _found(theorem: Theorem, goal: Relation, facts: Mapping[str, Relation]) -> Iterator[Combine]:
    with suppress(ZeroDivisionError):  # a statement may divide by what is 0 there
        for problem in stated(theorem.symbols, goal, facts):
            for found in (*linear(problem), *with_squares(problem, settled=True)):
                if isinstance(found, Combine):
                    yield found


def _shown(
    carried: Combine, name: str, theorem: Theorem, facts: Mapping[str, Relation]
) -> Iterator[Combine]:
    """The same, where it is facts that show the multiplier of the bound to be nonnegative."""
    missing, bound = carried.facts[name], facts[name].gap
    if not missing.atoms(Gram):
        return
    rest = {n: m for n, m in carried.facts.items() if n != name}
    for why in _found(theorem, Relation(sympy.S.Zero, "<=", missing), facts):
        scaled = {n: bound * m for n, m in why.facts.items()}
        yield Combine(
            {n: rest.get(n, 0) + scaled.get(n, 0) for n in {**rest, **scaled}},
            (*carried.squares, *((bound * c, v) for c, v in why.squares)),
            (*carried.plus, *(bound * form for form in why.plus)),
            tuple(dict.fromkeys((*carried.domain, *why.domain, name))),
        )


def _carried(
    found: Combine, name: str, goal: Relation, facts: Mapping[str, Relation]
) -> Iterator[Combine]:
    """The certificate with the multiplier of the bound that makes up for what it lacks."""
    bound = facts[name].gap
    for values in ({}, *_solved(bound)):
        spelled = replace(_spelled(found, values, name), domain=found.domain)
        rest = goal.gap - sympy.Add(
            *(m * facts[n].gap for n, m in spelled.facts.items()),
            *(c * v**2 for c, v in spelled.squares),
            *spelled.plus,
        )
        missing = factored(sympy.cancel(sympy.expand(rest) / bound))
        yield replace(spelled, facts={**spelled.facts, name: missing})


def _solved(bound: Scalar) -> Iterator[dict[Scalar, Scalar]]:
    """What each symbol is where the bound is tight, if it stands there linearly."""
    for symbol in sorted(bound.free_symbols, key=str)[:MOST]:
        whole = sympy.numer(sympy.together(bound))
        if whole.is_polynomial(symbol) and sympy.degree(whole, symbol) == 1:
            whole = sympy.expand(whole)
            yield {symbol: -whole.coeff(symbol, 0) / whole.coeff(symbol, 1)}


def _put(form: Scalar, values: Mapping[Scalar, Scalar]) -> Scalar:
    return sympy.together(sympy.sympify(form).xreplace(values)) if values else form


def _vector(one: Scalar | Vector, values: Mapping[Scalar, Scalar]) -> Scalar | Vector:
    if not isinstance(one, Vector):
        return _put(one, values)
    return replace(one, terms=tuple((n, _put(factor, values)) for n, factor in one.terms))
