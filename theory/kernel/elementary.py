"""`Exp` and `Log`: the exponential and the natural logarithm, as atoms about which little is known.

Sympy's own functions rewrite what they meet; these do nothing but e^0 = 1 and ln 1 = 0, and have
the sign that they have. What else is true of them is said by the rule `Elementary`, one fact at a
time. They are taken of numbers, symbols, and what is made of these by + − * / and powers.
"""

from __future__ import annotations

from typing import Any, Final

import sympy

from theory.kernel.atoms import atoms


class Exp(sympy.Function):  # type: ignore[misc]
    """e to a power: positive, 1 at 0.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> Exp(x - x), Exp(2 * (x + 1)), Exp(-x).is_positive
    (1, exp(2*x + 2), True)
    """

    nargs = 1

    @classmethod
    def eval(cls, at: Any) -> Any:
        """Multiply out what it is taken of, so that equal things are one atom."""
        return sympy.S.One if at == 0 else _multiplied_out(cls, at)

    def _eval_is_real(self) -> bool:
        return True  # where it is defined, which is shown before any sign is looked at

    def _eval_is_positive(self) -> bool:
        return True

    def _sympystr(self, printer: Any) -> str:
        return f"exp({printer.doprint(self.args[0])})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"e^{{{printer.doprint(self.args[0])}}}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _eval_evalf(self, prec: int) -> Any:
        return sympy.exp(self.args[0])._eval_evalf(prec)


class Log(sympy.Function):  # type: ignore[misc]
    """The natural logarithm: 0 at 1; of what is not shown to be positive it is not defined.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> Log(x / x), Log(2 * (x + 1)), Log(x).is_nonnegative is None
    (0, log(2*x + 2), True)
    """

    nargs = 1

    @classmethod
    def eval(cls, at: Any) -> Any:
        """Multiply out what it is taken of, so that equal things are one atom."""
        return sympy.S.Zero if at == 1 else _multiplied_out(cls, at)

    def _eval_is_real(self) -> bool:
        return True  # where it is defined

    def _sympystr(self, printer: Any) -> str:
        return f"log({printer.doprint(self.args[0])})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"\ln\left({printer.doprint(self.args[0])}\right)"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _eval_evalf(self, prec: int) -> Any:
        return sympy.log(self.args[0])._eval_evalf(prec)


ELEMENTARY: Final = (Exp, Log)


def _multiplied_out(kind: Any, at: Any) -> Any:
    form = sympy.expand(at)
    return None if form == at else kind(form)


def is_plain_argument(at: Any) -> bool:
    """Whether something is made of symbols and numbers alone, so that e may be raised to it.

    Examples
    --------
    >>> k = sympy.Symbol("k")
    >>> is_plain_argument(k**2), is_plain_argument(sympy.Function("F")(k))
    (True, False)
    """
    calls = (one for one in atoms(at, sympy.Function) if not isinstance(one, ELEMENTARY))
    return not (any(calls) or at.has(sympy.Sum))
