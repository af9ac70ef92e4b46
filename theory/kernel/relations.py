"""Relations between exact scalar expressions: what hypotheses, steps and goals say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import sympy

from theory.errors import NotExactError
from theory.kernel.means import with_vectors
from theory.kernel.vectors import Scalar, Vector


@dataclass(frozen=True)
class Relation:
    """``lhs <= rhs`` or ``lhs == rhs``.

    Attributes
    ----------
    lhs, rhs : sympy expression
    kind : str
        ``"<="`` or ``"=="``.
    """

    lhs: Scalar
    kind: Literal["<=", "=="]
    rhs: Scalar

    @property
    def gap(self) -> Scalar:
        """What is nonnegative, or zero."""
        return self.rhs - self.lhs

    def replaced(
        self, scalars: Mapping[Scalar, Scalar], vectors: Mapping[str, Vector] | None = None
    ) -> Relation:
        """Put expressions in place of symbols, and vectors in place of names."""
        sides = [
            with_vectors(side, vectors or {}).subs(dict(scalars), simultaneous=True)
            for side in (self.lhs, self.rhs)
        ]
        return Relation(sides[0], self.kind, sides[1])

    def __str__(self) -> str:
        return f"{sympy.sstr(self.lhs)} {self.kind} {sympy.sstr(self.rhs)}"


def le(lhs: Scalar, rhs: Scalar) -> Relation:
    """``lhs <= rhs``.

    Raises
    ------
    NotExactError
        A side is no exact real expression: a float, infinity or not a number.

    Examples
    --------
    >>> print(le(sympy.Symbol("x"), 2))
    x <= 2
    """
    return Relation(exact(lhs), "<=", exact(rhs))


def ge(lhs: Scalar, rhs: Scalar) -> Relation:
    """``lhs >= rhs``, kept as ``rhs <= lhs``."""
    return le(rhs, lhs)


def eq(lhs: Scalar, rhs: Scalar) -> Relation:
    """``lhs == rhs``."""
    return Relation(exact(lhs), "==", exact(rhs))


def exact(value: Scalar) -> Scalar:
    """Return a sympy expression whose numbers are exact.

    Raises
    ------
    NotExactError
        It holds a float, infinity, not a number, or is no expression.
    """
    try:
        form = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError) as error:
        raise _inexact(value) from error
    inexact = (
        sympy.Float,
        sympy.NumberSymbol,  # π, e and the like have no decision procedure here
        sympy.core.numbers.ComplexInfinity,
        sympy.core.numbers.NaN,
    )
    infinite = (sympy.oo, -sympy.oo)
    if not isinstance(form, sympy.Expr) or form.atoms(*inexact) or form.has(*infinite):
        raise _inexact(value)
    return form


def _inexact(value: Scalar) -> NotExactError:
    return NotExactError(
        f"formulas are made of symbols, rational numbers and their roots, found {value!s:.80}",
        "formula",
        "write a decimal as a fraction, such as sympy.Rational(1, 2)",
    )
