"""A statement written out over the iterations of which it speaks, at numbers for its constants.

What is left is linear in inner products of named vectors, in values of functions and in scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.falsifier.gram.classes import in_classes
from theory.falsifier.gram.plain import Plain
from theory.falsifier.run_forms import calls_in, number_named, unsupported, written_out
from theory.kernel.relations import Relation
from theory.kernel.values import Values
from theory.kernel.vectors import Gram, Point, Scalar, Vector, vector

Pattern = Callable[[int, int], int]
"""From iteration k and the largest delay τ to a delay in 0 … min(k, τ)."""

PATTERNS: Final[tuple[Pattern, ...]] = (min, lambda k, largest: k % (largest + 1))
"""Always the largest delay; up to the largest and back to none."""

MOST: Final = 20
"""Points that are looked at."""
RELATIONS: Final = 500
"""Hypotheses that are written out, one for each iteration."""


@dataclass(frozen=True)
class Shape:
    """Which of all runs are looked at.

    Attributes
    ----------
    pattern : callable
        How old a stale point is.
    bounded : mapping of str to number
        Functions that are to be convex, with what ‖∇f‖² is at most.
    plainly : mapping of str to Vector
        What vectors are that an iteration may choose; others are free.
    exact : bool
        Functions are what hypotheses say of them everywhere. Else what is said at points counts at
        these alone, and in one iteration more than the statement speaks of.
    """

    pattern: Pattern = min
    bounded: Mapping[str, Scalar] = field(default_factory=dict)
    plainly: Mapping[str, Vector] = field(default_factory=dict)
    exact: bool = True


ALL: Final = Shape()
"""All runs with delays that are as large as they may be."""


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
    iterations : int
        How many are written out.
    """

    lhs: Scalar
    terms: Mapping[str, Scalar]
    under: tuple[Relation, ...]
    whole: bool
    iterations: int

    @property
    def size(self) -> int:
        """How much there is to solve."""
        return len(self.under) + 10 * self.iterations + self.iterations**2

    @property
    def goal(self) -> Relation:
        """The statement; it is ``==`` where that of the theorem is."""
        return Relation(self.lhs, "<=", sympy.Add(*self.terms.values()))


