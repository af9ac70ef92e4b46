"""Symbols of the blog's claims, and their formulas as solver terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import sympy
import z3

from theory.delay_laws.counts import linear_term
from theory.solver import Term

p: Final = sympy.Symbol("p", integer=True, positive=True)
"""Stages."""

M: Final = sympy.Symbol("M", integer=True, positive=True)
"""Microbatches."""

s: Final = sympy.Symbol("s", integer=True, nonnegative=True)
"""Stage, from 0."""

m: Final = sympy.Symbol("m", integer=True, nonnegative=True)
"""Microbatch, from 0."""

b: Final = sympy.Symbol("b", integer=True, nonnegative=True)
"""How many backwards a stage has begun before, from 0."""

a: Final = sympy.Symbol("a", integer=True, positive=True)
"""Forwards of a stage before its first backward, the last stage's own included."""


def term(form: sympy.Expr, names: Mapping[sympy.Symbol, Term]) -> Term:
    """Minima, maxima and integer polynomials as a solver term.

    Raises
    ------
    UnsupportedFormError
        The form is something else.

    Examples
    --------
    >>> z3.simplify(term(sympy.Min(p - s, M), {p: z3.IntVal(4), s: z3.IntVal(1), M: z3.IntVal(2)}))
    2
    """
    if isinstance(form, (sympy.Min, sympy.Max)):
        least = isinstance(form, sympy.Min)
        parts = [term(part, names) for part in form.args]
        found = parts[0]
        for part in parts[1:]:
            found = z3.If((part < found) if least else (part > found), part, found)
        return found
    inner = sorted(form.atoms(sympy.Min, sympy.Max), key=sympy.count_ops)
    if inner:
        stand_in = sympy.Dummy("extreme", integer=True)
        bound = {**names, stand_in: term(inner[-1], names)}
        return term(form.subs(inner[-1], stand_in), bound)
    return linear_term(form, dict(names))
