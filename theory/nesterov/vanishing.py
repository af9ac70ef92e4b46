"""Rates of convergence as formulas in t: which of them tend to 0, and which is the slower one."""

from __future__ import annotations

import sympy

from theory.nesterov.symbols import t


def is_rate(form: sympy.Expr) -> bool:
    """Whether it is a function of t alone that is positive for large t.

    Examples
    --------
    >>> is_rate(1 / t), is_rate(sympy.log(t)), is_rate(-1 / t), is_rate(sympy.Symbol("C") / t)
    (True, True, False, False)
    """
    if not form.free_symbols <= {t} or form == 0:
        return False
    sign = sympy.limit(form / abs(form), t, sympy.oo)
    return bool(sign == 1)


def slower(one: sympy.Expr, other: sympy.Expr) -> bool:
    """Whether one is a rate and other/one tends to 0: then O(one) says less than O(other).

    Examples
    --------
    >>> slower(sympy.log(t) / t, 1 / t), slower(1 / t, 3 / t), slower(1 / t, 1 / t**2)
    (True, False, True)
    """
    return is_rate(one) and bool(sympy.limit(other / one, t, sympy.oo) == 0)


def vanishes(form: sympy.Expr) -> bool:
    """Whether it is a rate that tends to 0.

    Examples
    --------
    >>> vanishes(1 / t), vanishes(t**0), vanishes(sympy.log(t) / t)
    (True, False, True)
    """
    return is_rate(form) and slower(sympy.Integer(1), form)
