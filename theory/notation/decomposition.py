"""Quantities of one iteration as combinations of those that sequences stand for."""

from __future__ import annotations

from collections.abc import Mapping, Set

import sympy

from theory.kernel.atoms import atoms
from theory.kernel.vectors import Scalar


def decomposed(
    form: Scalar, values: Mapping[Scalar, Scalar], constants: Set[Scalar]
) -> Scalar | None:
    """A form as constants times the names of values, or None if it is no such combination.

    Parameters
    ----------
    form : sympy expression
    values : mapping of name to expression
        What each name stands for.
    constants : set of sympy symbols

    Examples
    --------
    >>> a, u, v = sympy.symbols("a u v")
    >>> P, Q = sympy.symbols("P Q")
    >>> decomposed(a * u + a * v + u, {P: u + v, Q: u}, {a})
    P*a + Q
    """
    rows = _by_monomial(form, constants)
    columns = {name: _by_monomial(value, constants) for name, value in values.items()}
    wanted = set(rows) - {sympy.S.One}
    useful = {name: column for name, column in columns.items() if set(column) & wanted}
    while True:  # values that overlap with useful ones may be needed to cancel
        reach = set().union(wanted, *useful.values()) - {sympy.S.One}
        more = {n: c for n, c in columns.items() if n not in useful and set(c) & reach}
        if not more:
            break
        useful |= more
    if not useful or wanted - reach_of(useful):
        return None
    unknown = sympy.symbols(f"c:{len(useful)}", cls=sympy.Dummy)
    equations = [
        sum(c * column.get(monomial, 0) for c, column in zip(unknown, useful.values(), strict=True))
        - rows.get(monomial, 0)
        for monomial in sorted(reach, key=str)
    ]
    try:
        solutions = sympy.linsolve(equations, *unknown)
    except ZeroDivisionError:  # a factor that sympy has not seen to be 0: β/(1 − β) + 1 − 1/(1 − β)
        solutions = sympy.linsolve([sympy.cancel(one) for one in equations], *unknown)
    if not solutions:
        return None
    (solution,) = solutions
    solution = [value.subs(dict.fromkeys(unknown, 0)) for value in solution]
    rest = rows.get(sympy.S.One, 0) - sum(
        c * column.get(sympy.S.One, 0) for c, column in zip(solution, useful.values(), strict=True)
    )
    return sum(c * name for c, name in zip(solution, useful, strict=True)) + rest


def reach_of(columns: Mapping[Scalar, Mapping[Scalar, Scalar]]) -> set[Scalar]:
    """All monomials of some columns."""
    return {monomial for column in columns.values() for monomial in column}


def _by_monomial(form: Scalar, constants: Set[Scalar]) -> dict[Scalar, Scalar]:
    """Constant factors by what they multiply."""
    found: dict[Scalar, Scalar] = {}
    for term in sympy.Add.make_args(sympy.expand(form)):
        parts = sympy.Mul.make_args(term)
        fixed = [p for p in parts if p.free_symbols <= constants and not atoms(p, sympy.Function)]
        rest = sympy.Mul(*(part for part in parts if part not in fixed))
        found[rest] = found.get(rest, sympy.S.Zero) + sympy.Mul(*fixed)
    return {monomial: factor for monomial, factor in found.items() if factor != 0}