def written(
    theorem: Plain,
    at: Mapping[Scalar, Scalar],
    shape: Shape = ALL,
) -> Written:
    """Write a statement out.

    Parameters
    ----------
    theorem : Plain
    at : mapping of sympy symbol to number
        Constants.
    shape : Shape
        What is left out.

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
    index = theorem.index
    place = _place(theorem, at) if _is_about_every_iteration(theorem) else 0
    first = {**at, index: place}
    forms = {name: written_out(form.subs(first)) for name, form in theorem.terms.items()}
    lhs = written_out(theorem.lhs.subs(first))
    calls = {call for form in (lhs, *forms.values()) for call in form.atoms(AppliedUndef)}
    last = max((int(call.args[0]) for call in calls if call.args[0].is_Integer), default=0)
    last = max(last, place) if theorem.is_run else 0
    length = last + (1 if shape.exact and not _looks_ahead(theorem, index) else 2)
    ran = list(islice(_iterations(theorem, at, shape), length))
    classes, rest = in_classes(theorem)
    if shape.exact and len(rest) * length > RELATIONS:
        raise unsupported(f"{len(rest)} hypotheses in {length} iterations")
    under, whole = [], True
    for one in rest if shape.exact else theorem.relations:
        sides = [written_out(side.subs(at)) for side in (one.lhs, one.rhs)]
        for k in range(length):
            left, right = (_placed(side, theorem, ran, k, index) for side in sides)
            if left is None or right is None:
                whole = False
            else:
                under.append(Relation(left, one.kind, right))
    stated = {name: _placed(form, theorem, ran, place, index) for name, form in forms.items()}
    goal = _placed(lhs, theorem, ran, place, index)
    if goal is None or None in stated.values():
        raise unsupported("a sequence before the first iteration")
    points = list(dict.fromkeys(each.point(p) for each in ran for p in theorem.points))
    limits = [one for said in classes.values() for one in said.limits]
    sides = [side for one in under for side in (one.lhs, one.rhs)]
    used = _used(points, [goal, *stated.values(), *sides, *limits])
    if len(used) > MOST and shape.exact:
        raise unsupported(f"a statement about {len(used)} points")
    for function, said in classes.items():
        own = [one for one in used if one.function == function]
        if function in shape.bounded:
            bound = shape.bounded[function]
            moduli, steepest = (*said.moduli, sympy.S.Zero), (*said.steepest, bound)
            said = replace(said, moduli=moduli, steepest=steepest)
        here = said.at(Values(dict(at), {}))
        here.curved()  # of an empty class nothing is true, whether a point of it is named or not
        under += here.through(own, shape.exact) if own else ()
    kept = (one for one in dict.fromkeys(under) if one.gap != 0)
    return Written(goal, stated, tuple(kept), whole, length)


def _is_about_every_iteration(theorem: Plain) -> bool:
    """Whether a statement names more than sequences at numbers, and constants."""
    forms = (theorem.lhs, *theorem.terms.values())
    symbols = {*theorem.of.symbols}
    symbols |= {limit[0] for form in forms for one in form.atoms(sympy.Sum) for limit in one.limits}
    return any(form.atoms(Gram) or form.free_symbols - symbols for form in forms)


def _place(theorem: Plain, at: Mapping[Scalar, Scalar]) -> int:
    """The iteration in which a statement about every one is looked at: delays are whole there."""
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


def _iterations(theorem: Plain, at: Mapping[Scalar, Scalar], shape: Shape) -> Iterator[Values]:
    """What every name is in iteration 0, 1, 2, …: what follows a point takes its place."""
    moved = {p.value for p in theorem.points if p.position.names & theorem.moving}
    scalars = {*theorem.scalars, *moved} - at.keys()
    own = [p for p in theorem.points if p.value in scalars and p.gradient.names]
    factors = (factor for p in theorem.points for _, factor in p.position.terms)
    if scalars & {s for form in factors for s in sympy.sympify(form).free_symbols}:
        raise unsupported("a step whose factor is another in each iteration")  # times vectors
    ran: list[Values] = []
    known: dict[tuple[str, Vector], Point] = {}
    followed = Values({}, {})
    for k in count():
        where = f" at {k}" if theorem.is_run else ""
        vectors = {name: vector(f"{name}{where}") for name in theorem.moving}
        values = {s: sympy.Symbol(f"{s}{where}", **s.assumptions0) for s in scalars}
        vectors = {**vectors, **followed.vectors}
        values = {**at, **values, **followed.scalars, theorem.index: sympy.Integer(k)}
        for one in theorem.delayed:
            largest = int(sympy.sympify(one.constant).subs(at))
            j = k - min(k, largest if one.exact else shape.pattern(k, largest))
            then = Values(values, vectors) if j == k else ran[j]
            put = then.point(one.now)
            values[one.old.value] = put.value
            for new, old in ((put.position, one.old.position), (put.gradient, one.old.gradient)):
                vectors.update(dict.fromkeys(old.names, new))
        now = _settled(own, Values(values, vectors), shape, known)
        known |= {(p.function, p.position): p for p in map(now.point, theorem.points[::-1])} | known
        ran.append(now)
        yield now
        moves = [(old, now.point(new)) for old, new in theorem.following]
        pairs = [(old.position, new.position) for old, new in moves]
        pairs += [(old.gradient, new.gradient) for old, new in moves]
        followed = Values(
            {old.value: new.value for old, new in moves}, {min(o.names): n for o, n in pairs}
        )


def _settled(
    points: Sequence[Point], now: Values, shape: Shape, known: Mapping[tuple[str, Vector], Point]
) -> Values:
    """With what is chosen plainly, and with one value and one gradient at one position."""
    scalars, vectors = dict(now.scalars), dict(now.vectors)
    for _ in range(3):  # a position may be made of gradients at others
        now = Values(scalars, vectors)
        vectors |= {name: now.vector(one) for name, one in shape.plainly.items()}
        here = dict(known)
        for one in points:
            now = Values(scalars, vectors)
            other = here.setdefault((one.function, now.vector(one.position)), now.point(one))
            scalars[one.value] = other.value
            vectors[min(one.gradient.names)] = other.gradient
    return Values(scalars, vectors)


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
