"""Linear functions of inner products and scalars, and semidefinite programs made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import inf, sqrt
from typing import Any, Final

import sympy

from theory.errors import UnsupportedFormError
from theory.kernel.relations import Relation
from theory.kernel.vectors import Gram, Scalar

TOLERANCE: Final = 1e-5
"""Primal and dual value are this close, relative to the larger of 1 and the value."""
BOX: Final = 100.0
"""No scalar, and no sum of squared norms, of a witness is larger."""

Atom = tuple[str, str] | str
"""An inner product of two names in order, a scalar's name, or ``""`` for 1."""

Row = Mapping[Atom, Fraction]
"""A linear function."""


def linear(form: Scalar) -> dict[Atom, Fraction]:
    """An expression as a linear function.

    Raises
    ------
    UnsupportedFormError
        It is none, or has factors that are no rational numbers.

    Examples
    --------
    >>> from theory.kernel.vectors import dot, vectors
    >>> u, v = vectors("u v")
    >>> linear(3 * dot(u, v) + 1)
    {'': Fraction(1, 1), ('u', 'v'): Fraction(3, 1)}
    """
    found: dict[Atom, Fraction] = {}
    for term in sympy.Add.make_args(sympy.expand(form)):
        factor, atom = term.as_coeff_Mul()
        if not factor.is_Rational or not (isinstance(atom, Gram) or atom.is_Symbol or atom == 1):
            raise UnsupportedFormError(
                "a program is linear in inner products and values",
                "tightness",
                "state it in squared norms, at rational numbers",
            )
        name: Atom = atom.names if isinstance(atom, Gram) else "" if atom == 1 else atom.name
        found[name] = found.get(name, Fraction(0)) + Fraction(int(factor.p), int(factor.q))
    return {atom: factor for atom, factor in found.items() if factor}


