"""Numbers at which hypotheses about every index are asked whether they can hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation
from theory.kernel.rules.ranges import rules_of
from theory.kernel.rules.series import Everywhere
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar


def near_roots(relations: Sequence[Relation], named: set[Scalar]) -> Iterator[Scalar]:
    """Where a factor of what is assumed of an index is 0, has just changed its sign, or turns.

    (k − 11)²·G(k) ≥ 1 is false at 11, and (4(k − 9)² − 1)·G(k) ≥ 1 at 9.
    """
    for gap in (one.gap for one in relations):
        for index in named & gap.free_symbols:
            for factor in _factors(gap, index):
                form = sympy.Poly(factor, index)
                for (low, high), _ in (*form.intervals(eps=1), *form.diff().intervals(eps=1)):
                    near = range(max(0, sympy.floor(low)), sympy.ceiling(high) + 1)
                    yield from map(sympy.Integer, near)


def placed_at(theorem: Theorem) -> Iterator[Scalar]:
    """The numbers that the proof puts in place of an index, or takes a sequence at."""
    for rule in rules_of(theorem):
        if isinstance(rule, Everywhere):
            yield from filter(_counts, rule.values.values())
    for _, relation in theorem.relations:
        for call in atoms(relation.gap, AppliedUndef):
            yield from filter(_counts, call.args)


def _counts(at: Scalar) -> bool:
    return bool(at.is_Integer and at >= 0)


def _factors(form: Scalar, index: Scalar) -> Iterator[Scalar]:
    """Polynomials in an index alone, beside each product of other things in a sum."""
    if any(one.exp.is_negative and one.base.has(index) for one in atoms(form, sympy.Pow)):
        form = sympy.fraction(sympy.together(form))[0]
    beside: dict[Scalar, Scalar] = {}
    for term in sympy.Add.make_args(sympy.expand(form)):
        other, own = term.as_independent(index)
        powers = [part for part in sympy.Mul.make_args(own) if part.is_polynomial(index)]
        number, rest = (other * own / sympy.Mul(*powers)).as_coeff_Mul()
        beside[rest] = beside.get(rest, 0) + number * sympy.Mul(*powers)
    yield from (one for one in beside.values() if one.is_polynomial(index) and one.has(index))
