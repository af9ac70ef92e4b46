"""A statement written out over the iterations of which it speaks, at numbers for its constants.

What is left is linear in inner products of named vectors, in values of functions and in scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.falsifier.gram.classes import in_classes
from theory.falsifier.gram.plain import Plain
from theory.falsifier.run_forms import calls_in, index_of, number_named, written_out
from theory.kernel.relations import Relation
from theory.kernel.values import Values
from theory.kernel.vectors import Gram, Point, Scalar, Vector, vector

Pattern = Callable[[int, int], int]
"""From iteration k and the largest delay τ to a delay in 0 … min(k, τ)."""

PATTERNS: Final[tuple[Pattern, ...]] = (min, lambda k, largest: k % (largest + 1))
"""Always the largest delay; up to the largest and back to none."""


@dataclass(frozen=True)
class Written:
    """A statement over all iterations of which it speaks, without constants.

    Attributes
    ----------
    lhs : expression
    terms : mapping of str to expression
    under : tuple of Relation
        Hypotheses, and what makes values and gradients those of functions.
    whole : bool
        Whether no hypothesis speaks of iterations that are not written out.
    """

    lhs: Scalar
    terms: Mapping[str, Scalar]
    under: tuple[Relation, ...]
    whole: bool

    @property
    def goal(self) -> Relation:
        """The statement; it is ``==`` where that of the theorem is."""
        return Relation(self.lhs, "<=", sympy.Add(*self.terms.values()))


def is_run(theorem: Plain) -> bool:
    """Whether hypotheses are said of every iteration."""
    said = (theorem.following, theorem.sequences, theorem.of.indices, theorem.delayed)
    return any(said) or any(calls_in(one) for one in theorem.relations)


def written(theorem: Plain, at: Mapping[Scalar, Scalar], pattern: Pattern = min) -> Written:
    """Write a statement out.

    Parameters
    ----------
    theorem : Plain
    at : mapping of sympy symbol to number
        Constants.
    pattern : callable
        How old a stale point is.

    Raises
    ------
    UnsupportedFormError
        Sums have no number of terms, or no exact condition is known for a function.

    Examples
    --------
    >>> from theory.falsifier.gram.plain import Outcomes, plain
    >>> from theory.kernel.lemmas import YOUNG
    >>> written(plain(YOUNG, Outcomes()), {YOUNG.symbols[0]: 2}).goal.rhs
    <u, u> + <v, v>/4
    """
    index = index_of(theorem.of)
    place = _place(theorem, at)
    first = {**at, index: place}
    forms = {name: written_out(form.subs(first)) for name, form in theorem.terms.items()}
    lhs = written_out(theorem.lhs.subs(first))
    calls = {call for form in (lhs, *forms.values()) for call in form.atoms(AppliedUndef)}
    last = max((int(call.args[0]) for call in calls if call.args[0].is_Integer), default=0)
    last = max(last, place) if is_run(theorem) else 0
    length = last + (2 if _looks_ahead(theorem, index) else 1)
    ran = list(islice(_iterations(theorem, at, pattern), length))
    classes, rest = in_classes(theorem)
    under, whole = [], True
    for one in rest:
        sides = [written_out(side.subs(at)) for side in (one.lhs, one.rhs)]
        for k in range(length):
            left, right = (_placed(side, theorem, ran, k, index) for side in sides)
            if left is None or right is None:
                whole = False
            else:
                under.append(Relation(left, one.kind, right))
    stated = {name: _placed(form, theorem, ran, place, index) for name, form in forms.items()}
    goal = _placed(lhs, theorem, ran, place, index)
    points = list(dict.fromkeys(each.point(p) for each in ran for p in theorem.points))
    used = _used(points, [goal, *stated.values(), *(s for r in under for s in (r.lhs, r.rhs))])
    for function, said in classes.items():
        own = [one for one in used if one.function == function]
        under += said.at(Values(dict(at), {})).through(own) if own else ()
    kept = (one for one in dict.fromkeys(under) if one.gap != 0)
    return Written(goal, stated, tuple(kept), whole)


def _place(theorem: Plain, at: Mapping[Scalar, Scalar]) -> int:
    """The iteration in which a statement about every one is looked at: stale points are so there."""
    return max((int(sympy.sympify(one.constant).subs(at)) for one in theorem.delayed), default=0)


def _looks_ahead(theorem: Plain, index: Scalar) -> bool:
    shifts = (call.args[0] - index for one in theorem.relations for call in calls_in(one))
    return any(shift.is_Integer and shift > 0 for shift in shifts)


def _used(points: Sequence[Point], forms: Sequence[Scalar]) -> list[Point]:
    """Points of which something is said: any function through them goes through the others."""
    names = {name for one in points for name in one.position.names}
    names |= {n for form in forms for entry in form.atoms(Gram) for n in entry.names}
    symbols = {s for form in forms for s in form.free_symbols}
    return [
        one
        for one in points
        if one.gradient.names & names
        or sympy.sympify(one.value).free_symbols & symbols
        or not sympy.sympify(one.value).is_Symbol
        or not one.gradient.names
    ]


def _iterations(
    theorem: Plain, at: Mapping[Scalar, Scalar], pattern: Pattern
) -> Iterator[Values]:
    """What every name is in iteration 0, 1, 2, …: what follows a point takes its place."""
    moved = {p.value for p in theorem.points if p.position.names & theorem.moving}
    scalars = {*theorem.scalars, *moved} - at.keys()
    run, ran = is_run(theorem), list[Values]()
    followed: dict[Scalar, Scalar] = {}
    followed_vectors: dict[str, Vector] = {}
    for k in count():
        where = f" at {k}" if run else ""
        vectors = {name: vector(f"{name}{where}") for name in theorem.moving} | followed_vectors
        values = {s: sympy.Symbol(f"{s}{where}", **s.assumptions0) for s in scalars} | followed
        now = Values({**at, **values}, vectors)
        for one in theorem.delayed:
            j = k - min(k, pattern(k, int(sympy.sympify(one.constant).subs(at))))
            then = now if j == k else ran[j]
            values[one.old.value] = then.scalar(one.now.value)
            vectors[min(one.old.position.names)] = then.vector(one.now.position)
            if one.old.gradient.names:
                vectors[min(one.old.gradient.names)] = then.vector(one.now.gradient)
        now = Values({**at, **values}, vectors)
        ran.append(now)
        yield now
        followed = {old.value: now.scalar(new.value) for old, new in theorem.following}
        pairs = [(old.position, new.position) for old, new in theorem.following]
        pairs += [(old.gradient, new.gradient) for old, new in theorem.following]
        followed_vectors = {min(old.names): now.vector(new) for old, new in pairs}


def _placed(
    form: Scalar, theorem: Plain, ran: Sequence[Values], k: int, index: Scalar
) -> Scalar | None:
    """An expression in iteration k; None if it speaks of iterations that are not written out."""
    put = {}
    for call in form.atoms(AppliedUndef):
        place, name = call.args[0].subs(index, k), str(call.func)
        if not (place.is_Integer and 0 <= place < len(ran)):
            return None
        meant = theorem.sequences.get(name)
        put[call] = number_named(call.func(place)) if meant is None else ran[place].scalar(meant)
    aside = {call: sympy.Dummy() for call in put}
    inside = ran[k].scalar(form.xreplace(aside)).subs(index, k)
    return inside.xreplace({aside[call]: value for call, value in put.items()})
