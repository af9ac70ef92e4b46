"""Vectors without coordinates: linear combinations of names, and their inner products.

An inner product is expanded into Gram entries ⟨u, v⟩ of names, one sympy atom each, so an identity
of squared norms becomes an identity of polynomials, whatever the dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import sympy
from sympy.core.symbol import Str

from theory.errors import NotExactError
from theory.kernel.atoms import atoms

Scalar = Any
"""A sympy expression or a Python integer; sympy ships no usable types."""


class Gram(sympy.Function):  # type: ignore[misc]
    """The inner product of two named vectors: real, and the same in either order.

    Examples
    --------
    >>> u, v = vectors("u v")
    >>> dot(v, u)
    <u, v>
    """

    nargs = 2

    @classmethod
    def eval(cls, one: Any, other: Any) -> Any:
        """Put the names in order."""
        return cls(other, one) if str(one) > str(other) else None

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0] == self.args[1] else None

    @property
    def names(self) -> tuple[str, str]:
        """The two names."""
        one, other = (n.name if isinstance(n, Str) else str(n) for n in self.args)
        return one, other

    def _sympystr(self, printer: Any) -> str:
        return f"<{self.names[0]}, {self.names[1]}>"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        one, other = self.names
        text = rf"\|{one}\|^2" if one == other else rf"\langle {one}, {other}\rangle"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


@dataclass(frozen=True)
class Vector:
    """A linear combination of named vectors.

    Attributes
    ----------
    terms : tuple of (str, sympy expression)
        Sorted by name, without zeros.

    Raises
    ------
    NotExactError
        A factor holds i or a float: the square of i u would be −‖u‖².

    Examples
    --------
    >>> u, v = vectors("u v")
    >>> (u + v) ** 2 - (u - v) ** 2 - 3 * (u @ v)
    <u, v>
    """

    terms: tuple[tuple[str, Scalar], ...]

    def __post_init__(self) -> None:
        for name, factor in self.terms:
            if sympy.sympify(factor).has(sympy.I, sympy.Float):
                raise NotExactError(
                    f"vectors have exact real factors, found {factor} times {name}",
                    "vector",
                    "write a decimal as a fraction, such as sympy.Rational(1, 2)",
                )

    def __add__(self, other: Vector) -> Vector:
        sums = dict(self.terms)
        for name, factor in other.terms:
            sums[name] = sums.get(name, sympy.S.Zero) + factor
        return _vector(sums)

    def __mul__(self, factor: Scalar) -> Vector:
        return _vector({name: sympy.sympify(factor) * old for name, old in self.terms})

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Vector:
        return _vector({name: old / sympy.sympify(divisor) for name, old in self.terms})

    def __matmul__(self, other: Vector) -> Scalar:
        return dot(self, other) if isinstance(other, Vector) else NotImplemented

    def __pow__(self, power: int) -> Scalar:
        return dot(self, self) if power == 2 else NotImplemented

    def __neg__(self) -> Vector:
        return self * -1

    def __sub__(self, other: Vector) -> Vector:
        return self + -other

    def __str__(self) -> str:
        parts = (name if factor == 1 else f"({factor})*{name}" for name, factor in self.terms)
        return " + ".join(parts) or "0"

    @property
    def names(self) -> frozenset[str]:
        """The vectors that occur."""
        return frozenset(name for name, _ in self.terms)

    def replaced(self, values: Mapping[str, Vector]) -> Vector:
        """Put vectors in place of names."""
        total = ZERO
        for name, factor in self.terms:
            total = total + values.get(name, vector(name)) * factor
        return total


def _vector(sums: Mapping[str, Scalar]) -> Vector:
    nonzero = {name: factor for name, factor in sums.items() if sympy.expand(factor) != 0}
    return Vector(tuple(sorted(nonzero.items())))


ZERO: Final = Vector(())


def vector(name: str) -> Vector:
    """The vector of this name."""
    return Vector(((name, sympy.S.One),))


def vectors(names: str) -> tuple[Vector, ...]:
    """Several vectors, names separated by spaces."""
    return tuple(vector(name) for name in names.split())


@lru_cache(maxsize=2**12)
def dot(one: Vector, other: Vector) -> Scalar:
    """Inner product, expanded into Gram entries.

    Raises
    ------
    NotExactError
        A factor is divided by a norm: ‖x/‖x‖‖ would be 1 at x = 0 too.
    """
    for name, factor in (*one.terms, *other.terms):
        if not factor.is_Number and atoms(factor, Gram) and atoms(sympy.denom(factor), Gram):
            raise NotExactError(
                f"{name} is divided by a norm or an inner product, which may be 0: {factor}",
                "vector",
                "name the direction: u = vector('u'), T.assume(equal(u @ x, norm(x))), "
                "T.assume(norm(u) <= 1)",
            )
    products = [
        left * right * Gram(Str(a), Str(b)) for a, left in one.terms for b, right in other.terms
    ]
    return sympy.expand(sympy.Add(*products))


def square(one: Vector) -> Scalar:
    """Squared norm, expanded into Gram entries."""
    return dot(one, one)


@lru_cache(maxsize=2**12)
def squared(value: Scalar) -> tuple[Scalar, Vector] | None:
    """A number ≥ 0 and a vector of which an expression is the number times ‖vector‖², if any.

    Examples
    --------
    >>> x, y = vectors("x y")
    >>> squared((x - 2 * y) ** 2)
    (1, Vector(terms=(('x', 1), ('y', -2))))
    >>> squared(x**2 + y**2), squared(-(x**2))
    (None, None)
    >>> b = sympy.Symbol("b", real=True)
    >>> squared((b * x - (b - 1) * y) ** 2)
    (1, Vector(terms=(('x', b), ('y', 1 - b))))
    >>> b = sympy.Symbol("b", nonnegative=True)
    >>> squared((b * x - (b + 1) * y) ** 2)
    (1, Vector(terms=(('x', b), ('y', -b - 1))))
    """
    form = sympy.expand(value)
    for entry in sorted(atoms(form, Gram), key=str):
        first, other = entry.names
        size = form.coeff(entry)
        ways = (one for one in _ways(size) if one[0].is_nonnegative and one[1] != 0)
        if first == other and (known := next(ways, None)) is not None:
            beside = {one: form.coeff(one) for one in atoms(form, Gram) if first in one.names}
            others = [(one.names[one.names[0] == first], c / 2) for one, c in beside.items()]
            wholes = ((n, _beside(first, others, f, size)) for n, f in chain((known,), ways))
            found = next((one for one in wholes if _is_square(form, *one, size)), None)
            if found is not None:
                return found
    return None


def _ways(size: Scalar) -> Iterator[tuple[Scalar, Scalar]]:
    """How a coefficient of a square is a number times the square of a factor."""
    if size.is_positive:
        yield size, sympy.S.One
    if size.is_Add or not size.is_positive:
        yield _even(size)


def _beside(
    first: str, others: Iterable[tuple[str, Scalar]], factor: Scalar, size: Scalar
) -> Vector:
    """The vector of which the entry of the first name with itself is a square of the factor."""
    parts = ((name, sympy.cancel(c * factor / size)) for name, c in others if name != first)
    return _vector({first: factor, **dict(parts)})


def _is_square(form: Scalar, number: Scalar, whole: Vector, size: Scalar) -> bool:
    """Whether an expression is a number times ‖vector‖², which divides by nothing that may be 0."""
    plain = not any(atoms(c, Gram) for _, c in whole.terms)  # nothing is divided by a norm
    defined = plain and (size.is_positive or all(c.is_polynomial() for _, c in whole.terms))
    return bool(defined and sympy.expand(form - number * square(whole)) == 0)


def _even(size: Scalar) -> tuple[Scalar, Scalar]:
    """A polynomial as a number times the square of one; of what is none, 0."""
    if not size.is_polynomial():
        return sympy.S.Zero, sympy.S.Zero
    number, factors = sympy.factor_list(size)
    odd = (one for one, power in factors if power % 2)
    return sympy.Mul(number, *odd), sympy.Mul(*(one ** (power // 2) for one, power in factors))


def in_gram(expression: Scalar, values: Mapping[str, Vector]) -> Scalar:
    """Put vectors in place of names inside an expression over Gram entries."""
    entries = {
        entry: dot(*(values.get(name, vector(name)) for name in entry.names))
        for entry in atoms(expression, Gram)
    }
    return expression.xreplace(entries)


@dataclass(frozen=True)
class Point:
    """A point at which a function is looked at.

    Attributes
    ----------
    position : Vector
    value : sympy symbol
    gradient : Vector
    function : str
        Which function.

    Examples
    --------
    >>> point("x").value, point("x").gradient.names
    (f(x), frozenset({'∇f(x)'}))
    """

    position: Vector
    value: Scalar
    gradient: Vector
    function: str = "f"


def point(name: str, function: str = "f") -> Point:
    """A named point of a named function."""
    value = sympy.Symbol(f"{function}({name})", real=True)
    return Point(vector(name), value, vector(f"∇{function}({name})"), function)
