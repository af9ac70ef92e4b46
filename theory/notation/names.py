"""What formulas are made of: constants, indices, vectors with a name, functions, means."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Any, Final

import sympy
from sympy.core.symbol import Str

from theory.errors import TheoryError
from theory.kernel.elementary import Exp, Log
from theory.kernel.means import Average, Operator
from theory.kernel.vectors import Point, Scalar, Vector, vector

MADE: Final[dict[str, str]] = {}
"""Of which function a name is a value or a gradient."""


def real(names: str) -> Any:
    """Constants that are real numbers; names separated by spaces.

    Examples
    --------
    >>> a, b = real("a b")
    >>> a.is_real, a.is_positive
    (True, None)
    """
    return sympy.symbols(names, real=True)


def nonnegative(names: str) -> Any:
    """Constants that are at least 0."""
    return sympy.symbols(names, nonnegative=True)


def positive(names: str) -> Any:
    """Constants that are above 0."""
    return sympy.symbols(names, positive=True)


def count(names: str) -> Any:
    """Integers that are at least 1, such as a number of iterations."""
    return sympy.symbols(names, integer=True, positive=True)


def index(names: str) -> Any:
    """Indices, which run through 0, 1, 2 and so on."""
    return sympy.symbols(names, integer=True, nonnegative=True)


def exp(form: Scalar) -> Scalar:
    """E to a power, which is made of constants and indices.

    Examples
    --------
    >>> a, n = positive("a"), index("n")
    >>> exp(-a * n), exp(0 * n)
    (exp(-a*n), 1)
    """
    return Exp(sympy.sympify(form))


def log(form: Scalar) -> Scalar:
    """The natural logarithm of something positive that is made of constants and indices.

    Examples
    --------
    >>> a = positive("a")
    >>> log(a / a), log(1 + a)
    (0, log(a + 1))
    """
    return Log(sympy.sympify(form))


@dataclass(frozen=True, eq=False)
class Named(Vector):
    """A combination of vectors that has a name of its own, made by `named`.

    Attributes
    ----------
    label : str
    """

    label: str = ""


_COMBINED: Final = re.compile(r"^[^\w̄̃]|[-−+*·/=]\s*[^\W_]")
"""A formula in place of a name: x − g, 2·x; x^+ is none."""
_INDEX: Final = re.compile(r"\{[^{}]*\}|\[[^][]*\]|\([^()]*\)")
"""What stands in brackets, as k + 1 does in x_{k+1}."""


def named(label: str, combination: Vector) -> Named:
    """A combination of vectors by a name: the point ``y = x − γ∇f(x)``.

    Functions at it are then written f(y).

    Raises
    ------
    TheoryError
        The name reads as another combination, such as x − g.

    Examples
    --------
    >>> f, x, a = function("f"), vector("x"), positive("a")
    >>> f(named("y", x - a * f.grad(x)))
    f(y)
    """
    if _COMBINED.search(_INDEX.sub("", label)):
        raise TheoryError(
            f"a point is called by a name, and {label!r} is a formula",
            "named",
            "take a letter, such as y; without `named` the point is written as what it is",
        )
    return Named(combination.terms, label)


def plainly(one: Vector) -> Vector:
    """The vector, of the kernel's own class."""
    return Vector(one.terms)


def text(one: Vector) -> str:
    """A vector as it is written.

    Examples
    --------
    >>> x, g, a = vector("x"), vector("g"), positive("a")
    >>> text(x - a * g), text(2 * (x - g))
    ('x - a*g', '2*x - 2*g')
    """
    if isinstance(one, Named) and one.label:
        return one.label
    parts = []
    for name, factor in sorted(one.terms, key=lambda term: term[1].could_extract_minus_sign()):
        size = -factor if factor.could_extract_minus_sign() else factor
        sign = "-" if size != factor else "+"
        shown = "" if size == 1 else f"({size})*" if size.is_Add else f"{size}*"
        parts.append(f"{sign} {shown}{name}")
    return " ".join(parts).removeprefix("+ ") or "0"


@dataclass(frozen=True)
class Function:
    """A differentiable real function, with ``f(x)`` its value and ``f.grad(x)`` its gradient.

    Attributes
    ----------
    name : str
    points : dict of Vector to Point
        Where it has been looked at; a theorem takes those that its formulas name.
    """

    name: str
    points: dict[Vector, Point] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, at: Vector) -> Scalar:
        """The value at a vector."""
        return self.at(at).value

    def grad(self, at: Vector) -> Vector:
        """The gradient at a vector."""
        return self.at(at).gradient

    def at(self, at: Vector) -> Point:
        """The point of the kernel.

        Raises
        ------
        TheoryError
            Another vector has the same name.
        """
        where, called = plainly(at), text(at)
        known = self.points.get(where)
        if known is not None:
            return known
        value = sympy.Symbol(f"{self.name}({called})", real=True)
        if any(one.value == value for one in self.points.values()):
            raise TheoryError(
                f"{called!r} is the name of two vectors", str(value), "name one of them otherwise"
            )
        made = Point(where, value, vector(f"∇{self.name}({called})"), self.name)
        self.points[where] = made
        MADE.update(dict.fromkeys((value.name, *made.gradient.names), self.name))
        return made


