"""Whether a matrix of rational functions is positive definite wherever its variables are ≥ 0.

Denominators are cleared, so that all leading minors are polynomials. One whose coefficients are
all ≥ 0, its constant one above 0, is positive for all variables ≥ 0; Sylvester's criterion does the
rest. The test is sufficient: where it fails, nothing is said. An entry stands for the rational
function that is left when common factors are cancelled: whether it is defined as it is written is
not looked at.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from sympy import QQ, Expr, Float, Matrix, Symbol
from sympy.polys.fields import FracField
from sympy.polys.polyerrors import CoercionFailed

Polynomial = Any
"""An element of a sympy ring; sympy ships no types for them."""


def positive_definite(matrix: Matrix, variables: Sequence[Symbol]) -> bool:
    """Whether it is found positive definite for all real values ≥ 0 of the variables.

    Parameters
    ----------
    matrix : sympy Matrix, symmetric
        Its entries are rational functions of the variables, with rational coefficients; others,
        and those with floating-point numbers, are not decided.
    variables : sequence of sympy symbols

    Examples
    --------
    >>> from sympy import symbols
    >>> x, y = symbols("x y")
    >>> positive_definite(Matrix([[1 + x, 1], [1, 2 / (1 + y)]]), (x, y))
    False
    >>> positive_definite(Matrix([[1 + x, 1], [1, 2 + 1 / (1 + y)]]), (x, y))
    True
    """
    if matrix != matrix.T or matrix.has(Float):
        return False
    field = FracField(tuple(variables), QQ)
    try:
        entries = [[field.from_expr(entry) for entry in row] for row in matrix.tolist()]
    except (CoercionFailed, ValueError, ZeroDivisionError):
        return False
    denominators = (entry.denom for row in entries for entry in row)
    common = reduce(lambda one, other: one.lcm(other), denominators, field.ring.one)
    if common.LC < 0:
        common = -common
    cleared = [[entry.numer * common.exquo(entry.denom) for entry in row] for row in entries]
    minors = (_determinant([row[:n] for row in cleared[:n]]) for n in range(1, len(cleared) + 1))
    return positive(common) and all(positive(minor) for minor in minors)


def positive(polynomial: Polynomial) -> bool:
    """Whether all coefficients are ≥ 0 and the constant one is above 0.

    Examples
    --------
    >>> from sympy.polys.rings import ring
    >>> _, x, y = ring("x, y", QQ)
    >>> positive(1 + x * y), positive(x + y), positive((1 - x) ** 2)
    (True, False, False)
    """
    return bool(polynomial.const() > 0) and all(bool(c >= 0) for c in polynomial.coeffs())


def above_zero(form: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether a rational function is found positive for all real values ≥ 0 of the variables."""
    return positive_definite(Matrix([[form]]), variables)


def _determinant(rows: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """By its first row."""
    if len(rows) == 1:
        return rows[0][0]
    total = 0
    for column, entry in enumerate(rows[0]):
        if entry:
            rest = [[*row[:column], *row[column + 1 :]] for row in rows[1:]]
            total = total + (-1) ** column * entry * _determinant(rest)
    return total
