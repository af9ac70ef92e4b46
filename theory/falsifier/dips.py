"""Functions with a Polyak–Łojasiewicz constant that are not convex, for instances that are drawn.

Their derivative rises, falls between two knots without coming to 0, and rises again. What is drawn
at large is hardly ever one: the least value must lie where it is said to, and the constant be met.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from theory.falsifier.scalars import Piecewise
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar, Vector

STEEP: Final = tuple(map(Fraction, "1 2 4 1/2 1/4".split()))
"""Curvatures, places of the knots, and how steep the function is where it is least steep."""


def dip(curvature: Fraction, knot: Fraction, steep: Fraction) -> Piecewise:
    """A function of curvature ±c whose derivative falls to c·w·s between its knots ±w.

    Examples
    --------
    >>> one = dip(Fraction(1), Fraction(1), Fraction(1))
    >>> one.slopes() == (1, -1, 1), one.pl(), list(one.zeros())
    (True, Fraction(1, 17), [Fraction(-4, 1)])
    """
    width = curvature * knot
    values = (width * (2 + steep), width * steep)
    return Piecewise((-knot, knot), values, curvature, curvature)


def dipped(
    theorem: Theorem, names: Mapping[str, Scalar], source: random.Random
) -> dict[Scalar, Fraction]:
    """Constants of an instance on such functions, where a theorem supposes them; else none.

    Parameters
    ----------
    theorem : Theorem
    names : mapping of str to sympy symbol
        What is the same in every iteration, with the coefficients of functions.
    source : random.Random

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> dipped(YOUNG, {}, random.Random(0))
    {}
    """
    found: dict[Scalar, Fraction] = {}
    for function, kind, said in theorem.everywhere:
        if kind == "Polyak–Łojasiewicz" and source.random() < 0.5:
            ends = ["[1]", "[2]"] if f"{function}''[1]" in names else [""]
            parts = {end: dip(*(source.choice(STEEP) for _ in range(3))) for end in ends}
            found |= {
                names[name]: value
                for name, value in _coefficients(theorem, function, parts)
                if name in names
            }
            fall = sum((p.minimum() or 0) - p.value(Fraction(0)) for p in parts.values())
            constants = min(p.pl() for p in parts.values()), fall
            for one, value in zip(said, constants, strict=True):
                if not isinstance(one, Vector) and one in names.values():
                    found[one] = Fraction(value)
    return found


def _coefficients(
    theorem: Theorem, function: str, parts: Mapping[str, Piecewise]
) -> Iterator[tuple[str, Fraction]]:
    """By name, as `theory.falsifier.iterations.Bent` has them; and where the function is least."""
    least = [said[0] for f, kind, said in theorem.everywhere if (f, kind) == (function, "minimum")]
    yield f"{function}(0)", Fraction(0)
    for end, part in parts.items():
        bend = -part.left
        yield f"{function}'(0){end}", sum(part.values, Fraction(0)) / 2
        yield f"{function}''{end}", bend
        yield f"{function}'' +{end}", part.right / bend - 1
        yield f"{function}'' -{end}", part.left / bend - 1
        yield f"{function} knot{end}", part.knots[1]
        for place in least:
            for name in place.names if isinstance(place, Vector) else ():
                yield f"{name}{end}", next(part.zeros())