def function(name: str, *points: Point) -> Function:
    """A differentiable function of this name, which may know points of the kernel already."""
    return Function(name, {one.position: one for one in points})


class Pending(sympy.Function):  # type: ignore[misc]
    """A mean whose random names are not all known yet.

    Arguments: kind, name, random names, given names, variable, law, and the expression.
    """

    nargs = 7

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[-1].is_nonnegative else None

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[1]}[{printer.doprint(self.args[-1])}]"

    @property
    def random(self) -> frozenset[str]:
        """The names that are listed as random."""
        return frozenset(map(str, self.args[2]))

    @property
    def is_average(self) -> bool:
        """Whether it is one over indices."""
        return str(self.args[0]) == "average"

    def operator(self, random: frozenset[str], still: frozenset[str] = frozenset()) -> Operator:
        """The mean of the kernel with these random names, and names that are given."""
        kind = Average if self.is_average else Operator
        given = tuple(sorted({*map(str, self.args[3]), *(still - random)}))
        over, law = str(self.args[4]), str(self.args[5])
        return kind(str(self.args[1]), tuple(sorted(random)), given, over, law)


@dataclass(frozen=True)
class Expectation:
    """A mean; calling it with a formula gives its mean. Made by `mean` and `average`."""

    kind: str
    name: str
    random: tuple[str, ...]
    given: tuple[str, ...] = ()
    over: str = ""
    law: str = ""

    def __call__(self, form: Scalar) -> Scalar:
        """The mean of a formula.

        Raises
        ------
        TheoryError
            It is a vector, whose mean is said by `T.unbiased`.
        """
        if isinstance(form, Vector):
            raise TheoryError(
                f"{self.name} is a mean of numbers, found the vector {text(form)}",
                self.name,
                f"say what its mean is by T.unbiased({self.name}, {text(form)}, …), or take the "
                "mean of inner products and squares",
            )
        words = (
            Str(self.kind),
            Str(self.name),
            sympy.Tuple(*map(Str, self.random)),
            sympy.Tuple(*map(Str, self.given)),
            Str(self.over),
            Str(self.law),
        )
        return Pending(*words, sympy.sympify(form))


def mean(
    name: str,
    *random: Vector | Scalar,
    given: tuple[Vector | Scalar, ...] = (),
    over: str = "",
    law: str = "",
) -> Expectation:
    """A (conditional) expectation over what is random.

    Values and gradients at points that are made of random vectors are random as well; the rest is
    the same at every outcome.

    Parameters
    ----------
    name : str
    random : Vector or symbol
    given : tuple of Vector or symbol
        What stands in an equation with something random and is the same at every outcome all the
        same; it is an assumption.
    over, law : str
        As in `theory.kernel.Operator`.

    Examples
    --------
    >>> g = vector("g")
    >>> mean("E", g)(g**2)
    E[<g, g>]
    """
    _list(sys._getframe(1).f_globals, name, random)
    return Expectation("mean", name, _drawn(name, random), _words(name, given), over, law)


def average(
    name: str,
    *varying: Vector | Scalar,
    given: tuple[Vector | Scalar, ...] = (),
    over: str = "",
) -> Expectation:
    """The mean over finitely many indices, such as workers, of what varies with the index."""
    _list(sys._getframe(1).f_globals, name, varying)
    return Expectation("average", name, _drawn(name, varying), _words(name, given), over)


def listed_in(module: dict[str, Any]) -> dict[str, set[str]]:
    """By mean, what a file lists as drawn, so that a mean that a theorem forgets is seen."""
    found: dict[str, set[str]] = module.setdefault("__means__", {})
    return found


def _list(module: dict[str, Any], mean: str, parts: tuple[Vector | Scalar, ...]) -> None:
    names = (one.names if isinstance(one, Vector) else {str(one)} for one in parts)
    listed_in(module).setdefault(mean, set()).update(*names)


def _drawn(name: str, parts: tuple[Vector | Scalar, ...]) -> tuple[str, ...]:
    if not parts:
        raise TheoryError(
            f"nothing is random to {name}, so that the mean of anything would be the thing itself",
            name,
            f'name what is drawn, such as mean("{name}", g)',
        )
    return _words(name, parts)


def _words(mean: str, parts: tuple[Vector | Scalar, ...]) -> tuple[str, ...]:
    """The names of vectors, values and scalars; all else names nothing that a formula has."""
    names: list[str] = []
    for one in parts:
        if not isinstance(one, (Vector, sympy.Symbol)):
            called = getattr(one, "name", one)
            example = f"{called}(x), {called}.grad(x)" if isinstance(one, Function) else "g, f(x)"
            raise TheoryError(
                f"what is drawn or given is a vector, a value or a scalar by name, found {called}",
                mean,
                f'list such, as in mean("{mean}", {example}); of iterates x write x[k]',
            )
        names += sorted(one.names) if isinstance(one, Vector) else [str(one)]
    return tuple(names)
