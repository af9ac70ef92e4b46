"""A statement with vectors put in place of those that its own equations define."""

from __future__ import annotations

from dataclasses import replace

import sympy

from theory.kernel.means import Mean
from theory.kernel.relations import Relation
from theory.kernel.rules import Combine
from theory.kernel.theorem import Hypothesis, Theorem
from theory.kernel.vectors import Gram, Point, Scalar, Vector, square, vector


def free_vectors(theorem: Theorem) -> list[str]:
    """Names of vectors that are neither fixed, nor followed, nor gradients at points."""
    taken = {name for one in theorem.points for name in one.gradient.names}
    taken |= {name for now, _ in theorem.following for name in now.position.names}
    taken |= {name for one in theorem.fixed for name in one.names}
    named = {name for one in theorem.vectors for name in one.names}
    named |= {name for one in theorem.points for name in one.position.names}
    return sorted(named - taken)


def rewritten(theorem: Theorem, base: str = "") -> Theorem:
    """With vectors put in place of those that an equation defines, and noise around a base."""
    gaps = [h.relation.gap for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    put: dict[str, Vector] = {}
    for name in free_vectors(theorem):
        equations = (_solved_for(name, gap) for gap in gaps)
        found = next((one for one in equations if one is not None), None)
        if found is not None and not found.names & put.keys():
            put[name] = found
        elif base:
            put[name] = vector(base) + vector(name)

    def moved(one: Point) -> Point:
        return replace(one, position=one.position.replaced(put))

    return replace(
        theorem,
        points=tuple(map(moved, theorem.points)),
        following=tuple((moved(now), moved(then)) for now, then in theorem.following),
        hypotheses=tuple(
            replace(h, relation=h.relation.replaced({}, put)) if isinstance(h, Hypothesis) else h
            for h in theorem.hypotheses
        ),
        sequences={
            f: Relation(v, "==", 0).replaced({}, put).lhs for f, v in theorem.sequences.items()
        },
        lhs=theorem.goal.replaced({}, put).lhs,
        terms={n: Relation(t, "==", 0).replaced({}, put).lhs for n, t in theorem.terms.items()},
        vectors=(*theorem.vectors, *(vector(name) for one in put.values() for name in one.names)),
        steps=(),
        conclude=Combine(),
    )


def _solved_for(name: str, gap: Scalar) -> Vector | None:
    """The vector of this name in ‖a·name + others‖² = 0, if a gap says this."""
    if gap.atoms(Mean) or not gap.atoms(Gram):
        return None
    form = sympy.expand(gap)
    own = vector(name)
    size = form.coeff(square(own))
    if size == 0:
        return None
    others = vector(name) * 0
    for entry in form.atoms(Gram):
        if name in entry.names and entry.names != (name, name):
            other = next(one for one in entry.names if one != name)
            others = others - vector(other) * (form.coeff(entry) / (2 * size))
    return others if sympy.simplify(form - size * square(own - others)) == 0 else None
