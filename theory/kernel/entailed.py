"""What hypotheses say together once means and sums are taken: ‖g‖ ≤ 1 always, so in the mean too.

A theorem whose hypotheses contradict each other would prove anything. Some do so through a mean or
a sum alone, which a solver takes for one number; so it is told these consequences as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.elementary import ELEMENTARY, Exp
from theory.kernel.means import Mean, random_names
from theory.kernel.normal import linear_sums
from theory.kernel.relations import Relation, eq, le
from theory.kernel.rules.calculus import lipschitz
from theory.kernel.rules.elementary import exp_tangent, log_tangent
from theory.kernel.rules.expectation import Total
from theory.kernel.theorem import Delayed, Given, Smooth, Theorem
from theory.kernel.vectors import Gram, Scalar, dot, square, vector

POINTS: Final = 4
"""Of a smooth function; of more, a solver would be told too much."""


def entailed(theorem: Theorem, relations: Sequence[Relation]) -> list[Relation]:
    """Consequences of hypotheses: under each mean, under total expectation, and summed.

    Parameters
    ----------
    theorem : Theorem
    relations : sequence of Relation
        Its hypotheses; an index in them stands for every index.
    """
    calls = (call for one in relations for call in atoms(one.gap, AppliedUndef))
    known = {*theorem.symbols, *theorem.scalars}
    indices = {symbol for call in calls for symbol in call.free_symbols} - known
    found = [*_averaged(relations), *_totals(theorem, relations, indices), *_tangents(relations)]
    found += [*_alike(theorem), *positive(theorem, relations)]
    everything = [*relations, *found]
    return [*found, *_summed(everything, indices), *_squares(everything)]


def positive(theorem: Theorem, relations: Iterable[Relation]) -> list[Relation]:
    """That the mean of what is positive is so, which no ≤ says; that of counts is at least 1."""
    meant = theorem.sequences
    found = {
        one: meant.get(one.func, one.args[-1])
        for relation in relations
        for one in atoms(relation.gap, AppliedUndef, Mean)
        if isinstance(one, Mean) or one.func in meant
    }
    return [
        le(1, one) if value.is_integer else eq(one, sympy.Symbol(f"positive({one})", positive=True))
        for one, value in sorted(found.items(), key=str)
        if value.is_positive
    ]


def _alike(theorem: Theorem) -> Iterator[Relation]:
    """What is so of any two points: one value at one vector, smoothness, and no delay of 0."""
    for one, other in combinations(theorem.points, 2):
        if (one.position, one.function) == (other.position, other.function):
            yield eq(one.value, other.value)
    for said in theorem.hypotheses:
        if isinstance(said, Delayed) and said.constant == 0:
            yield eq(square(said.old.position - said.now.position), 0)
        points = [one for one in theorem.points if one.function == getattr(said, "function", "")]
        if isinstance(said, Smooth) and len(points) <= POINTS:
            yield from (lipschitz(said.constant, *two) for two in combinations(points, 2))


def _averaged(relations: Sequence[Relation]) -> Iterator[Relation]:
    """Every relation under every mean that occurs, once."""
    means = {mean.args[:2] for one in relations for mean in atoms(one.gap, Mean)}
    for name, marks in sorted(means, key=str):
        for one in relations:
            gap = Mean(name, marks, sympy.expand(one.gap))
            if gap != sympy.expand(one.gap):
                yield Relation(sympy.S.Zero, one.kind, gap)


def _totals(
    theorem: Theorem, relations: Sequence[Relation], indices: set[Scalar]
) -> Iterator[Relation]:
    """Every relation about one iteration in the notation of sequences, where that can be said."""
    given = Given(theorem, {})
    for index in sorted(indices, key=str):
        for one in relations:
            if atoms(one.gap, Gram, Mean) or one.gap.free_symbols & set(theorem.scalars):
                form, left = Total("", index).rewritten(one.gap, given)
                if left is None:
                    yield Relation(sympy.S.Zero, one.kind, form)


def _tangents(relations: Sequence[Relation]) -> Iterator[Relation]:
    """That exponentials and logarithms lie above and below their tangents where they are taken."""
    found = {one for relation in relations for one in atoms(relation.gap, *ELEMENTARY)}
    for one in sorted(found, key=str):
        entry, neutral = (exp_tangent, 0) if isinstance(one, Exp) else (log_tangent, 1)
        places = [other.args[0] for other in found if type(other) is type(one) and other != one]
        for at in (sympy.Integer(neutral), *sorted(places, key=str)):
            yield entry(at, one.args[0]).relation


def _summed(relations: Sequence[Relation], indices: set[Scalar]) -> Iterator[Relation]:
    """Every relation about every index, over every range that is summed over."""
    sums = {total for one in relations for total in atoms(linear_sums(one.gap), sympy.Sum)}
    limits = {total.limits for total in sums if len(total.limits) == 1}
    for ((bound, first, last),) in sorted(limits, key=str):
        for one in relations:
            free = one.gap.free_symbols & indices
            if len(free) == 1 and not one.gap.has(sympy.Sum):
                gap = one.gap.subs(free.pop(), bound)
                yield Relation(sympy.S.Zero, one.kind, sympy.Sum(gap, (bound, first, last)))


def _squares(relations: Sequence[Relation]) -> Iterator[Relation]:
    """A mean of inner products is at most the mean lengths allow, and that of a number likewise."""
    for mean in sorted({m for one in relations for m in atoms(one.gap, Mean)}, key=str):
        name, marks, inside = mean.args
        if isinstance(inside, Gram) and inside.args[0] != inside.args[1]:
            parts = (vector(one) for one in inside.names)
            lengths = [Mean(name, marks, dot(one, one)) for one in parts]
            yield le(mean**2, lengths[0] * lengths[1])
        if inside.is_Symbol and str(inside) in random_names(mean):
            yield le(mean**2, Mean(name, marks, inside**2))
