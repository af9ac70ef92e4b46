"""A statement with vectors put in place of those that its own equations define."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import sympy

from theory.errors import UnsupportedFormError
from theory.falsifier.run_forms import by_side, least_of
from theory.kernel.atoms import atoms
from theory.kernel.context import vanishing
from theory.kernel.means import Mean
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules import Combine
from theory.kernel.theorem import Assumption, Delayed, Hypothesis, Theorem
from theory.kernel.vectors import ZERO, Gram, Point, Scalar, Vector, square, vector


def free_vectors(theorem: Theorem) -> list[str]:
    """Names of vectors that are neither fixed, nor followed, nor gradients at points."""
    taken = {name for one in theorem.points for name in one.gradient.names}
    taken |= {name for now, _ in theorem.following for name in now.position.names}
    taken |= {name for one in theorem.fixed for name in one.names}
    named = {name for one in theorem.vectors for name in one.names}
    named |= {name for one in theorem.points for name in one.position.names}
    return sorted(named - taken)


def means_of(theorem: Theorem) -> Iterator[tuple[str, Vector, Vector]]:
    """A mean, what is random to it, and of what it is the mean."""
    for name, kind, said in theorem.everywhere:
        if kind == "unbiased":
            random, expected = (one for one in said if isinstance(one, Vector))
            yield name, random, expected


def _certain(theorem: Theorem, drawn: str) -> Theorem:
    """With one outcome of every mean but this one: of what is random to it, it is nothing else."""

    def one(side: Scalar) -> Scalar:
        return sympy.sympify(side).replace(
            lambda node: isinstance(node, Mean) and str(node.args[0]) != drawn,
            lambda node: node.args[2],
        )

    return replace(
        theorem,
        hypotheses=tuple(
            replace(h, relation=by_side(h.relation, one)) if isinstance(h, Hypothesis) else h
            for h in theorem.hypotheses
        ),
        sequences={f: one(value) for f, value in theorem.sequences.items()},
        lhs=one(theorem.lhs),
        terms={name: one(term) for name, term in theorem.terms.items()},
        steps=(),
        conclude=Combine(),
    )


def rewritten(
    theorem: Theorem, around: Mapping[str, Vector] | None = None, drawn: str | None = None
) -> Theorem:
    """With vectors put in place of those that an equation defines, and others around a base.

    Parameters
    ----------
    theorem : Theorem
    around : mapping of str to Vector, optional
        Vectors near which those of these names lie: a name stands for the difference from then on.
    drawn : str, optional
        The mean that has more than one outcome, if any. Of the others E g = m then says g = m,
        where hypotheses only say E⟨g, v⟩ = ⟨m, v⟩ for some v.
    """
    bases = around or {}
    zero = [] if drawn is None else [g - m for of, g, m in means_of(theorem) if of != drawn]
    theorem = theorem if drawn is None else _certain(theorem, drawn)
    gaps = [h.relation.gap for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    gaps += map(square, zero)
    put: dict[str, Vector] = {}
    for name in free_vectors(theorem):
        equations = (_solved_for(name, gap) for gap in gaps)
        found = next((one for one in equations if one is not None), None)
        known = None if found is None else found.replaced(put)
        if known is None and name in bases and not bases[name].names & put.keys():
            known = bases[name] + vector(name)
        elif known is None or name in known.names:
            continue
        put = {other: one.replaced({name: known}) for other, one in put.items()} | {name: known}

    def moved(one: Point) -> Point:
        return replace(one, position=one.position.replaced(put))

    return replace(
        theorem,
        points=tuple(map(moved, theorem.points)),
        following=tuple((moved(now), moved(then)) for now, then in theorem.following),
        hypotheses=tuple(_hypotheses(theorem, put)),
        sequences={
            f: Relation(v, "==", 0).replaced({}, put).lhs for f, v in theorem.sequences.items()
        },
        lhs=theorem.goal.replaced({}, put).lhs,
        terms={n: Relation(t, "==", 0).replaced({}, put).lhs for n, t in theorem.terms.items()},
        vectors=(*theorem.vectors, *(vector(name) for one in put.values() for name in one.names)),
        everywhere=tuple(
            (of, kind, tuple(c.replaced(put) if isinstance(c, Vector) else c for c in said))
            for of, kind, said in theorem.everywhere
        ),
        steps=(),
        conclude=Combine(),
    )


def _hypotheses(theorem: Theorem, put: Mapping[str, Vector]) -> Iterator[Assumption]:
    """With these vectors, and without products of vectors that are said to be 0."""
    own = [h for h in theorem.hypotheses if isinstance(h, Hypothesis) and vanishing(h.relation)]
    zero = {name: ZERO for h in own for name in vanishing(h.relation)}
    for one in theorem.hypotheses:
        if not isinstance(one, Hypothesis) or one in own:
            yield one
            continue
        moved = one.relation.replaced({}, {**put, **zero})
        if moved.gap != 0 or one.relation.gap == 0:
            yield replace(one, relation=moved)


def unbound(theorem: Theorem) -> Theorem:
    """With sequences that may be any where each is a number of which nothing else speaks.

    Parameters
    ----------
    theorem : Theorem
        Where a(k) is the mean of a scalar that may change, with the same domain, every sequence a
        is one: the scalar is then a(k) in iteration k, whatever is drawn.
    """
    named = [side for _, one in theorem.relations for side in (one.lhs, one.rhs)]
    named += [f for at in theorem.points for v in (at.position, at.gradient) for _, f in v.terms]
    named += [c for *_, said in theorem.everywhere for c in said if not isinstance(c, Vector)]
    named += [h.constant for h in theorem.hypotheses if not isinstance(h, Hypothesis)]
    taken = Counter(one for form in named for one in sympy.sympify(form).free_symbols)
    taken += Counter(one for value in theorem.sequences.values() for one in value.free_symbols)
    free = {
        f: value
        for f, value in theorem.sequences.items()
        if value in theorem.scalars and taken[value] == 1
        if _alike(value, f(sympy.S.Zero))
    }
    return replace(
        theorem,
        sequences={f: value for f, value in theorem.sequences.items() if f not in free},
        scalars=tuple(one for one in theorem.scalars if one not in free.values()),
        steps=(),
        conclude=Combine(),
    )


def _alike(one: Scalar, other: Scalar) -> bool:
    """Whether two have one domain, of which the least is known."""
    try:
        return least_of(one) == least_of(other)
    except UnsupportedFormError:
        return False


def remembering(
    theorem: Theorem, counts: Mapping[Scalar, Scalar]
) -> tuple[Theorem, dict[str, str]] | None:
    """With a chain of earlier iterates in place of stale points, each as late as it may be.

    Parameters
    ----------
    theorem : Theorem
    counts : mapping of integer symbol to number

    Returns
    -------
    (Theorem, dict of str to str) or None
        And which names start where which others do; None where a delay is no number above 0, or
        what is stale is defined by more.
    """
    starts: dict[str, str] = {}
    points, following = [*theorem.points], [*theorem.following]
    for one in theorem.hypotheses:
        if not isinstance(one, Delayed):
            continue
        delay = sympy.sympify(one.constant).subs(dict(counts))
        own = [min(p.position.names, default="") for p in (one.old, one.now)]
        single = all(len(p.position.names) == 1 for p in (one.old, one.now))
        if not (delay.is_Integer and delay > 0 and single) or own[0] in starts:
            return None
        known = dict(theorem.following)
        if one.old in known:  # it is said already what it was before
            before = one.old
            for _ in range(int(delay)):
                before = known.get(before, one.old)
            if before != one.now:
                return None
            starts[own[0]] = own[1]
            continue
        chain = [one.now]
        for ago in range(1, int(delay)):
            name = f"{own[1]}, {ago} before {own[0]}"
            value = sympy.Symbol(f"{one.function}({name})", real=True)
            chain.append(Point(vector(name), value, vector(f"∇{value}"), one.function))
            starts[name] = own[1]
        starts[own[0]] = own[1]
        points += chain[1:]
        following += [*zip([*chain[1:], one.old], chain, strict=True)]
    kept = tuple(h for h in theorem.hypotheses if not isinstance(h, Delayed))
    chained = replace(
        theorem,
        points=tuple(points),
        following=tuple(following),
        hypotheses=kept,
        steps=(),
        conclude=Combine(),
    )
    return chained, starts


@lru_cache(maxsize=2**12)
def _solved_for(name: str, gap: Scalar) -> Vector | None:
    """The vector of this name in ‖a·name + others‖² = 0, if a gap says this."""
    own = vector(name)
    if atoms(gap, Mean) or square(own) not in atoms(gap, Gram):
        return None
    form = sympy.expand(gap)
    size = form.coeff(square(own))
    if size == 0:
        return None
    others = ZERO
    for entry in atoms(form, Gram):
        if name in entry.names and entry.names != (name, name):
            other = next(one for one in entry.names if one != name)
            others = others - vector(other) * (form.coeff(entry) / (2 * size))
    return others if is_zero(form - size * square(own - others)) else None
