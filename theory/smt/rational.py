"""`rational_model`: values of real unknowns as fractions, where z3 finds any."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import z3

from theory.smt.queries import record
from theory.smt.solver import RLIMIT, Term, fresh_solver

DIGITS: Final = (0, 1, 3)
"""Decimal digits to which an irrational value is rounded, one after the other."""


def rational_model(
    assertions: Sequence[Term], asks: str, rlimit: int = RLIMIT
) -> dict[str, Fraction] | None:
    """Values that satisfy all assertions, by the names of their constants; None if none are found.

    A value that z3 gives as a root is rounded, and the others are looked for once more.

    Examples
    --------
    >>> x, y = z3.Reals("x y")
    >>> found = rational_model((x * y == 2, x > 1, y * y > 2), "a product")
    >>> found["x"] * found["y"]
    Fraction(2, 1)
    >>> rational_model((x * x == 2,), "a root") is None
    True
    """
    solver = fresh_solver(rlimit)
    for assertion in assertions:
        solver.add(assertion.translate(solver.ctx))
    answer = solver.check()
    record(asks, assertions, str(answer), rlimit)
    if answer != z3.sat:
        return None
    model = solver.model()
    while irrational := _irrational(model):
        model = _rounded(solver, *irrational)
        if model is None:
            return None
    return {str(one): model[one].as_fraction() for one in _constants(model)}


def _constants(model: Any) -> list[Any]:
    real = [
        one for one in model.decls() if one.arity() == 0 and one.range().kind() == z3.Z3_REAL_SORT
    ]
    return sorted(real, key=str)


def _irrational(model: Any) -> tuple[Any, Any] | None:
    """A constant whose value is no fraction, with it."""
    return next(
        ((one, model[one]) for one in _constants(model) if not z3.is_rational_value(model[one])),
        None,
    )


def _rounded(solver: Any, one: Any, value: Any) -> Any:
    """A model in which a constant is near the value that it had, and rational."""
    for digits in DIGITS:
        near = round(value.approx(digits + 2).as_fraction(), digits)
        solver.push()
        solver.add(one() == z3.RatVal(near.numerator, near.denominator, solver.ctx))
        if solver.check() == z3.sat:
            return solver.model()
        solver.pop()
    return None
