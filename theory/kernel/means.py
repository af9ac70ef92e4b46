"""Expectations as atoms: linear, with what is not random pulled out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final

import sympy
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.symbol import Str

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.vectors import Gram, Scalar, Vector, in_gram


class Mean(sympy.Function):  # type: ignore[misc]
    """The mean of an expression under a named operator; made by `Operator.of`.

    Arguments: the operator's name, the names of what is random to it, and the expression. Sums are
    split and factors that are not random pulled out, so equal means are the same atom.
    """

    nargs = 3

    @classmethod
    def eval(cls, name: Any, random: Any, expression: Any) -> Any:
        """Split sums and pull out factors, until one product of random atoms is left."""
        names = frozenset(map(str, random))
        terms = []
        for term in sympy.Add.make_args(sympy.expand(expression)):
            factors = sympy.Mul.make_args(term)
            inside = sympy.Mul(*(part for part in factors if is_random(part, names)))
            outside = sympy.Mul(*(part for part in factors if not is_random(part, names)))
            terms.append((outside, inside))
        if len(terms) == 1 and terms[0][0] == 1 and terms[0][1] != 1:
            return None if terms[0][1] == expression else cls(name, random, terms[0][1])
        return sympy.Add(*(a * (1 if b == 1 else cls(name, random, b)) for a, b in terms))

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[2].is_nonnegative else None

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0]}[{printer.doprint(self.args[2])}]"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"\mathbb{{E}}\left[{printer.doprint(self.args[2])}\right]"
        return text if exp is None else rf"{text}^{{{exp}}}"


GIVEN: Final = "(given) "
OVER: Final = "(over) "
LAW: Final = "(law) "
"""How a mean keeps what its operator declares, beside the names that are random to it."""


@lru_cache(maxsize=2**14)
def marked(mean: Any, mark: str) -> frozenset[str]:
    """What the operator of a mean declares under one of these marks."""
    names = map(str, mean.args[1])
    return frozenset(name.removeprefix(mark) for name in names if name.startswith(mark))


@lru_cache(maxsize=2**14)
def random_names(mean: Any) -> frozenset[str]:
    """The names that are random to a mean."""
    return frozenset(name for name in map(str, mean.args[1]) if not name.startswith("("))


def law_of(mean: Any) -> str:
    """The probability measure of a mean."""
    return min(marked(mean, LAW), default=str(mean.args[0]))


@dataclass(frozen=True)
class Operator:
    """A (conditional) expectation, or an average over finitely many indices.

    Attributes
    ----------
    name : str
    random : tuple of str
        Names of vectors and scalar symbols that are random to it; all others are pulled out.
    given : tuple of str
        Names that stand in an equation together with random ones, and are the same at every
        outcome all the same; it is an assumption, and rows show it.
    over : str
        The variable that it binds, such as ``"replica"``; means over different ones may be
        exchanged.
    law : str
        The probability measure; its own name, unless it is a conditional mean of a law that others
        are conditional means of as well.

    Examples
    --------
    >>> from theory.kernel.vectors import dot, square, vectors
    >>> g, v = vectors("g v")
    >>> Operator("E_k", ("g",)).of(square(v - g))
    <v, v> + E_k[<g, g>] - 2*E_k[<g, v>]
    """

    name: str
    random: tuple[str, ...]
    given: tuple[str, ...] = ()
    over: str = ""
    law: str = ""

    _kind: ClassVar[tuple[str, ...]] = ()
    """What tells the means of one kind of operator from those of another."""

    def __post_init__(self) -> None:
        odd = [name for name in (*self.random, *self.given) if name.startswith("(")]
        if odd:
            raise TheoryError(
                f"no name begins with a parenthesis, found {odd[0]!r}",
                self.name,
                "give the vector or symbol another name",
            )

    @property
    def marks(self) -> frozenset[str]:
        """All that tells its means from others of its name: random names, and what it declares."""
        said = [f"{GIVEN}{name}" for name in self.given]
        said += [f"{OVER}{self.over}"] if self.over else []
        said += [f"{LAW}{self.law}"] if self.law else []
        return frozenset((*self.random, *self._kind, *said))

    def of(self, expression: Scalar) -> Scalar:
        """The mean of an expression."""
        names = sympy.Tuple(*(Str(name) for name in sorted(self.marks)))
        return Mean(Str(self.name), names, expression)


class Average(Operator):
    """The mean over finitely many indices, with weights that are fixed beforehand.

    Replicas 1, …, N are such indices, and so are the local steps since an average; components that
    are drawn are not. `random` names what depends on the index.

    Examples
    --------
    >>> from theory.kernel.vectors import dot, vectors
    >>> g, v = vectors("g v")
    >>> Average("avg", ("g",)).of(dot(g, v) + dot(v, v))
    <v, v> + avg[<g, v>]
    """

    _kind: ClassVar[tuple[str, ...]] = ("(average)",)


@lru_cache(maxsize=2**14)
def is_average(mean: Any) -> bool:
    """Whether a mean is taken over finitely many indices, and under no law."""
    return set(Average._kind) <= set(map(str, mean.args[1]))


def is_sequence(one: Any) -> bool:
    """Whether something is a function without a definition, such as ``sympy.Function("F")``.

    Examples
    --------
    >>> (
    ...     is_sequence(sympy.Function("F", real=True)),
    ...     is_sequence(lambda k: k),
    ...     is_sequence(sympy.exp),
    ... )
    (True, False, False)
    """
    return type(one) is UndefinedFunction


@lru_cache(maxsize=2**16)
def is_random(expression: Scalar, names: frozenset[str]) -> bool:
    """Whether an expression depends on one of these vectors, symbols or sequences."""
    if any(symbol.name in names for symbol in expression.free_symbols):
        return True
    if any(str(call.func) in names for call in atoms(expression, AppliedUndef)):
        return True
    return any(name in names for entry in atoms(expression, Gram) for name in entry.names)


def with_vectors(expression: Scalar, values: Mapping[str, Vector]) -> Scalar:
    """Put vectors in place of names, inside means too; means are split anew."""
    # Means are set aside, or what is put into them would be replaced once more.
    aside = {mean: sympy.Dummy() for mean in atoms(expression, Mean)}
    changed = {dummy: _mean_with(mean, values) for mean, dummy in aside.items()}
    return in_gram(expression.xreplace(aside), values).xreplace(changed)


def _mean_with(mean: Any, values: Mapping[str, Vector]) -> Scalar:
    name, random, inside = mean.args
    return Mean(name, random, in_gram(inside, values))
