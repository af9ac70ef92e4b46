"""Steps that name where they end: y = x − c·∇f(y) has a solution wherever f is convex, c > 0.

It is where f + ‖· − x‖²/(2c) is least, which is strongly convex. So has ∇h(y) = w where h is
strongly convex, as h − ⟨w, ·⟩ has a least value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy
from sympy.core.symbol import Str

from theory.falsifier.gram.plain import Plain
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation
from theory.kernel.vectors import Gram, Scalar, Vector, squared


@dataclass(frozen=True)
class End:
    """Where such a step ends.

    Attributes
    ----------
    name : str
        Of y.
    place : Vector
        x − c·∇f(y) for y, or w for ∇h(y).
    said : frozenset of Relation
        The hypotheses that say so.
    """

    name: str
    place: Vector
    said: frozenset[Relation]


def implicit(theorem: Plain, at: Mapping[Scalar, Scalar]) -> dict[str, End]:
    """What such an equation says of y, or of ∇h(y), by the name of what it defines.

    Parameters
    ----------
    theorem : Plain
    at : mapping of symbol to number
        Its constants.
    """
    curved = {f: said[0] for f, kind, said in theorem.of.everywhere if kind == "convex"}
    found: dict[str, End] = {}
    for point in theorem.points:
        names, slopes = point.position.names, point.gradient.names
        alone = len(names) == len(slopes) == 1 and names <= {*theorem.free}
        if point.function not in curved or not alone:
            continue
        (name,), (slope,) = names, slopes
        strongly = sympy.sympify(curved[point.function]).xreplace(dict(at)).is_positive
        said: dict[tuple[str, Vector], set[Relation]] = {}
        for one in theorem.relations:
            for zero in _vanishing(one):
                end = _solved(zero, name, slope, at)
                other = _alone(zero, slope, name) if strongly else None
                for key, place in ((name, end), (slope, other)):
                    if place is not None:
                        said.setdefault((key, place), set()).add(one)
        if len(said) == 1:
            (((key, place), own),) = said.items()
            found[key] = End(name, place, frozenset(own))
    return found


def _vanishing(one: Relation) -> Iterator[Vector]:
    """The vectors v of which an equation says ‖v‖² = 0, or ⟨v, u⟩ = 0 of a vector u."""
    entries = atoms(one.gap, Gram)
    if one.kind != "==" or not entries:
        return
    whole = squared(one.gap) or squared(-one.gap)
    if whole is not None:
        yield whole[1]
        return
    form = sympy.expand(one.gap)
    for beside in frozenset.intersection(*(frozenset(entry.names) for entry in entries)):
        others = {entry: [n for n in entry.names if n != beside] for entry in entries}
        parts = {(*rest, beside)[0]: form.coeff(entry) for entry, rest in others.items()}
        made = Vector(tuple(sorted(parts.items())))
        spelled = sum(a * Gram(*map(Str, sorted((n, beside)))) for n, a in made.terms)
        if sympy.expand(form - spelled) == 0:
            yield made


def _solved(zero: Vector, name: str, slope: str, at: Mapping[Scalar, Scalar]) -> Vector | None:
    """What v = 0 says of y, where v is a multiple of y + c·∇f(y) − x and c > 0."""
    parts = dict(zero.terms)
    size = parts.pop(name, sympy.S.Zero)
    ratio = sympy.sympify(parts.get(slope, 0) / size).xreplace(dict(at)) if size != 0 else size
    if not ratio.is_positive:
        return None
    return _over(parts, size)


def _alone(zero: Vector, slope: str, name: str) -> Vector | None:
    """What v = 0 says of ∇h(y), where y stands nowhere else."""
    parts = dict(zero.terms)
    size = parts.pop(slope, sympy.S.Zero)
    return None if size == 0 or name in parts else _over(parts, size)


def _over(parts: Mapping[str, Scalar], size: Scalar) -> Vector:
    return Vector(tuple(sorted((n, sympy.cancel(-a / size)) for n, a in parts.items())))
