"""Symbols of statements about programs, and their formulas as solver terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import sympy
import z3

from schedules.programs import View
from theory.errors import UnsupportedFormError
from theory.laws.delays.counts import linear_term
from theory.smt.solver import Term

p: Final = sympy.Symbol("p", integer=True, positive=True)
"""Stages."""

M: Final = sympy.Symbol("M", integer=True, positive=True)
"""Microbatches."""

s: Final = sympy.Symbol("s", integer=True, nonnegative=True)
"""Stage, from 0."""

m: Final = sympy.Symbol("m", integer=True, nonnegative=True)
"""Microbatch, from 0."""

K: Final = sympy.Symbol("K", integer=True, positive=True)
"""Backwards of a stage after each of which, K by K, its weights are updated."""


def symbolic() -> View:
    """Stage s of p, with M microbatches, as solver terms."""
    return View(z3.Int("s"), z3.Int("p"), z3.Int("M"), z3.If)


_KINDS: Final = (sympy.Min, sympy.Max, sympy.floor, sympy.ceiling)


def term(form: sympy.Expr, names: Mapping[sympy.Symbol, Term]) -> Term:
    """Integer polynomials, minima, maxima and rounded quotients of them as a solver term.

    Raises
    ------
    UnsupportedFormError
        The form is something else, or a quotient by what may not be positive.

    Examples
    --------
    >>> z3.simplify(term(sympy.Min(p - s, M), {p: z3.IntVal(4), s: z3.IntVal(1), M: z3.IntVal(2)}))
    2
    >>> z3.simplify(term(sympy.ceiling((p - 1) / K), {p: z3.IntVal(4), K: z3.IntVal(2)}))
    2
    """
    if isinstance(form, (sympy.Min, sympy.Max)):
        least = isinstance(form, sympy.Min)
        parts = [term(part, names) for part in form.args]
        found = parts[0]
        for part in parts[1:]:
            found = z3.If((part < found) if least else (part > found), part, found)
        return found
    if isinstance(form, (sympy.floor, sympy.ceiling)):
        return _rounded(form, names)
    inner = sorted(form.atoms(*_KINDS), key=sympy.count_ops)
    if inner:
        stand_in = sympy.Dummy("inner", integer=True)
        bound = {**names, stand_in: term(inner[-1], names)}
        return term(form.subs(inner[-1], stand_in), bound)
    return linear_term(form, dict(names))


def _rounded(form: sympy.Expr, names: Mapping[sympy.Symbol, Term]) -> Term:
    numerator, denominator = sympy.fraction(sympy.together(form.args[0]))
    if not denominator.is_positive:
        raise UnsupportedFormError(
            f"quotients are by positive numbers, found {form}",
            "programs",
            "write the divisor as a sum of positive terms",
        )
    above, below = term(numerator, names), term(denominator, names)
    # z3 rounds a quotient by a positive number down, and −⌊−x⌋ = ⌈x⌉.
    return above / below if isinstance(form, sympy.floor) else -(-above / below)
