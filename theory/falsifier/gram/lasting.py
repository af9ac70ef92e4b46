"""Whether what is supposed of every iteration can hold in those that are not written out.

A method goes on with whatever its function gives; what is said of functions everywhere holds there
too. All else must hold once everything that an iteration may choose is plain: vectors without a
meaning are 0, or what is said to be their mean, or an iterate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import islice, product
from typing import Final

import sympy
from sympy.core.symbol import Str

from theory.errors import TheoryError
from theory.falsifier.gram.classes import in_classes
from theory.falsifier.gram.exact import positive_semidefinite
from theory.falsifier.gram.implicit import implicit
from theory.falsifier.gram.plain import Plain
from theory.falsifier.gram.program import linear
from theory.falsifier.run_forms import calls_in, least_of
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation
from theory.kernel.values import Values
from theory.kernel.vectors import ZERO, Gram, Point, Scalar, Vector, vector

MANY: Final = 200
"""Choices of plain vectors that are tried."""


@dataclass(frozen=True)
class Tail:
    """How a run can go on.

    Attributes
    ----------
    bounded : mapping of str to number
        Functions that are to be convex, with what ‖∇f‖² is at most everywhere.
    plainly : Values
        What vectors are that an iteration may choose.
    ends : mapping of str to Vector
        Where steps end that name their end.
    """

    bounded: Mapping[str, Scalar]
    plainly: Values
    ends: Mapping[str, Vector] = field(default_factory=dict)


def tail(theorem: Plain, at: Mapping[Scalar, Scalar]) -> Tail | None:
    """How a run with these constants can always go on; None if it is not known to.

    Functions whose values have a sign are not known to keep it.

    Examples
    --------
    >>> from theory.falsifier.gram.plain import Outcomes, plain
    >>> from theory.kernel.lemmas import DESCENT, YOUNG
    >>> found = [tail(plain(one, Outcomes()), {}) for one in (YOUNG, DESCENT)]
    >>> [one is None for one in found]
    [False, False]
    """
    _, rest = in_classes(theorem)
    if not theorem.is_run:
        alone = any(_of_functions_alone(one, theorem) for one in rest)
        return None if alone else Tail({}, Values({}, {}))
    if not theorem.following or any(not _is_meant(one, theorem) for one in rest):
        return None
    moving = [p.value for p in theorem.points if p.position.names & theorem.moving]
    if any(least_of(one) is not None for one in moving):
        return None
    called = {call for relation in theorem.relations for call in calls_in(relation)}
    if any(one.is_positive for one in (*theorem.scalars, *called)):
        return None
    ends = implicit(theorem, at)
    solved = frozenset[Relation]().union(*(end.said for end in ends.values()))
    said = [one for one in rest if not _is_about_the_start(one, theorem) and one not in solved]
    settled = {end.name for end in ends.values()}
    free = [name for name in theorem.free if name not in settled]
    for put in _plain(theorem, free):
        needed = [_needs(one, theorem, at, put) for one in said]
        if None not in needed:
            found: dict[str, Scalar] = {}
            for function, bound in (pair for each in needed for pair in (each or {}).items()):
                found[function] = min(bound, found.get(function, bound))
            chosen = Values(put.scalars, {n: put.vectors[n] for n in free})
            return Tail(found, chosen, {n: end.place for n, end in ends.items()})
    return None


def _of_functions_alone(one: Relation, theorem: Plain) -> bool:
    """Whether a hypothesis is about a function at points, and about nothing else.

    Its author may mean all points; then values at some of them are no such function.
    """
    values = {p.value for p in theorem.points}
    own = {n for p in theorem.points for v in (p.position, p.gradient) for n in v.names}
    chosen = own & {*theorem.free} - {n for p in theorem.points for n in p.position.names}
    entries = {n for entry in one.gap.atoms(Gram) for n in entry.names}
    symbols = one.gap.free_symbols & values
    of_function = symbols or entries & {n for p in theorem.points for n in p.gradient.names}
    return (
        bool(of_function)
        and entries <= own - chosen
        and not one.gap.free_symbols & {*theorem.scalars}
    )


def _is_meant(one: Relation, theorem: Plain) -> bool:
    """Whether it names sequences only at numbers or now, and these have a meaning."""
    index = theorem.index
    return all(
        str(call.func) in theorem.sequences
        and (call.args[0] == index or index not in call.args[0].free_symbols)
        for call in calls_in(one)
    )


def _is_about_the_start(one: Relation, theorem: Plain) -> bool:
    """Whether it speaks of sequences at numbers and of constants alone."""
    index = theorem.index
    symbols = {*theorem.of.symbols}
    for side in (one.lhs, one.rhs):
        bound = {limit[0] for total in side.atoms(sympy.Sum) for limit in total.limits}
        if side.atoms(Gram) or index in side.free_symbols - bound or side.free_symbols - symbols:
            return False
    return True


def _plain(theorem: Plain, free: Sequence[str]) -> Iterator[Values]:
    """What an iteration may choose, as plainly as it can be chosen."""
    followed = [vector(name) for now, _ in theorem.following for name in now.position.names]
    at_points = {n for p in theorem.points for n in p.position.names} & {*free}
    choices = []
    for name in free:
        more = followed if name in at_points else ()
        near = nearest(name, theorem.relations)
        choices.append(list(dict.fromkeys((*near, *more, ZERO))))
    scalars = dict.fromkeys(theorem.scalars, sympy.S.Zero)
    for chosen in islice(product(*choices), MANY):
        put = _resolved(dict(zip(free, chosen, strict=True)))
        if put is not None:
            yield _with_points(theorem, Values(scalars, put))


def _resolved(chosen: Mapping[str, Vector]) -> dict[str, Vector] | None:
    """Choices without each other's names; None where one is made of itself."""
    beneath = {name: one.names & chosen.keys() for name, one in chosen.items()}
    put: dict[str, Vector] = {}
    try:
        for name in TopologicalSorter(beneath).static_order():
            put[name] = chosen[name].replaced(put)
    except CycleError:
        return None
    return put


