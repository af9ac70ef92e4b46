"""Relations between exact scalar expressions: what hypotheses, steps and goals say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import sympy

from theory.errors import NotExactError, TheoryError
from theory.kernel.means import with_vectors
from theory.kernel.vectors import Scalar, Vector

_INEXACT: Final = (
    sympy.Float,
    sympy.NumberSymbol,  # π, e and the like have no decision procedure here
    sympy.I,
    sympy.nan,
    sympy.zoo,
    sympy.oo,
    -sympy.oo,
)


@dataclass(frozen=True)
class Relation:
    """``lhs <= rhs`` or ``lhs == rhs``.

    Attributes
    ----------
    lhs, rhs : sympy expression
    kind : str
        ``"<="`` or ``"=="``.

    Raises
    ------
    TheoryError
        The kind is another one.
    NotExactError
        A side is no exact real expression: it holds a float, i, infinity or not a number.
    """

    lhs: Scalar
    kind: Literal["<=", "=="]
    rhs: Scalar

    def __post_init__(self) -> None:
        if self.kind not in ("<=", "=="):
            raise TheoryError(
                f"a relation is '<=' or '==', found {self.kind!r}", str(self), "take one of them"
            )
        object.__setattr__(self, "lhs", exact(self.lhs))
        object.__setattr__(self, "rhs", exact(self.rhs))

    @property
    def gap(self) -> Scalar:
        """What is nonnegative, or zero."""
        return _difference(self.rhs, self.lhs)  # not kept where a claim could write

    def replaced(
        self, scalars: Mapping[Scalar, Scalar], vectors: Mapping[str, Vector] | None = None
    ) -> Relation:
        """Put expressions in place of symbols, and vectors in place of names."""
        lhs, rhs = (put_in(side, scalars, vectors or {}) for side in (self.lhs, self.rhs))
        return Relation(lhs, self.kind, rhs)

    def __str__(self) -> str:
        return f"{_text(self.lhs)} {self.kind} {_text(self.rhs)}"


@lru_cache(maxsize=2**12)
def _text(side: Scalar) -> str:
    return str(sympy.sstr(side))


@lru_cache(maxsize=2**14)
def _difference(one: Scalar, other: Scalar) -> Scalar:
    return one - other


def with_scalars(form: Scalar, scalars: Mapping[Scalar, Scalar]) -> Scalar:
    """An expression with others in place of symbols, all at once; indices of sums stay.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> with_scalars(x - 2 * y, {x: y, y: x})
    -2*x + y
    """
    if form.has(sympy.Sum) or not all(one.is_Symbol for one in scalars):
        return form.subs(dict(scalars), simultaneous=True)
    return form.xreplace({one: sympy.sympify(other) for one, other in scalars.items()})


def put_in(form: Scalar, scalars: Mapping[Scalar, Scalar], vectors: Mapping[str, Vector]) -> Scalar:
    """Expressions for symbols and vectors for names, all at once: no value is put into another.

    Examples
    --------
    >>> from theory.kernel.vectors import square, vector
    >>> a, b = sympy.symbols("a b", positive=True)
    >>> put_in(a * square(vector("u")), {a: b}, {"u": a * vector("v")})
    a**2*b*<v, v>
    """
    brought = {
        one for v in vectors.values() for _, f in v.terms for one in sympy.sympify(f).free_symbols
    }
    # By the same names, since it is a name that is random to a mean.
    aside = {s: sympy.Dummy(s.name, **s.assumptions0) for s in brought & scalars.keys()}
    if aside:
        parts = {name: ((n, f.xreplace(aside)) for n, f in v.terms) for name, v in vectors.items()}
        vectors = {name: Vector(tuple(terms)) for name, terms in parts.items()}
    placed = with_scalars(with_vectors(form, vectors), scalars)
    return placed.xreplace({dummy: symbol for symbol, dummy in aside.items()})


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
    return Relation(lhs, "<=", rhs)


def ge(lhs: Scalar, rhs: Scalar) -> Relation:
    """``lhs >= rhs``, kept as ``rhs <= lhs``."""
    return le(rhs, lhs)


def eq(lhs: Scalar, rhs: Scalar) -> Relation:
    """``lhs == rhs``."""
    return Relation(lhs, "==", rhs)


def exact(value: Scalar) -> Scalar:
    """Return a sympy expression whose numbers are exact and real.

    Raises
    ------
    NotExactError
        It holds a float, i, infinity, not a number, or is no expression.
    """
    try:
        form = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError) as error:
        raise _inexact(value) from error
    if not isinstance(form, sympy.Expr) or form.has(*_INEXACT):
        raise _inexact(value)
    return form


def _inexact(value: Scalar) -> NotExactError:
    return NotExactError(
        f"formulas are made of symbols, rational numbers and their roots, found {value!s:.80}",
        "formula",
        "write a decimal as a fraction, such as sympy.Rational(1, 2), since 1/2 is one in Python, "
        "and divide by nothing that is 0",
    )
