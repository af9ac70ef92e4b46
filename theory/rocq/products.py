"""Signs as sums of products: a hint that `coqc` checks, found by linear programming.

What is at least 0 where others are so is often a sum of their products with numbers above 0
(Krivine; Handelman on a polytope). The numbers solve a linear system, which z3 does in fractions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any, Final

import sympy
import z3

from theory.kernel.vectors import Scalar

MOST: Final = 400
"""Products that are tried at most."""
STEPS: Final = 2_000_000
"""What z3 may spend on one system."""

Term = tuple[Scalar, tuple[Scalar, ...]]


def products(
    form: Scalar, signs: Sequence[Scalar], strictly: Collection[Scalar] | None = None
) -> list[Term]:
    """Numbers and factors, whose products sum up to a polynomial; none if that is not found.

    Parameters
    ----------
    form : sympy expression
    signs : sequence of sympy expressions
        What is at least 0.
    strictly : collection of sympy expressions, optional
        What is above 0: one of the products is to be of such alone.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> products(x - x * y, [x, 1 - y])
    [(1, (x, 1 - y))]
    >>> products(-x, [x, y])
    []
    >>> products(x, [x, y], strictly=[y])
    []
    """
    named = form.free_symbols
    known = [one for one in signs if one.free_symbols and one.free_symbols <= named]
    known = _joined(form, known)
    if not named or not all(one.is_polynomial(*named) for one in (form, *known)):
        return []
    symbols = sorted(named, key=str)
    wanted = sympy.Poly(form, *symbols)
    if any(not c.is_Rational for one in (form, *known) for c in sympy.Poly(one, *symbols).coeffs()):
        return []
    for degree in range(2, 8 if len(known) > 2 else 15):
        factors = list(_products(known, degree))
        if len(factors) > MOST:
            return []
        candidates = [(one, sympy.Poly(sympy.Mul(*one), *symbols)) for one in factors]
        found = _solved(wanted, candidates, strictly)
        if found:
            return found
    return []


def _products(signs: Sequence[Scalar], degree: int) -> Iterator[tuple[Scalar, ...]]:
    for size in range(degree + 1):
        yield from combinations_with_replacement(signs, size)


def _joined(form: Scalar, signs: list[Scalar]) -> list[Scalar]:
    """Symbols that occur with the same powers everywhere, as their product."""
    others = [one for one in signs if not one.is_Symbol]
    groups: dict[Any, list[Scalar]] = {}
    for symbol in (one for one in signs if one.is_Symbol):
        powers = [
            tuple(sympy.degree(term, symbol) for term in sympy.Add.make_args(sympy.expand(one)))
            for one in (form, *others)
        ]
        groups.setdefault(tuple(powers), []).append(symbol)
    return [sympy.Mul(*group) for group in groups.values()] + others


def _solved(
    wanted: Any,
    candidates: list[tuple[tuple[Scalar, ...], Any]],
    strictly: Collection[Scalar] | None = None,
) -> list[Term]:
    """Coefficients of at least 0 that make the sum, in fractions."""
    numbers = [z3.Real(f"c{place}") for place in range(len(candidates))]
    rows: dict[Any, list[Any]] = {}
    for number, (_, poly) in zip(numbers, candidates, strict=True):
        for monomial, coefficient in poly.terms():
            rows.setdefault(monomial, []).append(z3.RealVal(str(coefficient)) * number)
    aims = wanted.as_dict()
    if not set(aims) <= set(rows):
        return []
    solver = z3.SolverFor("QF_LRA")
    solver.set("rlimit", STEPS)
    solver.add(*(number >= 0 for number in numbers))
    if strictly is not None:
        above = (
            number for number, (one, _) in zip(numbers, candidates, strict=True)
            if sympy.Mul(*one).free_symbols <= set(strictly)
            and all(part.is_Symbol or part.is_Mul for part in one)
        )  # fmt: skip
        solver.add(z3.Sum(*above, z3.RealVal(0)) > 0)
    for monomial, row in rows.items():
        solver.add(z3.Sum(row) == z3.RealVal(str(aims.get(monomial, 0))))
    if solver.check() != z3.sat:
        return []
    model = solver.model()
    values = [sympy.Rational(str(model.eval(number, True))) for number in numbers]
    return [(c, one) for c, (one, _) in zip(values, candidates, strict=True) if c != 0]