def nearest(name: str, relations: Iterable[Relation]) -> Iterator[Vector]:
    """Vectors w where a hypothesis is that ⟨v, u⟩ = ⟨w, u⟩, or that ‖v − w‖ is small."""
    for one in relations:
        entries = atoms(one.gap, Gram)
        own = [entry.names for entry in entries if name in entry.names]
        if not own:
            continue
        form = sympy.expand(one.gap)
        size = form.coeff(Gram(Str(name), Str(name)))
        beside = {n for names in own for n in names} - {name}
        if one.kind == "<=" and size != 0:
            parts = {n: form.coeff(Gram(Str(name), Str(n))) / -2 for n in beside}
        elif one.kind == "==" and size == 0 and len(beside) == 1:
            (other,) = beside
            size = form.coeff(Gram(Str(name), Str(other)))
            parts = {
                n: -form.coeff(entry)
                for entry in entries
                for n in _beside(entry.names, other) - {name}
            }
        else:
            continue
        whole = {n: sympy.cancel(a / size) for n, a in parts.items()}
        yield Vector(tuple(sorted((n, a) for n, a in whole.items() if a != 0)))


def _beside(names: tuple[str, str], one: str) -> set[str]:
    """What stands beside a name in an inner product."""
    return {one} if names == (one, one) else set(names) - {one} if one in names else set()


def _with_points(theorem: Plain, put: Values) -> Values:
    """With values and gradients of points that come to lie where others are."""
    known: dict[tuple[str, Vector], Point] = {}
    scalars, vectors = dict(put.scalars), dict(put.vectors)
    for one in sorted(theorem.points, key=lambda p: bool(p.position.names & put.vectors.keys())):
        other = known.setdefault((one.function, put.vector(one.position)), one)
        if other is not one and one.gradient.names:
            scalars[one.value] = other.value
            vectors[min(one.gradient.names)] = other.gradient
    twice = Values(scalars, vectors)
    return Values(scalars, {name: twice.vector(one) for name, one in vectors.items()})


def _needs(
    one: Relation, theorem: Plain, at: Mapping[Scalar, Scalar], put: Values
) -> dict[str, Scalar] | None:
    """Bounds of ‖∇f‖² with which a hypothesis holds whatever the iterates are, by its form."""
    gap = sympy.expand(put.scalar(one.gap).xreplace(dict(at)))
    try:
        row = linear(gap)
    except TheoryError:
        return None
    entries = {
        (atom[0], atom[1]): x / (1 + (atom[0] != atom[1]))
        for atom, x in row.items()
        if isinstance(atom, tuple)
    }
    rest, constant = row.keys() - entries.keys() - {""}, row.get("", Fraction(0))
    if one.kind == "==" or rest or constant < 0:
        return None if row else {}
    if positive_semidefinite(entries, sorted({name for pair in entries for name in pair})):
        return {}
    functions = {n: p.function for p in theorem.points for n in p.gradient.names}
    own = {functions.get(name, "") for pair in entries for name in pair}
    if len(own) != 1 or "" in own or any(a != b for a, b in entries):
        return None
    least = sum((x for x in entries.values() if x < 0), Fraction(0))
    return {min(own): sympy.Rational(constant / -least)}
