"""Numbers for a theorem's constants: plain ones, and those that make a hypothesis tight."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import sympy

from theory.falsifier.numbers import in_domain
from theory.falsifier.run_forms import isolated
from theory.kernel.prove import conditions
from theory.kernel.relations import Relation
from theory.kernel.theorem import Delayed, Theorem
from theory.kernel.vectors import Scalar

NUMBERS: Final = tuple(map(sympy.Rational, ("1", "1/2", "1/4", "2", "4", "1/10", "9/10", "10")))
"""Values of real constants; the first ones together are tried first."""
COUNTS: Final = tuple(map(sympy.Integer, (3, 2, 1, 4)))
"""Values of whole ones, such as numbers of iterations and delays."""
LARGE: Final = tuple(map(sympy.Integer, (9, 16)))
"""More values of whole constants that are no number of iterations."""
LONG: Final = sympy.Integer(20)
"""A value of all whole constants together, where delays may be as large as a run is long."""
NEAR: Final = tuple(map(sympy.Rational, ("1/2", "3/4", "9/10", "11/10", "4/3", "2")))
"""Factors from one value of a constant to values beside it."""
DRAWS: Final = 400


def admitted(theorem: Theorem, at: Mapping[Scalar, Scalar]) -> bool:
    """Whether numbers are in their domains and satisfy what is said of constants alone.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> admitted(YOUNG, {YOUNG.symbols[0]: sympy.Integer(-1)})
    False
    """
    if not all(in_domain(value, symbol) for symbol, value in at.items()):
        return False
    return all(_holds(one, at) for one in conditions(theorem))


def _holds(one: Relation, at: Mapping[Scalar, Scalar]) -> bool:
    gap = one.gap.xreplace(dict(at))
    return bool((gap == 0 if one.kind == "==" else gap.is_nonnegative) is True)


def drawn(theorem: Theorem) -> Iterator[dict[Scalar, Scalar]]:
    """Numbers that satisfy what is said of constants alone, each once.

    Examples
    --------
    >>> from itertools import islice
    >>> from theory.kernel.lemmas import YOUNG
    >>> list(islice(drawn(YOUNG), 3))
    [{a: 1}, {a: 1/10}, {a: 4}]
    """
    source, seen = random.Random(0), set()
    long = lengths(theorem)
    stale = any(isinstance(one, Delayed) for one in theorem.hypotheses)
    choices = [_choices(one, one in long) for one in theorem.symbols]
    for n in range(DRAWS):
        values = [c[int(len(c) * source.random() ** 2)] if n > 1 else c[0] for c in choices]
        if n == 1 and stale:  # what changes slowly is seen in a long run alone
            known = zip(theorem.symbols, values, strict=True)
            values = [LONG if symbol.is_integer else value for symbol, value in known]
        at = dict(zip(theorem.symbols, values, strict=True))
        for one in (at, tight(theorem, at, source)):
            key = tuple(one.values())
            if key not in seen and admitted(theorem, one):
                seen.add(key)
                yield one


def beside(theorem: Theorem, at: Mapping[Scalar, Scalar]) -> Iterator[dict[Scalar, Scalar]]:
    """Numbers near those that are known, one constant changed, or more where that is tight."""
    source = random.Random(0)
    for symbol, value in at.items():
        if symbol.is_integer:
            moved = [value + 1, value - 1]
        else:
            moved = [value * factor for factor in NEAR] if value else list(NUMBERS[:3])
        for other in moved:
            changed = {**at, symbol: other}
            for one in (changed, tight(theorem, changed, source, symbol)):
                if admitted(theorem, one):
                    yield one


def tight(
    theorem: Theorem, at: Mapping[Scalar, Scalar], source: random.Random, keep: Scalar = None
) -> dict[Scalar, Scalar]:
    """Numbers of which some make hypotheses about constants equations."""
    found = dict(at)
    taken = {keep}
    relations = [one for one in conditions(theorem) if one.gap.free_symbols]
    for one in source.sample(relations, len(relations)):
        free = sorted(one.gap.free_symbols - taken, key=str)
        wanted = one.kind == "==" or source.random() < 0.8
        choices = [(s, form) for s in free if not s.is_integer for form in _solutions(one.gap, s)]
        if wanted and choices:
            symbol, form = source.choice(choices)
            value = form.xreplace(found)
            if value.is_Rational and in_domain(value, symbol):
                found[symbol] = value
                taken |= {symbol}
    return found


@lru_cache(maxsize=2**10)
def _solutions(gap: Scalar, symbol: Scalar) -> list[Scalar]:
    return isolated(sympy.fraction(sympy.together(gap))[0], symbol)


def _choices(symbol: Scalar, long: bool) -> Sequence[Scalar]:
    plain = COUNTS if symbol.is_integer else NUMBERS
    if symbol.is_integer and not long:
        plain = (*COUNTS, *LARGE)
    signed = (sympy.S.Zero, *plain) if symbol.is_extended_real and not symbol.is_positive else plain
    return [one for one in signed if in_domain(one, symbol)] or [sympy.S.Zero]


def lengths(theorem: Theorem) -> set[Scalar]:
    """Constants that say how far a statement speaks of a run."""
    found: set[Scalar] = set()
    for form in map(sympy.sympify, (theorem.lhs, *theorem.terms.values())):
        calls = form.atoms(sympy.core.function.AppliedUndef)
        found |= {s for call in calls for s in call.free_symbols}
        for total in form.atoms(sympy.Sum):
            found |= {s for limit in total.limits for end in limit[1:] for s in end.free_symbols}
    return found