@dataclass(frozen=True)
class Program:
    """What is nonnegative or zero, of vectors and scalars that are unknown.

    Attributes
    ----------
    names : tuple of str
        Of the vectors.
    scalars : tuple of str
    equal, least : tuple of Row
        What is 0, and what is at least 0; a nonnegative scalar is in the latter.
    """

    names: tuple[str, ...]
    scalars: tuple[str, ...]
    equal: tuple[Row, ...]
    least: tuple[Row, ...]

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """All unknowns: inner products in the order of the solver, then scalars."""
        places = combinations_with_replacement(range(len(self.names)), 2)
        pairs = sorted(places, key=lambda pair: pair[::-1])
        return (*(tuple(sorted((self.names[i], self.names[j]))) for i, j in pairs), *self.scalars)  # type: ignore[arg-type]

    def greatest(self, aim: Row) -> float | None:
        """The supremum of a linear function; None without a solution, or if the solver has none."""
        found = self._solved(aim, self.equal, self.least, margin=False)
        return None if found is None else found[0]

    def inside(self, goal: Row) -> tuple[float, dict[Atom, float]] | None:
        """Unknowns with everything as far inside as it gets, the goal at most 0 included.

        Returns
        -------
        (float, mapping), or None
            How far, and the unknowns.
        """
        against = {atom: -factor for atom, factor in goal.items()}
        found = self._solved({}, self.equal, (against, *self.least), margin=True)
        return None if found is None or found[1] is None else found  # type: ignore[return-value]

    def _solved(
        self, aim: Row, equal: Sequence[Row], least: Sequence[Row], margin: bool
    ) -> tuple[float, dict[Atom, float] | None] | None:
        import clarabel
        import numpy as np
        from scipy import sparse

        count, size = len(self.atoms), len(self.names)
        products = count - len(self.scalars)
        scale = np.array(
            [1.0 if not isinstance(a, tuple) or a[0] == a[1] else 1 / sqrt(2) for a in self.atoms]
        )
        place = {atom: n for n, atom in enumerate(self.atoms)}

        def coefficients(row: Row) -> Any:
            found = np.zeros(count + margin)
            for atom, factor in row.items():
                if atom:
                    found[place[atom]] += float(factor) * scale[place[atom]]
            return found

        body = [-coefficients(row) for row in (*equal, *least)]
        right = [float(row.get("", 0)) for row in (*equal, *least)]
        inner = np.zeros((products, count + margin))
        inner[:, :products] = -np.eye(products)
        aims = coefficients(aim)
        bounds: list[Any] = []
        if margin:  # the last unknown is how far inside everything is
            aims[-1] = 1.0
            for row, one in zip(body[len(equal) :], least, strict=True):
                row[-1] = max(float(abs(factor)) for factor in one.values()) if one else 0.0
            diagonal = [
                n for n, a in enumerate(self.atoms) if isinstance(a, tuple) and a[0] == a[1]
            ]
            inner[diagonal, -1] = 1.0
            bounds = self._boxes(count)
            right += [1.0] + [BOX] * (len(bounds) - 1)
        cones = [
            clarabel.ZeroConeT(len(equal)),
            clarabel.NonnegativeConeT(len(least) + len(bounds)),
        ]
        cones += [clarabel.PSDTriangleConeT(size)] if size else []
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        total = count + margin
        matrix = (
            np.vstack([*body, *bounds, inner]) if body or bounds or size else np.zeros((0, total))
        )
        result = clarabel.DefaultSolver(
            sparse.csc_matrix((total, total)),
            -aims,
            sparse.csc_matrix(matrix),
            np.array(right + [0.0] * products),
            cones,
            settings,
        ).solve()
        if str(result.status) in ("DualInfeasible", "AlmostDualInfeasible"):
            return inf, None
        usable = str(result.status) in ("Solved", "AlmostSolved")
        near = abs(result.obj_val - result.obj_val_dual) <= TOLERANCE * max(1, abs(result.obj_val))
        if not usable or not near:
            return None
        known = dict(zip(self.atoms, np.array(result.x)[:count] * scale, strict=True))
        return -float(result.obj_val) + float(aim.get("", 0)), known

    def _boxes(self, count: int) -> list[Any]:
        """What keeps a witness of some size, and its margin at most 1."""
        import numpy as np

        rows = [np.zeros(count + 1) for _ in range(2 + 2 * len(self.scalars))]
        rows[0][-1] = 1.0
        for n, atom in enumerate(self.atoms):
            if isinstance(atom, tuple) and atom[0] == atom[1]:
                rows[1][n] = 1.0
        first = count - len(self.scalars)
        for n in range(len(self.scalars)):
            rows[2 + 2 * n][first + n], rows[3 + 2 * n][first + n] = 1.0, -1.0
        return rows


def greatest(objective: Scalar, relations: Sequence[Relation]) -> float | None:
    """The supremum under relations; None if they have no solution, or the solver none.

    Raises
    ------
    UnsupportedFormError
        Something is not linear in inner products and scalars.

    Examples
    --------
    >>> from theory.kernel.relations import le
    >>> from theory.kernel.vectors import dot, vectors
    >>> u, v = vectors("u v")
    >>> round(greatest(dot(u, v), [le(dot(u, u), 4), le(dot(v, v), 9)]), 3)
    6.0
    """
    aim = linear(objective)
    rows = [(one.kind, linear(one.gap)) for one in relations]
    forms = (objective, *(side for one in relations for side in (one.lhs, one.rhs)))
    symbols = {s for form in forms for s in sympy.sympify(form).free_symbols}
    signs = tuple({s.name: Fraction(1)} for s in symbols if s.is_nonnegative)
    atoms = {atom for row in (aim, *(row for _, row in rows)) for atom in row}
    program = Program(
        tuple(sorted({name for atom in atoms if isinstance(atom, tuple) for name in atom})),
        tuple(
            sorted(
                {atom for atom in atoms if isinstance(atom, str)} - {""} | {s.name for s in symbols}
            )
        ),
        tuple(row for kind, row in rows if kind == "=="),
        (*(row for kind, row in rows if kind == "<="), *signs),
    )
    return program.greatest(aim)
