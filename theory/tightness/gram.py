"""How tight a theorem is at given numbers, by one semidefinite program a term of its right side.

The program is the theorem's own data: with numbers for its constants, hypotheses and statement are
linear in the Gram matrix of its vectors and in its function values. A theorem about a run is
written out for as many iterations as it speaks of, and an L-smooth function is what the
interpolation inequalities say (Taylor, Hendrickx and Glineur 2017, Theorem 3.10). Floating point:
evidence, never a proof, and a hypothesis counts only in the iterations that are written out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, count, islice, permutations
from math import inf, sqrt
from typing import Any, Final

import numpy as np
import sympy
from scipy import sparse
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str

from theory.errors import UnsupportedFormError
from theory.falsifier.rewriting import rewritten
from theory.falsifier.run_forms import index_of, number_named, written_out
from theory.falsifier.small_runs import in_domain
from theory.kernel.context import means_in
from theory.kernel.prove import conditions
from theory.kernel.relations import Relation, eq, le
from theory.kernel.theorem import Hypothesis, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import ZERO, Gram, Point, Scalar, Vector, dot, square, vector
from theory.ledger import Evidence
from theory.proving.semidefinite import available

NUMBERS: Final = tuple(map(sympy.Rational, ("1", "1/2", "1/4", "2")))
"""Values of constants; the first ones together are tried first."""
COUNTS: Final = tuple(map(sympy.Integer, (3, 2, 1, 4)))
DRAWS: Final = 2000
FEW: Final = 3
ABOUT: Final = "tightness, of the statement as written"
CLEAR: Final = 1e-3
"""By how much a part differs from 1 where the statement is not called tight."""
TOLERANCE: Final = 1e-5
"""Primal and dual value are this close, relative to the larger of 1 and the value."""


@dataclass(frozen=True)
class Tightness:
    """How much of one term of the right side the worst instance needs.

    Attributes
    ----------
    term : str
    part : float
        1 where the statement is tight; below 1 where the term may be smaller by that factor, above
        1 where the statement fails. For a term that is negative, the inverse of that by which it
        may be larger in size.
    """

    term: str
    part: float


def tightness(theorem: Theorem, at: Mapping[Scalar, Scalar]) -> list[Tightness]:
    """The part of each term that is needed at these constants; terms without an answer are absent.

    Raises
    ------
    UnsupportedFormError
        The theorem is not linear in Gram matrix and values, or names means.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel.lemmas import YOUNG
    >>> a = YOUNG.symbols[0]
    >>> [(one.term, round(one.part, 3)) for one in tightness(YOUNG, {a: 2})]
    [('first', 1.0), ('second', 1.0)]
    >>> loose = replace(YOUNG, terms={**YOUNG.terms, "first": 2 * YOUNG.terms["first"]})
    >>> [round(one.part, 2) for one in tightness(loose, {a: 2})]
    [0.5, 0.5]
    """
    if any(True for _ in means_in(theorem)):
        raise UnsupportedFormError("means are not posed", theorem.id, "state it without means")
    run = _written(rewritten(theorem), at)
    found = []
    for name, term in run.terms.items():
        rest = run.lhs - sympy.Add(*(form for other, form in run.terms.items() if other != name))
        if not term.is_number:
            up, down = (_greatest(rest, (*run.under, eq(term, sign))) for sign in (1, -1))
        elif term != 0:
            size = _greatest(rest, run.under)
            scaled = None if size is None else size / abs(float(term))
            up, down = (scaled, None) if term > 0 else (None, scaled)
        else:
            continue
        if down is None and up is not None:
            found.append(Tightness(name, up))
        if up is None and down is not None:
            found.append(Tightness(name, -1 / down if down < 0 else inf))
    return found


def some_numbers(theorem: Theorem) -> list[dict[Scalar, Scalar]]:
    """A few values of constants that satisfy what the hypotheses say of constants alone.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> some_numbers(YOUNG)
    [{a: 1}, {a: 2}, {a: 1/4}]
    """
    source, found = random.Random(0), []
    choices = [COUNTS if one.is_integer else NUMBERS for one in theorem.symbols]
    drawn = ([source.choice(choice) for choice in choices] for _ in range(DRAWS))
    for values in ([choice[0] for choice in choices], *drawn):
        at = dict(zip(theorem.symbols, values, strict=True))
        gaps = ((one.kind, one.gap.xreplace(at)) for one in conditions(theorem))
        domains = all(in_domain(value, symbol) for symbol, value in at.items())
        holds = all(gap == 0 if kind == "==" else gap >= 0 for kind, gap in gaps)
        if domains and holds and at not in found:
            found.append(at)
    return found[:FEW]


def theorem_evidence(theorem: Theorem) -> Evidence:
    """What a theorem's worst cases at a few numbers say of its right side, or why there are none.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> theorem_evidence(YOUNG).says.split(": ")[1]
    'tight at a = 1; tight at a = 2; tight at a = 1/4'
    """
    how = f"{ABOUT} (clarabel, floating point, no proof): "
    rows: list[dict[str, object]] = []
    try:
        problem = "" if available() else "needs clarabel; run: pip install clarabel"
        for at in () if problem else some_numbers(theorem):
            needed = {one.term: round(one.part, 4) for one in tightness(theorem, at)}
            if needed:
                rows.append({"at": {str(s): str(x) for s, x in at.items()}, "needed": needed})
    except UnsupportedFormError as error:
        problem = error.what
    if not rows:
        return Evidence("neither", f"{how}nothing, {problem or 'no program has a solution'}", {})
    says = dict.fromkeys(_said(row["needed"], row["at"]) for row in rows)  # type: ignore[arg-type]
    return Evidence("neither", how + "; ".join(says), {"rows": rows})


def _said(needed: Mapping[str, float], at: Mapping[str, str]) -> str:
    """The term that comes nearest to being too small, or is."""
    place = ", ".join(f"{name} = {value}" for name, value in at.items())
    name, part = max(needed.items(), key=lambda item: item[1])
    if part > 1 + CLEAR:
        return f"violated at {place}: {part:.3g} times {name!r} is needed (not replayed exactly)"
    if part > 1 - CLEAR:
        return f"tight at {place}"
    words = ", ".join(f"{part:.3g} of {name!r}" for name, part in needed.items())
    return f"loose at {place}: {words} would do"


@dataclass(frozen=True)
class _Written:
    """A statement over all iterations of which it speaks, without constants."""

    lhs: Scalar
    terms: Mapping[str, Scalar]
    under: tuple[Relation, ...]


def _written(theorem: Theorem, at: Mapping[Scalar, Scalar]) -> _Written:
    index = index_of(theorem)
    first = {**at, index: 0}  # a statement about every iteration is looked at in the first one
    forms = {name: written_out(form.subs(first)) for name, form in theorem.terms.items()}
    lhs = written_out(theorem.lhs.subs(first))
    calls = {call for form in (lhs, *forms.values()) for call in form.atoms(AppliedUndef)}
    last = max((int(call.args[0]) for call in calls), default=-1)
    ran = list(islice(_iterations(theorem, at), last + 2))  # what bounds the last may come after it
    under: list[Relation] = []
    for one in theorem.hypotheses:
        if isinstance(one, Hypothesis):
            sides = [written_out(side.subs(at)) for side in (one.relation.lhs, one.relation.rhs)]
            placed = (
                [_placed(side, theorem, ran, k, index) for side in sides] for k in range(len(ran))
            )
            under += [Relation(a, one.relation.kind, b) for a, b in placed if None not in (a, b)]
        else:
            points = (each.point(p) for each in ran for p in theorem.points)
            own = dict.fromkeys(p for p in points if p.function == one.function)
            under += _interpolated(sympy.sympify(one.constant).subs(at), list(own))
    stated = {name: _placed(form, theorem, ran, 0, index) for name, form in forms.items()}
    goal = _placed(lhs, theorem, ran, 0, index)
    return _Written(goal, stated, tuple(dict.fromkeys(under)))


def _iterations(theorem: Theorem, at: Mapping[Scalar, Scalar]) -> Iterator[Values]:
    """What every name is in iteration 0, 1, 2, …: what follows a point takes its place."""
    still = {name for one in theorem.fixed for name in one.names}
    scalars = {*theorem.scalars, *(p.value for p in theorem.points)} - at.keys()
    moving = {name for one in theorem.vectors for name in one.names} - still
    moving |= {
        name
        for p in theorem.points
        for one in (p.position, p.gradient)
        for name in one.names - still
    }
    gaps = [
        h.relation.gap
        for h in theorem.hypotheses
        if isinstance(h, Hypothesis) and h.relation.kind == "=="
    ]
    gone = {name for name in moving if any((gap / square(vector(name))).is_number for gap in gaps)}
    followed: dict[Scalar, Scalar] = {}
    followed_vectors: dict[str, Vector] = {}
    for k in count():
        names = {name: ZERO if name in gone else vector(f"{name} at {k}") for name in moving}
        values = {s: sympy.Symbol(f"{s} at {k}", **s.assumptions0) for s in scalars}
        now = Values({**at, **values, **followed}, {**names, **followed_vectors})
        yield now
        followed = {old.value: now.scalar(new.value) for old, new in theorem.following}
        pairs = [(old.position, new.position) for old, new in theorem.following]
        pairs += [(old.gradient, new.gradient) for old, new in theorem.following]
        followed_vectors = {min(old.names): now.vector(new) for old, new in pairs}


def _placed(
    form: Scalar, theorem: Theorem, ran: Sequence[Values], k: int, index: Scalar
) -> Scalar | None:
    """An expression in iteration k; None if it speaks of iterations that are not written out."""
    known = {str(f): value for f, value in theorem.sequences.items()}
    put = {}
    for call in form.atoms(AppliedUndef):
        place, name = call.args[0].subs(index, k), str(call.func)
        if not (place.is_Integer and 0 <= place < len(ran)):
            return None
        meant = name in known
        put[call] = ran[int(place)].scalar(known[name]) if meant else number_named(call.func(place))
    aside = {call: sympy.Dummy() for call in put}
    inside = ran[k].scalar(form.xreplace(aside)).subs(index, k)
    return inside.xreplace({aside[call]: value for call, value in put.items()})


def _interpolated(constant: Scalar, points: Sequence[Point]) -> Iterator[Relation]:
    """What is necessary and sufficient for an L-smooth function through these points."""
    for x, y in permutations(points, 2):
        step, bend = x.position - y.position, x.gradient - y.gradient
        rise = y.value + dot(y.gradient, step) + square(bend) / (2 * constant)
        yield le(rise - constant / 4 * square(step - bend / constant), x.value)


def _greatest(objective: Scalar, relations: Sequence[Relation]) -> float | None:
    """The supremum under the relations; None if they have no solution, or the solver none."""
    import clarabel

    rows = [_linear(one.gap) for one in relations]
    aims = _linear(objective)
    atoms = {atom for row in (aims, *rows) for atom in row} - {sympy.S.One}
    names = sorted({name for atom in atoms if isinstance(atom, Gram) for name in atom.names})
    pairs = sorted(combinations_with_replacement(range(len(names)), 2), key=lambda p: p[::-1])
    scalars = sorted((atom for atom in atoms if atom.is_Symbol), key=str)
    rows += [{one: 1.0} for one in scalars if one.is_nonnegative]
    places = {Gram(Str(names[i]), Str(names[j])): n for n, (i, j) in enumerate(pairs)}
    places |= {one: len(pairs) + n for n, one in enumerate(scalars)}
    scale = np.array([1 if i == j else 1 / sqrt(2) for i, j in pairs] + [1.0] * len(scalars))

    def coefficients(row: Mapping[Scalar, float]) -> Any:
        found = np.zeros(len(places))
        for atom, factor in row.items():
            if atom != 1:
                found[places[atom]] += factor
        return found * scale

    equal = [r.kind == "==" for r in relations] + [False] * (len(rows) - len(relations))
    ordered = sorted(range(len(rows)), key=lambda n: not equal[n])
    body = [-coefficients(rows[n]) for n in ordered]
    right = [rows[n].get(sympy.S.One, 0.0) for n in ordered]
    body += list(-np.eye(len(places))[: len(pairs)])
    cones = [clarabel.ZeroConeT(sum(equal)), clarabel.NonnegativeConeT(len(rows) - sum(equal))]
    cones += [clarabel.PSDTriangleConeT(len(names))] if names else []
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    result = clarabel.DefaultSolver(
        sparse.csc_matrix((len(places), len(places))),
        -coefficients(aims),
        sparse.csc_matrix(np.array(body).reshape(len(body), len(places))),
        np.array(right + [0.0] * len(pairs)),
        cones,
        settings,
    ).solve()
    if str(result.status) in ("DualInfeasible", "AlmostDualInfeasible"):
        return inf
    near = abs(result.obj_val - result.obj_val_dual) <= TOLERANCE * max(1.0, abs(result.obj_val))
    usable = str(result.status) in ("Solved", "AlmostSolved") and near
    return -float(result.obj_val) + aims.get(sympy.S.One, 0.0) if usable else None


def _linear(form: Scalar) -> dict[Scalar, float]:
    """Factors of Gram entries, scalars and 1."""
    found: dict[Scalar, float] = {}
    for term in sympy.Add.make_args(sympy.expand(form)) if form != 0 else ():
        factor, atom = term.as_independent(Gram, sympy.Symbol)
        if not (isinstance(atom, Gram) or atom.is_Symbol or atom == 1) or not factor.is_number:
            raise UnsupportedFormError(
                f"a program is linear in inner products and values, found {term}",
                "tightness",
                "state it in squared norms",
            )
        found[atom] = found.get(atom, 0.0) + float(factor)
    return found
